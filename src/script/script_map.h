/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: a program's maps: created, read, cleared. Values to which programs only add (counts, sums, histograms,
 * and plain values of @x++ and @x += n) are not reset in the kernel: clear() and zero() remember what they were, and
 * reading subtracts it. A plain value without a key is memory that we write too: there it is subtracted at once. If the map was
 * printed just before, that is what was printed: nothing is lost that arrives between print() and clear(). When keys
 * take a quarter of the map, clear() frees them: programs go on with the map's twin, and once none of them is left that
 * began before, the map holds still, and is read a last time and emptied. Maps that the program itself reads, LRU maps and all other
 * values are deleted or set to zero, with what arrived in between.
 */
#ifndef SONDE_SCRIPT_SCRIPT_MAP_H
#define SONDE_SCRIPT_SCRIPT_MAP_H

#include "attach/shards.h"
#include "base/set.h"
#include "script_print.h"

/* Memory that programs share with us: maps without keys. */
struct script_memory {
	char *cells;	      /* lang_cells */
	char *shards;	      /* lang_shards */
	struct shards layout; /* of shards */
};

struct keep;

/* Initialise with script_map_init(). */
struct script_map {
	const struct lang_map *map;
	const struct script_memory *memory;
	int fd;	  /* of a map with keys, -1: none */
	int twin; /* of the hash that takes its place when keys are freed, empty till then; -1: none */
	struct script_totals {
		struct set keys; /* the values of key i are at i * map->value->size in values */
		struct str values;
	} base,		   /* what is subtracted; no keys: nothing was cleared yet */
		shown;	   /* as last printed, only if keeps_shown */
	bool keeps_shown;  /* the program clears the map */
	uint64_t shown_at; /* the time of that print(), in ns since boot; 0: none since the last clear() */
	bool was_full;	   /* which was reported */
	bool is_cleared;   /* entries without anything new are not shown; else (zeroed) they are */
};

/*
 * The kernel allocates all entries of a map at once, and could take the memory of everything else that runs. Returns 0
 * if all maps of the program take less than half of the memory, or -ENOMEM with err.
 */
int script_map_check_memory(const struct lang_program *program, struct err *err);

/*
 * Creates the map in the kernel if it has keys, or adopts the one that was kept (attach/keep.h; NULL: none). Returns 0,
 * or -errno with err.
 */
int script_map_init(struct script_map *map, const struct lang_map *of, const struct script_memory *memory,
		    struct keep *keep, struct err *err);
void script_map_release(struct script_map *map);

/* Reads all entries, values of all processors added up, without what was cleared. Returns 0 or -errno. */
int script_map_read(struct script_map *map, struct script_entries *entries);
/*
 * The same with what was cleared, which exporters need: totals that only grow. Entry number *others is that of all keys
 * that found no room; SIZE_MAX: there is none.
 */
int script_map_read_totals(const struct script_map *map, struct script_entries *entries, size_t *others);
/* The same for print(), at a time in ns since boot. */
int script_map_read_shown(struct script_map *map, uint64_t time, struct script_entries *entries);
/* Both are given the time of the call and return 0 or -errno. */
int script_map_clear(struct script_map *map, uint64_t time);
int script_map_zero(struct script_map *map, uint64_t time);

/* Adds `from` to `to`, which are values of one type of two processors. */
void script_map_merge(const struct type *type, void *to, const void *from);
/* Whether values are words which add up: they only grow, so a difference is what is new. */
bool script_map_is_additive(const struct type *type);
/* Whether nothing was ever added to the value. */
bool script_map_is_empty(const struct type *type, const void *value);
/* Adds size bytes of words to others, or subtracts them. */
void script_map_add_words(uint64_t *to, const uint64_t *from, size_t size, bool subtract);

#endif
