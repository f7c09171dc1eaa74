// SPDX-License-Identifier: BSD-2-Clause
/*
 * unpaired N: calls bare() N times with a frame pointer that leads on, and N times with one that does not. bare() has
 * no unwind information: whether its caller is found depends on the frame pointer.
 */
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
__asm__(".globl bare\n.type bare, @function\nbare:\n\tnop\n\tret\n.size bare, . - bare\n");
#else
__asm__(".globl bare\n.type bare, %function\nbare:\n\tnop\n\tret\n.size bare, . - bare\n");
#endif

static __attribute__((noinline)) void call(void *frame)
{
#if defined(__x86_64__)
	/* the compiler may use the bytes below the stack pointer */
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %%rbp\n\tmov %0, %%rbp\n\tcall bare\n\tpop %%rbp\n\t"
			 "lea 128(%%rsp), %%rsp"
			 :
			 : "r"(frame)
			 : "memory", "cc");
#else
	__asm__ volatile("mov x19, x29\n\tmov x29, %0\n\tbl bare\n\tmov x29, x19"
			 :
			 : "r"(frame)
			 : "x19", "x30", "memory", "cc");
#endif
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	/* on the stack, above the frames of call() and bare() */
	void *pair[2] = { NULL, (char *)main + 1 };

	for (int i = 0; i < n; i++) {
		call(pair);
		call(NULL);
	}
	printf("did bare %d\n", 2 * n);
	return 0;
}
