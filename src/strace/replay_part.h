/* SPDX-License-Identifier: BSD-2-Clause */
/* Within strace/: what capture.c and replay.c must agree on. */
#ifndef SONDE_STRACE_REPLAY_PART_H
#define SONDE_STRACE_REPLAY_PART_H

#include "strace_part.h"

/* Those by which calls are recorded and printed. */
void strace_replay_settings(struct strace_settings *settings);
/* A number that is another one when records of calls mean something else. */
uint64_t strace_replay_fingerprint(void);

#endif
