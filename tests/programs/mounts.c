// SPDX-License-Identifier: BSD-2-Clause
/*
 * mounts DIR
 *
 * Mounts a tmpfs on DIR by fsopen(2) and its like, unmounts it, and fails to open a file system that does not exist.
 * Prints "did CALL" for each, as sonde mountsnoop shows it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static void did(const char *call, long ret)
{
	printf("did %s = %ld (%s)\n", call, ret, strerror(ret < 0 ? -ret : 0));
}

static void config(int fs, unsigned int command, const char *name, const char *key, const char *value)
{
	char call[128];

	snprintf(call, sizeof(call), "fsconfig(%d, %s, \"%s\", \"%s\", 0)", fs, name, key ? key : "",
		 value ? value : "");
	did(call, result(syscall(SYS_fsconfig, fs, command, key, value, 0)));
}

int main(int argc, char **argv)
{
	int fs, mounted, ret;
	char call[128];

	if (argc != 2)
		return 2;
	fs = result(syscall(SYS_fsopen, "tmpfs", 1));
	did("fsopen(\"tmpfs\", 0x1)", fs);
	config(fs, 1, "FSCONFIG_SET_STRING", "size", "1m");
	config(fs, 6, "FSCONFIG_CMD_CREATE", NULL, NULL);
	mounted = result(syscall(SYS_fsmount, fs, 1, 0));
	snprintf(call, sizeof(call), "fsmount(%d, 0x1, 0x0)", fs);
	did(call, mounted);
	ret = result(syscall(SYS_move_mount, mounted, "", AT_FDCWD, argv[1], 4));
	snprintf(call, sizeof(call), "move_mount(%d, \"\", -100, \"%s\", 0x4)", mounted, argv[1]);
	did(call, ret);
	close(mounted);
	close(fs);
	ret = result(umount(argv[1]));
	snprintf(call, sizeof(call), "umount(\"%s\", 0x0)", argv[1]);
	did(call, ret);
	did("fsopen(\"nothing\", 0x0)", result(syscall(SYS_fsopen, "nothing", 0)));
	return 0;
}
