// SPDX-License-Identifier: BSD-2-Clause
/* Resolves a path first (O_PATH opens nothing), then checks what it leads to, and only then opens that. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "foreign.h"

static int locate_below(const char *root, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int dir __close = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = dir < 0 ? -1 : (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int locate(const char *root, const char *path, int flags)
{
	int fd;

	if (root)
		return locate_below(root, path, (uint64_t)flags);
	fd = open(path, flags | O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens the very file that was located, even if the path leads to another one by now. */
static int reopen(int located, int flags)
{
	char link[32];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", located);
	fd = open(link, flags | O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int foreign_locate(const char *root, const char *path)
{
	return locate(root, path, 0);
}

int foreign_open_dir(const char *root, const char *path)
{
	int located __close = locate(root, path, O_DIRECTORY);

	return located < 0 ? located : reopen(located, O_DIRECTORY);
}

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "something else";
	}
}

static int check(const struct stat *st, const char *shown, uint64_t max, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, -ENOEXEC, "%s: is %s, not a regular file", shown, kind_of(st->st_mode));
	if (st->st_size < 0 || (uint64_t)st->st_size > max)
		return err_set(err, -EFBIG, "%s: is not read: it has %s, more than %s", shown,
			       foreign_show_size((uint64_t)st->st_size).text, foreign_show_size(max).text);
	return 0;
}

int foreign_open(const char *root, const char *path, uint64_t max, uint64_t *size, struct err *err)
{
	char *shown __free = foreign_join(root, path);
	int located __close = foreign_locate(root, path);
	struct stat st;
	int fd, ret;

	if (located < 0)
		return err_set(err, located, "%s: %s", shown, strerror(-located));
	if (fstat(located, &st))
		return err_set(err, -errno, "%s: %s", shown, strerror(errno));
	ret = check(&st, shown, max, err);
	if (ret)
		return ret;
	*size = (uint64_t)st.st_size;
	fd = reopen(located, 0);
	return fd < 0 ? err_set(err, fd, "%s: %s", shown, strerror(-fd)) : fd;
}

char *foreign_join(const char *root, const char *path)
{
	size_t n = root ? strlen(root) : 0;

	while (n && root[n - 1] == '/')
		n--;
	return base_printf("%.*s%s%s", (int)n, root ? root : "", root && path[0] != '/' ? "/" : "", path);
}

struct foreign_size foreign_show_size(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB", "PB", "EB" };
	struct foreign_size size;
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		value /= 1024;
	snprintf(size.text, sizeof(size.text), "%.*f %s", unit && value < 10 ? 1 : 0, value, units[unit]);
	return size;
}
