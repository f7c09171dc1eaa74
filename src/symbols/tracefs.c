// SPDX-License-Identifier: BSD-2-Clause
/* Where tracefs is, and the tracepoints that it (or BTF, where it is not) names. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "kernel.h"
#include "lines.h"

#define TRACEFS_MAGIC_NUMBER 0x74726163

static int open_mounted(const char *path)
{
	__close int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) || fs.f_type != TRACEFS_MAGIC_NUMBER)
		return -ENOENT;
	return take_fd(fd);
}

int kernel_mount(const char *filesystem)
{
	__close int context = syscall(SYS_fsopen, filesystem, 1 /* FSOPEN_CLOEXEC */);
	int fd;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0))
		return -errno;
	fd = syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	return fd < 0 ? -errno : fd;
}

int kernel_tracefs(void)
{
	static int fd = -1;

	if (fd >= 0)
		return fd;
	fd = open_mounted("/sys/kernel/tracing");
	if (fd < 0)
		fd = open_mounted("/sys/kernel/debug/tracing");
	if (fd < 0)
		fd = kernel_mount("tracefs");
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
		struct ktracepoint tp = {.system = line};

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

int kernel_each_tracepoint(ktracepoint_fn fn, void *ctx, struct err *err)
{
	struct from_btf from = {.fn = fn, .ctx = ctx};
	int tracefs = kernel_tracefs(), ret;

	if (tracefs >= 0) {
		__close int events = openat(tracefs, "available_events", O_RDONLY | O_CLOEXEC);

		if (events >= 0) {
			ret = each_listed(events, fn, ctx);
			return ret < 0 ? err_set(err, ret, "cannot read tracefs' available_events: %s",
						 strerror(-ret))
				       : ret;
		}
	}
	return kernel_each_btf_typedef(offer_typedef, &from, err);
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
