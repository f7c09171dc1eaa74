/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows to a file descriptor. A row is a C struct that a schema describes (field.h). Only the printers of this directory
 * know formats: text columns, JSON lines (one object a row), CSV. A further format is one more printer.
 */
#ifndef SONDE_OUTPUT_H
#define SONDE_OUTPUT_H

#include "field.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_CSV,
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

/* What getters get as ctx from now on; not owned. */
void output_set_context(struct output *out, const void *ctx);
/* What turns times since boot (CLOCK_BOOTTIME) into wall time, and when tracing began. Both 0 until it is set. */
struct output_clock {
	uint64_t wall_offset; /* ns from boot time to wall time */
	uint64_t began;	      /* ns since boot */
};
void output_set_clock(struct output *out, const struct output_clock *clock);

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
/* A line between two rows of a ruled schema: of text only. */
void output_rule(struct output *out);
/* A line of its own, for people; foreign bytes in it are escaped. Only where output_is_text(). */
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

/* Appends the value as a column of text has it, without padding: for a tool that searches in what it shows. */
void output_add_text(struct str *s, const struct field *field, const void *row, const void *ctx);

#endif
