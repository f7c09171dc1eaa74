/* SPDX-License-Identifier: BSD-2-Clause */
/* What a source keeps over a restart: the kernel's side, when its counters began, which keys have rows of their own. */
#ifndef SONDE_EXPORT_KEPT_H
#define SONDE_EXPORT_KEPT_H

#include "base/set.h"
#include "base/str.h"
#include "config.h"
#include "store.h"

/* Initialise with {}. */
struct kept {
	struct store *store; /* the caller's; it outlives this */
	struct keep *keep;   /* for engine_metrics; NULL: nothing outlives us */
	struct keep_history history;
	struct str keys; /* to be stored next */
	uint32_t n_keys; /* the caller's: when it was last stored */
	bool failed;	 /* it cannot be stored, which was reported */
};

/* Looks for what the line has kept; store NULL or not active: nothing is ever kept. */
void kept_begin(struct kept *kept, struct store *store, const struct config_line *line);
/* Calls fn for each key that kept_add_keys() was given, in their order. Nothing happens if the line was not adopted. */
typedef void (*kept_key_fn)(uint32_t table, const void *bytes, size_t n, void *ctx);
void kept_each_key(const struct kept *kept, kept_key_fn fn, void *ctx);
/* What was found does not fit: the line starts anew. */
void kept_drop(struct kept *kept);
/* Adds the keys of a table to what kept_put() stores. */
void kept_add_keys(struct kept *kept, uint32_t table, const struct set *keys);
/*
 * The source is open: keeps what it has now, with the keys that were added as history.own. Also each time when links
 * or keys have changed. A failure is reported as a note, once: the line starts anew after the next start.
 */
void kept_put(struct kept *kept, struct keep_history history);
/* After the engine was released. It is removed from the store, unless that is sealed. */
void kept_end(struct kept *kept);

#endif
