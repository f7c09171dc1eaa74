// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes pages of metrics: names and values of labels, which are foreign, in turns, with a byte 0xff between them. No
 * text may break a line or a quoted value, all of it is UTF-8, and no sample is on the page twice.
 */
#include "fuzz.h"
#include "metrics/metrics_format.h"

#define LABELS 3 /* of a sample */

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* A label: a name, =, and a text in quotes in which a backslash is in front of \, " and n only. Returns its end. */
static const char *check_label(const char *p)
{
	check(!(*p >= '0' && *p <= '9'));
	while (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *p))
		p++;
	check(p[0] == '=' && p[1] == '"' && p[2] != '"');
	for (p += 2; *p != '"'; p++) {
		check(*p && *p != '\n');
		if (*p == '\\')
			check(*++p && strchr("\\\"n", *p));
	}
	return p + 1;
}

static void check_line(const char *line)
{
	const char *p = line + strcspn(line, "{ ");

	while (*p == '{' || *p == ',')
		p = check_label(p + 1);
	if (*p == '}')
		p++;
	check(*p == ' ');
	check(p[1 + strspn(p + 1, "0123456789.e+-NaInf")] == '\n');
}

static void check_utf8(const struct str *text)
{
	__str struct str again = {};

	str_add_plain(&again, text->data, text->len);
	check(again.len == text->len && !memcmp(again.data, text->data, text->len));
}

static void check_text(const struct metrics *page, enum metrics_format format, size_t lines)
{
	__str struct str text = {};
	size_t found = 0;

	metrics_format_print(&text, page, format);
	check(strlen(text.data) == text.len);
	check_utf8(&text);
	for (const char *line = text.data; *line; line = strchr(line, '\n') + 1) {
		if (*line == '#')
			continue;
		check_line(line);
		found++;
	}
	check(found == lines);
}

static void add_labels(struct metrics *page, const uint8_t **data, size_t *size)
{
	for (int i = 0; i < LABELS && *size; i++) {
		struct fuzz_piece name = fuzz_next_piece(data, size), value = fuzz_next_piece(data, size);
		char *text __free = fuzz_text(name.data, name.size);

		metrics_label(page, text, (const char *)value.data, value.size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metrics page = {};
	const struct hist hist = { .kind = HIST_SINGLE };
	const struct metrics_scale scale = { .hist = &hist };
	const uint64_t cells[] = { 1, 0, 1 };
	__str struct str protobuf = {};
	size_t counter, histogram;
	char *help __free = fuzz_text(data, size);

	counter = metrics_family(&page, &(struct metrics_info){ "c", NULL, help, METRICS_COUNTER });
	histogram = metrics_family(&page, &(struct metrics_info){ "h", NULL, "", METRICS_HISTOGRAM });
	do {
		metrics_begin(&page, counter, 1);
		add_labels(&page, &data, &size);
		metrics_set(&page, metrics_u64(1));
		metrics_begin(&page, histogram, 0);
		add_labels(&page, &data, &size);
		metrics_set_histogram(&page, &scale, cells);
	} while (size);
	/* a bucket, a count and a sum; `_created` of counters */
	check_text(&page, METRICS_TEXT, page.v[counter].n + 3 * page.v[histogram].n);
	check_text(&page, METRICS_OPENMETRICS, 2 * page.v[counter].n + 3 * page.v[histogram].n);
	metrics_format_print(&protobuf, &page, METRICS_PROTOBUF);
	metrics_release(&page);
	return 0;
}
