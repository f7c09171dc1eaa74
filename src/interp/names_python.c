// SPDX-License-Identifier: BSD-2-Clause
/* Reads code objects, strings and line tables of CPython. */
#include "base/str.h"
#include "language.h"
#include "lines.h"

/* A code object up to its instructions; the offsets that a file gives are below. */
#define CODE_SIZE (1024 + 32)

/* Objects begin so. */
struct object_head {
	uint64_t references, type, length;
};

/* A string: head, hash, state. */
#define STRING_STATE   32
#define STRING_COMPACT 0x20 /* the text is behind the head */
#define STRING_ASCII   0x40
#define STRING_KIND(x) ((x) >> 2 & 7) /* bytes of a character */
#define STRING_HEAD    72	      /* the largest */

#define BYTES_DATA 32

struct reader {
	const struct runtime *runtime;
	const struct peek *peek;
	uint64_t state;
};

/* --- text --- */

/* Appends a character as UTF-8; one that would do something to a terminal as text. */
static void add_character(struct str *s, uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
		str_addf(s, "\\x%02x", c);
	else if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		str_add(s, "?");
	else if (c < 0x80)
		str_addc(s, (char)c);
	else if (c < 0x800)
		str_addf(s, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	else if (c < 0x10000)
		str_addf(s, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
	else
		str_addf(s, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
			 0x80 | (c & 0x3f));
}

static uint32_t character_at(const uint8_t *text, size_t i, unsigned int kind)
{
	uint16_t two;
	uint32_t four;

	if (kind == 1)
		return text[i];
	if (kind == 2) {
		memcpy(&two, text + 2 * i, 2);
		return two;
	}
	memcpy(&four, text + 4 * i, 4);
	return four;
}

/* Copies n characters into room for max bytes; is_cut: there are more. */
static void copy_text(char *to, size_t max, const uint8_t *text, size_t n, unsigned int kind, bool is_cut)
{
	static const char dots[] = "...";
	__str struct str s = {};
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		add_character(&s, character_at(text, i, kind));
		if (s.len >= max - strlen(dots)) {
			is_cut |= i + 1 < n || s.len >= max;
			break;
		}
		len = s.len;
	}
	if (!is_cut)
		len = s.len;
	snprintf(to, max, "%.*s%s", (int)len, str_or_empty(s.data), is_cut ? dots : "");
}

/* Reads a string. False: there is none. max: bytes of `to`. */
static bool read_string(const struct reader *reader, uint64_t at, char *to, size_t max)
{
	uint8_t bytes[STRING_HEAD + 4 * NAMES_FILE] = "";
	struct object_head head;
	size_t got = at && !(at & 7) ? reader->peek->read(reader->peek->ctx, at, bytes, sizeof(bytes)) : 0, data, n;
	unsigned int kind;
	uint32_t state;

	memcpy(&head, bytes, sizeof(head));
	memcpy(&state, bytes + STRING_STATE, sizeof(state));
	kind = STRING_KIND(state);
	data = state & STRING_ASCII ? reader->runtime->python.ascii : reader->runtime->python.compact;
	if (got < data || head.type != reader->state + reader->runtime->python.string_type || !(state & STRING_COMPACT) ||
	    (kind != 1 && kind != 2 && kind != 4) || (state & STRING_ASCII && kind != 1))
		return false;
	n = head.length < max ? head.length : max;
	if (n > (got - data) / kind)
		return false;
	copy_text(to, max, bytes + data, n, kind, head.length > n);
	return true;
}

/* --- code objects --- */

/* False: it could not be read. It may be empty. */
static bool read_table(const struct reader *reader, uint64_t at, struct names_code *code)
{
	struct object_head head;

	if (at & 7 || !peek_copy(reader->peek, at, &head, sizeof(head)) ||
	    head.type != reader->state + reader->runtime->python.bytes_type || head.length > NAMES_TABLE)
		return false;
	if (!head.length)
		return true;
	code->table = base_alloc(head.length);
	code->n_table = head.length;
	if (peek_copy(reader->peek, at + BYTES_DATA, code->table, code->n_table))
		return true;
	free(code->table);
	code->table = NULL;
	code->n_table = 0;
	return false;
}

typedef int (*lines_fn)(const uint8_t *table, size_t n, int first, unsigned int place);

static int line_by(const struct names_code *code, unsigned int place, lines_fn lines)
{
	if (place >= INTERP_PLACE_BEFORE)
		return code->first > 0 ? code->first : 0;
	return lines(code->table, code->n_table, code->first, place);
}

static int line_of(const struct names_code *code, unsigned int place)
{
	return line_by(code, place, lines_at);
}

static int line_of_310(const struct names_code *code, unsigned int place)
{
	return line_by(code, place, lines_at_310);
}

static int line_of_38(const struct names_code *code, unsigned int place)
{
	return line_by(code, place, lines_at_38);
}

static uint64_t word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

int python_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
		uint64_t address)
{
	const struct reader reader = { runtime, peek, state };
	const struct python_layout *layout = &runtime->python;
	uint8_t bytes[CODE_SIZE] = "";
	uint64_t words[8];
	int32_t first;

	if (!address || !peek_copy(peek, address, bytes, layout->code_data))
		return -ESRCH;
	memcpy(&first, bytes + layout->firstline, sizeof(first));
	words[0] = word_at(bytes, offsetof(struct object_head, type));
	words[1] = word_at(bytes, layout->filename);
	words[2] = word_at(bytes, layout->qualname);
	words[3] = word_at(bytes, layout->linetable);
	/* counts of variables stand behind the first line, and from 3.12 on a number that no other code object has */
	memcpy(&words[4], bytes + layout->firstline, 4 * sizeof(words[4]));
	if (words[0] != state + layout->code_type)
		return -EBADMSG;
	if (!memcmp(words, code->words, sizeof(words)))
		return 0;
	names_release(code);
	if (!read_string(&reader, words[1], code->file, sizeof(code->file)) ||
	    !read_string(&reader, words[2], code->function, sizeof(code->function)))
		return -EBADMSG;
	memcpy(code->words, words, sizeof(words));
	code->first = first;
	code->line = runtime->minor >= 11 ? line_of : runtime->minor == 10 ? line_of_310
									   : line_of_38;
	/* without a table all of the code has its first line there */
	if (!read_table(&reader, words[3], code) && runtime->minor < 10)
		code->line = NULL;
	return 1;
}
