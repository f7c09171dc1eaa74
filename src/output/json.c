// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rows as JSON lines: one object a row, complete in itself, so that a reader
 * may begin anywhere. Knows no widths.
 */
#include "printer.h"

/* RFC 3339 with the local offset: 2024-05-01T12:00:00.123456+02:00 */
static void json_begin(struct output *out, const struct timespec *stamp, bool show_stamp,
		       bool first)
{
	char date[32], offset[8];
	struct tm tm;

	if (!stamp || !localtime_r(&stamp->tv_sec, &tm))
		return;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(offset, sizeof(offset), "%z", &tm); /* +hhmm, where the RFC has +hh:mm */
	str_addf(&out->stamp, "%s.%06ld%.3s:%s", date, stamp->tv_nsec / 1000, offset, offset + 3);
}

static void add_value(struct str *s, const struct field *field, const void *row)
{
	struct value value = value_of(field, row);

	if (value.number)
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
