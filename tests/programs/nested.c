// SPDX-License-Identifier: BSD-2-Clause
/*
 * nested tree N THREADS | deep N TIMES | wide N | jump N | end N | stay N | leave N
 *
 * Calls functions of its own in each other:
 * tree: in each of so many threads at a time, n_root N times, which calls n_mid twice, which calls n_leaf three times;
 * deep: n_deep, in itself N deep, TIMES times;
 * wide: n_wide, which calls n_leaf N times;
 * jump: n_catch N times, which calls n_throw, which calls n_jump, from which longjmp() leads back to n_catch, which calls
 *	n_leaf;
 * end: N threads, one after the other, that end in n_end, which n_last has called; then n_mid;
 * stay, leave: n_catch as with jump, N times, then n_last, which calls n_end, in which it stays after "here", or ends.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used))
#define kept() __asm__ volatile("" :: \
					: "memory")

#define THREADS 64

static int rounds;
static __thread jmp_buf back;

PROBED int n_leaf(int x)
{
	kept();
	return x + 1;
}

PROBED int n_mid(int x)
{
	for (int i = 0; i < 3; i++)
		x = n_leaf(x);
	kept();
	return x;
}

PROBED int n_root(int x)
{
	for (int i = 0; i < 2; i++)
		x = n_mid(x);
	kept();
	return x;
}

PROBED int n_deep(int depth)
{
	int below = depth > 1 ? n_deep(depth - 1) : 0;

	kept();
	return below + 1;
}

PROBED int n_wide(int n)
{
	int x = 0;

	for (int i = 0; i < n; i++)
		x = n_leaf(x);
	kept();
	return x;
}

/* Else the compiler would make them functions that never return. */
static volatile int jumps = 1;

PROBED void n_jump(void)
{
	kept();
	if (jumps)
		longjmp(back, 1);
}

PROBED void n_throw(void)
{
	n_jump();
	kept();
}

PROBED int n_catch(void)
{
	if (!setjmp(back))
		n_throw();
	kept();
	return n_leaf(0);
}

PROBED void n_end(void)
{
	kept();
	if (jumps > 1) {
		puts("here");
		fflush(stdout);
		pause();
	}
	if (jumps)
		syscall(SYS_exit, 0);
}

PROBED void n_last(void)
{
	n_end();
	kept();
}

static void *tree(void *unused)
{
	for (int i = 0; i < rounds; i++)
		n_root(i);
	return NULL;
}

static void *end(void *unused)
{
	n_last();
	return NULL;
}

static void *leave(void *unused)
{
	for (int i = 0; i < rounds; i++)
		n_catch();
	n_last();
	return NULL;
}

static void in_threads(int n, void *(*fn)(void *), int at_a_time)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < n; i += at_a_time) {
		for (int t = 0; t < at_a_time; t++)
			if (pthread_create(&threads[t], NULL, fn, NULL))
				abort();
		for (int t = 0; t < at_a_time; t++)
			pthread_join(threads[t], NULL);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int threads = argc > 3 ? atoi(argv[3]) : 1;

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	if (rounds < 1 || threads < 1 || threads > THREADS)
		return 2;
	if (!strcmp(what, "tree")) {
		in_threads(threads, tree, threads);
	} else if (!strcmp(what, "deep")) {
		for (int i = 0; i < threads; i++)
			n_deep(rounds);
	} else if (!strcmp(what, "wide")) {
		n_wide(rounds);
	} else if (!strcmp(what, "jump")) {
		for (int i = 0; i < rounds; i++)
			n_catch();
	} else if (!strcmp(what, "end")) {
		in_threads(rounds, end, 1);
		n_mid(0);
	} else if (!strcmp(what, "stay") || !strcmp(what, "leave")) {
		jumps += !strcmp(what, "stay");
		in_threads(1, leave, 1);
	} else {
		return 2;
	}
	return 0;
}
