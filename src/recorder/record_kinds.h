/* SPDX-License-Identifier: BSD-2-Clause */
/* Within recorder/, why/ and graph/: the kinds of records (bpf/record.h), and the sets that they belong to. */
#ifndef SONDE_RECORDER_RECORD_KINDS_H
#define SONDE_RECORDER_RECORD_KINDS_H

#include "base/base.h"
#include "options/setting.h"

struct writer;

/* The sets of events that are on by a word. */
struct record_sets {
	bool sched, syscalls, block;
	bool strace; /* calls with their arguments, which are in sections of their own */
	bool calls;  /* by no word: only sonde graph has them */
	bool waits, requests; /* likewise: only sonde why */
};

/* Of which set something is; RECORD_ALWAYS: of none, it is always recorded. */
#define RECORD_SET(NAME) SETTING(bool, struct record_sets, NAME)
#define RECORD_ALWAYS	 0

static inline bool record_set_is_on(const struct record_sets *sets, size_t set)
{
	return setting_is(sets, set, true);
}

/* Writes those that may be recorded, and how records lie in the ring. Returns 0, or the writer's -errno. */
int record_kinds_write(struct writer *writer, const struct record_sets *sets);

#endif
