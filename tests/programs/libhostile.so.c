// SPDX-License-Identifier: BSD-2-Clause
/*
 * A hostile library in the place of a C library: any of its code that runs creates the directory /marks/ran. It is
 * stripped, and its debug link (tests/rules.mk) leads to a device, through more ".." than there are directories.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>

/* A system call of its own: functions that it could call may be missing. */
static void leave_mark(void)
{
#if defined(__x86_64__)
	long ret = SYS_mkdir;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"("/marks/ran"), "S"(0700)
			 : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = SYS_mkdirat, x0 __asm__("x0") = AT_FDCWD, x2 __asm__("x2") = 0700;
	register const char *x1 __asm__("x1") = "/marks/ran";

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2)
			 : "memory");
#endif
}

static void *copy(void *restrict to, const void *restrict from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

typedef void *copy_fn(void *restrict to, const void *restrict from, size_t n);

static copy_fn *choose(void)
{
	leave_mark();
	return copy;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) __attribute__((ifunc("choose")));

char *readline(const char *prompt)
{
	return (char *)prompt;
}

__attribute__((constructor)) static void begin(void)
{
	leave_mark();
}
