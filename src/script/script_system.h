/* SPDX-License-Identifier: BSD-2-Clause */
/* Within script/: runs a command of system(). */
#ifndef SONDE_SCRIPT_SCRIPT_SYSTEM_H
#define SONDE_SCRIPT_SCRIPT_SYSTEM_H

#include "base/base.h"

/*
 * Gives a command to /bin/sh, passes on what it writes to stdout, and waits until it ends. The command can be
 * interrupted as if a shell had started it. Returns 0, or -1 with errno.
 */
int script_system(const char *command, void (*fn)(const char *bytes, size_t n, void *ctx), void *ctx);

#endif
