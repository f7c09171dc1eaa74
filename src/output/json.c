// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rows as JSON lines: one object a row, complete in itself, so that a reader
 * may begin anywhere. Knows no widths.
 */
#include "clock.h"
#include "printer.h"

static void json_begin(struct output *out, const struct timespec *stamp, bool show_stamp,
		       bool first)
{
	if (stamp)
		clock_add_stamp(&out->stamp, stamp->tv_sec * 1000000000ULL + stamp->tv_nsec);
}

static void add_value(struct str *s, const struct field *field, const void *row)
{
	struct value value = value_of(field, row);

	if (field->type == FIELD_FN)
		field->add(s, row, OUTPUT_JSON);
	else if (value.number)
		value_add_number(s, &value);
	else if (value.text)
		str_add_json(s, value.text, value.len);
	else
		str_add(s, "null");
}

static void json_row(struct output *out, const void *row)
{
	struct str *s = &out->buf;

	str_addc(s, '{');
	if (out->stamp.len)
		str_addf(s, "\"time\":\"%s\"", out->stamp.data);
	for (size_t i = 0; i < out->schema->n; i++) {
		const struct field *field = &out->schema->fields[i];

		if (i || out->stamp.len)
			str_addc(s, ',');
		str_add_json(s, field->key, strlen(field->key));
		str_addc(s, ':');
		add_value(s, field, row);
	}
	str_addn(s, "}\n", 2);
}

const struct printer printer_json = { .begin = json_begin, .row = json_row };
