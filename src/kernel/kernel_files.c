// SPDX-License-Identifier: BSD-2-Clause
/* Opens files of /proc and /sys, or the files that a test provides in their place. */
#include "kernel_files.h"

static const char *root;

void kernel_set_root(const char *dir)
{
	root = dir;
}

bool kernel_is_real(void)
{
	return !root;
}

int kernel_open(const char *path, int flags)
{
	__free char *below = base_printf("%s%s", root ? root : "", path);

	return open(below, flags | O_CLOEXEC);
}
