/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rates engine, for tools that always count the same few things: a row for each interval, with a column for each
 * probe spec of the tool. Text shows events per second, data the counts of the interval and its length. Arguments are
 * [INTERVAL [COUNT]]; an interval is one second by default. A spec that matches nothing, or that cannot be attached,
 * has null in its column, and the reason is reported at the end.
 *
 *	static const char *const specs[] = { "vfs_read", "vfs_write" };
 *	static const struct rates_source source = { RATES_SPECS(specs), .what = "reads and writes" };
 *	static const struct field fields[] = {
 *		RATES_TIME,
 *		RATES_COLUMN(0, "reads", "READ/s", 8),
 *		RATES_COLUMN(1, "writes", "WRITE/s", 8),
 *	};
 *	TOOL(..., RATES_ENGINE(source), .schema = &schema, LACKS(RATES_LACKS), ...);
 */
#ifndef SONDE_ENGINES_RATES_H
#define SONDE_ENGINES_RATES_H

#include "engine/engine.h"

#define RATES_MAX 16

struct rates_source {
	const char *const *specs; /* RATES_MAX at most; no two match the same place */
	size_t n;
	const char *what; /* "file system calls", for "Tracing file system calls..." */
};

#define RATES_SPECS(table) \
	.specs = table, .n = ARRAY_SIZE(table) + 0 * sizeof(char[ARRAY_SIZE(table) <= RATES_MAX ? 1 : -1])
/* For TOOL(): this engine, with a struct rates_source. */
#define RATES_ENGINE(SOURCE) .engine = &rates_engine, .source = ENGINE_SOURCE(struct rates_source, SOURCE)
#define RATES_LACKS \
	{ \
		"time timestamp", "each row has the time" \
	}

/* A row of any schema. In a snapshot the interval is the whole time since the probes were armed. */
struct rates_row {
	uint64_t time; /* the interval's end, ns since boot */
	uint64_t ns;   /* the interval's length */
	struct rates_cell {
		uint64_t count;	     /* UINT64_MAX: not known */
		uint64_t per_second; /* rounded; UINT64_MAX: not known */
	} cells[RATES_MAX];
};

/* The first columns, then one for each spec by its index. */
#define RATES_TIME \
	FIELD(FIELD_TIME, struct rates_row, time, "time", "TIME", -8), \
		DATA(FIELD_DURATION, struct rates_row, ns, "ns", .role = ROLE_TIME)
#define RATES_COLUMN(INDEX, KEY, TITLE, WIDTH) \
	DATA(FIELD_U64, struct rates_row, cells[INDEX].count, KEY, .role = ROLE_COUNTER, .null = NULL_MOST), \
		TEXT(FIELD_U64, struct rates_row, cells[INDEX].per_second, TITLE, WIDTH, .null = NULL_MOST)

extern const struct engine rates_engine;

/* What is known of one spec. */
struct rates_spec {
	bool counted;	     /* at least one of its targets is attached */
	const char *missing; /* why none of its targets, or not all of them, are attached; NULL: all are */
	uint64_t total;	     /* since it was attached */
	uint64_t shown;	     /* the part of total that earlier rows have */
};

/* Fills a row for an interval of ns with what n specs have counted beyond `shown`. All other cells become null. */
void rates_fill(struct rates_row *row, const struct rates_spec *specs, size_t n, uint64_t ns);

#endif
