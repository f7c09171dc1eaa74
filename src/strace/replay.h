/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of `sonde strace` made from a recording, on any machine of the same architecture. */
#ifndef SONDE_STRACE_REPLAY_H
#define SONDE_STRACE_REPLAY_H

#include "output/output.h"
#include "record/recording.h"

/*
 * Prints a line for each call, or a row. A recording that has calls without what they point to (the set `syscalls`)
 * gives lines with addresses. *lost: records that are missing. Returns 0, or -errno with err: -ENODATA if it has none.
 */
int strace_replay(struct recording *r, struct output *out, uint64_t *lost, struct err *err);

#endif
