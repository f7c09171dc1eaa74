// SPDX-License-Identifier: BSD-2-Clause
/* Reads the whole inventory, part by part. */
#include <fcntl.h>
#include <sys/stat.h>

#include "inventory_part.h"
#include "kernel/kernel.h"

static int open_root(struct traces *traces, struct err *err)
{
	char link[64], path[4096];
	struct stat st;
	ssize_t len;

	/* Without /proc no owner can be found to be alive. */
	if (access("/proc/self/stat", F_OK))
		return err_set(err, -ENOENT, "/proc is not mounted: mount -t proc proc /proc");
	traces->root = kernel_tracefs();
	if (traces->root < 0)
		return err_set(err, traces->root, "cannot open tracefs: %s%s", strerror(-traces->root),
			       geteuid() ? " (try sudo)" : "");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", traces->root);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = 0;
	/* A mount of our own has no path. */
	traces->path = len > 1 ? pool_add(&traces->strings, path) : "tracefs";
	if (!fstatat(traces->root, "current_tracer", &st, 0))
		return 0;
	if (errno != ENOENT)
		return err_set(err, -errno, "cannot read %s: %s%s", traces->path, strerror(errno),
			       geteuid() ? " (try sudo)" : "");
	/*
	 * A kernel that is locked down from boot makes no files in tracefs. One that is locked down later refuses
	 * to open them.
	 */
	return err_set(err, -EPERM, "%s is empty (is the kernel locked down?)", traces->path);
}

static int read_tracefs(struct traces *traces, struct err *err)
{
	int ret = open_root(traces, err);

	if (!ret)
		ret = inventory_read_events(traces, err);
	return ret ? ret : inventory_read_instances(traces, err);
}

int traces_read(struct traces *traces, struct err *err)
{
	int ret;

	*traces = (struct traces){};
	ret = read_tracefs(traces, err);
	/* An incomplete inventory would lead to wrong verdicts. */
	if (ret)
		traces->n = traces->instances.n = 0;
	holders_read(&traces->holders, traces->root);
	inventory_find_readers(traces);
	inventory_read_pins(traces);
	return ret;
}
