// SPDX-License-Identifier: BSD-2-Clause
/* One descriptor for several sources: in which order they are taken, when to come again, and what wakes the reader. */
#include <criterion/criterion.h>
#include <limits.h>
#include <poll.h>

#include "engine/intake.h"

/* Writes its letter into `taken`, and asks for another call after ms. */
struct source {
	char letter;
	int ms;
};

static char taken[8];

static int take(void *ctx)
{
	const struct source *source = ctx;

	taken[strlen(taken)] = source->letter;
	return source->ms;
}

static bool is_readable(const struct intake *intake)
{
	struct pollfd fd = { .fd = intake_fd(intake), .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static int open_pipe(struct intake *intake, int ends[2])
{
	struct err err = {};

	cr_assert_eq(pipe(ends), 0);
	return intake_watch(intake, ends[0], &err);
}

static void close_pipe(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

Test(intake, takes_in_its_own_order_and_wants_the_soonest)
{
	struct source stacks = { 'k', 200 }, own = { 'o', 30 }, stream = { 's', 40 };
	struct intake *intake = intake_new();

	cr_expect_eq(intake_take(intake), INT_MAX);
	intake_add(intake, INTAKE_STREAM, take, &stream);
	intake_add(intake, INTAKE_STACKS, take, &stacks);
	cr_expect_eq(intake_take(intake), 40);
	cr_expect_str_eq(taken, "ks");
	intake_add(intake, INTAKE_OWN, take, &own);
	cr_expect_eq(intake_take(intake), 30);
	cr_expect_str_eq(taken, "kskos");
	intake_free(intake);
}

/* A buffer with data that nobody reads must not keep the reader awake: once for each wake-up. */
Test(intake, is_readable_once_for_each_wake_up)
{
	struct intake *intake = intake_new();
	int a[2], b[2];

	cr_assert_eq(open_pipe(intake, a), 0);
	cr_assert_eq(open_pipe(intake, b), 0);
	cr_expect_not(is_readable(intake));
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(write(a[1], "a", 1), 1);
		cr_assert_eq(write(b[1], "b", 1), 1);
		cr_expect(is_readable(intake));
		intake_take(intake);
		cr_expect_not(is_readable(intake));
	}
	close_pipe(a);
	close_pipe(b);
	intake_free(intake);
}

/* What wakes nobody for a while wakes again at once if something came meanwhile. */
Test(intake, ignores_a_descriptor_for_a_while)
{
	struct intake *intake = intake_new();
	struct err err = {};
	int ends[2];

	cr_assert_eq(open_pipe(intake, ends), 0);
	cr_expect(intake_ignore(intake, ends[0]));
	cr_expect_not(intake_ignore(intake, ends[0]));
	cr_assert_eq(write(ends[1], "a", 1), 1);
	cr_expect_not(is_readable(intake));
	cr_expect_eq(intake_watch(intake, ends[0], &err), 0);
	cr_expect(is_readable(intake));
	close_pipe(ends);
	intake_free(intake);
}

Test(intake, refuses_what_cannot_be_waited_for)
{
	struct intake *intake = intake_new();
	FILE *file = tmpfile();
	struct err err = {};

	cr_assert(file);
	cr_expect_eq(intake_watch(intake, fileno(file), &err), -EPERM);
	cr_expect_str_eq(err.text, "cannot wait for events: Operation not permitted");
	cr_expect_eq(intake_watch(intake, -1, &err), 0);
	cr_expect_eq(intake_fd(NULL), -1);
	fclose(file);
	intake_free(intake);
	intake_free(NULL);
}
