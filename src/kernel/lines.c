// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines through one buffer. */
#include "lines.h"

char *lines_next(struct lines *l, int *error)
{
	*error = 0;
	for (;;) {
		char *line = l->buf + l->start;
		char *newline = memchr(line, '\n', l->end - l->start);
		ssize_t n;

		if (newline) {
			*newline = 0;
			l->start = newline + 1 - l->buf;
			return line;
		}
		memmove(l->buf, line, l->end - l->start);
		l->end -= l->start;
		l->start = 0;
		n = read(l->fd, l->buf + l->end, sizeof(l->buf) - 1 - l->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0) {
			l->end += n;
			continue;
		}
		if (n < 0)
			*error = -errno;
		if (n < 0 || !l->end)
			return NULL;
		/* the last line has no newline, or the buffer is full */
		l->buf[l->end] = 0;
		l->end = 0;
		return l->buf;
	}
}
