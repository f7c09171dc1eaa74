/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes rows to a file descriptor. A row is a C struct that a schema describes (field.h). Only the printers of this
 * directory know formats: text columns, JSON lines (one object for each row), CSV. A new format is one more printer.
 */
#ifndef SONDE_OUTPUT_OUTPUT_H
#define SONDE_OUTPUT_OUTPUT_H

#include "field.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_CSV,
};

struct output;

/*
 * Writes to fd, which stays the caller's. Output is buffered until output_flush() or the end of a table. The caller
 * ignores SIGPIPE. A full pipe blocks, see base/write.h.
 */
struct output *output_new(int fd, enum output_format format);
void output_free(struct output *out);
/* True if people read the output: sums may stand among the rows then. Programs add up rows themselves. */
bool output_is_text(const struct output *out);

/* The columns of the terminal that the output is; 0: it is none, lines may have any length. */
size_t output_width(struct output *out);

/* Sets the ctx that getters receive from now on; it stays the caller's. */
void output_set_context(struct output *out, const void *ctx);
const void *output_context(const struct output *out);
/* Converts times since boot (CLOCK_BOOTTIME) to wall time. Both members are 0 until they are set. */
struct output_clock {
	uint64_t wall_offset; /* ns from boot time to wall time */
	uint64_t began;	      /* when tracing began, ns since boot */
};
void output_set_clock(struct output *out, const struct output_clock *clock);

/* The time of a table. JSON has the wall time in each row as "time" (RFC 3339, UTC offset, microseconds). */
struct output_stamp {
	uint64_t wall_ns;	    /* since 1970 */
	uint64_t since_ns;	    /* since tracing began */
	bool show_wall, show_since; /* text: print it above the headings, as HH:MM:SS and as seconds */
};

/*
 * Begins a table; text prints the headings. Rows follow, and output_table_end() flushes. stamp: NULL, or the time of
 * the table. first: print no empty line in front of it (bcc prints one between interval tables).
 */
void output_table_begin(struct output *out, const struct schema *schema, const struct output_stamp *stamp, bool first);
void output_row(struct output *out, const void *row);
void output_table_end(struct output *out);
/* Prints a line between two rows of a ruled schema; only in text. */
void output_rule(struct output *out);
/* Prints a line for people, with foreign bytes escaped. Only if output_is_text(). */
void output_line(struct output *out, const char *fmt, ...) __printf(2, 3);
/* Writes n bytes as they are, for an engine that prints in a format of its own: to be counted as one row. */
void output_bytes(struct output *out, const char *bytes, size_t n);
/* From now on writes to fd, which stays the caller's. What is buffered goes there, too. */
void output_redirect(struct output *out, int fd);
/*
 * The next table fills the terminal, as top's does: the screen is cleared, and rows and ends of lines that do not fit
 * are cut off. Has no effect if the output is not a terminal, or not text.
 */
void output_screen(struct output *out);
/* Writes what is buffered, for a table without an end. */
void output_flush(struct output *out);

/*
 * output_error() returns 0, or the first write error as -errno: -EPIPE if the reader is gone (end quietly); report
 * others, such as -ENOSPC, and exit with 1. Later writes are dropped. output_rows_lost() counts the rows that were not
 * written completely, when the buffer is flushed.
 */
int output_error(const struct output *out);
uint64_t output_rows_lost(const struct output *out);

/* Appends the value as text prints it, without padding: for a tool that searches in its own output. */
void output_add_text(struct str *s, const struct field *field, const void *row, const void *ctx);

#endif
