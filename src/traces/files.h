/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in traces only: access to files of tracefs. Names are relative to its root; a name that begins with
 * '/' is a file elsewhere. root: descriptor of tracefs.
 */
#ifndef SONDE_TRACES_FILES_H
#define SONDE_TRACES_FILES_H

#include <fcntl.h>

#include "base/str.h"

/*
 * Reads the whole file into text, which is emptied first. Returns 0, or -errno; text then holds what was read
 * until then.
 */
int trace_file_read(int root, const char *file, struct str *text);
/*
 * Writes text with a single write(2); flags are added to those of open(2) (O_APPEND, O_TRUNC or 0). Returns 0 or
 * -errno.
 */
int trace_file_write(int root, const char *file, int flags, const char *text);

#endif
