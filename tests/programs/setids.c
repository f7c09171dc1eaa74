// SPDX-License-Identifier: BSD-2-Clause
/*
 * setids: changes its user ids, as root, by raw system calls that change only this thread. Prints for each call,
 * separated by tabs:
 *	did PID UID CALL ARGS
 * UID: the real user before; ARGS: as sonde setuids shows them, with what the call returned.
 */
#include <errno.h>
#include <sys/syscall.h>

#include "workload.h"

static void change(const char *name, const char *args, long number, long a, long b, long c)
{
	long uid = syscall(SYS_getuid), ret = syscall(number, a, b, c);

	printf("did\t%d\t%ld\t%s\t%s (%ld)\n", getpid(), uid, name, args, ret < 0 ? -(long)errno : ret);
}

int main(void)
{
	change("setfsuid", "uid=7", SYS_setfsuid, 7, 0, 0);
	change("setfsuid", "uid=0", SYS_setfsuid, 0, 0, 0);
	change("setuid", "uid=0", SYS_setuid, 0, 0, 0);
	change("setreuid", "ruid=-1 euid=0", SYS_setreuid, -1, 0, 0);
	change("setresuid", "ruid=1000 euid=0 suid=-1", SYS_setresuid, 1000, 0, -1);
	change("setresuid", "ruid=-1 euid=1000 suid=1000", SYS_setresuid, -1, 1000, 1000);
	change("setuid", "uid=0", SYS_setuid, 0, 0, 0);
	return 0;
}
