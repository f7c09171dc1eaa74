// SPDX-License-Identifier: BSD-2-Clause
/*
 * Checks the place of a file, too: owner and mode are not enough, because files of a container, somewhere below
 * /var, also belong to root unless the container has a user namespace.
 */
#include <limits.h>
#include <sys/stat.h>

#include "base/base.h"
#include "trusted.h"

static const char *const places[] = { "/usr/", "/lib/", "/lib64/" };

static bool is_roots(const struct stat *st, mode_t type)
{
	return (st->st_mode & S_IFMT) == type && !st->st_uid && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Checks each directory from / to the one that holds path. Changes path meanwhile and restores it. */
static bool are_directories_roots(char *path)
{
	struct stat st;

	if (lstat("/", &st) || !is_roots(&st, S_IFDIR))
		return false;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool good;

		*slash = 0;
		good = !lstat(path, &st) && is_roots(&st, S_IFDIR);
		*slash = '/';
		if (!good)
			return false;
	}
	return true;
}

bool trusted_path(int fd, char path[PATH_MAX])
{
	__free char *link = base_printf("/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	struct stat st, here;

	if (n < 0)
		return false;
	path[n] = 0;
	/* a file of another mount namespace may have a path that leads to a different file here */
	return !fstat(fd, &st) && is_roots(&st, S_IFREG) && are_directories_roots(path) && !lstat(path, &here) &&
	       here.st_dev == st.st_dev && here.st_ino == st.st_ino;
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
