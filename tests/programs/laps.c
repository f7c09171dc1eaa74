// SPDX-License-Identifier: BSD-2-Clause
/*
 * laps [-w FILE] [-t THREADS] WHAT N [USECS]
 *
 * Calls something N times. Each call takes at least USECS or a known time. Prints "did WHAT CALLS LEAST MOST": the
 * number of calls, and bounds of the sum of their times in ns. -t: in each of THREADS at the same time (1). -w: see
 * calls.c. WHAT is
 *	nap	lap_nap() sleeps, in the kernel's hrtimer_nanosleep
 *	spin	lap_spin() works
 *	dive	lap_dive() works and calls itself, N deep; each level works as long
 *	tail	lap_tail() ends by a jump to lap_tailed()
 *	fall	lap_fall() ends by a jump to lap_fallen(), which calls lap_fall(), N deep
 *	leave	longjmp leaves lap_leave() in place of a return
 *	hold	lap_hold() waits by -w: it has begun before tracing
 *	pass	sends a byte to a child through a pipe and reads it back; the child takes USECS to
 *		answer from when we wait in the kernel's vfs_read: so each of our reads takes as long
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

#define PROBED __attribute__((noinline, noclone, used))
#define kept() __asm__ volatile("" :: \
					: "memory")

/* In assembler: compilers may or may not make a tail call of a call at the end. */
#if defined(__x86_64__)
#define JUMP "jmp "
#elif defined(__aarch64__)
#define JUMP "b "
#endif
#define JUMPS(from, to) \
	__asm__(".pushsection .text\n.globl " from "\n.type " from ", %function\n" from ":\n\tnop\n\t" JUMP to \
		"\n.size " from ", . - " from "\n.popsection")
void lap_tail(void);
JUMPS("lap_tail", "lap_tailed");
void lap_fall(long depth);
JUMPS("lap_fall", "lap_fallen");

static const char *gate;
static long n, usecs;
static jmp_buf out;
static long long least, most;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static inline __attribute__((always_inline)) void lap_inlined(void)
{
	kept();
}

static void work(void)
{
	long long end = now() + usecs * 1000;

	while (now() < end)
		lap_inlined();
}

PROBED void lap_tailed(void)
{
	kept();
}

PROBED void lap_spin(void)
{
	work();
}

/* The sum of the times of all levels: the time of a level counts in all levels above it. */
PROBED void lap_dive(long depth)
{
	long long begin = now();

	work();
	if (depth > 1)
		lap_dive(depth - 1);
	__atomic_fetch_add(&least, now() - begin, __ATOMIC_RELAXED);
	kept();
}

PROBED void lap_fallen(long depth)
{
	if (depth > 1)
		lap_fall(depth - 1);
	kept();
}

PROBED void lap_leave(int away)
{
	kept();
	if (away)
		longjmp(out, 1);
	kept();
}

PROBED void lap_hold(void)
{
	workload_wait(gate);
	gate = NULL;
}

PROBED void lap_nap(void)
{
	struct timespec ts = { usecs / 1000000, usecs % 1000000 * 1000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void leave(void)
{
	if (!setjmp(out))
		lap_leave(1);
}

static int there[2], back[2];

static void pass(void)
{
	char byte = 'x';

	if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
		err(1, "pipe");
}

/* Who has sent a byte sleeps next in its read for the answer, however late it comes there. readv(2) is no vfs_read. */
static void wait_for_reader(int stat)
{
	char text[64], *state;
	struct iovec to = { text, sizeof(text) - 1 };

	do {
		ssize_t n;

		sched_yield();
		lseek(stat, 0, SEEK_SET);
		n = readv(stat, &to, 1);
		text[n > 0 ? n : 0] = '\0';
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

static pid_t answer(void)
{
	char path[32];
	int stat;
	pid_t pid;
	char byte;

	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	stat = open(path, O_RDONLY);
	if (stat < 0 || pipe(there) || pipe(back) || (pid = fork()) < 0)
		err(1, "pipes and a child");
	if (pid)
		return pid;
	close(there[1]);
	while (read(there[0], &byte, 1) == 1) {
		wait_for_reader(stat);
		lap_nap();
		if (write(back[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void dive(void)
{
	lap_dive(n);
}

static void fall(void)
{
	lap_fall(n);
}

static const struct lap {
	const char *name;
	void (*fn)(void);
} laps[] = {
	{ "nap", lap_nap },
	{ "spin", lap_spin },
	{ "dive", dive },
	{ "tail", lap_tail },
	{ "fall", fall },
	{ "leave", leave },
	{ "hold", lap_hold },
	{ "pass", pass },
};

static const struct lap *lap;

static void *run(void *unused)
{
	long times = lap->fn == dive || lap->fn == fall || lap->fn == lap_hold ? 1 : n;

	while (times-- > 0) {
		long long begin = now();

		lap->fn();
		__atomic_fetch_add(&most, now() - begin, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[256];
	int c, n_threads = 1;
	pid_t child = 0;

	while ((c = getopt(argc, argv, "w:t:")) != -1) {
		if (c == 'w')
			gate = optarg;
		else if (c != 't' || (n_threads = atoi(optarg)) < 1 || n_threads > 256)
			return 2;
	}
	argv += optind;
	for (size_t i = 0; argv[0] && argv[1] && i < sizeof(laps) / sizeof(*laps); i++)
		if (!strcmp(argv[0], laps[i].name))
			lap = &laps[i];
	if (!lap)
		errx(2, "what, and how often?");
	n = atol(argv[1]);
	usecs = argv[2] ? atol(argv[2]) : 0;
	if (gate && lap->fn != lap_hold)
		workload_wait(gate);
	if (lap->fn == pass)
		child = answer();
	for (int i = 1; i < n_threads; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			errx(1, "no thread");
	run(NULL);
	for (int i = 1; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	close(there[1]);
	if (child)
		waitpid(child, NULL, 0);
	if (lap->fn != dive)
		least = n * n_threads * usecs * 1000LL;
	else
		most *= n;
	printf("did %s %ld %lld %lld\n", lap->name, n * n_threads, least, most);
	return 0;
}
