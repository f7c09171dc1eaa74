// SPDX-License-Identifier: BSD-2-Clause
/* What deeps loads while it runs: calls back. */
long inside(long (*down)(int, long, long), int depth);

long inside(long (*down)(int, long, long), int depth)
{
	long r = down(depth, 1, 2);

	__asm__ volatile("" ::
				 : "memory");
	return r + 1;
}
