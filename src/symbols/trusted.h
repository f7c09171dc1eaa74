/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files belong to the system that we run on, so that what they say is as good as what our own kernel and shell do. */
#ifndef SONDE_TRUSTED_H
#define SONDE_TRUSTED_H

#include <stdbool.h>

/*
 * Is the open file one of our own system's programs and libraries? In our mount namespace, below /usr or /lib*, and root
 * alone can write it and each directory above it.
 */
bool trusted_file(int fd);

#endif
