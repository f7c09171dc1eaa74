/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engine/: histograms by key (bpf/dist.h), as they are read out of the kernel's map. Rows there only grow and are never
 * taken away; a read gives each row's difference to the read before.
 */
#ifndef SONDE_KEYS_H
#define SONDE_KEYS_H

#include "bpf/dist.h"
#include "output/hist.h"

struct keys_row {
	union dist_key key; /* behind the map's key size: zero */
	char label[DIST_LABEL_LEN + 1];
	uint64_t *before;  /* cells as they were taken last */
	uint64_t *between; /* what has come since the read before */
};

/* Initialise with {}. */
struct keys {
	int fd;
	uint32_t max; /* rows at most */
	size_t key_size, value_size;
	const struct hist *hist;
	void *tree; /* of the rows, by key */
	struct keys_row **v;
	size_t n, cap;
};

/* What a row takes in the kernel's map. */
size_t keys_value_size(const struct hist *hist);
/* By number: else by name. The map has that many entries, and values of keys_value_size(). */
void keys_init(struct keys *keys, int fd, uint32_t max, bool by_number, const struct hist *hist);
/* Takes one row with its totals since the probes were armed. The pointers are valid during the call. */
typedef void (*keys_fn)(const union dist_key *key, const char *label, const uint64_t *cells, void *ctx);
/* Calls fn for each row, in no order, and changes nothing. Returns 0 or -errno. */
int keys_read(const struct keys *keys, keys_fn fn, void *ctx);
/* Reads all: v has each row, in no order, with what has come since they were taken before. -errno. */
int keys_take(struct keys *keys);
void keys_release(struct keys *keys);

#endif
