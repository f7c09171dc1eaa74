// SPDX-License-Identifier: BSD-2-Clause
/* The fields of distributions besides the cells: keys and totals. */
#include "dist.h"

const char dist_by[] = "key", dist_total_title[] = "TOTAL";

void dist_get_key(struct value *to, const void *data, const void *ctx)
{
	const struct dist_row *row = data;

	if (row->text)
		value_set_text(to, row->text);
	else if (row->keyed)
		value_set_u64(to, row->number);
}

void dist_get_label(struct value *to, const void *data, const void *ctx)
{
	value_set_text(to, ((const struct dist_row *)data)->label);
}

void dist_get_unit(struct value *to, const void *data, const void *ctx)
{
	if (!((const struct dist_row *)data)->counts)
		hist_get_unit(to, data, ctx);
}

/* Counts have no total of time. */
void dist_get_total(struct value *to, const void *data, const void *ctx)
{
	if (!((const struct dist_row *)data)->counts)
		hist_get_total(to, data, ctx);
}

void dist_get_shown(struct value *to, const void *data, const void *ctx)
{
	if (((const struct dist_row *)data)->counts)
		hist_get_count(to, data, ctx);
	else
		hist_get_total(to, data, ctx);
}

static const struct field fields[] = { DIST_KEY("", 0), HIST_FIELDS };
static const struct field task_fields[] = { DIST_KEY("", 0), DIST_COMM, HIST_FIELDS };
const struct schema dist_charts = { fields, ARRAY_SIZE(fields), hist_draw };
const struct schema dist_task_charts = { task_fields, ARRAY_SIZE(task_fields), hist_draw };
