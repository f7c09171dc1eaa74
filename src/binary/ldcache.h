/* SPDX-License-Identifier: BSD-2-Clause */
/* glibc's /etc/ld.so.cache: which files the loader takes for which names. Opens no library. */
#ifndef SONDE_LDCACHE_H
#define SONDE_LDCACHE_H

#include "base/base.h"

/*
 * name: what programs ask for ("libc.so.6"), path: what they get, both valid in the call.
 * level: 0 for every machine of this architecture, else the glibc-hwcaps level (x86-64-v2: 2).
 * fn's non-zero return ends it and is returned.
 */
typedef int (*ldcache_fn)(const char *name, const char *path, int level, void *ctx);

/*
 * Every entry that a program of this machine's architecture and processor may use, in the
 * cache's order. root and path as foreign_open() takes them. -errno where it cannot be read, -EBADMSG where it is
 * not such a cache (glibc's new format, "glibc-ld.so.cache1.1", also behind an old one) or damaged.
 */
int ldcache_each(const char *root, const char *path, ldcache_fn fn, void *ctx);

#endif
