/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics as data, in Prometheus's terms: a page has families, a family has samples, a sample has labels and a value.
 * A page is what one scrape shows. Its memory is reused from scrape to scrape. Knows no format (metrics_format.h), no
 * schema (metrics_rows.h), no engine and no HTTP.
 *
 *	struct metrics page = {};
 *
 *	metrics_reset(&page);				the last scrape's samples are gone, their memory is kept
 *	up = metrics_family(&page, &(struct metrics_info){
 *		.name = "sonde_line_up", .type = METRICS_GAUGE, .help = "Whether the line is attached." });
 *	metrics_begin(&page, up, 0);
 *	metrics_label(&page, "line", text, strlen(text));
 *	metrics_set(&page, metrics_u64(1));
 *	metrics_format_print(&to, &page, METRICS_TEXT);
 *	metrics_release(&page);
 */
#ifndef SONDE_METRICS_METRICS_H
#define SONDE_METRICS_METRICS_H

#include "base/str.h"
#include "base/lookup.h"
#include "metrics_bounds.h"

struct schema;

enum metrics_type {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_INFO,	   /* labels only; the value is 1 */
	METRICS_SUMMARY,   /* a count and a sum, without quantiles */
	METRICS_HISTOGRAM, /* a count, a sum and buckets */
};

/* A number that formats print exactly. Protobuf has doubles only, and rounds. */
struct metrics_number {
	enum {
		METRICS_U64,
		METRICS_S64,
		METRICS_NANO, /* u64 billionths, as of durations in ns that are shown in seconds */
		METRICS_REAL,
	} type;
	union {
		uint64_t u64;
		int64_t s64;
		double real;
	};
};

static inline struct metrics_number metrics_u64(uint64_t value)
{
	return (struct metrics_number){ METRICS_U64, .u64 = value };
}

static inline struct metrics_number metrics_s64(int64_t value)
{
	return (struct metrics_number){ METRICS_S64, .s64 = value };
}

static inline struct metrics_number metrics_seconds(uint64_t ns)
{
	return (struct metrics_number){ METRICS_NANO, .u64 = ns };
}

static inline struct metrics_number metrics_real(double value)
{
	return (struct metrics_number){ METRICS_REAL, .real = value };
}

#define METRICS_NO_FAMILY SIZE_MAX

struct metrics_info {
	const char *name; /* without _total, _info, _bucket: formats append these */
	const char *unit; /* "seconds", "bytes": the name ends with it; NULL: none */
	const char *help; /* one sentence */
	enum metrics_type type;
};

/* A part of metrics.text: offset and bytes. */
struct metrics_part {
	size_t at, n;
};

struct metrics_label {
	struct metrics_part name, value; /* name: a valid name; value: UTF-8, not escaped */
};

struct metrics_sample {
	size_t labels, n_labels;      /* in metrics.labels */
	struct metrics_number number; /* of a histogram or summary: the sum */
	uint64_t count;		      /* of a histogram or summary */
	size_t counts;		      /* a histogram: its buckets, not cumulative, in metrics.counts */
	uint64_t created;	      /* when it began to count: ns of the wall clock; 0: not known */
};

struct metrics_family {
	struct metrics_info info;     /* own copies of the texts */
	struct metrics_bounds bounds; /* METRICS_HISTOGRAM: of its samples */
	vec(struct metrics_sample);
	struct lookup lookup; /* finds samples by their labels */
};

struct metrics {
	vec(struct metrics_family);
	vec(struct metrics_label) labels;
	vec(uint64_t) counts;
	struct str text; /* names and values of labels */
	size_t family;	 /* of the sample that is being made */
	/* metrics_rows.c: the families of the fields of the last row, or METRICS_NO_FAMILY; whose they are */
	struct {
		const struct schema *schema;
		struct str base;
		vec(size_t);
	} fields;
};

/* Removes all samples. Families stay, and are printed only if they have samples again. */
void metrics_reset(struct metrics *page);
void metrics_release(struct metrics *page);

/*
 * Returns the number of the family of that name, and adds it if there is none. The texts are copied. A family keeps
 * the type that it was added with.
 */
size_t metrics_family(struct metrics *page, const struct metrics_info *info);
/*
 * Begins a sample. created: when it began to count, ns of the wall clock; 0: not known. One metrics_set*() ends it, and
 * comes before the next begin.
 */
void metrics_begin(struct metrics *page, size_t family, uint64_t created);
/*
 * Adds a label. The name becomes a valid one: characters other than letters, digits and _ become _. The value is n
 * foreign bytes; each byte that is no UTF-8 becomes U+FFFD. An empty value adds nothing: to Prometheus an empty label
 * is none.
 */
void metrics_label(struct metrics *page, const char *name, const char *value, size_t n);
/*
 * End the sample. If the family has one with the same labels already, that one gets the value added, or, as a gauge,
 * replaced: two foreign names may differ only in invalid bytes, and a page must not have a sample twice.
 */
void metrics_set(struct metrics *page, struct metrics_number value);
void metrics_set_summary(struct metrics *page, uint64_t count, struct metrics_number sum);
/* cells: of the histogram scale->hist, copied. All samples of a family have the same scale. */
void metrics_set_histogram(struct metrics *page, const struct metrics_scale *scale, const uint64_t *cells);
/* Returns the sum of a histogram's values. seconds: they are ns. */
struct metrics_number metrics_hist_sum(const struct hist *hist, bool seconds, const uint64_t *cells);

/* Appends a name as metrics_label() makes it: a digit at its begin gets a _ in front. */
void metrics_add_name(struct str *s, const char *name);

#endif
