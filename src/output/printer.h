/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within output only: what a format has to say. A printer appends to out->buf and never
 * fails; output.c writes the buffer and keeps count of rows and errors.
 */
#ifndef SONDE_PRINTER_H
#define SONDE_PRINTER_H

#include "base/str.h"
#include "output.h"

struct output {
	int fd;
	const struct printer *printer;

	/* the table that is being written */
	const struct schema *schema;
	struct str stamp; /* as the printer shows it; empty: none */
	struct str keys;  /* JSON's */

	/* of a terminal that one table fills; 0 none: all is written */
	size_t columns, lines;
	/* columns of a terminal, 0 where the output is none */
	size_t width;

	/* what is not written yet, and where in it each row ends */
	struct str buf;
	size_t *v;
	size_t n, cap;

	int error; /* the first, -errno */
	uint64_t rows_lost;
};

struct printer {
	/* stamp: NULL or when the table was made */
	void (*begin)(struct output *out, const struct output_stamp *stamp, bool first);
	void (*row)(struct output *out, const void *row);
	void (*end)(struct output *out);
};

extern const struct printer printer_text, printer_json;

/* A field's value; text is NULL for numbers and for a FIELD_STR that is NULL. */
struct value {
	const char *text;
	size_t len;
	bool number, is_signed;
	uint64_t bits;
};

struct value value_of(const struct field *field, const void *row);
void value_add_number(struct str *s, const struct value *value);

#endif
