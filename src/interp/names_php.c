// SPDX-License-Identifier: BSD-2-Clause
/* Reads functions, classes and strings of PHP. */
#include "base/str.h"
#include "language.h"

/* A function begins so (union _zend_function). */
struct function_head {
	struct interp_function shared;
	uint64_t scope;
};

enum function_kind {
	FUNCTION_INTERNAL = 1,
	FUNCTION_USER = 2,
	FUNCTION_EVAL = 4,
};

/* What an op_array has at layout.filename. */
struct function_lines {
	uint64_t filename;
	uint32_t first, last;
};

/* struct _zend_class_entry */
struct class_head {
	uint8_t kind, unused[7];
	uint64_t name;
};

/* struct _zend_string */
struct string_head {
	uint32_t references, type;
	uint64_t hash, length;
};
#define STRING_TYPE 6 /* in the low four bits */

/* Copies n bytes of text into room for max; is_cut: there are more. */
static void copy_text(char *to, size_t max, const char *text, size_t n, bool is_cut)
{
	static const char dots[] = "...";
	__str struct str s = {};
	size_t len;

	str_add_shown(&s, text, n);
	len = s.len;
	if (is_cut || len >= max) {
		len = len < max - sizeof(dots) ? len : max - sizeof(dots);
		is_cut = true;
		/* not in the middle of a character */
		while (len && len < s.len && (s.data[len] & 0xc0) == 0x80)
			len--;
	}
	snprintf(to, max, "%.*s%s", (int)len, str_or_empty(s.data), is_cut ? dots : "");
}

/* Reads a string, up to a NUL. False: there is none. max: bytes of `to`. */
static bool read_string(const struct peek *peek, uint64_t at, char *to, size_t max)
{
	uint8_t bytes[sizeof(struct string_head) + NAMES_FILE] = "";
	size_t got = at && !(at & 7) ? peek->read(peek->ctx, at, bytes, sizeof(bytes)) : 0, n, shown;
	struct string_head head;

	memcpy(&head, bytes, sizeof(head));
	if (got < sizeof(head) || (head.type & 0xf) != STRING_TYPE)
		return false;
	n = head.length < max ? head.length : max;
	if (n > got - sizeof(head))
		return false;
	/* behind a NUL, names of anonymous classes have what tells them apart */
	shown = strnlen((const char *)bytes + sizeof(head), n);
	copy_text(to, max, (const char *)bytes + sizeof(head), shown, shown == n && head.length > n);
	return true;
}

/* The name of a function: of its class, and its own. */
static bool read_name(const struct peek *peek, const struct function_head *head, char *to, size_t max)
{
	char class[NAMES_FUNCTION] = "", name[NAMES_FUNCTION];
	__str struct str s = {};
	struct class_head scope;

	if (!read_string(peek, head->shared.name, name, sizeof(name)))
		return false;
	if (head->scope && (!peek_copy(peek, head->scope, &scope, sizeof(scope)) ||
			    !read_string(peek, scope.name, class, sizeof(class))))
		return false;
	str_addf(&s, "%s%s%s", class, *class ? "::" : "", name);
	copy_text(to, max, s.data, s.len, false);
	return true;
}

static int read_function(struct names_code *code, const struct runtime *runtime, const struct peek *peek,
			 uint64_t address)
{
	struct function_head head, again;
	struct function_lines lines = {};
	uint64_t words[8] = {};
	bool internal;

	if (!peek_copy(peek, address, &head, sizeof(head)))
		return -ESRCH;
	internal = head.shared.kind == FUNCTION_INTERNAL;
	if (!internal && head.shared.kind != FUNCTION_USER && head.shared.kind != FUNCTION_EVAL)
		return -EBADMSG;
	if (!internal && !peek_copy(peek, address + runtime->php.filename, &lines, sizeof(lines)))
		return -ESRCH;
	words[0] = head.shared.kind;
	words[1] = head.shared.name;
	words[2] = head.scope;
	memcpy(&words[3], &lines, sizeof(lines));
	if (!memcmp(words, code->words, sizeof(words)))
		return 0;
	names_release(code);
	if (!read_name(peek, &head, code->function, sizeof(code->function)) ||
	    (!internal && !read_string(peek, lines.filename, code->file, sizeof(code->file))))
		return -EBADMSG;
	/* PHP may have freed it meanwhile, and have something else there */
	if (!peek_copy(peek, address, &again, sizeof(again)) || memcmp(&again, &head, sizeof(head)))
		return -EBADMSG;
	memcpy(code->words, words, sizeof(words));
	code->first = (int)lines.first;
	return 1;
}

/* What has no name of its own, but the file's at the address. */
static int read_unnamed(struct names_code *code, const struct peek *peek, uint64_t address, const char *name)
{
	struct string_head head;
	uint64_t words[8] = { STRING_TYPE };
	char file[sizeof(code->file)];

	if (!peek_copy(peek, address, &head, sizeof(head)))
		return -ESRCH;
	if (!read_string(peek, address, file, sizeof(file))) {
		names_release(code);
		return -EBADMSG;
	}
	/* the text itself: eval() names a file anew each time, at the address of the one before */
	if (!memcmp(words, code->words, sizeof(words)) && !strcmp(file, code->file))
		return 0;
	names_release(code);
	snprintf(code->file, sizeof(code->file), "%s", file);
	memcpy(code->words, words, sizeof(words));
	snprintf(code->function, sizeof(code->function), "%s", name);
	return 1;
}

static int line_of(const struct names_code *code, unsigned int place)
{
	(void)code;
	return (int)(place & INTERP_LINE_MASK);
}

int php_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
	     uint64_t address)
{
	enum interp_of of = address & 7;
	int ret;

	(void)state;
	if (address - of == 0)
		return -ESRCH;
	if (of == INTERP_OF_FUNCTION)
		ret = read_function(code, runtime, peek, address);
	else
		ret = read_unnamed(code, peek, address - of, of == INTERP_OF_CLOSURE ? "{closure}" : "{main}");
	code->line = line_of;
	return ret;
}
