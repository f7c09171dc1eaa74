/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms as rows: a key, buckets and their sum (bpf/hist.h). Merging two is adding their cells. In text a row is a
 * chart in bcc's manner, in JSON one object: a schema with HIST_FIELDS and .draw = hist_draw shows both.
 */
#ifndef SONDE_OUTPUT_HIST_H
#define SONDE_OUTPUT_HIST_H

#include "bpf/hist.h"
#include "output.h"

struct hist {
	enum hist_kind kind;
	uint64_t step;	  /* of HIST_LINEAR */
	uint64_t divisor; /* what values were divided by, and their sum was not */
	const char *unit; /* "usecs" */
	bool bare;	  /* no line of average, total and count below a chart */
};

struct hist_row {
	const struct hist *hist;
	const uint64_t *cells;	 /* hist_words() of them */
	const char *title, *key; /* "Function", "vfs_read"; key NULL: of all */
	const char *symbol;	 /* the key of a function, as the linker knows it; NULL: there is none */
	bool first;		 /* of its table: an empty line stands before the others */
};

/* Of a row of cells. */
size_t hist_words(const struct hist *hist);
size_t hist_buckets(const struct hist *hist);
/* The least and the greatest value of a bucket. */
uint64_t hist_low(const struct hist *hist, size_t bucket);
uint64_t hist_high(const struct hist *hist, size_t bucket);

/* to += from, of cells: what several processors counted. */
void hist_merge(const struct hist *hist, uint64_t *to, const uint64_t *from);
/*
 * to = now - before, of cells that only grow: what came in between. Its maximum is exact where it is a new one, else that of
 * the last bucket.
 */
void hist_difference(const struct hist *hist, uint64_t *to, const uint64_t *now, const uint64_t *before);

uint64_t hist_count(const struct hist *hist, const uint64_t *cells);
/* The value that so many thousandths are not above, as the middle of its bucket; 0 of none. */
uint64_t hist_percentile(const struct hist *hist, const uint64_t *cells, unsigned int thousandths);

/* What every schema of histograms ends with, behind the key. */
#define HIST_FIELDS \
	FIELD_BY(hist_add_unit, "unit", "", 0), FIELD_BY(hist_add_count, "count", "", 0), \
		FIELD_BY(hist_add_total, "total", "", 0), FIELD_BY(hist_add_average, "avg", "", 0), \
		FIELD_BY(hist_add_percentiles, "percentiles", "", 0), FIELD_BY(hist_add_buckets, "buckets", "", 0)
void hist_add_unit(struct str *s, const void *row, enum output_format format);
void hist_add_count(struct str *s, const void *row, enum output_format format);
void hist_add_total(struct str *s, const void *row, enum output_format format);
void hist_add_average(struct str *s, const void *row, enum output_format format);
void hist_add_percentiles(struct str *s, const void *row, enum output_format format);
void hist_add_buckets(struct str *s, const void *row, enum output_format format);

/* The chart, and below it average, total and count, if not `bare`. Nothing of none. */
void hist_draw(struct str *s, const void *row);

#endif
