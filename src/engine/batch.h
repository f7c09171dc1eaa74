/* SPDX-License-Identifier: BSD-2-Clause */
/* For engines: reads a hash map, many entries with one call, while programs go on writing to it. */
#ifndef SONDE_ENGINE_BATCH_H
#define SONDE_ENGINE_BATCH_H

#include "base/base.h"

struct batch_map {
	int fd;
	uint32_t max; /* the most entries */
	size_t key_size, value_size;
};

/* Receives an entry. The pointers are valid during the call. */
typedef void (*batch_fn)(const void *key, const void *value, void *ctx);
/* Calls fn for each entry, in no order. No entry may be deleted meanwhile. Returns 0 or -errno. */
int batch_read(const struct batch_map *map, batch_fn fn, void *ctx);

#endif
