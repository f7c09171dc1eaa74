/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms as rows: a key, buckets and the sum of the values (bpf/hist.h). Merging two histograms adds their
 * cells. In text a row is a chart like bcc's, in JSON one object. A schema with HIST_FIELDS and .draw = hist_draw
 * shows both.
 */
#ifndef SONDE_OUTPUT_HIST_H
#define SONDE_OUTPUT_HIST_H

#include "bpf/hist.h"
#include "output.h"

struct hist {
	enum hist_kind kind;
	uint64_t step;	  /* HIST_LINEAR, HIST_STEPS: width of a bucket; HIST_BOUNDS: the greatest bound */
	uint64_t divisor; /* values were divided by this, but their sum was not */
	const char *unit; /* "usecs" */
	bool bare;	  /* no line with average, total and count below a chart */
	size_t n;	  /* HIST_POWERS, HIST_STEPS: buckets */
	unsigned int bits;
	int64_t min, max;
	bool is_signed; /* the sum may be negative */
};

struct hist_row {
	const struct hist *hist;
	const uint64_t *cells;	 /* hist_words() of them */
	const char *title, *key; /* "Function", "vfs_read"; key NULL: everything together */
	const char *symbol;	 /* the key of a function as the linker knows it, or NULL */
	bool first;		 /* the first row of its table: no empty line before it */
};

/* Return the number of 64-bit words of one histogram's cells, and of its buckets. */
size_t hist_words(const struct hist *hist);
size_t hist_buckets(const struct hist *hist);
/* Return the least and the greatest value of a bucket: of HIST_POWERS and HIST_STEPS as an int64_t. */
uint64_t hist_low(const struct hist *hist, size_t bucket);
uint64_t hist_high(const struct hist *hist, size_t bucket);
/* Whether the values are signed: HIST_POWERS, HIST_STEPS. */
bool hist_has_negative(const struct hist *hist);

/* Which buckets have values: from `first` to before `end`; end 0: none has. most: values of the fullest. */
struct hist_used {
	size_t first, end;
	uint64_t most;
};
struct hist_used hist_used(const uint64_t *buckets, size_t n);

/* Adds the cells of `from` to those of `to`, as for shards of several processors. `from` may grow meanwhile. */
void hist_merge(const struct hist *hist, uint64_t *to, const uint64_t *from);
/*
 * to = now - before, for cells that only grow. The maximum of `to` is exact if it is new since `before`; else it
 * is the upper bound of the last bucket in use.
 */
void hist_difference(const struct hist *hist, uint64_t *to, const uint64_t *now, const uint64_t *before);

/* Returns the number of values. */
uint64_t hist_count(const struct hist *hist, const uint64_t *cells);
/*
 * Returns the value that `thousandths` of all values do not exceed, as the middle of its bucket; 0 of an empty
 * histogram.
 */
uint64_t hist_percentile(const struct hist *hist, const uint64_t *cells, unsigned int thousandths);

/* The percentiles that are shown. */
#define HIST_RANKS 4
extern const struct hist_rank {
	const char *name; /* "p99.9" */
	unsigned int thousandths;
} hist_ranks[HIST_RANKS];

/* The last fields of every schema of histograms, after the key. */
#define HIST_FIELDS \
	DATA_GET(FIELD_STR, hist_get_unit, "unit", .role = ROLE_NOTE), \
		DATA_GET(FIELD_U64, hist_get_count, "count", .role = ROLE_COUNTER), \
		DATA_GET(FIELD_U64, hist_get_total, "total", .role = ROLE_COUNTER), \
		DATA_GET(FIELD_U64, hist_get_average, "avg"), DATA_GET(FIELD_ROW, hist_get_percentiles, "percentiles"), \
		DATA_GET(FIELD_LIST, hist_get_buckets, "buckets"), \
		METRIC_GET(FIELD_DURATION, hist_get, "histogram", ROLE_HISTOGRAM)
/* The row itself, for exporters. */
void hist_get(struct value *to, const void *row, const void *ctx);
void hist_get_unit(struct value *to, const void *row, const void *ctx);
void hist_get_count(struct value *to, const void *row, const void *ctx);
void hist_get_total(struct value *to, const void *row, const void *ctx);
void hist_get_average(struct value *to, const void *row, const void *ctx);
/* A row of p50, p90, p99, p99.9 and max; null of a histogram that is too coarse for any. */
void hist_get_percentiles(struct value *to, const void *row, const void *ctx);
/*
 * Rows of min, max and count: buckets that are not empty. max is null in the last of a linear histogram, which has no
 * end.
 */
void hist_get_buckets(struct value *to, const void *row, const void *ctx);

/* Draws the chart, and below it average, total and count unless `bare`. Draws nothing for an empty histogram. */
void hist_draw(struct str *s, const void *row);

#endif
