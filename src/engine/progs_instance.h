/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engine/: a tool's programs (progs.h), from their object until they are detached. An engine makes these calls in this order,
 * and sizes and fills between them what is its own:
 *
 *	progs_configure()	the tool checks its options
 *	progs_open()		the object is open: the engine sizes maps and fills data, then
 *	progs_prepare()	maps exist: the engine patches images, then
 *	progs_attach()	probes are armed
 *	progs_release()	also after an error
 */
#ifndef SONDE_PROGS_INSTANCE_H
#define SONDE_PROGS_INSTANCE_H

#include "attach/attach.h"
#include "object.h"
#include "pairs.h"
#include "progs.h"

/* Initialise with the source and the instance. */
struct progs {
	const struct progs_source *source;
	struct engine_instance *instance;
	struct object object;
	struct target_set set;
	struct attach_options options;
	struct attach *attach;
	struct image *images; /* of each probe's program; of a program that has several probes the first one's */
	struct pairs pairs;
	uint32_t pending; /* room for so many in the pending table; 0 until progs_open(): as many as the source says */
};

/* The tool checks its options; wrong ones are -EINVAL, and reported as wrong usage. */
int progs_configure(struct progs *progs, struct err *err);
/* Opens the object, fills in config, and sizes the tool's maps and the pending table. Pairs: the arguments become targets. */
int progs_open(struct progs *progs, struct err *err);
/* Creates the maps and makes images of the programs. The filter works from here on. */
int progs_prepare(struct progs *progs, struct err *err);
/*
 * Attaches what the table of probes names and the options ask for. An error names the first that cannot be attached
 * and is not optional.
 */
int progs_attach(struct progs *progs, struct err *err);
/* Hits that the kernel skipped; *known: does it count them? */
uint64_t progs_missed(const struct progs *progs, bool *known);
/* Reports what is pending and found no room. Pairs: also what is not attached, and calls that were not measured. */
void progs_say_losses(const struct progs *progs, uint64_t missed);
/* Detaches, and frees all but the struct. */
void progs_release(struct progs *progs);

/* Within progs*.c: targets of the table, and the plan to attach them. */
int progs_attach_table(struct progs *progs, struct err *err);
/* The first probe with the same program: its place. */
size_t progs_first(const struct progs_source *source, size_t probe);

#endif
