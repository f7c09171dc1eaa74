// SPDX-License-Identifier: BSD-2-Clause
/* The second file of ufuncs: a static function with the same name as one in the first. */
void twin_other(void);

__attribute__((noinline, noclone, used)) static void twin(void)
{
	__asm__ volatile("nop" ::
				 : "memory");
}

void twin_other(void)
{
	twin();
	__asm__ volatile("" ::
				 : "memory");
}
