/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of calls of functions: how often, how long, and how long without the calls in them. */
#ifndef SONDE_REPORT_FUNCTION_SUMS_H
#define SONDE_REPORT_FUNCTION_SUMS_H

#include "base/set.h"
#include "record/recording.h"

/* A function. A call in another one of the same function adds to count and self only. */
struct function_sum {
	int64_t number;		       /* of its text */
	uint64_t count, open;	       /* calls; of these, not returned */
	uint64_t total, self, longest; /* ns */
};

struct function_sums_call {
	uint32_t depth, function; /* function: index */
	uint64_t end;		  /* 0: it has none */
};

/* Calls of one depth whose caller has not come. Those of a tree that is too large come before it. */
struct function_sums_early {
	uint64_t begin, ns; /* of the first; of all */
};

/* The same of one function, as far as its total goes. */
struct function_sums_total {
	uint32_t function;
	uint64_t begin, ns;
};

/* A thread, or what else has calls of its own: those that the last one is in, and that one. */
struct function_sums_track {
	vec(struct function_sums_call);
	struct {
		vec(struct function_sums_early);
	} early; /* by depth */
	struct {
		vec(struct function_sums_total);
	} totals; /* of functions whose calls came early */
};

/* Initialise with {}. */
struct function_sums {
	vec(struct function_sum);
	struct set numbers; /* finds them */
	struct set ids;	    /* of tracks: tid and track */
	struct {
		vec(struct function_sums_track);
	} tracks;
};

/* Adds a call: an event of KNOWN_CALL. False: there is no room for more threads or functions. */
bool function_sums_add(struct function_sums *functions, const struct recording_event *event);
void function_sums_release(struct function_sums *functions);

#endif
