/* SPDX-License-Identifier: BSD-2-Clause */
/* Behind binary/library.h: names to files below a root, and paths below a root. */
#ifndef SONDE_LIBRARY_SEARCH_H
#define SONDE_LIBRARY_SEARCH_H

#include "base/base.h"

/* Whether a library file is meant by a name: "c" by libc.so.6, libc-2.31.so and ld-musl-*.so.1. */
bool library_name_matches(const char *file, const char *name);

/*
 * The path below root of what path means there, links resolved within root (an absolute link in a
 * container leads into that container). Caller frees; NULL: not there. root NULL: path itself, if
 * it exists.
 */
char *library_resolve(const char *root, const char *path);
/* By the loader's cache, then its directories; then a program in PATH. Path below root, caller
 * frees; NULL: nowhere. */
char *library_search(const char *root, const char *name);
/* The first program of that name in PATH that is one, where what library_search() finds is a script. The same. */
char *library_search_program(const char *root, const char *name);
/* Where library_search() looks, in words. */
extern const char library_places[];

#endif
