/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program texts, places in them, and what the compiler has to say about a place. All stages report here and go on as
 * far as it makes sense; a stage whose input has errors is not run. Nothing is printed: lang_messages_show() makes the
 * text.
 */
#ifndef SONDE_LANG_TEXT_SOURCE_H
#define SONDE_LANG_TEXT_SOURCE_H

#include "base/base.h"
#include "base/pool.h"
#include "base/str.h"

/* A range of bytes of a text. */
struct span {
	uint32_t source;     /* index in struct lang_sources */
	uint32_t begin, end; /* offsets in bytes; end is behind the last byte */
};

/* What is wrong is not in a text: a variable of the environment, an option. */
#define LANG_NOWHERE ((struct span){ .source = UINT32_MAX })

struct lang_source {
	const char *name; /* "stdin" for the text of -e, as bpftrace says; else the file's name as the user wrote it */
	const char *text; /* ends with a NUL that len does not count; has no other NUL */
	size_t len;
	/* The text as a macro's call uses it: the call, and what it is of. begin == end: a text of its own. */
	struct span used;
	uint32_t original; /* index of the text itself; its own index for a text of its own */
};

/* Initialise with {}. The pool owns names and texts. */
struct lang_sources {
	vec(struct lang_source);
	struct pool pool;
};

/* Adds a text, which is copied; returns its index. */
uint32_t lang_sources_add(struct lang_sources *sources, const char *name, const char *text, size_t len);
/*
 * Reads a file, "-" is stdin. -EISDIR, -E2BIG (more than 1 MB), -EILSEQ (it has a NUL byte) or another -errno, with
 * err. CRLF is read as LF, and a byte order mark is skipped. Only regular files and pipes are read. *index: its
 * index.
 */
int lang_sources_read(struct lang_sources *sources, const char *path, uint32_t *index, struct err *err);
/* The same for a file that is open: path is only its name. The caller closes fd. */
int lang_sources_read_open(struct lang_sources *sources, int fd, const char *path, uint32_t *index, struct err *err);
/*
 * Adds the same text once more, as the call at `used` brings it in: places in the copy of a macro's body have this
 * index, so that messages can say both. Returns its index.
 */
uint32_t lang_sources_alias(struct lang_sources *sources, uint32_t original, struct span used);
void lang_sources_release(struct lang_sources *sources);

/* The line of a place, from 1, and its column in bytes, from 1. */
void span_line(const struct lang_sources *sources, const struct span *at, uint32_t *line, uint32_t *column);
/* Appends "FILE:LINE:COLUMN-COLUMN: ", or "FILE:LINE-LINE: " for what is longer than a line, as bpftrace does. */
void span_add(struct str *to, const struct lang_sources *sources, const struct span *at);
/* The least place that covers both, which are of one source. */
struct span span_join(struct span a, struct span b);

enum lang_severity {
	LANG_ERROR,
	LANG_WARNING,
	LANG_HINT, /* belongs to the message before it */
};

struct lang_message {
	enum lang_severity severity;
	struct span at;
	const char *text; /* one line without a dot at its end */
};

/* What is to be said of one program. Initialise with {}. The pool owns the texts. */
struct lang_messages {
	vec(struct lang_message);
	size_t errors;	  /* how many of them are errors; after 20 no more are kept */
	bool drops_hints; /* the message before was dropped */
	struct pool pool;
};

/*
 * A second error at the same place is dropped: it follows from the first. Names of a macro's own variables carry a mark
 * of LANG_HYGIENE and digits, which no message shows.
 */
#define LANG_HYGIENE '\x01'
void lang_error(struct lang_messages *messages, struct span at, const char *fmt, ...) __printf(3, 4);
void lang_warning(struct lang_messages *messages, struct span at, const char *fmt, ...) __printf(3, 4);
/* What to do about the last error or warning: "did you mean 'comm'?". */
void lang_hint(struct lang_messages *messages, struct span at, const char *fmt, ...) __printf(3, 4);
/* As lang_error() or lang_hint(), for who is called with the arguments of a format. */
void lang_say(struct lang_messages *messages, enum lang_severity severity, struct span at, const char *fmt, va_list ap)
	__printf(4, 0);
/*
 * Adds the text of all messages to `to`, as bpftrace writes it: NAME:LINE:COLUMN-COLUMN: ERROR: TEXT, the line of the
 * program, marks (~) below it, HINT: TEXT; for a macro also where it was used. Columns count bytes from 1, the second
 * is behind the place. Foreign bytes are escaped, and a long line is cut around the place. warnings: also warnings.
 */
void lang_messages_show(const struct lang_messages *messages, const struct lang_sources *sources, bool warnings,
			struct str *to);
void lang_messages_release(struct lang_messages *messages);

#endif
