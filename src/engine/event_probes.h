/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: the event engine's probes. */
#ifndef SONDE_EVENT_PROBES_H
#define SONDE_EVENT_PROBES_H

#include "attach/attach.h"
#include "event.h"
#include "object.h"
#include "pairs.h"

struct event_probes {
	const struct event_source *source;
	struct object object;
	pid_t pid; /* whose user functions, 0 anybody's */
	struct target_set set;
	struct attach *attach;
	struct image *images; /* of each probe's program; of a program that has several probes the first one's */
	struct pairs pairs;
};

/*
 * The object is open. Of a tool that has pairs the arguments become targets, and what the object has for these is sized. The options
 * are for attaching, too.
 */
int event_probes_resolve(struct engine_instance *instance, struct event_probes *probes,
			 struct attach_options *options, struct err *err);

/* The object is prepared. Its programs become images, which the caller may patch. */
int event_probes_load(struct event_probes *probes, struct err *err);

/*
 * Attaches what the source's table names and the options ask for. An error names the first that cannot be attached
 * and is not optional. After an error, too, event_probes_release() detaches.
 */
int event_probes_attach(struct event_probes *probes, const struct attach_options *options, struct err *err);
/* Of pairs: what is not attached, and calls that were not measured. */
void event_probes_say_losses(struct engine_instance *instance, const struct event_probes *probes, uint64_t missed);
/* Hits that the kernel skipped; *known: does it count them? */
uint64_t event_probes_missed(const struct event_probes *probes, bool *known);
/* Also the object. */
void event_probes_release(struct event_probes *probes);

#endif
