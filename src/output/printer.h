/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within output/: the interface of a format. A printer appends to out->buf and never fails; output.c writes the buffer
 * and counts rows and errors.
 */
#ifndef SONDE_OUTPUT_PRINTER_H
#define SONDE_OUTPUT_PRINTER_H

#include "base/str.h"
#include "output.h"

struct output {
	int fd;
	const struct printer *printer;
	struct output_clock clock;
	const void *ctx; /* for getters */
	struct str room; /* for value_read() */

	/* the table that is being written */
	const struct schema *schema;
	struct str stamp;  /* as the printer prints it; empty: none */
	bool has_headings; /* CSV: the headings are written */
	struct str keys;   /* JSON only */
	/* the schema's fields that this format prints, with what JSON prints in front of each value */
	struct printed {
		struct printed_field {
			const struct field *field;
			size_t key, key_len; /* in keys */
		} * v;
		size_t n, cap;
	} printed;

	bool has_block; /* text: rows have lines besides that of the columns */

	/* the size of a terminal that one table fills; 0: none, everything is written */
	size_t columns, lines;
	/* columns of the terminal; 0: the output is not a terminal */
	size_t width;

	/* output that is not written yet, and the end of each row in it */
	struct str buf;
	vec(size_t);

	int error; /* the first error, -errno */
	uint64_t rows_lost;
};

struct printer {
	/* stamp: NULL, or the time of the table */
	void (*begin)(struct output *out, const struct output_stamp *stamp, bool first);
	void (*row)(struct output *out, const void *row);
	/* prints a line between rows; may be NULL */
	void (*rule)(struct output *out);
};

extern const struct printer printer_text, printer_json, printer_csv;

/*
 * Sets *to to the value of a field of this row; members that its type does not use stay as they are. room: memory for a
 * getter; the value lasts until room is used again. A member's value is null if the field says so.
 */
void value_read(struct value *to, const struct field *field, const void *row, const void *ctx, struct str *room);

/* Appends a number in base 10: VALUE_U64, VALUE_S64, or VALUE_REAL with that many decimals. */
void value_add_number(struct str *s, const struct value *value, int decimals);

/* Appends a value as JSON, with the clock and context of out. */
void json_add_value(struct str *s, const struct field *field, struct value *value, const struct output *out);

#endif
