// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints rows as JSON lines: one object for each row, complete in itself, so that a reader may start anywhere. A stack
 * is an array of names, the innermost first.
 */
#include "address.h"
#include "clock.h"
#include "printer.h"
#include "words.h"

/* The text in front of each value is the same in every row. */
static void make_keys(struct output *out)
{
	str_reset(&out->keys);
	out->printed.n = 0;
	for (size_t i = 0; i < out->schema->n; i++) {
		const struct field *field = &out->schema->fields[i];
		struct printed_field *printed;

		if (field->text_only)
			continue;
		printed = vec_push(&out->printed);
		printed->field = field;
		printed->key = out->keys.len;
		if (out->keys.len)
			str_addc(&out->keys, ',');
		str_add_json(&out->keys, field->key, strlen(field->key));
		str_addc(&out->keys, ':');
		printed->key_len = out->keys.len - printed->key;
	}
}

static void json_begin(struct output *out, const struct output_stamp *stamp, bool first)
{
	make_keys(out);
	if (stamp)
		clock_add_stamp(&out->stamp, stamp->wall_ns);
}

static void add_row(struct str *s, const struct schema *schema, const void *row, const struct output *out)
{
	__str struct str room = {};
	const char *comma = "";

	str_addc(s, '{');
	for (size_t i = 0; i < schema->n; i++) {
		const struct field *field = &schema->fields[i];
		struct value value;

		if (field->text_only)
			continue;
		str_add(s, comma);
		comma = ",";
		str_add_json(s, field->key, strlen(field->key));
		str_addc(s, ':');
		value_read(&value, field, row, out->ctx, &room);
		json_add_value(s, field, &value, out);
	}
	str_addc(s, '}');
}

static void add_list(struct str *s, const struct field *field, struct value *list, const struct output *out)
{
	const char *comma = "";
	struct value item;

	str_addc(s, '[');
	for (; value_next(list, &item); comma = ",") {
		str_add(s, comma);
		json_add_value(s, field, &item, out);
	}
	str_addc(s, ']');
}

/* Names only: pprof has the rest. */
static void add_stack(struct str *s, const struct value *stack)
{
	const struct frame *const *frames = stack->at;

	str_addc(s, '[');
	for (size_t i = 0; i < stack->n; i++) {
		if (i)
			str_addc(s, ',');
		str_add_json(s, frames[i]->name, strlen(frames[i]->name));
	}
	str_addc(s, ']');
}

static void add_signal(struct str *s, int signal)
{
	__str struct str name = {};

	if (words_add_signal(&name, signal))
		str_addf(s, "\"SIG%s\"", name.data);
	else
		str_add(s, "null");
}

static void add_number(struct str *s, const struct field *field, const struct value *value, const struct output *out)
{
	switch (field->type) {
	case FIELD_TIME:
		str_addc(s, '"');
		clock_add_stamp(s, value->bits + out->clock.wall_offset);
		str_addc(s, '"');
		break;
	case FIELD_SIGNAL:
		add_signal(s, value->bits);
		break;
	default:
		value_add_number(s, value, field->data_decimals);
	}
}

void json_add_value(struct str *s, const struct field *field, struct value *value, const struct output *out)
{
	switch (value->type) {
	case VALUE_HIST:
	case VALUE_NULL:
		str_add(s, "null");
		break;
	case VALUE_BOOL:
		str_add(s, value->bits ? "true" : "false");
		break;
	case VALUE_U64:
		if (field->type == FIELD_U32 || field->type == FIELD_U64) {
			str_add_u64(s, value->bits);
			break;
		}
		/* fall through */
	case VALUE_S64:
	case VALUE_REAL:
		add_number(s, field, value, out);
		break;
	case VALUE_TEXT:
		str_add_json(s, value->at, value->n);
		break;
	case VALUE_ADDRESS:
		str_addc(s, '"');
		address_add(s, value->version, value->at);
		str_addc(s, '"');
		break;
	case VALUE_LIST:
		add_list(s, field, value, out);
		break;
	case VALUE_STACK:
		add_stack(s, value);
		break;
	case VALUE_ROW:
		add_row(s, value->schema, value->at, out);
		break;
	}
}

static void json_row(struct output *out, const void *row)
{
	struct str *s = &out->buf;

	str_addc(s, '{');
	if (out->stamp.len)
		str_addf(s, "\"time\":\"%s\",", out->stamp.data);
	vec_each(printed, &out->printed) {
		struct value value;

		str_addn(s, out->keys.data + printed->key, printed->key_len);
		value_read(&value, printed->field, row, out->ctx, &out->room);
		json_add_value(s, printed->field, &value, out);
	}
	str_addn(s, "}\n", 2);
}

const struct printer printer_json = { .begin = json_begin, .row = json_row };
