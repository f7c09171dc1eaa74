// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats: asks for a file and for one that does not exist, by every system call for that. Prints what sonde statsnoop -s
 * should show of each call, behind "did ".
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

#include "workload.h"

#define FILE_NAME "/etc/passwd"

static union {
	struct stat stat;
	struct statfs statfs;
	char room[1024];
} out;

static void did(const char *name, const char *path, long ret)
{
	int error = ret < 0 ? errno : 0;

	printf("did %-7d %-16s %-10s %4d %3d %s\n", getpid(), "stats", name, ret < 0 ? -1 : 0, error, path);
}

static void ask(const char *path)
{
#ifdef SYS_stat
	did("stat", path, syscall(SYS_stat, path, &out));
	did("lstat", path, syscall(SYS_lstat, path, &out));
#endif
	did("newfstatat", path, syscall(SYS_newfstatat, AT_FDCWD, path, &out, 0));
	did("statx", path, syscall(SYS_statx, AT_FDCWD, path, 0, 0, &out));
	did("statfs", path, syscall(SYS_statfs, path, &out));
}

int main(void)
{
	ask(FILE_NAME);
	ask("/no/such/file");
	return 0;
}
