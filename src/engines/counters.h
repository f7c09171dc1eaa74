/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engines/: counters of a set of targets (bpf/count.bpf.c), one for each slot of the set. They only grow. The
 * engines above them decide what is counted and how it is shown:
 *
 *	fill counters.set					probes_resolve(), probes_add_spec()
 *	ret = counters_open(&counters, instance, &settings, err)
 *	counters_update(&counters)				counters.totals[slot]
 *	counters_say_losses(&counters)
 *	counters_release(&counters)
 */
#ifndef SONDE_ENGINES_COUNTERS_H
#define SONDE_ENGINES_COUNTERS_H

#include "attach/shards.h"
#include "engine/object.h"
#include "engine/probes.h"

/* Initialise with {}. */
struct counters {
	struct engine_instance *instance;
	struct target_set set; /* the caller fills it before counters_open(), and sets n_slots */
	struct object object;
	struct attach *attach;
	struct image image;
	const uint64_t *memory; /* [shard][slot], shared with the kernel; the map's */
	struct shards shards;
	uint64_t *totals;  /* of each slot, since it was attached */
	uint64_t missed;   /* hits that belong to no slot, or that a filter might have excluded */
	bool knows_missed; /* whether the kernel counts the hits that it misses */
};

/*
 * Loads the programs with the instance's filter and attaches them; the command's children are followed from now on.
 * Returns 0 if at least one target is attached, or -errno with err set. Call counters_release() after an error, too.
 */
int counters_open(struct counters *counters, struct engine_instance *instance, const struct probes_settings *settings,
		  struct err *err);
/* Reads totals and missed. A total may be lower than before: the kernel's counts are not read at one moment. */
void counters_update(struct counters *counters);
/* Adds the hits and the memory to stats. Counters lose nothing but what the kernel misses. */
void counters_add_stats(const struct counters *counters, struct engine_stats *stats);
/* Reports hits that are missing in the totals, as counters_update() last read them. */
void counters_say_losses(struct counters *counters);
/* Detaches and frees; the set, too. */
void counters_release(struct counters *counters);

#endif
