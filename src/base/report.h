/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sonde says to its user on stderr, each line begun with the command's
 * name: "sonde funccount: ...". Results never come this way.
 * Foreign text in the arguments is escaped before it is written.
 */
#ifndef SONDE_REPORT_H
#define SONDE_REPORT_H

#include "base.h"

/* "sonde" or "sonde TOOL"; kept by pointer, the caller owns it. */
void report_set_name(const char *name);
const char *report_name(void);
/* -q and -v: a quiet report prints errors only; verbose lines need verbose. */
void report_set_quiet(bool quiet);
void report_set_verbose(bool verbose);
bool report_is_verbose(void); /* for what is expensive to find out */

void report_error(const char *fmt, ...) __printf(1, 2);	  /* always printed */
void report_note(const char *fmt, ...) __printf(1, 2);	  /* unless quiet */
void report_verbose(const char *fmt, ...) __printf(1, 2); /* with -v */
/* With -v, a line for each of text's that is not empty: "what: ..." */
void report_verbose_lines(const char *what, const char *text);
/* A line without the name in front ("Tracing 5 functions ..."), unless quiet. */
void report_line(const char *fmt, ...) __printf(1, 2);
/*
 * An err that arose while parsing `text`: the message, then the text and a
 * caret below the place where err->at is not -1.
 */
void report_err(const struct err *err, const char *text);

/*
 * A progress bar on stderr, drawn only when stderr is a terminal and more than a second
 * has passed since the first call with the same `what`; every report above clears it first.
 * report_progress(NULL, 0, 0) clears and ends it.
 */
void report_progress(const char *what, size_t done, size_t total);

#endif
