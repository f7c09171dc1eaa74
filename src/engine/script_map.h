/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engine/: a program's maps: created, read, cleared. Values that only grow (counts, sums, histograms) are never reset
 * in the kernel: clear() and zero() remember what they were, and reading subtracts it. So nothing is lost that arrives
 * between print() and clear().
 */
#ifndef SONDE_SCRIPT_MAP_H
#define SONDE_SCRIPT_MAP_H

#include "attach/shards.h"
#include "base/set.h"
#include "script_print.h"

/* Memory that programs share with us: maps without keys. */
struct script_memory {
	char *cells;	      /* lang_cells */
	char *shards;	      /* lang_shards */
	struct shards layout; /* of shards */
};

/* Initialise with script_map_init(). */
struct script_map {
	const struct lang_map *map;
	const struct script_memory *memory;
	int fd; /* of a map with keys, -1: none */
	/* What is subtracted: of the key with number i in `keys`, the i-th value. Words of 64 bits wrap around. */
	struct set keys;
	struct str bases;
	bool is_cleared; /* entries without anything new are not shown; else (zeroed) they are */
};

/* Creates the map in the kernel if it has keys. Returns 0, or -errno with err. */
int script_map_init(struct script_map *map, const struct lang_map *of, const struct script_memory *memory,
		    struct err *err);
void script_map_release(struct script_map *map);

/* Reads all entries, values of all processors added up, without what was cleared. Returns 0 or -errno. */
int script_map_read(struct script_map *map, struct script_entries *entries);
/* Both return 0 or -errno. */
int script_map_clear(struct script_map *map);
int script_map_zero(struct script_map *map);

/* Adds `from` to `to`, which are values of one type of two processors. */
void script_map_merge(const struct type *type, void *to, const void *from);

#endif
