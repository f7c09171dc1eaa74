// SPDX-License-Identifier: BSD-2-Clause
/* Writes in pieces so small that a writable file takes each without blocking. */
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#include "write.h"

static int wait_forever(void *ctx, int fd)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };

	while (poll(&writable, 1, -1) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static write_waiter_fn waiter = wait_forever;
static void *waiter_ctx;

void write_set_waiter(write_waiter_fn fn, void *ctx)
{
	waiter = fn ? fn : wait_forever;
	waiter_ctx = ctx;
}

/*
 * If poll(2) reports a pipe as writable, it has room for at least PIPE_BUF bytes. Regular files and disks never
 * block for a reader.
 */
static size_t piece_size(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
		return SSIZE_MAX;
	return PIPE_BUF;
}

size_t write_all(int fd, const char *data, size_t n, int *error)
{
	size_t done = 0, piece = piece_size(fd);

	*error = 0;
	while (done < n && !*error) {
		ssize_t taken;

		*error = waiter(waiter_ctx, fd);
		if (*error)
			break;
		taken = write(fd, data + done, n - done < piece ? n - done : piece);
		if (taken > 0)
			done += taken;
		else if (taken == 0)
			*error = -EIO;
		else if (errno != EINTR && errno != EAGAIN)
			*error = -errno;
	}
	return done;
}
