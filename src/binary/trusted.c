// SPDX-License-Identifier: BSD-2-Clause
/*
 * Checks the place of a file, too: owner and mode are not enough, because files of a container, somewhere below
 * /var, also belong to root unless the container has a user namespace.
 */
#include <limits.h>
#include <sys/stat.h>

#include "trusted.h"

static const char *const places[] = { "/usr/", "/lib/", "/lib64/" };

/* above: NULL for the file itself, else the path of a directory above it. */
static int check_one(const struct stat *st, const char *above, const uid_t *owners, size_t n, struct err *err)
{
	const char *quote = above ? "'" : "", *what = above ? above : "";
	bool owned = false;

	for (size_t i = 0; i < n; i++)
		owned |= st->st_uid == owners[i];
	if (!owned)
		return err_set(err, -EPERM, "%s%s%s belongs to another user (%u)", quote, above ? what : "it", above ? "' above it" : "",
			       (unsigned int)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH) && !(above && st->st_mode & S_ISVTX))
		return err_set(err, -EPERM, "others than its owner can write to %s%s%s", quote, above ? what : "it",
			       above ? "' above it" : "");
	return 0;
}

/* Checks each directory from / to the one that holds path. Changes path meanwhile and restores it. */
static int check_above(char *path, const uid_t *owners, size_t n, struct err *err)
{
	struct stat st;
	int ret = lstat("/", &st) ? -errno : check_one(&st, "/", owners, n, err);

	for (char *slash = strchr(path + 1, '/'); !ret && slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		ret = lstat(path, &st) ? err_set(err, -errno, "'%s' above it: %s", path, strerror(errno)) : check_one(&st, path, owners, n, err);
		*slash = '/';
	}
	return ret;
}

int trusted_check(int fd, const uid_t *owners, size_t n, char path[PATH_MAX], struct err *err)
{
	__free char *link = base_printf("/proc/self/fd/%d", fd);
	char own[PATH_MAX], *at = path ? path : own;
	ssize_t len = readlink(link, at, PATH_MAX - 1);
	struct stat st, here;
	int ret;

	if (len < 0 || fstat(fd, &st))
		return err_set(err, -errno, "%s", strerror(errno));
	at[len] = 0;
	ret = check_one(&st, NULL, owners, n, err);
	/* a file of another mount namespace may have a path that leads to a different file here, or nowhere */
	if (!ret && (lstat(at, &here) || here.st_dev != st.st_dev || here.st_ino != st.st_ino))
		ret = err_set(err, -ESTALE, "its path '%s' leads elsewhere", at);
	return ret ? ret : check_above(at, owners, n, err);
}

bool trusted_path(int fd, char path[PATH_MAX])
{
	static const uid_t root;
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && !trusted_check(fd, &root, 1, path, NULL);
}

bool trusted_file(int fd)
{
	char path[PATH_MAX];
	bool placed = false;

	if (!trusted_path(fd, path))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		placed |= !strncmp(path, places[i], strlen(places[i]));
	return placed;
}
