// SPDX-License-Identifier: BSD-2-Clause
/* Compares syscall numbers with those in the headers of the compiler. */
#include <criterion/criterion.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "kernel/syscalls.h"

Test(syscalls, by_their_own_name)
{
	cr_expect_eq(syscall_number("openat"), SYS_openat);
	cr_expect_eq(syscall_number("read"), SYS_read);
	cr_expect_eq(syscall_number("clone3"), SYS_clone3);
}

Test(syscalls, by_the_name_of_the_function)
{
	cr_expect_eq(syscall_number("newfstat"), SYS_fstat);
	cr_expect_eq(syscall_number("newuname"), SYS_uname);
	cr_expect_eq(syscall_number("umount"), SYS_umount2);
}

/* futex_waitv, which every header has, is two before the first of the newer ones. */
Test(syscalls, newer_than_the_header)
{
	cr_expect_eq(syscall_number("cachestat"), SYS_futex_waitv + 2);
	cr_expect_eq(syscall_number("mseal"), 462);
}

/* Numbers of 32-bit programs (arch/x86/entry/syscalls/syscall_32.tbl and arch/arm/tools/syscall.tbl in the kernel). */
Test(syscalls, of_32_bits)
{
#ifdef __x86_64__
	cr_expect_str_eq(syscall_name_32(3), "read");
	cr_expect_str_eq(syscall_name_32(162), "nanosleep");
	cr_expect_str_eq(syscall_name_32(403), "clock_gettime64");
	cr_expect_str_eq(syscall_name_32(462), "mseal");
#elif defined(__aarch64__)
	cr_expect_str_eq(syscall_name_32(3), "read");
	cr_expect_str_eq(syscall_name_32(291), "recv");
	cr_expect_str_eq(syscall_name_32(462), "mseal");
#endif
	cr_expect_null(syscall_name_32(-1));
	cr_expect_null(syscall_name_32(100000));
}

Test(syscalls, unknown)
{
	cr_expect_eq(syscall_number("no_such_call"), -ENOENT);
	cr_expect_eq(syscall_number(""), -ENOENT);
}

Test(syscalls, by_number)
{
	cr_expect_str_eq(syscall_name(SYS_openat), "openat");
	cr_expect_str_eq(syscall_name(SYS_read), "read");
	cr_expect_str_eq(syscall_name(462), "mseal");
	cr_expect_null(syscall_name(1023));
	cr_expect_null(syscall_name(-1));
	/* a name is a call's, and has its number */
	for (int number = 0; number < 512; number++)
		if (syscall_name(number))
			cr_expect_eq(syscall_number(syscall_name(number)), number);
}
