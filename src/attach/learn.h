/* SPDX-License-Identifier: BSD-2-Clause */
/* Within attach/: what was learned of functions to which calls are handed over by pointers. attach_learn() learns. */
#ifndef SONDE_ATTACH_LEARN_H
#define SONDE_ATTACH_LEARN_H

#include "base/set.h"

struct attach;

struct counters {
	vec(uint32_t);
};

/* Initialise with {}. */
struct learned {
	struct set leads;		      /* those that were looked at, struct gate_lead */
	struct set places;		      /* in files, for each slot */
	vec(bool) probed;		      /* whether the ends are probed, for each place */
	struct set codes, slots;	      /* the same places, for all slots; and the slots */
	struct counters functions, places_of; /* of each of them, how many have asked */
	uint64_t next, until;		      /* monotonic: when to look again, and when to end this look */
	uint64_t seen;			      /* leads in the map, at the last look */
	bool was_full;
	uint64_t unlearned; /* calls before the last pause, and of processes that have ended */
};

/* In a pause, which closes the links of what was learned: it is learned again afterwards. */
void learn_forget(struct attach *attach);
void learn_release(struct learned *learned);

#endif
