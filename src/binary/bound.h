/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the implementations of IFUNCs by reading what the loader of a running process has written into the slots of
 * its global offset tables. Nothing is executed. The process and its files are foreign and may lie: even then the
 * result is the begin of a function in the file with the IFUNCs.
 */
#ifndef SONDE_BINARY_BOUND_H
#define SONDE_BINARY_BOUND_H

#include <sys/types.h>

#include "binary.h"

/* A name by which other files bind an IFUNC; the struct binary owns the strings. */
struct bound_name {
	struct binary_ifunc *ifunc;
	const char *name, *version; /* version: "" without one */
};

/* The IFUNCs of one file. Those whose failed is bound_unknown are still searched. */
struct bound {
	struct binary *binary;
	struct binary_ifunc *ifuncs; /* owned by the caller, sorted as binary_functions() does */
	size_t n_ifuncs;
	size_t unknown;		/* how many are not found yet, aliases counted as one */
	vec(struct bound_name); /* sorted by name and version */
};

/* The reason why an IFUNC has no offset as long as it was not found. */
extern const char bound_unknown[];

/* Marks all n ifuncs as unknown. binary and ifuncs stay the caller's and must outlive bound. */
void bound_init(struct bound *bound, struct binary *binary, struct binary_ifunc *ifuncs, size_t n);
void bound_release(struct bound *bound);

/*
 * Fills in those unknown IFUNCs to which process pid is bound. table: 0, or an address in the process of an array
 * with 8 bytes for each of bound->v: what that name is bound to. 0 also if nothing was found. -ENOENT: the process
 * has not mapped the file. Else -errno: the process is gone, or we may not read it.
 */
int bound_read(struct bound *bound, pid_t pid, uint64_t table);

/*
 * The same for every process until all IFUNCs are known, up to a bound. Reads only processes of root, the owner of the
 * file and the caller: other users must not decide where probes go.
 */
void bound_read_others(struct bound *bound);

#endif
