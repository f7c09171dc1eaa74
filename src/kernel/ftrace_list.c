// SPDX-License-Identifier: BSD-2-Clause
/* ftrace's list of the functions that it can trace, as tracefs prints it. */
#include <fcntl.h>

#include "kernel.h"
#include "ksym.h"
#include "lines.h"

static int open_list(int tracefs, bool *has_addr)
{
	int fd = -1;

	if (*has_addr)
		fd = openat(tracefs, "available_filter_functions_addrs", O_RDONLY | O_CLOEXEC);
	*has_addr = fd >= 0;
	return fd >= 0 ? fd : openat(tracefs, "available_filter_functions", O_RDONLY | O_CLOEXEC);
}

static int read_list(int fd, bool has_addr, ksym_fn fn, void *ctx, int *error)
{
	__free struct lines *lines = base_alloc(sizeof(*lines));
	char *line;

	lines->fd = fd;
	while ((line = lines_next(lines, error))) {
		struct ksym sym = {};
		int ret;

		if (has_addr) {
			sym.addr = ksym_parse_address(line, &line);
			line += strspn(line, " ");
		}
		ksym_parse_name(line, &sym);
		ret = fn(&sym, ctx);
		if (ret)
			return ret;
	}
	return 0;
}

int kernel_each_traceable(ksym_fn fn, void *ctx, bool *has_addr, struct err *err)
{
	int tracefs = kernel_tracefs(), error, ret;
	__close int fd = -1;

	if (tracefs < 0)
		return err_set(err, tracefs, "the kernel has no tracefs, which lists its traceable functions");
	fd = open_list(tracefs, has_addr);
	error = fd < 0 ? -errno : 0;
	ret = fd < 0 ? 0 : read_list(fd, *has_addr, fn, ctx, &error);
	if (error)
		return err_set(err, error, "cannot read the kernel's list of traceable functions: %s",
			       strerror(-error));
	return ret;
}
