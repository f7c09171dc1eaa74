// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rows as JSON lines: one object a row, complete in itself, so that a reader
 * may begin anywhere. Knows no widths.
 */
#include "clock.h"
#include "printer.h"

/* What stands in front of each value, each with a NUL behind it: the same in every row. */
static void make_keys(struct output *out)
{
	str_reset(&out->keys);
	for (size_t i = 0; i < out->schema->n; i++) {
		const char *key = out->schema->fields[i].key;

		if (i)
			str_addc(&out->keys, ',');
		str_add_json(&out->keys, key, strlen(key));
		str_addn(&out->keys, ":", 2);
	}
}

static void json_begin(struct output *out, const struct output_stamp *stamp, bool first)
{
	make_keys(out);
	if (stamp)
		clock_add_stamp(&out->stamp, stamp->wall_ns);
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
	const char *key = out->keys.data;
	struct str *s = &out->buf;

	str_addc(s, '{');
	if (out->stamp.len)
		str_addf(s, "\"time\":\"%s\",", out->stamp.data);
	for (size_t i = 0; i < out->schema->n; i++) {
		size_t len = strlen(key);

		str_addn(s, key, len);
		add_value(s, &out->schema->fields[i], row);
		key += len + 1;
	}
	str_addn(s, "}\n", 2);
}

const struct printer printer_json = { .begin = json_begin, .row = json_row };
