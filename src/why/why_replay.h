/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of `sonde why` made from a recording (record/). */
#ifndef SONDE_WHY_WHY_REPLAY_H
#define SONDE_WHY_WHY_REPLAY_H

#include "output/output.h"
#include "record/recording.h"

/* The most waits that are kept: the longest. */
#define WHY_REPLAY_WAITS 10000

/*
 * Prints the page, with the path if the recording is of a command. waits: how many of the longest waits are printed.
 * *lost: the events that the recording lacks. Returns 0 or -errno with err: -ENODATA if there are no switches.
 */
int why_replay(struct recording *r, struct output *out, uint32_t waits, uint64_t *lost, struct err *err);

#endif
