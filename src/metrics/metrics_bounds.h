/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The upper bounds of a histogram's buckets in base units (seconds, bytes): which of them the classic formats show, and
 * which native bucket of Prometheus each one is. Bounds are inclusive, as `le` is.
 *
 * Native histograms: bucket i of schema s has the values from 2^((i-1)/2^s), exclusive, to 2^(i/2^s), inclusive.
 * https://prometheus.io/docs/specs/native_histograms/
 */
#ifndef SONDE_METRICS_METRICS_BOUNDS_H
#define SONDE_METRICS_METRICS_BOUNDS_H

#include "output/hist.h"

/* Which bounds the classic formats show; zeros: the default, which depends on the kind of histogram. */
struct metrics_range {
	double low, high; /* in base units; both inclusive */
	size_t step;	  /* only every step-th of the default's bounds */
};

/* What the buckets of a histogram mean. */
struct metrics_scale {
	const struct hist *hist;
	bool seconds; /* its values are ns, and the base unit is the second */
	struct metrics_range range;
};

/* Initialise with {}. */
struct metrics_bounds {
	struct metrics_scale scale; /* scale.hist is NULL: see `hist` */
	struct hist hist;
	size_t n;      /* buckets. The last one has no upper bound */
	double *upper; /* n - 1, ascending */
	/* The bounds that classic formats show: the last bucket below each, and how text shows it, such as "0.001" */
	struct metrics_le {
		size_t bucket;
		char text[32];
	} * le;
	size_t n_le;
	/* native buckets */
	bool native;
	int schema;
	double zero_threshold; /* bucket 0 is the zero bucket: values up to this */
	int32_t *index;	       /* n: the native bucket of each bucket, never descending */
};

/* Computes the bounds, unless they are those of this scale already. The caller releases. */
void metrics_bounds_set(struct metrics_bounds *bounds, const struct metrics_scale *scale);
void metrics_bounds_release(struct metrics_bounds *bounds);

#endif
