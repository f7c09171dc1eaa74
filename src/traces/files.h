/* SPDX-License-Identifier: BSD-2-Clause */
/* Within traces/: files of tracefs, named from its root; a name that begins with '/' is a file elsewhere. */
#ifndef SONDE_TRACES_FILES_H
#define SONDE_TRACES_FILES_H

#include <fcntl.h>

#include "base/str.h"

/* All of it is put into text, which is emptied before; or -errno, text then holds what was read. */
int trace_file_read(int root, const char *file, struct str *text);
/* One write of text to what open(2) opens with these flags (O_APPEND, O_TRUNC or none). 0 or -errno. */
int trace_file_write(int root, const char *file, int flags, const char *text);

#endif
