/* SPDX-License-Identifier: BSD-2-Clause */
/* For library.c: finds files by name below a root, and resolves paths below a root. */
#ifndef SONDE_BINARY_LIBRARY_SEARCH_H
#define SONDE_BINARY_LIBRARY_SEARCH_H

#include "base/base.h"

/* Whether a name means a library file (last component): "c" means libc.so.6, libc-2.31.so and ld-musl-*.so.1. */
bool library_name_matches(const char *file, const char *name);

/*
 * Resolves path inside root: an absolute link in a container leads into that container. Returns the path as seen
 * from root, which the caller frees; NULL: it does not exist. root NULL: returns a copy of path if it exists, links
 * not resolved.
 */
char *library_resolve(const char *root, const char *path);
/*
 * Searches the loader's cache, then its directories, then PATH for a program or script. Returns the path as seen
 * from root, which the caller frees; NULL: not found.
 */
char *library_search(const char *root, const char *name);
/* The same, but only for ELF programs in PATH: to suggest one if library_search() finds a script. */
char *library_search_program(const char *root, const char *name);
/* The places that library_search() searches, for messages. */
extern const char library_places[];

#endif
