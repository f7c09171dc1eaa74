// SPDX-License-Identifier: BSD-2-Clause
/* Reads the whole inventory, part by part. */
#include <fcntl.h>
#include <sys/stat.h>

#include "inventory_part.h"
#include "kernel/kernel.h"

/* A kernel that is locked down from boot makes no files in tracefs. One that is so later does not open them. */
static int say_unreadable(const struct traces *traces, int error, struct err *err)
{
	const char *locked = kernel_locked_down();

	if (locked)
		return err_set(err, -EPERM, "cannot read %s: %s", traces->path, locked);
	if (error == ENOENT)
		return err_set(err, -EPERM, "cannot read %s: it is empty", traces->path);
	return err_set(err, -error, "cannot read %s: %s%s", traces->path, strerror(error),
		       geteuid() ? " (try sudo)" : "");
}

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
	return say_unreadable(traces, errno, err);
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
