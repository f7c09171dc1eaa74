// SPDX-License-Identifier: BSD-2-Clause
/* Reads types, arrays and texts of V8, and the lines of scripts. */
#include "base/str.h"
#include "v8_part.h"

#define STRING_ONE_BYTE	  8
#define STRING_UNCACHED	  0x10 /* with STRING_EXTERNAL: where its text is cannot be seen */
#define STRING_KIND(type) ((type)&7)

enum string_kind {
	STRING_PLAIN = 0,
	STRING_CONS = 1,
	STRING_EXTERNAL = 2,
	STRING_SLICED = 3,
	STRING_THIN = 5,
};

struct string_head {
	uint64_t map;
	uint32_t hash, length;
	uint64_t first, second;
};
#define STRING_TEXT 16

#define PIECES_MAX  256		       /* of which a text may consist */
#define CHUNK	    32768	       /* bytes that are read at once */
#define SOURCE_MAX  (64 * 1024 * 1024) /* characters; lines of longer sources are not known */
#define LINES_MAX   (16 * 1024 * 1024) /* of all scripts */
#define SCRIPTS_MAX (64 * 1024)
#define READ_MAX    (1024 * 1024 * 1024) /* characters and ends of lines: behind that no lines are read any more */
#define STRINGS_MAX (512 * 1024)

const char *v8_string(struct v8 *v8, const char *text)
{
	uint32_t number = set_add_most(&v8->strings, text, strlen(text) + 1, STRINGS_MAX);

	return number == SET_NONE ? NULL : v8->strings.v[number].bytes;
}

static int type_of_map(const struct v8_process *process, uint64_t map)
{
	uint16_t type;

	if (!V8_IS_POINTER(map) ||
	    !peek_copy(process->peek, V8_OBJECT(map) + process->runtime->v8.map_type, &type, sizeof(type)))
		return -1;
	return type;
}

int v8_type(const struct v8_process *process, uint64_t pointer)
{
	uint64_t map;

	if (!V8_IS_POINTER(pointer) || !peek_copy(process->peek, V8_OBJECT(pointer), &map, sizeof(map)))
		return -1;
	return type_of_map(process, map);
}

uint8_t *v8_copy_bytes(const struct v8_process *process, uint64_t pointer, size_t *n)
{
	const int type = v8_type(process, pointer);
	struct v8_object head;
	uint8_t *bytes;

	*n = 0;
	if ((type != process->runtime->v8.bytes_type && type != process->runtime->v8.trusted_type) ||
	    !peek_copy(process->peek, V8_OBJECT(pointer), &head, sizeof(head)) || V8_NUMBER(head.length) <= 0 ||
	    V8_NUMBER(head.length) > V8_TABLE_MAX)
		return NULL;
	bytes = base_alloc((size_t)V8_NUMBER(head.length));
	if (!peek_copy(process->peek, V8_OBJECT(pointer) + sizeof(head), bytes, (size_t)V8_NUMBER(head.length))) {
		free(bytes);
		return NULL;
	}
	*n = (size_t)V8_NUMBER(head.length);
	return bytes;
}

/* --- text --- */

struct text {
	const struct v8_process *process;
	int pieces;
	/* Takes n characters of one or two bytes. */
	void (*add)(void *ctx, const uint8_t *chars, size_t n, size_t width);
	void *ctx;
};

static bool walk(struct text *text, uint64_t pointer, uint64_t from, uint64_t n);

static bool walk_chars(struct text *text, uint64_t at, size_t width, uint64_t from, uint64_t n)
{
	uint8_t chars[CHUNK];

	for (at += from * width; n;) {
		size_t part = n * width < CHUNK ? (size_t)n * width : CHUNK;

		if (!peek_copy(text->process->peek, at, chars, part))
			return false;
		text->add(text->ctx, chars, part / width, width);
		at += part;
		n -= part / width;
	}
	return true;
}

static bool walk_cons(struct text *text, const struct string_head *head, uint64_t from, uint64_t n)
{
	struct string_head first;
	uint64_t of_first;

	if (!V8_IS_POINTER(head->first) ||
	    !peek_copy(text->process->peek, V8_OBJECT(head->first), &first, STRING_TEXT))
		return false;
	of_first = from < first.length ? first.length - from : 0;
	of_first = of_first < n ? of_first : n;
	if (of_first && !walk(text, head->first, from, of_first))
		return false;
	from = from < first.length ? 0 : from - first.length;
	return n == of_first || walk(text, head->second, from, n - of_first);
}

/* n characters from one on, which the text has. */
static bool walk(struct text *text, uint64_t pointer, uint64_t from, uint64_t n)
{
	const uint64_t at = V8_OBJECT(pointer);
	struct string_head head = {};
	int type;

	if (!V8_IS_POINTER(pointer) || ++text->pieces > PIECES_MAX ||
	    text->process->peek->read(text->process->peek->ctx, at, &head, sizeof(head)) < STRING_TEXT)
		return false;
	type = type_of_map(text->process, head.map);
	if (type < 0 || type >= V8_STRING_TYPES || from > head.length || n > head.length - from)
		return false;
	switch (STRING_KIND(type)) {
	case STRING_PLAIN:
		return walk_chars(text, at + STRING_TEXT, type & STRING_ONE_BYTE ? 1 : 2, from, n);
	case STRING_EXTERNAL:
		return !(type & STRING_UNCACHED) &&
		       walk_chars(text, head.second, type & STRING_ONE_BYTE ? 1 : 2, from, n);
	case STRING_CONS:
		return walk_cons(text, &head, from, n);
	case STRING_SLICED:
		return V8_NUMBER(head.second) >= 0 &&
		       walk(text, head.first, from + (uint64_t)V8_NUMBER(head.second), n);
	case STRING_THIN:
		return walk(text, head.first, from, n);
	default:
		return false;
	}
}

/* False: the pointer is to no string. */
static bool length_of(const struct v8_process *process, uint64_t pointer, uint32_t *length)
{
	const int type = v8_type(process, pointer);
	struct string_head head;

	if (type < 0 || type >= V8_STRING_TYPES || !peek_copy(process->peek, V8_OBJECT(pointer), &head, STRING_TEXT))
		return false;
	*length = head.length;
	return true;
}

static uint32_t character(const uint8_t *chars, size_t i, size_t width)
{
	uint16_t two;

	if (width == 1)
		return chars[i];
	memcpy(&two, chars + 2 * i, 2);
	return two;
}

static void add_utf8(void *ctx, const uint8_t *chars, size_t n, size_t width)
{
	struct str *s = ctx;

	for (size_t i = 0; i < n; i++) {
		uint32_t c = character(chars, i, width), low = i + 1 < n ? character(chars, i + 1, width) : 0;

		if (c >> 10 == 0x36 && low >> 10 == 0x37) {
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			i++;
			str_addf(s, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
				 0x80 | (c & 0x3f));
		} else if (c < 0x80) {
			str_addc(s, (char)c);
		} else if (c < 0x800) {
			str_addf(s, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
		} else {
			str_addf(s, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
		}
	}
}

bool v8_read_string(const struct v8_process *process, uint64_t pointer, char *to, size_t max)
{
	__str struct str bytes = {}, shown = {};
	struct text text = { process, 0, add_utf8, &bytes };
	uint32_t length;
	size_t len;
	bool is_cut;

	*to = 0;
	if (!length_of(process, pointer, &length) || !walk(&text, pointer, 0, length < max ? length : max))
		return false;
	str_add_shown(&shown, str_or_empty(bytes.data), bytes.len);
	is_cut = length > max || shown.len >= max;
	len = is_cut && shown.len > max - 4 ? max - 4 : shown.len;
	/* not in the middle of a character */
	while (len && len < shown.len && (shown.data[len] & 0xc0) == 0x80)
		len--;
	snprintf(to, max, "%.*s%s", (int)len, str_or_empty(shown.data), is_cut ? "..." : "");
	return true;
}

/* --- scripts --- */

static void add_end(struct v8_script *script, uint32_t position)
{
	if (script->n_ends == script->cap) {
		script->cap = script->cap ? 2 * script->cap : 64;
		script->ends = realloc(script->ends, script->cap * sizeof(*script->ends));
		if (!script->ends)
			abort();
	}
	script->ends[script->n_ends++] = position;
}

struct counted {
	struct v8_script *script;
	uint32_t position, before;
};

/* Lines end as ECMAScript says: at \n, \r, \r\n, U+2028 and U+2029. */
static void add_lines(void *ctx, const uint8_t *chars, size_t n, size_t width)
{
	struct counted *counted = ctx;
	struct v8_script *script = counted->script;

	for (size_t i = 0; i < n; i++, counted->position++) {
		const uint32_t c = character(chars, i, width);

		if (c == '\n' && counted->before == '\r')
			script->ends[script->n_ends - 1] = counted->position;
		else if (c == '\n' || c == '\r' || c >> 1 == 0x2028 >> 1)
			add_end(script, counted->position);
		counted->before = c;
	}
}

static bool count_lines(struct v8 *v8, struct v8_script *script, const struct v8_process *process, uint64_t source)
{
	struct counted counted = { .script = script };
	struct text text = { process, 0, add_lines, &counted };
	uint32_t length;

	if (!length_of(process, source, &length) || length > SOURCE_MAX)
		return false;
	v8->scripts.read += length;
	if (!walk(&text, source, 0, length))
		return false;
	add_end(script, length);
	return true;
}

/* What V8 has counted itself. False: it has not yet. */
static bool take_ends(struct v8 *v8, struct v8_script *script, const struct v8_process *process, uint64_t pointer)
{
	struct v8_object head;
	uint64_t words[512], at = V8_OBJECT(pointer) + sizeof(head);
	size_t n, part;

	if (v8_type(process, pointer) != process->runtime->v8.array_type ||
	    !peek_copy(process->peek, V8_OBJECT(pointer), &head, sizeof(head)) || V8_NUMBER(head.length) <= 0 ||
	    V8_NUMBER(head.length) > LINES_MAX)
		return false;
	v8->scripts.read += (size_t)V8_NUMBER(head.length);
	for (n = (size_t)V8_NUMBER(head.length); n; n -= part, at += part * 8) {
		part = n < ARRAY_SIZE(words) ? n : ARRAY_SIZE(words);
		if (!peek_copy(process->peek, at, words, part * 8))
			return false;
		for (size_t i = 0; i < part; i++)
			add_end(script, (uint32_t)V8_NUMBER(words[i]));
	}
	return true;
}

void v8_script_release(struct v8_script *script)
{
	free(script->ends);
	script->ends = NULL;
	script->n_ends = script->cap = 0;
}

static void read_script(struct v8 *v8, const struct v8_process *process, const uint64_t *object, struct v8_script *script)
{
	const struct v8_layout *layout = &process->runtime->v8;
	const uint64_t line = object[layout->script_line / 8];
	char file[NAMES_FILE];

	v8->scripts.lines -= script->n_ends;
	v8_script_release(script);
	v8_read_string(process, script->words[1], file, sizeof(file));
	script->file = v8_string(v8, file);
	if (!script->file)
		script->file = "";
	script->first = V8_IS_NUMBER(line) && V8_NUMBER(line) > 0 && V8_NUMBER(line) < LINES_MAX ? V8_NUMBER(line) : 0;
	if (v8->scripts.read > READ_MAX)
		return;
	if (!take_ends(v8, script, process, object[layout->script_ends / 8])) {
		v8_script_release(script);
		if (!count_lines(v8, script, process, script->words[0]))
			v8_script_release(script);
	}
	if (v8->scripts.lines + script->n_ends > LINES_MAX)
		v8_script_release(script);
	v8->scripts.lines += script->n_ends;
}

/* Words of a script that are read. */
#define SCRIPT_WORDS 9

uint32_t v8_script_number(struct v8 *v8, const struct v8_process *process, uint64_t pointer)
{
	const struct v8_layout *layout = &process->runtime->v8;
	uint64_t key[] = { (uint64_t)process->pid, V8_OBJECT(pointer) }, object[SCRIPT_WORDS];
	struct v8_scripts *scripts = &v8->scripts;
	struct v8_script *script;
	uint32_t number;

	if (v8_type(process, pointer) != layout->script_type ||
	    !peek_copy(process->peek, V8_OBJECT(pointer), object, sizeof(object)))
		return 0;
	number = set_add_most(&scripts->keys, key, sizeof(key), SCRIPTS_MAX);
	if (number == SET_NONE)
		return 0;
	if (number == scripts->n)
		*vec_push(scripts) = (struct v8_script){ .file = "" };
	script = &scripts->v[number];
	if (script->words[0] == object[layout->script_source / 8] && script->words[1] == object[layout->script_name / 8])
		return number + 1;
	script->words[0] = object[layout->script_source / 8];
	script->words[1] = object[layout->script_name / 8];
	read_script(v8, process, object, script);
	return number + 1;
}

int v8_script_line(const struct v8 *v8, uint32_t number, int position)
{
	const struct v8_script *script = number ? &v8->scripts.v[number - 1] : NULL;
	size_t from = 0, to = script ? script->n_ends : 0;

	if (!script || position < 0)
		return 0;
	/* the first end at or behind it */
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (script->ends[middle] < (uint32_t)position)
			from = middle + 1;
		else
			to = middle;
	}
	return from < script->n_ends ? script->first + (int)from + 1 : 0;
}
