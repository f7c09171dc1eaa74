/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For engines: the life of a tool's programs (progs.h), from opening their object to detaching them. An engine makes
 * these calls in this order, and sizes and fills its own data between them:
 *
 *	progs_configure()	the tool checks its options
 *	progs_open()		opens the object; then the engine sizes maps and fills data
 *	progs_prepare()		creates the maps; then the engine patches images
 *	progs_attach()		arms the probes
 *	progs_release()	also after an error
 */
#ifndef SONDE_ENGINE_PROGS_LIFE_H
#define SONDE_ENGINE_PROGS_LIFE_H

#include "attach/attach.h"
#include "freed.h"
#include "object.h"
#include "pairs.h"
#include "progs.h"

/* Initialise with the source, the instance and the settings. */
struct progs {
	const struct progs_source *source;
	struct progs_source own; /* the source, once configure() may have changed it */
	struct engine_instance *instance;
	const void *settings; /* what the SETTING()s of the source are members of: the tool's settings, or the engine's state */
	struct object object;
	struct target_set set;
	struct attach_options options;
	struct attach *attach;
	struct image *images; /* one for each probe; a program with several probes has its image at the first */
	struct pairs pairs;
	/* of pairs whose source has a program for it */
	struct freed freed;
	uint32_t pending; /* the most that may be pending; 0 until progs_open(): as many as the source says */
};

/* Lets the tool check its options. -EINVAL is reported as wrong usage. */
int progs_configure(struct progs *progs, struct err *err);
/* Returns the configuration of the programs. */
const void *progs_config(const struct progs *progs);
/* Opens the object, fills in config, and sizes the tool's maps and the pending table. Pairs: resolves the arguments. */
int progs_open(struct progs *progs, struct err *err);
/* Creates the maps and makes images of the programs. The filter is active from here on. */
int progs_prepare(struct progs *progs, struct err *err);
/*
 * Attaches the probes of the table that the options ask for. An error names the first one that cannot be attached and
 * is not optional.
 */
int progs_attach(struct progs *progs, struct err *err);
/* Returns how many hits the kernel skipped. *known: true if the kernel counts them. */
uint64_t progs_missed(const struct progs *progs, bool *known);
/* Returns how many entries of the pending table were replaced, because it had no room for another one. */
uint64_t progs_no_room(const struct progs *progs);
/* Adds what progs_say_losses() reports, and the memory. */
void progs_add_stats(const struct progs *progs, struct engine_stats *stats);
/*
 * Reports what found no room in the pending table. Pairs: also what is not attached, and calls that were not measured.
 * Returns how many returns the kernel missed that are not in `missed` (probes_say_missed_returns()).
 */
uint64_t progs_say_losses(const struct progs *progs, uint64_t missed);
/* Detaches, and frees everything but the struct. */
void progs_release(struct progs *progs);

#endif
