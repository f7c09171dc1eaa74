/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows to stdout. A row is a C struct described by a schema of fields; this is
 * the only place that knows how a row is printed: as text columns or as JSON
 * lines (one object a row). Later formats are one more printer here.
 */
#ifndef SONDE_OUTPUT_H
#define SONDE_OUTPUT_H

#include "base/base.h"
#include "base/str.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON
};

enum field_type {
	FIELD_U64,   /* uint64_t */
	FIELD_S64,   /* int64_t */
	FIELD_U32,   /* uint32_t */
	FIELD_S32,   /* int32_t */
	FIELD_STR,   /* const char *, NUL-terminated, foreign; NULL prints as "-" (JSON null) */
	FIELD_CHARS, /* char[size] inline, NUL-terminated unless full, foreign */
	FIELD_ERRNO, /* int32_t, what a call returned: the error's number, 0 where it is none */
	FIELD_ERROR, /* the same: the error's name, as FIELD_STR */
	FIELD_FN,    /* whatever .add appends: what is shown in text, a value in JSON */
};

struct field {
	const char *key;   /* JSON key: "count" */
	const char *title; /* column heading: "COUNT" */
	enum field_type type;
	size_t offset;	   /* in the row */
	size_t size;	   /* FIELD_CHARS: of the array */
	int width;	   /* least columns in text; < 0 left-aligned; longer pushes right */
	bool json_only;	   /* not a text column */
	bool may_cut;	   /* where a line is too long for the terminal, this column is cut in its middle; one of a schema */
	const bool *shown; /* a text column only where this is set; NULL: always */
	/* FIELD_FN: foreign text goes through str_add_shown() and str_add_json() of base/str.h. */
	void (*add)(struct str *s, const void *row, enum output_format format);
};

#define FIELD(TYPE, STRUCT, MEMBER, KEY, TITLE, WIDTH, ...) \
	{ \
		.key = KEY, .title = TITLE, .type = TYPE, \
		.offset = offsetof(STRUCT, MEMBER), .size = sizeof(((STRUCT *)0)->MEMBER), \
		.width = WIDTH, ##__VA_ARGS__ \
	}

#define FIELD_BY(ADD, KEY, TITLE, WIDTH, ...) \
	{ \
		.key = KEY, .title = TITLE, .type = FIELD_FN, .add = ADD, .width = WIDTH, ##__VA_ARGS__ \
	}

struct schema {
	const struct field *fields;
	size_t n;
	/* What is no table in text, a chart say: appends the whole row, as lines. There are no headings then. */
	void (*draw)(struct str *s, const void *row);
};

struct output;

/*
 * Writes to fd (not owned). Buffered, until output_flush() or the end of a table. SIGPIPE is the
 * caller's to ignore. A full pipe is waited for, see base/write.h.
 */
struct output *output_new(int fd, enum output_format format);
void output_free(struct output *out);
/* For people, who may be shown sums among the rows; else for programs, which add up rows themselves. */
bool output_is_text(const struct output *out);

/* When a table was made. JSON has the wall time in each row as "time" (RFC 3339, UTC offset, microseconds). */
struct output_stamp {
	uint64_t wall_ns;	    /* since 1970 */
	uint64_t since_ns;	    /* since tracing began */
	bool show_wall, show_since; /* text: above the headings, as HH:MM:SS and as seconds */
};

/*
 * A table: in text the headings; then rows; output_table_end() flushes. stamp: NULL, or when it was made.
 * first: no empty line before it (as bcc prints between interval tables).
 */
void output_table_begin(struct output *out, const struct schema *schema, const struct output_stamp *stamp, bool first);
void output_row(struct output *out, const void *row);
void output_table_end(struct output *out);
/* Of what is said to people and is no table: a line of its own, foreign bytes in it escaped. Not for OUTPUT_JSON. */
void output_line(struct output *out, const char *fmt, ...) __printf(2, 3);
/*
 * The next table takes the place of what a terminal shows, as top's does: the screen is cleared, and what does not fit on
 * it is cut off, rows and the ends of lines. Nothing where the output is no terminal, or JSON.
 */
void output_screen(struct output *out);
/* For a table without an end: what there is of it goes out now. */
void output_flush(struct output *out);

/*
 * 0, or the first write error as -errno: -EPIPE when the reader is gone (end
 * quietly), anything else (-ENOSPC) is said and exits 1. Later writes are dropped. Rows lost
 * are those of which not every byte was taken, counted when the buffer is flushed.
 */
int output_error(const struct output *out);
uint64_t output_rows_lost(const struct output *out);

#endif
