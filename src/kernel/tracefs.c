// SPDX-License-Identifier: BSD-2-Clause
/* Opens tracefs, and lists the tracepoints by it or, if it is not available, by BTF. */
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/mount.h"
#include "base/str.h"
#include "kernel_files.h"
#include "lines.h"

#define TRACEFS_MAGIC_NUMBER 0x74726163

static int open_mounted(const char *path)
{
	__close int fd = kernel_open(path, O_RDONLY | O_DIRECTORY);
	struct statfs fs;

	if (fd < 0 || (kernel_is_real() && (fstatfs(fd, &fs) || fs.f_type != TRACEFS_MAGIC_NUMBER)))
		return -ENOENT;
	return take_fd(fd);
}

int kernel_tracefs(void)
{
	static int fd = -1;

	if (fd >= 0)
		return fd;
	fd = open_mounted("/sys/kernel/tracing");
	if (fd < 0)
		fd = open_mounted("/sys/kernel/debug/tracing");
	if (fd < 0 && kernel_is_real())
		fd = mount_own("tracefs");
	return fd;
}

static int each_listed(int events, ktracepoint_fn fn, void *ctx)
{
	__free struct lines *lines = base_alloc(sizeof(*lines));
	int error, ret;
	char *line;

	lines->fd = events;
	while ((line = lines_next(lines, &error))) {
		char *colon = strchr(line, ':');
		struct ktracepoint tp = { .system = line };

		if (!colon)
			continue;
		*colon = 0;
		tp.name = colon + 1;
		ret = fn(&tp, ctx);
		if (ret)
			return ret;
	}
	return error;
}

struct from_btf {
	ktracepoint_fn fn;
	void *ctx;
};

static int offer_typedef(const char *name, uint32_t id, void *ctx)
{
	static const char prefix[] = "btf_trace_";
	struct from_btf *from = ctx;
	struct ktracepoint tp = {};

	if (strncmp(name, prefix, sizeof(prefix) - 1))
		return 0;
	tp.name = name + sizeof(prefix) - 1;
	return from->fn(&tp, from->ctx);
}

/* May fail even if tracefs is there: lockdown forbids to read it. */
static int open_list(void)
{
	int tracefs = kernel_tracefs();

	return tracefs < 0 ? tracefs : openat(tracefs, "available_events", O_RDONLY | O_CLOEXEC);
}

bool kernel_lists_tracepoints(void)
{
	__close int events = open_list();

	return events >= 0;
}

int kernel_each_tracepoint(ktracepoint_fn fn, void *ctx, struct err *err)
{
	struct from_btf from = { .fn = fn, .ctx = ctx };
	__close int events = open_list();
	int ret;

	if (events < 0)
		return kernel_each_btf_typedef(offer_typedef, &from, err);
	ret = each_listed(events, fn, ctx);
	return ret < 0 ? err_set(err, ret, "cannot read tracefs' available_events: %s", strerror(-ret)) : ret;
}

int kernel_tracepoint_format(const char *system, const char *name, struct str *text)
{
	__free char *path = base_printf("events/%s/%s/format", system, name);
	int tracefs = kernel_tracefs();
	__close int fd = -1;
	char piece[4096];
	ssize_t n;

	if (tracefs < 0)
		return tracefs;
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		str_addn(text, piece, n);
	return n < 0 ? -errno : 0;
}

int kernel_tracepoint_id(const char *system, const char *name)
{
	__free char *path = base_printf("events/%s/%s/id", system, name);
	int tracefs = kernel_tracefs();
	char text[16] = "";
	__close int fd = -1;

	if (tracefs < 0)
		return tracefs;
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -errno;
	return atoi(text);
}
