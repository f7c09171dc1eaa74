/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For engines: histograms that programs fill (bpf/hist.bpf.h), from the options to the rows. An engine sets the
 * number of histograms, patches its images, and emits the histograms by number.
 */
#ifndef SONDE_ENGINE_HISTS_H
#define SONDE_ENGINE_HISTS_H

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
	size_t words;	       /* in one histogram */
	struct shards shards;  /* n histograms each */
	bool all_in_one;       /* all slots share histogram 0 */
	const uint64_t *cells; /* shared with the kernel; memory of the map */
	uint64_t *now, *before, *between;
};

/*
 * Sets kind and unit from the options; without an option the unit is ns. Exporters get buckets in ns whose bounds are
 * powers of two of a second, unless an option asks for another kind. Returns 0, or -EINVAL with err.
 */
int hists_init(struct hists *hists, const struct engine_context *ctx, const struct hists_settings *settings,
	       struct err *err);
/*
 * Sizes the cells of an object that is open: n histograms in each shard. all_in_one: all slots share histogram 0. Sets
 * options->shared if several writers may count in one histogram. Returns 0, or -errno with err.
 */
int hists_size(struct hists *hists, struct object *object, size_t n, bool all_in_one,
	       struct attach_options *options, struct err *err);
/* Fills an image's patch sites for histograms. An image that counts only by key has no sites for shards. */
int hists_patch(const struct hists *hists, struct image *image, struct err *err);
/* Maps the cells of a prepared object. */
void hists_map(struct hists *hists, const struct object *object);
size_t hists_memory(const struct hists *hists);
/* Returns the cells of one histogram since the probes were armed, summed over shards. Valid until the next call. */
const uint64_t *hists_read(struct hists *hists, size_t number);
/* Returns what was added to one histogram since it was taken before. Valid until the next call. */
const uint64_t *hists_take(struct hists *hists, size_t number);
/* Returns how many values all histograms have together. */
uint64_t hists_count(const struct hists *hists);
/* Returns how many values a histogram (with all_in_one the only one) had when it was last taken. */
uint64_t hists_seen(const struct hists *hists, size_t number);
/*
 * Passes a struct hist_row of totals to fn for each histogram, as engine.snapshot() says; set as for hists_emit().
 * Changes no table.
 */
void hists_snapshot(struct hists *hists, struct engine_instance *instance, const char *title,
		    const struct target_set *set, engine_row_fn fn, void *ctx);
/* Returns the cells of all histograms from the first one on, in all shards, as one. Valid until the next call. */
const uint64_t *hists_read_from(struct hists *hists, size_t first);
/*
 * Prints what was added since the last table, without empty histograms. set: names a histogram by its slot; NULL: one
 * for all.
 */
void hists_emit(struct hists *hists, struct engine_instance *instance, const char *title, const struct target_set *set);
void hists_release(struct hists *hists);

#endif
