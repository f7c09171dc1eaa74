// SPDX-License-Identifier: BSD-2-Clause
/*
 * ufuncs [N]
 *
 * Calls functions of its own, each a known number of times, and prints "did FUNCTION COUNT" lines:
 * f_one N times, f_two 2 N times (f_two_alias is the same place), f_three 3 N times, f_deep
 * as a recursion of depth 10, and two static functions that are both called twin, this one 3 times and
 * the one of ufuncs-twin.c 4 times. Not printed: a function with a name as Go makes them, N times.
 */
#include <stdio.h>
#include <stdlib.h>

#define PROBED __attribute__((noinline, noclone, used))
/* Keeps a call from being merged with the next or removed. */
#define kept() __asm__ volatile("" :: \
					: "memory")

void twin_other(void);

PROBED int f_one(int x)
{
	kept();
	return x + 1;
}

PROBED int f_two(int x)
{
	kept();
	return x + 2;
}

PROBED int f_three(int x)
{
	kept();
	return x + 3;
}

int f_two_alias(int x) __attribute__((alias("f_two")));

PROBED int f_deep(int depth)
{
	int below = depth > 1 ? f_deep(depth - 1) : 0;

	kept();
	return below + depth;
}

int f_colons(int x) __asm__("\"type:.eq.main.T\"");

PROBED int f_colons(int x)
{
	kept();
	return x + 1;
}

PROBED int f_never(int x)
{
	kept();
	return x;
}

#ifdef __x86_64__
/* Never called. It begins with vmovdqu %ymm1, (%rdi), which shares its opcode byte with a jump. */
__asm__(".pushsection .text\n.globl f_avx\n.type f_avx, %function\nf_avx:\n\t.byte 0xc5, 0xfe, 0x7f, 0x0f\n\tret\n"
	".size f_avx, . - f_avx\n.popsection");
/* Never called. vcmpltsd shares its opcode byte with a return, vpxor with an instruction of the kernel's. */
__asm__(".pushsection .text\n.globl f_compare\n.type f_compare, %function\nf_compare:\n\t.byte 0xc5, 0xfb, 0xc2, 0xc1, 1\n\tret\n"
	".size f_compare, . - f_compare\n.globl f_clear\n.type f_clear, %function\nf_clear:\n\t.byte 0xc5, 0xf9, 0xef, 0xc0\n\tret\n"
	".size f_clear, . - f_clear\n.popsection");
#endif

/* A function that continues in the code after it: nobody knows where it ends. Returns its argument. */
#ifdef __x86_64__
#define TAKE "mov %edi, %eax"
#else
#define TAKE "mov w0, w0"
#endif
int g_through(int x);
__asm__(".pushsection .text\n.globl g_through\n.type g_through, %function\ng_through:\n\t" TAKE
	"\n.size g_through, . - g_through\n\tret\n.popsection");

PROBED static void twin(void)
{
	kept();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, x = 0;

	for (int i = 0; i < n; i++) {
		x = f_one(x);
		x = f_two(f_two_alias(x));
		x = f_three(f_three(f_three(x)));
		x = g_through(f_colons(x));
	}
	x += f_deep(10);
	for (int i = 0; i < 3; i++)
		twin();
	for (int i = 0; i < 4; i++)
		twin_other();
	printf("did f_one %d\ndid f_two %d\ndid f_three %d\ndid f_deep 10\ndid twin 3\ndid twin 4\n", n, 2 * n, 3 * n);
	return x == -1;
}
