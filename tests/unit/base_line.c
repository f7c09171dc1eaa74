// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "base/base.h"

/* A file of this text, under /proc/self/fd. */
static int file_of(const char *text)
{
	int fd = memfd_create("line", 0);

	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return fd;
}

Test(base_line, the_first_of_a_file)
{
	__close int fd = file_of("one\ntwo\n"), empty = file_of("");
	char line[8] = "";

	cr_expect(base_read_line(line, sizeof(line), "/proc/self/fd/%d", fd));
	cr_expect_str_eq(line, "one\n");
	cr_expect(base_read_line(line, 3, "/proc/self/fd/%d", fd));
	cr_expect_str_eq(line, "on");
	cr_expect_not(base_read_line(line, sizeof(line), "/proc/self/fd/%d", empty));
	cr_expect_not(base_read_line(line, sizeof(line), "/proc/self/nosuch"));
}
