// SPDX-License-Identifier: BSD-2-Clause
/* Reads and writes whole files of tracefs. Knows nothing of their contents. */
#include "files.h"
#include "kernel/kernel_files.h"

#define PIECE 4096

static int open_file(int root, const char *file, int flags)
{
	int fd = *file == '/' ? kernel_open(file, flags) : openat(root, file, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int trace_file_read(int root, const char *file, struct str *text)
{
	__close int fd = open_file(root, file, O_RDONLY);
	char piece[PIECE];
	ssize_t n;

	str_reset(text);
	if (fd < 0)
		return fd;
	for (;;) {
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		str_addn(text, piece, n);
	}
}

int trace_file_write(int root, const char *file, int flags, const char *text)
{
	__close int fd = open_file(root, file, O_WRONLY | flags);
	size_t len = strlen(text);

	if (fd < 0)
		return fd;
	return len && write(fd, text, len) < 0 ? -errno : 0;
}
