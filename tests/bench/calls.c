// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-calls [-e] [-s MS] [-n CALLS] [-r ROUNDS] [-d DEPTH] [-o FILE] read | open | stat | spin | emulated | stepped
 * bench-calls -a emulated | stepped
 *
 * Makes one call many times, and prints the nanoseconds of thread CPU time that one call took in the best of several
 * rounds. A round is shorter than the time between two timer interrupts, so that some rounds have none.
 *
 * -e: measure elapsed time, which includes what others do while the call waits for them
 * -s: sleep after each round, so that a reader of our events keeps up
 * -n, -r: the number of calls in a round (1000), and of rounds
 * -d: the calls are made below so many frames, which have no frame pointers
 * -a: print where in this file the function is
 *
 * read is the system call, of one byte of /dev/zero; open opens /dev/null and closes it; stat looks up a path of several
 * directories; spin computes for 1000 turns of a loop. The others are functions whose first instruction a uprobe
 * emulates, or executes by a single step.
 */
#include <err.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define EMULATED "push %rbp\n\tpop %rbp\n\tret"
#define STEPPED	 "lea 1(%rdi), %eax\n\tret"
#elif defined(__aarch64__)
#define EMULATED "b 1f\n1:\tret"
#define STEPPED	 "add w0, w0, #1\n\tret"
#endif
#define FUNCTION(name, text) \
	void name(void); \
	__asm__(".pushsection .text\n.globl " #name "\n.type " #name ", %function\n" #name \
		":\n\t" text "\n.size " #name ", . - " #name "\n.popsection")

FUNCTION(emulated, EMULATED);
FUNCTION(stepped, STEPPED);

static int zero;
static long calls = 1000, rounds = 20;
static clockid_t measured = CLOCK_THREAD_CPUTIME_ID;

static void read_zero(void)
{
	char byte;

	if (read(zero, &byte, 1) != 1)
		err(1, "/dev/zero");
}

static void open_null(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0 || close(fd))
		err(1, "/dev/null");
}

static void look_up(void)
{
	struct stat st;

	if (stat("/proc/self/task/../../self/task/../../self/stat", &st))
		err(1, "/proc");
}

static void spin(void)
{
	for (long i = 0; i < 1000; i++)
		__asm__ volatile("");
}

static const struct call {
	const char *name;
	void (*fn)(void);
} known[] = {
	{ "read", read_zero },
	{ "open", open_null },
	{ "stat", look_up },
	{ "spin", spin },
	{ "emulated", emulated },
	{ "stepped", stepped },
};

static const struct call *find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	errx(2, "what to call?");
}

static unsigned long file_offset(uintptr_t addr)
{
	const ElfW(Phdr) *phdr = (void *)getauxval(AT_PHDR);

	for (size_t n = getauxval(AT_PHNUM); n--; phdr++)
		if (phdr->p_type == PT_LOAD && addr - phdr->p_vaddr < phdr->p_filesz)
			return addr - phdr->p_vaddr + phdr->p_offset;
	errx(1, "not in this file");
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(measured, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t one_round(void (*fn)(void))
{
	uint64_t start = now_ns();

	for (long i = 0; i < calls; i++)
		fn();
	return now_ns() - start;
}

static uint64_t best_round(void (*fn)(void), int pause_us)
{
	uint64_t best = UINT64_MAX;

	for (long i = 0; i < rounds; i++) {
		uint64_t ns = one_round(fn);

		best = ns < best ? ns : best;
		if (pause_us)
			usleep(pause_us);
	}
	return best;
}

__attribute__((noinline, noclone)) static uint64_t best_below(int depth, void (*fn)(void), int pause_us)
{
	uint64_t best = depth > 0 ? best_below(depth - 1, fn, pause_us) : best_round(fn, pause_us);

	__asm__ volatile("" ::
				 : "memory"); /* this frame is left only when the other is */
	return best;
}

int main(int argc, char **argv)
{
	FILE *to = stdout;
	uint64_t best;
	const struct call *call;
	int c, address = 0, pause_us = 0, depth = 0;

	while ((c = getopt(argc, argv, "aes:n:r:d:o:")) != -1) {
		if (c == 'a')
			address = 1;
		else if (c == 'e')
			measured = CLOCK_MONOTONIC;
		else if (c == 's')
			pause_us = atoi(optarg) * 1000;
		else if (c == 'n')
			calls = atol(optarg);
		else if (c == 'r')
			rounds = atol(optarg);
		else if (c == 'd')
			depth = atoi(optarg);
		else if (c != 'o' || !(to = fopen(optarg, "w")))
			return 2;
	}
	call = find(argv[optind]);
	if (address)
		return printf("0x%lx\n", file_offset((uintptr_t)call->fn)) < 0;
	zero = open("/dev/zero", O_RDONLY);
	best = depth ? best_below(depth, call->fn, pause_us) : best_round(call->fn, pause_us);
	fprintf(to, "%.1f\n", (double)best / calls);
	return 0;
}
