// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints rows as CSV (RFC 4180): one line of headings, then one line for each row; lines end with CR LF. The columns
 * are the keys of JSON, in its order, with the same time column in front. Null is an empty field, an empty text is "".
 * A list, or a row within a row such as a histogram's buckets, is JSON text in one field. A text that a spreadsheet
 * would take for a formula is not changed. A stack is folded: names from the root to the innermost, with semicolons.
 */
#include "address.h"
#include "clock.h"
#include "folded.h"
#include "printer.h"
#include "words.h"

/* Prints headings only for the first table; later tables continue it. */
static void add_headings(struct output *out, bool has_time)
{
	const char *comma = has_time ? "," : "";
	struct str *s = &out->buf;

	if (has_time)
		str_add(s, "time");
	for (size_t i = 0; i < out->schema->n; i++) {
		const struct field *field = &out->schema->fields[i];

		if (field->text_only)
			continue;
		str_add(s, comma);
		str_add_csv(s, field->key, strlen(field->key));
		comma = ",";
	}
	str_add(s, "\r\n");
	out->has_headings = true;
}

static void csv_begin(struct output *out, const struct output_stamp *stamp, bool first)
{
	if (!out->has_headings)
		add_headings(out, stamp);
	if (stamp)
		clock_add_stamp(&out->stamp, stamp->wall_ns);
}

static void add_number(struct str *s, const struct field *field, const struct value *value, const struct output *out)
{
	__str struct str signal = {};

	if (field->type == FIELD_TIME)
		clock_add_stamp(s, value->bits + out->clock.wall_offset);
	else if (field->type != FIELD_SIGNAL)
		value_add_number(s, value, field->data_decimals);
	else if (words_add_signal(&signal, value->bits))
		str_addf(s, "SIG%s", signal.data);
}

static void add_json(struct str *s, const struct field *field, struct value *value, const struct output *out)
{
	__str struct str json = {};

	json_add_value(&json, field, value, out);
	str_add_csv(s, json.data, json.len);
}

static void add_stack(struct str *s, const struct value *stack)
{
	__str struct str folded = {};

	folded_add_stack(&folded, stack->at, stack->n);
	str_add_csv(s, str_or_empty(folded.data), folded.len);
}

static void add_value(struct str *s, const struct field *field, struct value *value, const struct output *out)
{
	switch (value->type) {
	case VALUE_HIST:
	case VALUE_NULL:
		break;
	case VALUE_BOOL:
		str_add(s, value->bits ? "true" : "false");
		break;
	case VALUE_U64:
	case VALUE_S64:
	case VALUE_REAL:
		add_number(s, field, value, out);
		break;
	case VALUE_TEXT:
		str_add_csv(s, value->at, value->n);
		break;
	case VALUE_ADDRESS:
		address_add(s, value->version, value->at);
		break;
	case VALUE_STACK:
		add_stack(s, value);
		break;
	case VALUE_LIST:
	case VALUE_ROW:
		add_json(s, field, value, out);
		break;
	}
}

static void csv_row(struct output *out, const void *row)
{
	const char *comma = out->stamp.len ? "," : "";
	struct str *s = &out->buf;

	if (out->stamp.len)
		str_addn(s, out->stamp.data, out->stamp.len);
	for (size_t i = 0; i < out->schema->n; i++) {
		const struct field *field = &out->schema->fields[i];
		struct value value;

		if (field->text_only)
			continue;
		str_add(s, comma);
		comma = ",";
		value_read(&value, field, row, out->ctx, &out->room);
		add_value(s, field, &value, out);
	}
	str_addn(s, "\r\n", 2);
}

const struct printer printer_csv = { .begin = csv_begin, .row = csv_row };
