/* SPDX-License-Identifier: BSD-2-Clause */
/* Within script/: maps as bpftrace prints them: sorted entries, histograms, series. script_map.h reads them. */
#ifndef SONDE_SCRIPT_SCRIPT_PRINT_H
#define SONDE_SCRIPT_SCRIPT_PRINT_H

#include "output/hist.h"
#include "script_value.h"

/* An entry with its values of all processors added up, as lang/types/type.h lays them out. */
struct script_entry {
	const void *key; /* NULL: the map has no key */
	const void *value;
};

/* What was read of a map. The pool owns keys and values. */
struct script_entries {
	const struct lang_map *map;
	vec(struct script_entry);
	struct pool pool;
};
void script_entries_release(struct script_entries *entries);

/* Which entries are printed, and how: print(@x, top, div), printa(format, @x, top). 0: all, undivided. */
struct script_choice {
	uint64_t top, div;
	const char *format; /* of printa(), else NULL */
};

/* Sorts as bpftrace does: numbers, averages and sums of histograms ascending, everything else by key. */
void script_print_sort(struct script_entries *entries);
/* The entry that is printed first: with `top`, only the last ones are, the largest. */
size_t script_print_first(const struct script_entries *entries, const struct script_choice *choice);

/* Appends the entries, which it sorts. */
void script_print_map(struct str *to, struct script_names *names, struct script_entries *entries,
		      const struct script_choice *choice);
/* Appends what follows "@x: " of one entry of a type that is no chart: also for print(@x[key]). */
void script_print_value(struct str *to, struct script_names *names, const struct type *type, const void *value,
			uint64_t div);

/* --- what values of maps mean; also for JSON --- */

/* The number that print() shows of a value: a count, a sum, a maximum, an average ... */
int64_t script_print_number(const struct type *type, const void *value);
/* The sum of a histogram's buckets. */
uint64_t script_print_total(const struct type *type, const uint64_t *buckets);
bool script_print_is_hist(const struct type *type);
/* TYPE_AVG, TYPE_STATS, TYPE_STDDEV: several numbers. */
bool script_print_is_stats(const struct type *type);
/* The buckets of TYPE_HIST, TYPE_LHIST and TYPE_QUANTILES, as output/hist.h knows them. */
struct hist script_print_buckets(const struct type *type);
uint64_t script_print_deviation(const struct lang_deviation *deviation);
/* The moments of a series that have values, sorted by time; returns how many. v: room for hist.buckets of them. */
size_t script_print_moments(const struct type *type, const struct lang_moment *from, struct lang_moment *v);
int64_t script_print_moment(const struct type *type, const struct lang_moment *moment);

/* In script_chart.c: the lines of a histogram or a series. */
void script_chart_add(struct str *to, const struct type *type, const void *value, uint64_t div);
/* Adds a time of the wall clock: by a format of strftime(), and the nanoseconds. */
void script_chart_add_time(struct str *to, const char *format, uint64_t wall_ns);

#endif
