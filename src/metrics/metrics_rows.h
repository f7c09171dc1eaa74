/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From rows to metrics: a schema's fields become families and labels by their roles (output/field.h).
 *
 * A field with ROLE_LABEL, or a text with ROLE_TASK, is a label named by its key. ROLE_HISTOGRAM is a histogram, or a
 * summary if it has one bucket; a schema that has one exports nothing else, because count, sum and average are in it.
 * Otherwise each field with ROLE_COUNTER is a counter and each number with ROLE_VALUE or ROLE_DURATION a gauge. The
 * field's type gives the unit: FIELD_DURATION (ns) becomes seconds, FIELD_BYTES stays bytes.
 *
 * The names of families: BASE_KEY_UNIT, and `_total` for a counter. A key "count" or "histogram", the main number of a
 * row, adds nothing, and neither does a unit that the name ends with already: sonde_funccount_total,
 * sonde_syscount_errors_total, sonde_runqlat_seconds. A gauge that would end with _total, _count or the like, as
 * families of other types do, ends with _value.
 */
#ifndef SONDE_METRICS_METRICS_ROWS_H
#define SONDE_METRICS_METRICS_ROWS_H

#include "metrics.h"
#include "output/field.h"

struct metrics_rows {
	const char *base; /* the beginning of all names, such as "sonde_runqlat": `as NAME` */
	const char *help; /* what the rows are, such as the tool's one line of help */
	const struct schema *schema;
	const void *ctx;	    /* for getters: output_set_context() */
	uint64_t created;	    /* when the counters began: ns of the wall clock */
	struct metrics_range range; /* of histograms */
};

/*
 * Returns 0 if the rows can be exported, or -EINVAL with err: a field would be a label without limits (an id of a task,
 * an address, a stack), two labels have one name, or there is no number. To be called once options have decided about
 * the fields.
 */
int metrics_rows_check(const struct metrics_rows *rows, struct err *err);
/*
 * Calls fn for each family that the rows can have, with its labels' names separated by commas. The info's texts are
 * valid during the call.
 */
typedef void (*metrics_rows_fn)(const struct metrics_info *info, const char *labels, void *ctx);
void metrics_rows_each(const struct metrics_rows *rows, metrics_rows_fn fn, void *ctx);
/* Whose values a row has. Of all but METRICS_KEY the only label is other="true". */
enum metrics_whose {
	METRICS_KEY,	 /* a key's; its labels say which */
	METRICS_OTHER,	 /* all keys' that found no room */
	METRICS_OF_OTHER /* one key's of these: what counts is added up, gauges are left out */
};

/* Adds a row's samples to the page. */
void metrics_rows_add(struct metrics *page, const struct metrics_rows *rows, const void *row, enum metrics_whose whose);

#endif
