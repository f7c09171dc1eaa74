/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads glibc's /etc/ld.so.cache: which file the loader uses for a name. Opens no library. */
#ifndef SONDE_BINARY_LDCACHE_H
#define SONDE_BINARY_LDCACHE_H

#include "base/base.h"

/*
 * Called for an entry. name: as programs request it ("libc.so.6"). path: the file. Both are valid during the call.
 * level: 0 if the file runs on every machine of this architecture, else its glibc-hwcaps level (2 for x86-64-v2). A
 * non-zero return ends the walk.
 */
typedef int (*ldcache_fn)(const char *name, const char *path, int level, void *ctx);

/*
 * Calls fn for every entry that programs on this architecture and processor may use, in the order of the cache.
 * root and path: see foreign.h. Returns what fn returned, if not 0. -EBADMSG: damaged, or not in glibc's new format
 * ("glibc-ld.so.cache1.1", possibly after an old header). Else the errors of foreign_open() and -ENOMEM.
 */
int ldcache_each(const char *root, const char *path, ldcache_fn fn, void *ctx);

#endif
