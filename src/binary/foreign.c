// SPDX-License-Identifier: BSD-2-Clause
/* Resolves a path first (O_PATH opens nothing), then checks what it leads to, and only then opens that. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/file_id.h"
#include "foreign.h"
#include "served.h"

/* From Linux 5.12 on; Debian 11's headers lack it. */
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

static int ask_kernel(int dir, const char *path, const struct open_how *how)
{
	int fd = (int)syscall(SYS_openat2, dir, path, how, sizeof(*how));

	return fd < 0 ? -errno : fd;
}

/* Whose mounts a path leads through: the process's whose root it is below, or through whose links it leads. */
static pid_t process_of(const char *root, const char *path)
{
	int pid;

	return sscanf(root && root[strspn(root, "/")] ? root : path, "/proc/%d/", &pid) == 1 ? pid : 0;
}

/* What the kernel knows of a path by heart asks no program, but may have come from one. Else any that serves files may be asked. */
static int resolve(pid_t pid, int dir, const char *path, struct open_how how)
{
	struct open_how cached = how;
	struct file_id id;
	int fd __close = -1;

	cached.resolve |= RESOLVE_CACHED;
	fd = ask_kernel(dir, path, &cached);
	if (fd >= 0 && !file_id(fd, "", &id) && !served_device(pid, id.dev))
		return take_fd(fd);
	return fd >= 0 || served_device(pid, 0) ? served_open(dir, path, &how) : ask_kernel(dir, path, &how);
}

static int locate(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags | O_PATH | O_CLOEXEC };
	int dir __close = -1;

	if (!root)
		return resolve(process_of(NULL, path), AT_FDCWD, path, how);
	how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -errno : resolve(process_of(root, path), dir, path, how);
}

/* Opens the very file that was located, even if the path leads to another one by now. */
static int reopen(pid_t pid, int located, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags | O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
	bool served = false;
	struct file_id id;
	char link[32];

	if (!file_id(located, "", &id))
		served = served_device(pid, id.dev);
	/* in the child it has this number */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", served ? 1 : located);
	return served ? served_open(located, link, &how) : ask_kernel(AT_FDCWD, link, &how);
}

int foreign_locate(const char *root, const char *path)
{
	return locate(root, path, 0);
}

int foreign_open_dir(const char *root, const char *path)
{
	int located __close = locate(root, path, O_DIRECTORY);

	return located < 0 ? located : reopen(process_of(root, path), located, O_DIRECTORY);
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
	fd = reopen(process_of(root, path), located, 0);
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
