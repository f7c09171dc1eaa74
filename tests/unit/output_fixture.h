/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows through the real printers, into memory. */
#ifndef SONDE_TESTS_UNIT_OUTPUT_FIXTURE_H
#define SONDE_TESTS_UNIT_OUTPUT_FIXTURE_H

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output/output.h"

#define FIXTURE_CLOCK_WALL 1714557600000000000ULL /* 2024-05-01 10:00:00 UTC, at boot */

/* A table of one row, without its headings. The caller frees. */
static inline char *fixture_print(enum output_format format, const struct schema *schema, const void *row, const void *ctx)
{
	const struct output_clock clock = { .wall_offset = FIXTURE_CLOCK_WALL, .began = 1000000000 };
	int fd __close = memfd_create("row", 0);
	struct output *out = output_new(fd, format);
	char *text = base_alloc(65536), *row_at;

	output_set_clock(out, &clock);
	output_set_context(out, ctx);
	output_table_begin(out, schema, NULL, true);
	output_row(out, row);
	output_table_end(out);
	output_free(out);
	cr_assert_geq(pread(fd, text, 65535, 0), 0);
	/* behind the headings, which JSON has none of */
	row_at = format == OUTPUT_JSON ? text : strchr(text, '\n') + 1;
	memmove(text, row_at, strlen(row_at) + 1);
	return text;
}

/* One field of a row, as a column without padding, as a value of JSON, or as a field of CSV. */
static inline void fixture_expect(struct field field, enum output_format format, const void *row, const void *ctx, const char *want)
{
	const struct schema schema = { &field, 1 };
	char *text __free = NULL, *value;

	field.key = "k";
	field.title = "K";
	field.data_only = field.text_only = false;
	text = fixture_print(format, &schema, row, ctx);
	text[strlen(text) - (format == OUTPUT_CSV ? 2 : 1)] = 0;
	value = text;
	if (format == OUTPUT_JSON) {
		value += strlen("{\"k\":");
		value[strlen(value) - 1] = 0;
	}
	cr_expect_str_eq(value, want, "'%s', not '%s'", value, want);
}

#endif
