/* SPDX-License-Identifier: BSD-2-Clause */
/* The exporter's metrics about itself and its lines: what is attached, lost and missed, and what a scrape costs. */
#ifndef SONDE_EXPORT_SELF_H
#define SONDE_EXPORT_SELF_H

#include "metrics/metrics.h"
#include "sources.h"

/* What the loop knows. Times are ns. */
struct self {
	uint64_t started;      /* wall clock */
	uint64_t scrapes;      /* pages that were made */
	uint64_t scrape_ns;    /* how long that took, in all */
	uint64_t failed_reads; /* sources whose totals could not be read for a page */
	bool embedded;	       /* the page becomes part of another process's, which has process_* of its own */
	bool reloaded;	       /* the configuration that was read last is the one that runs */
	uint64_t reloaded_at;  /* wall clock: when the running configuration was read */
};

/* Adds those families, of the budget too, that only some pages have, without samples: no line may use their names. */
void self_reserve(struct metrics *page);
/* Adds the families to the page, with samples. */
void self_collect(const struct self *self, const struct sources *sources, struct metrics *page);

#endif
