// SPDX-License-Identifier: BSD-2-Clause
/*
 * json [KEY]...
 *
 * Each line of stdin is one JSON object by RFC 8259, UTF-8 and escapes included, or it ends with
 * "json: line N, byte M: WHY" and 1. Stricter than the RFC in what it leaves to the reader: a key twice in an
 * object, half a surrogate pair and a last line without its newline are malformed too.
 *
 * Prints for each line the values of these members (one that is not there is an error), separated by tabs:
 * strings decoded, with backslashes doubled and control characters as \n, \t or \u0001; numbers as they
 * stand; arrays and objects as JSON without spaces.
 */
#include <err.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 100

struct text {
	char *data;
	size_t len, room;
};

static const char *line, *at, *end; /* the line, without its newline, and where we are in it */
static size_t number;		    /* of the line, from 1 */

__attribute__((noreturn, format(printf, 1, 2))) static void malformed(const char *why, ...)
{
	va_list args;

	fflush(stdout); /* the lines before it */
	fprintf(stderr, "json: line %zu, byte %zu: ", number, (size_t)(at - line) + 1);
	va_start(args, why);
	vfprintf(stderr, why, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void add(struct text *to, const char *from, size_t len)
{
	if (to->len + len + 1 > to->room) {
		to->room = 2 * (to->len + len + 1);
		to->data = realloc(to->data, to->room);
		if (!to->data)
			err(2, "memory");
	}
	memcpy(to->data + to->len, from, len);
	to->len += len;
	to->data[to->len] = '\0';
}

/* The next byte; -1 at the end. A NUL is a character like any other. */
static int peek(void)
{
	return at < end ? (unsigned char)*at : -1;
}

static bool accept(char c)
{
	if (peek() != (unsigned char)c)
		return false;
	at++;
	return true;
}

static void skip_space(void)
{
	while (accept(' ') || accept('\t') || accept('\r'))
		;
}

static void expect(char c)
{
	skip_space();
	if (!accept(c))
		malformed("no '%c'", c);
}

/* --- strings --- */

/* The UTF-8 character that begins here, in its shortest form. */
static unsigned utf8(void)
{
	static const unsigned least[] = { 0, 0x80, 0x800, 0x10000 };
	unsigned first = (unsigned char)*at, more, code;

	if (first < 0x80)
		more = 0, code = first;
	else if (first >= 0xc0 && first < 0xe0)
		more = 1, code = first & 0x1f;
	else if (first >= 0xe0 && first < 0xf0)
		more = 2, code = first & 0x0f;
	else if (first >= 0xf0 && first < 0xf8)
		more = 3, code = first & 0x07;
	else
		malformed("0x%02x begins no UTF-8", first);
	if ((size_t)(end - at) <= more)
		malformed("UTF-8 is cut off");
	for (unsigned i = 1; i <= more; i++) {
		unsigned next = (unsigned char)at[i];

		if ((next & 0xc0) != 0x80)
			malformed("0x%02x continues no UTF-8", next);
		code = code << 6 | (next & 0x3f);
	}
	if (code < least[more])
		malformed("U+%04X is too long in UTF-8", code);
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		malformed("U+%04X is no character", code);
	at += 1 + more;
	return code;
}

static unsigned hex4(void)
{
	unsigned code = 0;

	for (int i = 0; i < 4; i++, at++) {
		int c = peek();

		if (c >= '0' && c <= '9')
			code = code << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			code = code << 4 | (unsigned)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			code = code << 4 | (unsigned)(c - 'A' + 10);
		else
			malformed("no four hexadecimal digits behind \\u");
	}
	return code;
}

/* What follows a backslash. */
static unsigned escape(void)
{
	static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
	int c = peek();
	const char *letter = c > 0 ? strchr(letters, c) : NULL;
	unsigned code, low;

	if (letter) {
		at++;
		return (unsigned char)meaning[letter - letters];
	}
	if (!accept('u'))
		malformed("no such escape");
	code = hex4();
	if (code >= 0xdc00 && code < 0xe000)
		malformed("the second half of a surrogate pair alone");
	if (code < 0xd800 || code >= 0xdc00)
		return code;
	if (!accept('\\') || !accept('u'))
		malformed("the first half of a surrogate pair alone");
	low = hex4();
	if (low < 0xdc00 || low >= 0xe000)
		malformed("the first half of a surrogate pair alone");
	return 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
}

/* Writes a character so that the text fits on a line and, between quotes, is JSON. */
static void add_character(struct text *to, unsigned code, bool quoted)
{
	char bytes[8];
	int len;

	if (code == '\\' || (code == '"' && quoted))
		len = sprintf(bytes, "\\%c", (int)code);
	else if (code == '\n')
		len = sprintf(bytes, "\\n");
	else if (code == '\t')
		len = sprintf(bytes, "\\t");
	else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		len = sprintf(bytes, "\\u%04x", code);
	else if (code < 0x80)
		len = sprintf(bytes, "%c", (int)code);
	else if (code < 0x800)
		len = sprintf(bytes, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
	else if (code < 0x10000)
		len = sprintf(bytes, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)),
			      (int)(0x80 | (code & 0x3f)));
	else
		len = sprintf(bytes, "%c%c%c%c", (int)(0xf0 | code >> 18), (int)(0x80 | (code >> 12 & 0x3f)),
			      (int)(0x80 | (code >> 6 & 0x3f)), (int)(0x80 | (code & 0x3f)));
	add(to, bytes, (size_t)len);
}

/* Copies the characters of a string that need no escape. */
static void add_plain(struct text *to)
{
	const char *from = at;

	while (at < end && *at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
		at++;
	add(to, from, (size_t)(at - from));
}

static void string(struct text *to, bool quoted)
{
	if (!accept('"'))
		malformed("no string");
	if (quoted)
		add(to, "\"", 1);
	for (add_plain(to); !accept('"'); add_plain(to)) {
		int c = peek();

		if (c < 0)
			malformed("a string does not end");
		if (c < 0x20)
			malformed("0x%02x in a string", (unsigned)c);
		add_character(to, accept('\\') ? escape() : utf8(), quoted);
	}
	add(to, quoted ? "\"" : "", quoted);
}

/* --- the other values --- */

static void digits(void)
{
	if (peek() < '0' || peek() > '9')
		malformed("no digit");
	while (peek() >= '0' && peek() <= '9')
		at++;
}

static void add_number(struct text *to)
{
	const char *from = at;

	accept('-');
	if (!accept('0'))
		digits();
	else if (peek() >= '0' && peek() <= '9')
		malformed("a digit behind a leading 0");
	if (accept('.'))
		digits();
	if (accept('e') || accept('E')) {
		if (!accept('+'))
			accept('-');
		digits();
	}
	add(to, from, (size_t)(at - from));
}

static bool literal(struct text *to, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - at) < len || memcmp(at, word, len))
		return false;
	at += len;
	add(to, word, len);
	return true;
}

static void value(struct text *to, bool nested, int depth);

static void array(struct text *to, int depth)
{
	size_t n = 0;

	expect('[');
	add(to, "[", 1);
	skip_space();
	while (!accept(']')) {
		if (n++) {
			expect(',');
			add(to, ",", 1);
		}
		value(to, true, depth);
		skip_space();
	}
	add(to, "]", 1);
}

struct member {
	char *key, *value;
};

struct object {
	struct member *members;
	size_t n;
};

static void free_object(struct object *object)
{
	for (size_t i = 0; i < object->n; i++) {
		free(object->members[i].key);
		free(object->members[i].value);
	}
	free(object->members);
}

/* Compares keys as they are printed: keys that print differently are different keys. */
static const char *member(const struct object *object, const char *key)
{
	for (size_t i = 0; i < object->n; i++)
		if (!strcmp(object->members[i].key, key))
			return object->members[i].value;
	return NULL;
}

static struct object members(bool nested, int depth)
{
	struct object object = { NULL, 0 };

	expect('{');
	skip_space();
	while (!accept('}')) {
		struct text key = { NULL, 0, 0 }, what = { NULL, 0, 0 };

		if (object.n)
			expect(',');
		skip_space();
		add(&key, "", 0);
		string(&key, nested);
		if (member(&object, key.data))
			malformed("the key %s a second time", key.data);
		expect(':');
		add(&what, "", 0);
		value(&what, nested, depth);
		object.members = realloc(object.members, (object.n + 1) * sizeof(*object.members));
		if (!object.members)
			err(2, "memory");
		object.members[object.n++] = (struct member){ key.data, what.data };
		skip_space();
	}
	return object;
}

static void nested_object(struct text *to, int depth)
{
	struct object object = members(true, depth);

	add(to, "{", 1);
	for (size_t i = 0; i < object.n; i++) {
		add(to, ",", i > 0);
		add(to, object.members[i].key, strlen(object.members[i].key));
		add(to, ":", 1);
		add(to, object.members[i].value, strlen(object.members[i].value));
	}
	add(to, "}", 1);
	free_object(&object);
}

static void value(struct text *to, bool nested, int depth)
{
	int c;

	if (depth > DEEPEST)
		malformed("deeper than %d", DEEPEST);
	skip_space();
	c = peek();
	if (c == '"')
		string(to, nested);
	else if (c == '[')
		array(to, depth + 1);
	else if (c == '{')
		nested_object(to, depth + 1);
	else if (c == '-' || (c >= '0' && c <= '9'))
		add_number(to);
	else if (!literal(to, "true") && !literal(to, "false") && !literal(to, "null"))
		malformed("no value");
}

int main(int argc, char **argv)
{
	char *buf = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&buf, &room, stdin)) > 0) {
		struct object object;

		number++;
		line = at = buf;
		end = buf + len - 1;
		if (*end != '\n') {
			at = end + 1;
			malformed("no newline at the end");
		}
		object = members(false, 1);
		skip_space();
		if (at != end)
			malformed("more behind the object");
		for (int i = 1; i < argc; i++) {
			const char *found = member(&object, argv[i]);

			if (!found)
				malformed("no member %s", argv[i]);
			printf("%s%c", found, i + 1 < argc ? '\t' : '\n');
		}
		free_object(&object);
	}
	if (ferror(stdin))
		err(2, "stdin");
	return 0;
}
