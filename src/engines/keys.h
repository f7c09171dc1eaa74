/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engines/: reads histograms by key (bpf/dist.h) out of the kernel's map. Entries there only grow and are never
 * deleted; a read returns the difference of each to the read before.
 */
#ifndef SONDE_ENGINES_KEYS_H
#define SONDE_ENGINES_KEYS_H

#include "bpf/dist.h"
#include "engine/batch.h"
#include "output/hist.h"

struct keys_row {
	union dist_key key; /* behind the map's key size: zero */
	char label[DIST_LABEL_LEN + 1];
	uint64_t *before;  /* the cells at the last read */
	uint64_t *between; /* what was added since the read before */
};

/* Initialise with {}. */
struct keys {
	struct batch_map map; /* max: the most rows */
	const struct hist *hist;
	void *tree; /* finds rows by key */
	vec(struct keys_row *);
};

/* Returns the bytes of a value in the kernel's map. */
size_t keys_value_size(const struct hist *hist);
/* by_number: keys are numbers, otherwise names. The map has `max` entries, with values of keys_value_size() bytes. */
void keys_init(struct keys *keys, int fd, uint32_t max, bool by_number, const struct hist *hist);
/* Receives a row with its totals since the probes were armed. The pointers are valid during the call. */
typedef void (*keys_fn)(const union dist_key *key, const char *label, const uint64_t *cells, void *ctx);
/* Calls fn for each row, in no order, and changes nothing. Returns 0 or -errno. */
int keys_read(const struct keys *keys, keys_fn fn, void *ctx);
/* Reads all rows into v, in no order, each with what was added since the read before. Returns 0 or -errno. */
int keys_take(struct keys *keys);
void keys_release(struct keys *keys);

#endif
