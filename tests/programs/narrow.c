// SPDX-License-Identifier: BSD-2-Clause
/*
 * narrow DEPTH
 *
 * A 32-bit program without any library, and with frame pointers: DEPTH calls of down(), then leaf() computes for ever.
 */
#define KEPT __attribute__((noinline, noclone, noipa, used))

KEPT static int leaf(int n)
{
	for (;;)
		__asm__ volatile(""
				 : "+r"(n));
	return n;
}

KEPT static int down(int n)
{
	int r = n > 1 ? down(n - 1) : leaf(n);

	__asm__ volatile("" ::
				 : "memory");
	return r + 1;
}

KEPT static int start(int *stack)
{
	const char *text = stack[0] > 1 ? (const char *)stack[2] : "";
	int depth = 0;

	while (*text >= '0' && *text <= '9')
		depth = depth * 10 + *text++ - '0';
	return down(depth ? depth : 27);
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\n mov %esp, %eax\n push %eax\n call start\n hlt\n");
