// SPDX-License-Identifier: BSD-2-Clause
/*
 * hands [-w FILE]... N	functions that end by a jump to where only the running program knows: to functions in a table, of
 *			another file (by its PLT), and through a function that jumps on
 *
 * For each -w: calls each function 7 times, then waits until FILE can be opened and read. Then calls each N times, and
 * prints for each "did FUNCTION N SUM": the sum of what it returned.
 */
#include <stdbool.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
	for (; argc > 3 && !strcmp(argv[1], "-w"); argc -= 2, argv += 2) {
		/* 7: all entries of the table, and the stub more than once, which leads to the loader the first time */
		call(7, false);
		workload_wait(argv[2]);
	}
	if (argc != 2)
		errx(2, "usage: hands [-w FILE]... N");
	call(atol(argv[1]), true);
	return 0;
}
