/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the names that users give to libraries and programs into paths that sonde can open. */
#ifndef SONDE_BINARY_LIBRARY_H
#define SONDE_BINARY_LIBRARY_H

#include <sys/types.h>

#include "base/base.h"

struct library {
	char *path;  /* to open the file: maybe /proc/PID/root/usr/lib/..., or a link in /proc/PID */
	char *shown; /* to show to the user: the path inside the root of the process */
	char *root;  /* "/proc/PID/root", or NULL: our own */
};

/*
 * Finds the file for a name; the caller releases lib.
 * name: a path (with '/'), or a short name of a library: "c", "pthread", "ssl", "stdc++", "libc", "libc.so.6"
 * (libNAME.so*, libNAME-VERSION.so; musl's "c" is its loader), else a program in PATH.
 * pid > 0: the program of the process ("exe" or its name), or the library that the process has mapped
 * (/proc/PID/maps), found even if it was deleted or replaced; else falls back to the search below, in the root of
 * the process. pid 0: searches /etc/ld.so.cache (ldcache.h), then the default directories (musl has no cache), then
 * PATH. Of several versions the highest.
 * -ENOENT: err lists where was searched. -ESRCH: no such process. -EACCES: the process may not be read. -ENOEXEC:
 * PATH leads to a file that is no program, such as a script.
 */
int library_find(const char *name, pid_t pid, struct library *lib, struct err *err);
/* Frees what lib holds, not lib itself. Harmless if it holds nothing. */
void library_release(struct library *lib);

/*
 * *needed: the first library that lib is linked to and whose name begins with prefix ("libreadline"), in a form
 * that library_find() takes: a path if the runpath of lib leads to it, else its name. The caller frees it. -ENOENT:
 * lib is linked to none. Else the errors of binary_open().
 */
int library_needed(const struct library *lib, const char *prefix, char **needed, struct err *err);

/*
 * Calls fn with the loader of lib and each library that lib is linked to, in a form that library_find() takes. Returns
 * 0, or the errors of binary_open().
 */
typedef void (*library_needed_fn)(void *ctx, const char *name);
int library_each_needed(const struct library *lib, library_needed_fn fn, void *ctx, struct err *err);

/*
 * *root: "/proc/PID/root", or NULL if the process has our root and mount namespace. The caller frees it. -ESRCH: no
 * such process. -EACCES: it may not be looked into.
 */
int library_root(pid_t pid, char **root, struct err *err);
/*
 * A path that the kernel shows, as seen from the root of its process. The kernel shows paths of a container from the
 * root of the container, but paths of a process in a plain chroot from our root: then the path of the chroot is cut
 * off.
 */
const char *library_path_in_root(const char *root, const char *path);

#endif
