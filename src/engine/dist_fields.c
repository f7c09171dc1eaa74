// SPDX-License-Identifier: BSD-2-Clause
/* What rows of distributions have beside their cells: whose they are, and as totals. */
#include "dist.h"

char dist_by[16], dist_total_title[16];

void dist_add_key(struct str *s, const void *data, enum output_format format)
{
	const struct dist_row *row = data;

	if (format == OUTPUT_TEXT)
		str_add_shown(s, row->text, strlen(row->text));
	else if (!row->keyed)
		str_add(s, "null");
	else if (row->text)
		str_add_json(s, row->text, strlen(row->text));
	else
		str_add_u64(s, row->number);
}

void dist_add_label(struct str *s, const void *data, enum output_format format)
{
	const struct dist_row *row = data;

	if (row->label)
		str_add_json(s, row->label, strlen(row->label));
	else
		str_add(s, "null");
}

void dist_add_unit(struct str *s, const void *data, enum output_format format)
{
	const struct dist_row *row = data;

	if (row->counts)
		str_add(s, "null");
	else
		hist_add_unit(s, data, format);
}

void dist_add_total(struct str *s, const void *data, enum output_format format)
{
	const struct dist_row *row = data;

	if (!row->counts)
		hist_add_total(s, data, format);
	else if (format == OUTPUT_TEXT)
		hist_add_count(s, data, format);
	else
		str_add(s, "null");
}
