/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engine/: histograms that programs fill (bpf/hist.bpf.h), from the options to the rows. An engine says how many histograms
 * there are, patches its images, and emits the histograms by number.
 */
#ifndef SONDE_HISTS_H
#define SONDE_HISTS_H

#include "attach/attach.h"
#include "attach/shards.h"
#include "object.h"
#include "engine.h"
#include "output/hist.h"

struct hists_settings {
	bool usecs, msecs, precise;
	uint64_t linear;
};

/* For an option table that is bound to STRUCT, which has hists_settings as MEMBER. */
#define HISTS_UNITS(STRUCT, MEMBER) \
	OPT(OPT_BOOL, STRUCT, MEMBER.usecs, 'u', "microseconds", NULL, "in microseconds"), \
		OPT(OPT_BOOL, STRUCT, MEMBER.msecs, 'm', "milliseconds", NULL, "in milliseconds")
#define HISTS_KINDS(STRUCT, MEMBER) \
	OPT(OPT_U64, STRUCT, MEMBER.linear, 0, "linear", "STEP", "buckets of equal width STEP, not powers of two", \
	    .min = 1), \
		OPT(OPT_BOOL, STRUCT, MEMBER.precise, 0, "precise", NULL, \
		    "buckets of 1 %, with percentiles and the maximum below the chart")

struct hists {
	struct hist hist;
	size_t n;	       /* how many */
	size_t words;	       /* of the cells of one */
	struct shards shards;  /* of n histograms each */
	bool all_in_one;       /* whatever the slot, it is number 0 */
	const uint64_t *cells; /* shared with the kernel; the map's */
	uint64_t *now, *before, *between;
};

/* From the options; wrong ones are -EINVAL. nsecs is what values are without any. */
int hists_init(struct hists *hists, const struct hists_settings *settings, struct err *err);
/*
 * Sizes the cells of an object that is open: n histograms in each shard. all_in_one: there is only number 0, whatever the slot. Sets
 * options->shared where several writers count in one histogram.
 */
int hists_size(struct hists *hists, struct object *object, size_t n, bool all_in_one,
	       struct attach_options *options, struct err *err);
/* Fills an image's sites for histograms. It may lack those for shards, where it counts by key only. */
int hists_patch(const struct hists *hists, struct image *image, struct err *err);
/* The object is prepared. */
void hists_map(struct hists *hists, const struct object *object);
size_t hists_memory(const struct hists *hists);
/* What has come into one row since probes were armed. Valid until the next call. */
const uint64_t *hists_read(struct hists *hists, size_t number);
/* What has come into one row since it was taken before. Valid until then. */
const uint64_t *hists_take(struct hists *hists, size_t number);
/* How many values a row, or where there is but one that row, had until it was taken last. */
uint64_t hists_seen(const struct hists *hists, size_t number);
/* Hands on a struct hist_row of totals for each row that has values; set as for hists_emit(). Changes nothing that this shows. */
void hists_snapshot(struct hists *hists, const char *title, const struct target_set *set, engine_row_fn fn, void *ctx);
/* A table of what has come since the last one, rows without values left out. set: a row is a slot of it; NULL: all rows are one. */
void hists_emit(struct hists *hists, struct engine_instance *instance, const char *title, const struct target_set *set);
void hists_release(struct hists *hists);

#endif
