/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What IFUNC symbols are, by reading what the loader of a running process has written: slots of its global offset
 * tables. Nothing is executed. The process and its files may be anybody's: they can say what is not so, and then the answer is another function of
 * the same file, never anything else.
 */
#ifndef SONDE_BOUND_H
#define SONDE_BOUND_H

#include <sys/types.h>

#include "binary.h"

/* One name by which others bind an IFUNC; its owner is the struct binary. */
struct bound_name {
	struct binary_ifunc *ifunc;
	const char *name, *version; /* version: "" without one */
};

/* IFUNCs of one file; those whose failed is bound_unknown are looked for. */
struct bound {
	struct binary *binary;
	struct binary_ifunc *ifuncs; /* the caller's, as binary_functions() sorts them */
	size_t n_ifuncs;
	size_t unknown;
	struct bound_name *v; /* by name and version */
	size_t n, cap;
};

extern const char bound_unknown[];

/* All are unknown. */
void bound_init(struct bound *bound, struct binary *binary, struct binary_ifunc *ifuncs, size_t n);
void bound_release(struct bound *bound);

/*
 * Fills in what process pid says of those that are unknown. table: where it has an array of what each of bound->v is bound
 * to, 0 none. 0; -ENOENT: it has not mapped the file; -errno: it is gone, or not ours to read.
 */
int bound_read(struct bound *bound, pid_t pid, uint64_t table);

/*
 * The same of every process, until nothing is unknown; of those only that root, the file's owner or the caller
 * runs, for others have no say in what we count.
 */
void bound_read_others(struct bound *bound);

#endif
