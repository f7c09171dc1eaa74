/* SPDX-License-Identifier: BSD-2-Clause */
/* Short names of libraries and programs to paths that open them. */
#ifndef SONDE_LIBRARY_H
#define SONDE_LIBRARY_H

#include <sys/types.h>

#include "base/base.h"

struct library {
	char *path;  /* opens the file from here: maybe /proc/PID/root/usr/lib/... */
	char *shown; /* as its owner sees it */
	char *root;  /* "/proc/PID/root" or NULL */
};

/*
 * name: a path (with '/'), or a short name: "c", "pthread", "ssl", "stdc++", "libc", "libc.so.6"
 * (libNAME.so*, libNAME-VERSION.so; musl's "c" is its loader), else a program in PATH.
 * pid > 0: the process's program ("exe" or its name) or the library as that process has it mapped
 * (/proc/PID/maps), opened in its mount namespace even when it has been deleted or replaced (path
 * is then a link in /proc/PID); falls back to its loader's cache and directories below its root.
 * pid 0: /etc/ld.so.cache (glibc's format "glibc-ld.so.cache1.1", for this architecture and
 * processor), then the default directories (musl has no cache). Of several versions the highest.
 * -ENOENT: err names what was looked for and where. -ESRCH: no such process; -EACCES: not ours.
 */
int library_find(const char *name, pid_t pid, struct library *lib, struct err *err);
void library_release(struct library *lib);

/*
 * The library, of a name that begins so ("libreadline"), that a program or library is linked to: as library_find() takes it,
 * a path where the file itself says where it lies, else its name. Caller frees. -ENOENT: it is linked to none.
 */
int library_needed(const struct library *lib, const char *prefix, char **needed, struct err *err);

#endif
