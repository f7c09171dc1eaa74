// SPDX-License-Identifier: BSD-2-Clause
/*
 * narrow
 *
 * A 32-bit program without any library, and with frame pointers: 27 calls of down(), then leaf() computes for a while.
 */
#define KEPT __attribute__((noinline, noclone, noipa, used))

KEPT static int leaf(int n)
{
	for (int i = 0; i < 200000000; i++)
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

KEPT static void start(void)
{
	int result = down(27) - 28;

	__asm__ volatile("int $0x80"
			 :
			 : "a"(1), "b"(result)); /* exit */
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\n\tcall start\n\thlt\n");
