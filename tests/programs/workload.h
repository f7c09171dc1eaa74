/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What workloads have in common: the facts that they tell, and the gate at which they wait.
 *
 * A fact is a line "did WHAT", then values, each behind a tab. It goes out in one write: what a tool prints into
 * the same file stays between lines. Values are written as a test finds them in the tool's rows: in JSON as
 * the program json prints it, or as a table shows it.
 */
#ifndef SONDE_TESTS_PROGRAMS_WORKLOAD_H
#define SONDE_TESTS_PROGRAMS_WORKLOAD_H

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tell {
	char *line;
	size_t len;
	FILE *f;
};

/* Until FILE can be opened and read: a FIFO that somebody writes to. */
static inline void workload_wait(const char *path)
{
	int fd = open(path, O_RDONLY);
	char byte;

	if (fd < 0 || read(fd, &byte, 1) < 0)
		err(1, "%s", path);
	close(fd);
}

static inline struct tell *tell_begin(const char *what)
{
	struct tell *tell = calloc(1, sizeof(*tell));

	if (!tell || !(tell->f = open_memstream(&tell->line, &tell->len)))
		errx(1, "memory");
	fprintf(tell->f, "did %s", what);
	return tell;
}

static inline void tell_end(struct tell *tell)
{
	size_t done = 0;

	fputc('\n', tell->f);
	fclose(tell->f);
	while (done < tell->len) {
		ssize_t n = write(STDOUT_FILENO, tell->line + done, tell->len - done);

		if (n < 0)
			err(1, "stdout");
		done += n;
	}
	free(tell->line);
	free(tell);
}

static inline void tell_number(struct tell *tell, long n)
{
	fprintf(tell->f, "\t%ld", n);
}

static inline void tell_word(struct tell *tell, const char *word)
{
	fprintf(tell->f, "\t%s", word);
}

/* The name of the error that a call returned. */
static inline void tell_error(struct tell *tell, long ret)
{
	tell_word(tell, ret < 0 ? strerrorname_np(-ret) : "null");
}

/* How long the character here is in UTF-8, 0 where it is none. Overlong forms and surrogates are not looked for. */
static inline size_t tell_utf8(const unsigned char *p)
{
	size_t len = *p < 0x80 ? 1 : *p < 0xc2 ? 0
			     : *p < 0xe0       ? 2
			     : *p < 0xf0       ? 3
			     : *p < 0xf5       ? 4
					       : 0;

	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* As the program json prints a string: in an array with quotes. */
static inline void tell_json_bytes(FILE *f, const char *text, int quoted)
{
	const unsigned char *p = (const unsigned char *)text;

	fputs(quoted ? "\"" : "", f);
	while (*p) {
		size_t len = tell_utf8(p);

		if (!len)
			fputs("\xef\xbf\xbd", f);
		else if (*p == '\\' || (*p == '"' && quoted))
			fprintf(f, "\\%c", *p);
		else if (*p == '\n' || *p == '\t')
			fputs(*p == '\n' ? "\\n" : "\\t", f);
		else if (*p < ' ' || *p == 0x7f)
			fprintf(f, "\\u%04x", *p);
		else
			fwrite(p, len, 1, f);
		p += len ? len : 1;
	}
	fputs(quoted ? "\"" : "", f);
}

static inline void tell_json(struct tell *tell, const char *text)
{
	fputc('\t', tell->f);
	tell_json_bytes(tell->f, text, 0);
}

static inline void tell_json_array(struct tell *tell, char *const *v)
{
	fputs("\t[", tell->f);
	for (size_t i = 0; v[i]; i++) {
		fputs(i ? "," : "", tell->f);
		tell_json_bytes(tell->f, v[i], 1);
	}
	fputs("]", tell->f);
}

/* Prints a string as a table shows it. A tab, or another value of this fact, precedes it. */
static inline void tell_shown_more(struct tell *tell, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t len = tell_utf8(p);

		if (*p == '\n' || *p == '\t' || *p == '\r')
			fputs(*p == '\n' ? "\\n" : *p == '\t' ? "\\t"
							      : "\\r",
			      tell->f);
		else if (!len || *p < ' ' || *p == 0x7f)
			fprintf(tell->f, "\\x%02x", *p);
		else
			fwrite(p, len, 1, tell->f);
		p += len ? len : 1;
	}
}

static inline void tell_shown(struct tell *tell, const char *text)
{
	fputc('\t', tell->f);
	tell_shown_more(tell, text);
}

#endif
