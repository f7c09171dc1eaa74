/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path of a command: what made it last as long as it did. It is found backwards, from the end of the command:
 *
 * - What a thread runs is on the path.
 * - Where it came to a processor, it waited for one before: from when it was woken, or left the processor unwillingly.
 * - Where a thread woke it, the path goes on in that thread at that moment, and never returns to what the sleeper did
 *   before: it is not what the command waited for.
 * - Where a timer, a disk, the network, or somebody else woke it, the wait is on the path, and the path goes on in the
 *   same thread before it.
 * - A thread's begin is its parent's fork.
 *
 * So the steps follow each other without a gap, and their sum is the wall time. Links come in any order, a bounded
 * number is kept, and what the forgotten ones would tell is unknown. Classes, objects and spans are numbers of the
 * owner.
 */
#ifndef SONDE_WHY_PATH_H
#define SONDE_WHY_PATH_H

#include "base/base.h"

enum path_kind {
	PATH_WOKEN,	/* it slept and was woken */
	PATH_PREEMPTED, /* it was ready to run all the time */
	PATH_BORN,	/* the thread `waker` made it; only ran_at, tid and waker count */
};

#define PATH_NONE UINT32_MAX

/* A thread comes to a processor. Times are ns of the monotonic clock, off_at <= woken_at <= ran_at. */
struct path_link {
	uint64_t off_at;   /* it left the processor: fell asleep or was preempted */
	uint64_t woken_at; /* of PATH_PREEMPTED: off_at */
	uint64_t ran_at;
	uint32_t tid;
	uint32_t waker;	 /* tid; 0: an interrupt or a timer, or not known */
	uint32_t prev;	 /* tid: who had the processor before; 0: nobody */
	uint32_t object; /* what it slept for, PATH_NONE: not known */
	uint32_t behind; /* what had the processor before; PATH_NONE: not known */
	uint16_t cpu;
	uint8_t kind;  /* enum path_kind */
	uint8_t class; /* of the sleep; of PATH_PREEMPTED: of the wait for a processor */
};
_Static_assert(sizeof(struct path_link) == 48, "many are kept");

enum path_what {
	PATH_UNKNOWN, /* before the oldest link */
	PATH_RUNS,
	PATH_QUEUED, /* waits for a processor */
	PATH_WAITS,
};

struct path_step {
	uint64_t from, to;
	enum path_what what;
	uint32_t tid;
	uint32_t span;		      /* of path_add_span(), PATH_NONE: not known */
	const struct path_link *link; /* PATH_QUEUED, PATH_WAITS: which wait. Valid until the path is freed */
};

/* Receives the steps, the last one first. */
typedef void (*path_fn)(const struct path_step *step, void *ctx);

struct path;

/* most: how many links are kept; older ones are forgotten. */
struct path *path_new(size_t most);
/* Of NULL, too. */
void path_free(struct path *path);

void path_add(struct path *path, const struct path_link *link);
/* Puts what was added since the last call in order. To be called now and then: the end is quicker. */
void path_settle(struct path *path);
/* Number `span` is what the thread was from `from` to `to`. In any order; those of a thread do not overlap. */
void path_add_span(struct path *path, uint32_t tid, uint64_t from, uint64_t to, uint32_t span);

/*
 * From `ended`, when the thread tid ended, back to `began`. The steps are what lies between, without gaps. Returns 0,
 * or where the part that links tell begins, if that is after `began`: what is before it is one step PATH_UNKNOWN.
 */
uint64_t path_walk(struct path *path, uint32_t tid, uint64_t began, uint64_t ended, path_fn fn, void *ctx);

#endif
