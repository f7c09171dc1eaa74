// SPDX-License-Identifier: BSD-2-Clause
/* A mount that ends with its descriptor. Knows nothing of what is in it. */
#include <sys/mount.h>
#include <sys/syscall.h>

#include "base.h"
#include "mount.h"

int mount_own(const char *filesystem)
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
