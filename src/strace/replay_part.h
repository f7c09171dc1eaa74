/* SPDX-License-Identifier: BSD-2-Clause */
/* Within strace/: what capture.c and replay.c must agree on. */
#ifndef SONDE_STRACE_REPLAY_PART_H
#define SONDE_STRACE_REPLAY_PART_H

#include "strace_part.h"

/* Those by which calls are recorded and printed. */
void strace_replay_settings(struct strace_settings *settings);
/* A number that is another one when records of calls mean something else. */
uint64_t strace_replay_fingerprint(void);

/*
 * Begins that came before all programs were attached, and which are recorded if their ends come later: each of these
 * has no begin of its own.
 */
struct strace_begins {
	vec(struct strace_record *);
};

/* Keeps the begin of a call, instead of that of another one of its thread. */
void strace_begins_keep(struct strace_begins *begins, const struct strace_record *record);
/* Returns the begin of the call that ends, which the caller frees; NULL: it was not kept. */
struct strace_record *strace_begins_take(struct strace_begins *begins, const struct strace_record *end);
void strace_begins_release(struct strace_begins *begins);

#endif
