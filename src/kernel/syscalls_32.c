// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of the calls of 32-bit programs, which have other numbers: on x86 from the headers of the build, on arm64 from
 * a list, because only those of another architecture have them.
 */
#if __has_include(<asm/unistd_32.h>)
#include <asm/unistd_32.h>
#endif

#include "base/base.h"
#include "syscalls.h"

/* Behind the last one. From 424 on, numbers are the same on all architectures. */
#define NUMBERS 512

static const char *const names[NUMBERS] = {
#ifdef __aarch64__
#define SYSCALL(NUMBER, NAME) [NUMBER] = #NAME,
#include "syscalls_arm.inc"
#else
#define SYSCALL(NAME) [__NR_##NAME] = #NAME,
#include "syscalls_32.inc"
#endif
#undef SYSCALL
};

const char *syscall_name_32(int number)
{
	/* 0 is restart_syscall */
	if (!names[0] || number < 0 || number >= NUMBERS)
		return NULL;
	return names[number] || number < 424 ? names[number] : syscall_name(number);
}
