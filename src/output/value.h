/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The value of one field of one row. A value has a type but no format: printers turn it into text, JSON or CSV. Only
 * printers escape foreign bytes.
 */
#ifndef SONDE_OUTPUT_VALUE_H
#define SONDE_OUTPUT_VALUE_H

#include "base/base.h"
#include "base/str.h"

enum value_type {
	VALUE_NULL, /* no value */
	VALUE_BOOL,
	VALUE_U64,
	VALUE_S64,
	VALUE_REAL,
	VALUE_TEXT,    /* foreign bytes */
	VALUE_ADDRESS, /* an IP address, in network byte order */
	VALUE_LIST,
	VALUE_ROW,   /* a row inside the row, with its own schema */
	VALUE_STACK, /* const struct frame *[n], the innermost first */
	VALUE_HIST,  /* at: a struct hist_row (hist.h); for exporters, no printer prints it */
};

enum value_items {
	ITEMS_STRINGS, /* const char *[n]; NULL is null */
	ITEMS_WORDS,   /* n bytes: strings one after the other, each ends with a NUL */
	ITEMS_NUMBERS, /* unsigned long long[n] */
	ITEMS_ROWS,    /* n structs that a schema describes */
};

struct schema;
struct frame_stack;

struct value {
	enum value_type type;
	union {
		uint64_t bits; /* VALUE_BOOL, VALUE_U64, VALUE_S64 */
		double real;
		unsigned int version; /* VALUE_ADDRESS: 4 or 6 */
		enum value_items items;
	};
	const void *at;		     /* text, address, items, row, histogram; not owned */
	size_t n;		     /* VALUE_TEXT: bytes; VALUE_LIST: see enum value_items; VALUE_STACK: frames */
	const struct schema *schema; /* VALUE_ROW, ITEMS_ROWS */
	size_t size;		     /* ITEMS_ROWS: of one struct */
	bool quoted;		     /* VALUE_LIST: text quotes the items for a shell */
	const char *more;	     /* text only: printed after an incomplete value, such as " ..."; or NULL */
	struct str *room;	     /* memory for the getter, empty when it is called; as long as the value */
};

/* A getter calls one of these. text: NULL is null. Data behind pointers must last as long as the row. */
void value_set_null(struct value *to);
void value_set_bool(struct value *to, bool value);
void value_set_u64(struct value *to, uint64_t value);
void value_set_s64(struct value *to, int64_t value);
void value_set_real(struct value *to, double value);
void value_set_text(struct value *to, const char *text);
void value_set_chars(struct value *to, const char *text, size_t len);
/* Sets the text that the getter has appended to to->room, unescaped. */
void value_set_made(struct value *to);
void value_set_address(struct value *to, unsigned int version, const void *address);
void value_set_strings(struct value *to, const char *const *strings, size_t n);
void value_set_words(struct value *to, const char *words, size_t bytes);
void value_set_numbers(struct value *to, const unsigned long long *numbers, size_t n);
void value_set_rows(struct value *to, const struct schema *schema, const void *rows, size_t n, size_t size);
/* frames NULL: null */
void value_set_stack(struct value *to, const struct frame_stack *stack);
void value_set_row(struct value *to, const struct schema *schema, const void *row);
/* A struct hist_row. */
void value_set_hist(struct value *to, const void *hist);

/* Removes the first item from a VALUE_LIST. Returns false if there is none left. */
bool value_next(struct value *list, struct value *item);

#endif
