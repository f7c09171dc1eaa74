// SPDX-License-Identifier: BSD-2-Clause
/* How many arguments syscalls take. tests/tools/record.sh compares all with the kernel's own account. */
#include <criterion/criterion.h>
#include <sys/syscall.h>

#include "kernel/syscalls.h"

Test(syscalls_arguments, by_number)
{
	static const struct {
		int number, arguments;
	} calls[] = {
		{ SYS_getpid, 0 },
		{ SYS_close, 1 },
		{ SYS_munmap, 2 },
		{ SYS_read, 3 },
		{ SYS_openat, 4 },
		{ SYS_prctl, 5 },
		{ SYS_mmap, 6 },
		{ SYS_futex, 6 },
		{ SYS_pipe2, 2 },
		{ SYS_writev, 3 },
		{ SYS_clock_nanosleep, 4 },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		cr_expect_eq(syscall_arguments(calls[i].number), calls[i].arguments, "call %d", calls[i].number);
}

/* A name that is a part of another one is not taken for it; unknown numbers have all. */
Test(syscalls_arguments, whole_names)
{
	cr_expect_eq(syscall_arguments(syscall_number("dup")), 1);
	cr_expect_eq(syscall_arguments(syscall_number("dup3")), 3);
	cr_expect_eq(syscall_arguments(syscall_number("sync")), 0);
	cr_expect_eq(syscall_arguments(syscall_number("fsync")), 1);
	cr_expect_eq(syscall_arguments(syscall_number("create_module")), 2);
	cr_expect_eq(syscall_arguments(100000), SYSCALL_ARGUMENTS);
	cr_expect_eq(syscall_arguments(-1), SYSCALL_ARGUMENTS);
}
