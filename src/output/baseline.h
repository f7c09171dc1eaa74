/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profile that a flame graph is compared with: folded stacks of an earlier run, or of another tool. One stack a
 * line, "root;caller;callee COUNT"; https://github.com/brendangregg/FlameGraph describes the format.
 */
#ifndef SONDE_OUTPUT_BASELINE_H
#define SONDE_OUTPUT_BASELINE_H

#include "files.h"

/*
 * Adds all stacks of a file to the tree, and finishes it. Empty lines and comments (#) are skipped; so are "-" and
 * "--", which separate parts of a stack, and annotations at the end of a name, such as _[k]. Fractions of counts are
 * dropped, and frames beyond TREE_DEPTH. name: of the file, for messages. Returns 0, or -errno with err: -EINVAL if a
 * line is no folded stack, -E2BIG beyond the limits: 1 GB, 256 KB a line, 4 million different calls, 2^63 counts.
 */
int baseline_read(struct tree *tree, int fd, const char *name, struct err *err);
/* The same for files->old, from the file of this name, which stays the caller's. */
int baseline_open(struct files *files, const char *name, struct err *err);

/*
 * Returns for each node of the tree the node of `old` that is the same call: the same names from the root on, as folded
 * files write them. 0: there is none, but for the root. The caller frees it.
 */
uint32_t *baseline_match(const struct tree *old, const struct tree *tree);

#endif
