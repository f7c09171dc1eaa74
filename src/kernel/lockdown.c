// SPDX-License-Identifier: BSD-2-Clause
/* Whether the kernel is locked down so far that it hides itself from tracers. */
#include <fcntl.h>

#include "base/base.h"
#include "base/mount.h"
#include "kernel.h"

/* securityfs is mounted on most systems. */
static int open_lockdown(void)
{
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	__close int mount = fd < 0 ? mount_own("securityfs") : -1;

	return fd < 0 ? openat(mount, "lockdown", O_RDONLY | O_CLOEXEC) : fd;
}

const char *kernel_locked_down(void)
{
	__close int fd = open_lockdown();
	char text[128] = "";

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "[confidentiality]"))
		return "the kernel is locked down (confidentiality), which forbids tracing it";
	return NULL;
}
