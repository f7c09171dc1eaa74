// SPDX-License-Identifier: BSD-2-Clause
/*
 * libcalls N
 *
 * A dynamic program that calls malloc, strlen (an IFUNC in glibc) and memcpy of the C library N times
 * each, through its own PLT, and a function of its own, own_work. The library calls these too when
 * it starts and ends, so compare the counts of two runs with different N. Prints "did FUNCTION N".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline, noclone)) size_t own_work(char *to, const char *from)
{
	__asm__ volatile(""
			 : "+r"(to), "+r"(from)::"memory");
	return (size_t)(to - from);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	static char buf[256];
	volatile size_t sum = 0;

	for (int i = 0; i < n; i++) {
		char *volatile p = malloc(32);

		sum += strlen(argv[0]);
		memcpy(buf, argv[0], (size_t)(sum & 15) + 1);
		sum += own_work(buf, argv[0]);
		free(p);
	}
	printf("did malloc %d\ndid strlen %d\ndid memcpy %d\ndid own_work %d\n", n, n, n, n);
	return 0;
}
