// SPDX-License-Identifier: BSD-2-Clause
/* Writes to a reader that reads nothing. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "base/write.h"
#include "timeout.h"

#define ROOM 65536

static int give_up(void *ctx, int fd)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };

	++*(int *)ctx;
	return poll(&writable, 1, 0) == 1 ? 0 : -ETIMEDOUT;
}

/* Fills the pipe completely; the count of written bytes is exact, and write(2) never blocks. */
Test(write, full_pipe, .timeout = TIMEOUT_SECONDS)
{
	__free char *data = base_alloc(2 * ROOM);
	int ends[2], waits = 0, error;

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(fcntl(ends[1], F_SETPIPE_SZ, ROOM), ROOM);
	write_set_waiter(give_up, &waits);
	cr_expect_eq(write_all(ends[1], data, 2 * ROOM, &error), ROOM);
	cr_expect_eq(error, -ETIMEDOUT);
	cr_expect_gt(waits, 1);
	write_set_waiter(NULL, NULL);
}

Test(write, all_of_it, .timeout = TIMEOUT_SECONDS)
{
	char buf[16] = "";
	int ends[2], error = 1;

	cr_assert_eq(pipe(ends), 0);
	cr_expect_eq(write_all(ends[1], "hello", 5, &error), 5);
	cr_expect_eq(error, 0);
	cr_expect_eq(read(ends[0], buf, sizeof(buf)), 5);
	cr_expect_str_eq(buf, "hello");
	cr_expect_eq(write_all(ends[1], "", 0, &error), 0);
	cr_expect_eq(error, 0);
}

Test(write, errors, .timeout = TIMEOUT_SECONDS)
{
	__close int full = open("/dev/full", O_WRONLY);
	int ends[2], error;

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	cr_expect_eq(write_all(ends[1], "hello", 5, &error), 0);
	cr_expect_eq(error, -EPIPE);
	cr_expect_eq(write_all(full, "hello", 5, &error), 0);
	cr_expect_eq(error, -ENOSPC);
	close(ends[1]);
	cr_expect_eq(write_all(ends[1], "hello", 5, &error), 0);
	cr_expect_eq(error, -EBADF);
}
