// SPDX-License-Identifier: BSD-2-Clause
/* Lines from files and pipes. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "kernel/lines.h"
#include "timeout.h"

static struct lines *lines;

static void setup(void)
{
	lines = base_alloc(sizeof(*lines));
}

static void teardown(void)
{
	free(lines);
}

TestSuite(lines, .init = setup, .fini = teardown, .timeout = TIMEOUT_SECONDS);

static int file(const void *data, size_t n)
{
	int fd = memfd_create("lines", 0);

	cr_assert_eq(write(fd, data, n), (ssize_t)n);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void expect_line(const char *want)
{
	int error = 1;
	const char *line = lines_next(lines, &error);

	cr_assert(line, "the end instead of '%s'", want);
	cr_expect_str_eq(line, want);
	cr_expect_eq(error, 0);
}

static void expect_end(int want)
{
	int error = 1;

	cr_expect_null(lines_next(lines, &error));
	cr_expect_eq(error, want);
}

Test(lines, with_and_without_a_last_newline)
{
	lines->fd = file("a\n\nbc\nd", 7);
	expect_line("a");
	expect_line("");
	expect_line("bc");
	expect_line("d");
	expect_end(0);
	expect_end(0);
	close(lines->fd);
	lines->fd = file("a\n", 2);
	expect_line("a");
	expect_end(0);
	close(lines->fd);
	lines->fd = file("", 0);
	expect_end(0);
	close(lines->fd);
}

/* Several times the buffer: lines across the end of the buffer are whole. */
Test(lines, many)
{
	size_t size = 5 * sizeof(lines->buf), at = 0, n = 0;
	__free char *text = base_alloc(size);
	char want[32];
	int error;
	char *line;

	while (at < size - 32)
		at += snprintf(text + at, size - at, "line %zu\n", n++);
	lines->fd = file(text, at);
	for (size_t i = 0; i < n; i++) {
		snprintf(want, sizeof(want), "line %zu", i);
		line = lines_next(lines, &error);
		cr_assert(line);
		cr_assert_str_eq(line, want);
	}
	expect_end(0);
	close(lines->fd);
}

/* A line longer than the buffer comes in pieces; nothing is lost, and the next lines are whole. */
Test(lines, longer_than_the_buffer)
{
	size_t n = 2 * sizeof(lines->buf) + 100, have = 0;
	__free char *text = base_alloc(n + 5);
	int error;

	memset(text, 'x', n);
	memcpy(text + n, "\nend\n", 5);
	lines->fd = file(text, n + 5);
	while (have < n) {
		const char *piece = lines_next(lines, &error);

		cr_assert(piece);
		cr_assert_eq(strspn(piece, "x"), strlen(piece));
		cr_assert_gt(strlen(piece), 0);
		have += strlen(piece);
	}
	cr_expect_eq(have, n);
	expect_line("end");
	expect_end(0);
	close(lines->fd);
}

/* A pipe gives pieces of any size. */
Test(lines, pieces_from_a_pipe)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	lines->fd = ends[0];
	cr_assert_eq(write(ends[1], "one\ntw", 6), 6);
	expect_line("one");
	cr_assert_eq(write(ends[1], "o\nthree", 7), 7);
	close(ends[1]);
	expect_line("two");
	expect_line("three");
	expect_end(0);
	close(ends[0]);
}

Test(lines, errors)
{
	lines->fd = -1;
	expect_end(-EBADF);
}
