/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within output only: what a format has to do. A printer appends to out->buf and never
 * fails; output.c writes the buffer and counts rows and errors.
 */
#ifndef SONDE_PRINTER_H
#define SONDE_PRINTER_H

#include "base/str.h"
#include "output.h"

struct output {
	int fd;
	const struct printer *printer;
	struct output_clock clock;
	const void *ctx; /* of getters */
	struct str room; /* of value_of() */

	/* the table that is being written */
	const struct schema *schema;
	struct str stamp;  /* as the printer shows it; empty: none */
	bool has_headings; /* CSV: they are written */
	struct str keys;   /* JSON's */

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
	/* a line between rows; may be NULL */
	void (*rule)(struct output *out);
};

extern const struct printer printer_text, printer_json, printer_csv;

/*
 * The value of a field of this row. room: memory for what a getter makes; the value lasts until it is used again.
 * Null beside a getter's own: as the field says.
 */
struct value value_of(const struct field *field, const void *row, const void *ctx, struct str *room);

/* Appends, in base 10. VALUE_U64, VALUE_S64 and, with so many decimals, VALUE_REAL. */
void value_add_number(struct str *s, const struct value *value, int decimals);

/* Appends a value as JSON. out: its clock and context. */
void json_add_value(struct str *s, const struct field *field, struct value *value, const struct output *out);

#endif
