/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts file systems of the kernel itself, such as tracefs, where no mount namespace shows them. */
#ifndef SONDE_BASE_MOUNT_H
#define SONDE_BASE_MOUNT_H

/* A mount of our own of any of the kernel's file systems: a directory fd, which the caller closes, or -errno. */
int mount_own(const char *filesystem);

#endif
