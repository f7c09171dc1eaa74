// SPDX-License-Identifier: BSD-2-Clause
/*
 * hands [-u UID] [-w FILE]... N	functions that end by a jump to where only the running program knows: to functions in a
 *				table, of another file (by its PLT), and through a function that jumps on
 * hands [-u UID] -x		lets them jump to thousands of functions, and to memory without a file, in one process and,
 *				until it is killed, in others that end at once
 *
 * -u: as this user. For each -w: calls each function 7 times, then waits until FILE can be opened and read. Then calls each N times, and
 * prints for each "did FUNCTION N SUM": the sum of what it returned.
 */
#include <stdbool.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

/* A jump as the last act, in place of a call. */
#define JUMPS __attribute__((noinline, optimize("O2", "optimize-sibling-calls")))

typedef long (*step)(long x);

static long twice(long x)
{
	return x * 2;
}

static long square(long x)
{
	return x * x;
}

static long hop(long x);

/* volatile: so that the compiler does not know what is in it. */
static volatile step table[] = { twice, square };

JUMPS static long hop(long x)
{
	return table[x & 1](x + 1);
}

static volatile step far = hop;

JUMPS long r_pointer(long x)
{
	return table[x & 1](x);
}

JUMPS long r_chain(long x)
{
	return far(x);
}

JUMPS long r_stub(const char *x)
{
	return atol(x);
}

/* Returns by itself, or jumps. */
JUMPS long r_either(long x)
{
	return x % 3 ? x : table[x & 1](x);
}

static void call(long n, bool prints)
{
	long sums[4] = {};

	for (long i = 0; i < n; i++) {
		sums[0] += r_pointer(i);
		sums[1] += r_chain(i);
		sums[2] += r_stub(i % 2 ? "7" : "12");
		sums[3] += r_either(i);
	}
	if (!prints)
		return;
	printf("did r_pointer %ld %ld\ndid r_chain %ld %ld\ndid r_stub %ld %ld\ndid r_either %ld %ld\n", n, sums[0], n,
	       sums[1], n, sums[2], n, sums[3]);
}

/* Functions of 16 bytes each that return what they are called with. No symbol names them. */
#define MANY 4096
#if defined(__x86_64__)
#define RETURN_ARGUMENT "mov %rdi, %rax\n ret\n"
#else
#define RETURN_ARGUMENT "nop\n ret\n"
#endif
__asm__(".pushsection .text.many, \"ax\"\n .balign 16\n .hidden many\n .globl many\n many:\n"
	".rept 4096\n .cfi_startproc\n" RETURN_ARGUMENT ".balign 16\n .cfi_endproc\n .endr\n .popsection\n");
extern char many[];

static void jump_to_all(char *functions)
{
	for (size_t i = 0; i < MANY; i++) {
		table[0] = table[1] = (step)(void *)(functions + 16 * i);
		if (r_pointer(5) != 5 || r_either(6) != 6 || r_either(4) != 4)
			errx(1, "a call returned something else");
	}
}

__attribute__((noreturn)) static void jump_around(void)
{
	char *copy = mmap(NULL, 16 * MANY, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;

	if (copy == MAP_FAILED)
		err(1, "mmap");
	memcpy(copy, many, 16 * MANY);
	__builtin___clear_cache(copy, copy + 16 * MANY);
	jump_to_all(many);
	jump_to_all(copy);
	for (;;) {
		pid_t child = fork();

		if (child < 0)
			err(1, "fork");
		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			jump_to_all(many);
			_exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			errx(1, "a child failed");
	}
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "-u")) {
		if (setuid(atoi(argv[2])))
			err(1, "%s", argv[2]);
		argc -= 2, argv += 2;
	}
	if (argc == 2 && !strcmp(argv[1], "-x"))
		jump_around();
	for (; argc > 3 && !strcmp(argv[1], "-w"); argc -= 2, argv += 2) {
		/* 7: all entries of the table, and the stub more than once, which leads to the loader the first time */
		call(7, false);
		workload_wait(argv[2]);
	}
	if (argc != 2)
		errx(2, "usage: hands [-u UID] [-w FILE]... N | [-u UID] -x");
	call(atol(argv[1]), true);
	return 0;
}
