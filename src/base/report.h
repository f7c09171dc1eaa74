/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages to the user, on stderr. Each line begins with the command's name: "sonde funccount: ...". Results
 * never come this way. Foreign text in the arguments is escaped. errno is left unchanged, except by the progress
 * bar. For use by one thread.
 */
#ifndef SONDE_BASE_REPORT_H
#define SONDE_BASE_REPORT_H

#include "base.h"

/* Sets the name in front of each line, "sonde" or "sonde TOOL". The text is not copied and must stay valid. */
void report_set_name(const char *name);
const char *report_name(void);
/*
 * Options -q and -v: when quiet, only errors are printed; verbose lines are printed only when verbose and not
 * quiet. report_set_verbose() also sets the moment from which verbose lines count their time.
 */
void report_set_quiet(bool quiet);
void report_set_verbose(bool verbose);
bool report_is_verbose(void); /* for callers whose verbose line is expensive to prepare */

void report_error(const char *fmt, ...) __printf(1, 2);	  /* always printed */
void report_note(const char *fmt, ...) __printf(1, 2);	  /* unless quiet */
void report_verbose(const char *fmt, ...) __printf(1, 2); /* with -v, after the time since report_set_verbose() */
/* With -v: prints each line of text that is not empty as "what: LINE". */
void report_verbose_lines(const char *what, const char *text);
/* Prints a line without the name in front ("Tracing 5 functions ..."), unless quiet. */
void report_line(const char *fmt, ...) __printf(1, 2);
/*
 * Prints an error that occurred while parsing `text`: the message and, if err->at is not -1, the text with a
 * caret below the faulty place. text may be NULL.
 */
void report_err(const struct err *err, const char *text);

/*
 * Draws a progress bar on stderr: `done` of `total` pieces. It appears only on a terminal, and only once a second
 * has passed since the first call with the same `what`. Every report above clears it first. report_progress(NULL,
 * 0, 0) clears and ends it.
 */
void report_progress(const char *what, size_t done, size_t total);

#endif
