// SPDX-License-Identifier: BSD-2-Clause
/*
 * Expressions of bcc's notation: C, which the language reads too, with words of bcc's. Replaces those words, and knows
 * nothing of what is around them.
 */
#include "bcc_part.h"
#include "lang/text/lex.h"

#define MAX_BYTES 64 /* that STRCMP() compares */

/* Words that mean the same in all probes. pid is the thread's, as the kernel calls it, and tgid the process's. */
static const struct {
	const char *name, *text;
} words[] = {
	{ "$pid", "tid" },
	{ "$tgid", "pid" },
	{ "$PID", "pid" },
	{ "$COMM", "comm" },
	{ "$comm", "comm" },
	{ "$uid", "uid" },
	{ "$gid", "gid" },
	{ "$cpu", "cpu" },
	{ "$task", "((struct task_struct *)curtask)" },
};

static char at(const struct bcc *b, uint32_t pos, struct span all)
{
	return pos < all.end ? b->source[pos] : 0;
}

static uint32_t skip_blanks(const struct bcc *b, uint32_t pos, struct span all)
{
	while (pos < all.end && strchr(" \t\r\n", b->source[pos]))
		pos++;
	return pos;
}

static struct span word_at(const struct bcc *b, uint32_t pos, struct span all)
{
	struct span word = { all.source, pos, pos + 1 };

	while (lex_is_name(at(b, word.end, all)))
		word.end++;
	return word;
}

static bool is(const struct bcc *b, struct span word, const char *text)
{
	return word.end - word.begin == strlen(text) && !memcmp(b->source + word.begin, text, strlen(text));
}

/* --- arguments --- */

static void add_typed(struct bcc *b, const struct bcc_param *param, struct span from, const char *value)
{
	bcc_add(b, from, "((");
	bcc_copy(b, param->type);
	bcc_add(b, from, param->is_user ? "%s)uptr(%s))" : "%s)%s)", param->is_array ? " *" : "", value);
}

/* "@user" behind an argument; *end is moved behind it. */
static bool takes_user(struct bcc *b, uint32_t *end, struct span all)
{
	struct span word;

	if (at(b, *end, all) != '@')
		return false;
	word = word_at(b, *end, all);
	if (!is(b, word, "@user"))
		bcc_fail(b, word, "expected @user, for an address in user memory");
	*end = word.end;
	return true;
}

static const struct bcc_param *find_param(const struct bcc *b, struct span word, size_t *n)
{
	for (size_t i = 0; i < b->spec.n_params; i++) {
		const struct bcc_param *param = &b->spec.params[i];
		uint32_t len = param->name.end - param->name.begin;

		*n = i;
		if (len && len == word.end - word.begin &&
		    !memcmp(b->source + word.begin, b->source + param->name.begin, len))
			return param;
	}
	return NULL;
}

void bcc_write_argument(const struct bcc_spec *spec, size_t n, char to[static BCC_ARGUMENT_LEN])
{
#ifdef __aarch64__
	static const char *const registers[] = { "regs[0]", "regs[1]", "regs[2]", "regs[3]", "regs[4]", "regs[5]" };
#else
	static const char *const registers[] = { "di", "si", "dx", "r10", "r8", "r9" };
#endif

	if (spec->is_syscall && n < ARRAY_SIZE(registers))
		snprintf(to, BCC_ARGUMENT_LEN, "((struct pt_regs *)arg0)->%s", registers[n]);
	else
		snprintf(to, BCC_ARGUMENT_LEN, "arg%zu", n);
}

/* argN, or a parameter by its name. False: the word is neither. */
static bool add_argument(struct bcc *b, struct span word, uint32_t *end, struct span all)
{
	const char *text = b->source + word.begin;
	size_t n = 0;
	const struct bcc_param *param = find_param(b, word, &n);
	struct bcc_param own = {};
	char value[BCC_ARGUMENT_LEN];

	if (!param) {
		if (word.end - word.begin != 4 || memcmp(text, "arg", 3) || b->spec.kind == 't')
			return false;
		if (text[3] < '1' || text[3] > '9')
			return false;
		n = text[3] - '1';
	} else {
		own = *param;
	}
	if (b->spec.kind == 'r') {
		bcc_fail(b, word,
			 "a return probe has no arguments: $entry(NAME) is what one was when the function began");
		return true;
	}
	bcc_write_argument(&b->spec, n, value);
	own.is_user |= takes_user(b, end, all);
	if (param)
		add_typed(b, &own, word, value);
	else
		bcc_add(b, word, own.is_user ? "uptr(%s)" : "%s", value);
	return true;
}

/* --- what a return probe knows --- */

static bool check_return(struct bcc *b, struct span word)
{
	if (b->spec.kind == 'r')
		return true;
	bcc_fail(b, word, "%.*s exists in return probes only, as in r::vfs_read", (int)(word.end - word.begin),
		 b->source + word.begin);
	return false;
}

/* $entry(NAME): $in.N of the program. */
static void add_entry(struct bcc *b, struct span word, uint32_t *end, struct span all)
{
	uint32_t pos = skip_blanks(b, word.end, all);
	struct span name = { all.source, pos + 1, all.end };
	const struct bcc_param *param;
	char value[16];
	size_t n = 0;

	if (at(b, pos, all) != '(') {
		bcc_fail(b, word, "expected $entry(NAME), with a name of the function's signature");
		return;
	}
	*end = bcc_find(b, name, ")");
	name.end = *end;
	if (*end < all.end)
		++*end;
	name = bcc_trim(b, name);
	param = find_param(b, name, &n);
	if (!param) {
		bcc_fail(b, bcc_is_empty(&name) ? word : name,
			 "the signature has no such parameter: write it as in r::vfs_read(struct file *file)");
		return;
	}
	b->has_entries = true;
	snprintf(value, sizeof(value), "$in.%zu", n + 1);
	add_typed(b, param, word, value);
}

static void add_dollar(struct bcc *b, struct span word, uint32_t *end, struct span all)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is(b, word, words[i].name)) {
			bcc_add(b, word, "%s", words[i].text);
			return;
		}
	if (is(b, word, "$retval")) {
		if (check_return(b, word))
			bcc_add(b, word, "((uint64)retval)");
	} else if (is(b, word, "$entry")) {
		if (check_return(b, word))
			add_entry(b, word, end, all);
	} else if (is(b, word, "$latency")) {
		b->has_latency = check_return(b, word);
		bcc_copy(b, word);
	} else {
		bcc_fail(b, word, "unknown word; known: $retval $entry(NAME) $latency $pid $tgid $uid $gid $cpu $comm "
				  "$task");
	}
}

/* --- STRCMP --- */

/* The number of characters of a string with escapes. */
static size_t length_of(const struct bcc *b, struct span text)
{
	size_t n = 0;

	for (uint32_t i = text.begin + 1; i + 1 < text.end; i++, n++) {
		if (b->source[i] != '\\')
			continue;
		i++;
		if (b->source[i] == 'x')
			i += strspn(b->source + i + 1, "0123456789abcdefABCDEF") > 1 ? 2 : 1;
		else if (b->source[i] >= '0' && b->source[i] <= '7')
			for (int k = 0; k < 2 && b->source[i + 1] >= '0' && b->source[i + 1] <= '7'; k++)
				i++;
	}
	return n;
}

static void add_text_compare(struct bcc *b, struct span word, struct span text, struct span pointer)
{
	size_t len = length_of(b, text);

	bcc_add(b, word, "(strncmp(str(");
	bcc_add_expression(b, pointer);
	bcc_add(b, word, ", %zu), ", len + 1);
	bcc_copy(b, text);
	bcc_add(b, word, ", %zu) == 0)", len);
}

/* "{0x6c, 0x00}": each byte is compared. */
static void add_bytes_compare(struct bcc *b, struct span word, struct span text, struct span pointer)
{
	bool is_user = b->spec.kind == 'u' || !bcc_is_empty(&b->spec.library);
	const char *p = b->source + text.begin + 1, *end = b->source + text.end - 1;

	bcc_add(b, word, "(true");
	for (unsigned int i = 0; p < end && !b->failed; i++) {
		char *behind;
		unsigned long value;

		p += strspn(p, "{}, \t");
		value = strtoul(p, &behind, 0);
		if (p < end && (behind == p || behind > end || value > 255 || i >= MAX_BYTES))
			bcc_fail(b, text, "expected at most %d bytes, as in \"{0x6c, 0x00}\"", MAX_BYTES);
		if (p >= end || b->failed)
			break;
		bcc_add(b, word, is_user ? " && ((uint8 *)uptr" : " && ((uint8 *)");
		bcc_add_expression(b, pointer);
		bcc_add(b, word, ")[%u] == %lu", i, value);
		p = behind;
	}
	bcc_add(b, word, ")");
}

/* STRCMP("literal", pointer): whether the text begins with the literal, as in bcc. */
static void add_compare(struct bcc *b, struct span word, uint32_t *end, struct span all)
{
	uint32_t pos = skip_blanks(b, word.end, all);
	struct span list = { all.source, pos + 1, all.end }, text, pointer;

	*end = all.end;
	if (b->in_compare++)
		bcc_fail(b, word, "STRCMP in a STRCMP");
	if (at(b, pos, all) == '(')
		list.end = bcc_find(b, list, ")");
	if (at(b, pos, all) != '(' || list.end == all.end) {
		bcc_fail(b, word, "expected STRCMP(\"text\", POINTER)");
		return;
	}
	*end = list.end + 1;
	text = bcc_trim(b, (struct span){ all.source, list.begin, bcc_find(b, list, ",") });
	pointer = bcc_trim(b, (struct span){ all.source, text.end, list.end });
	pointer.begin = skip_blanks(b, pointer.begin, all);
	if (at(b, text.begin, text) != '"' || text.end - text.begin < 2 || at(b, pointer.begin, pointer) != ',') {
		bcc_fail(b, span_join(word, list), "expected STRCMP(\"text\", POINTER): the text comes first");
		return;
	}
	pointer.begin++;
	if (b->request->binary)
		add_bytes_compare(b, word, text, pointer);
	else
		add_text_compare(b, word, text, pointer);
	b->in_compare = 0;
}

/* --- words and the rest --- */

/* The word before is "struct" or the like, or a member's access: then this one is a name. */
static bool is_named(const struct bcc *b, struct span word, struct span all)
{
	static const char *const tags[] = { "struct", "union", "enum" };
	uint32_t end = word.begin, begin;

	while (end > all.begin && strchr(" \t\r\n", b->source[end - 1]))
		end--;
	if (end > all.begin && b->source[end - 1] == '.')
		return true;
	if (end > all.begin + 1 && !memcmp(b->source + end - 2, "->", 2))
		return true;
	for (begin = end; begin > all.begin && lex_is_name(b->source[begin - 1]);)
		begin--;
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (is(b, (struct span){ all.source, begin, end }, tags[i]))
			return true;
	return false;
}

/* ctx->di: a register. */
static bool add_register(struct bcc *b, struct span word, uint32_t *end, struct span all)
{
	uint32_t pos = skip_blanks(b, word.end, all);
	struct span name;

	if (!is(b, word, "ctx") || at(b, pos, all) != '-' || at(b, pos + 1, all) != '>')
		return false;
	name = word_at(b, skip_blanks(b, pos + 2, all), all);
	if (name.end > all.end || !lex_is_name(b->source[name.begin]))
		return false;
	bcc_add(b, word, "reg(\"");
	bcc_copy(b, name);
	bcc_add(b, word, "\")");
	*end = name.end;
	return true;
}

/* The macros of net/sock.h that name a member of struct sock's first part. */
static bool is_of_sock(const struct bcc *b, struct span word)
{
	static const char *const names[] = { "sk_num", "sk_dport", "sk_daddr", "sk_rcv_saddr", "sk_family", "sk_state",
					     "sk_bound_dev_if", "sk_net", "sk_v6_daddr", "sk_v6_rcv_saddr" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is(b, word, names[i]))
			return true;
	return false;
}

static uint32_t add_word(struct bcc *b, struct span word, struct span all)
{
	uint32_t end = word.end;

	if (b->source[word.begin] == '$')
		add_dollar(b, word, &end, all);
	else if (is_of_sock(b, word))
		bcc_add(b, word, "__sk_common.skc_%.*s", (int)(word.end - word.begin - 3), b->source + word.begin + 3);
	else if (is_named(b, word, all))
		bcc_copy(b, word);
	else if (is(b, word, "STRCMP"))
		add_compare(b, word, &end, all);
	else if (add_argument(b, word, &end, all) || add_register(b, word, &end, all))
		return end;
	else if (is(b, word, "retval") && check_return(b, word))
		bcc_add(b, word, "((uint64)retval)");
	else
		bcc_copy(b, word);
	return end;
}

/* 'x' is a number. */
static void add_character(struct bcc *b, struct span text)
{
	static const char letters[] = "0nrtabfv\\'\"", bytes[] = "\0\n\r\t\a\b\f\v\\'\"";
	const char *p = b->source + text.begin + 1;
	size_t n = text.end - text.begin;
	const char *found = n == 4 && *p == '\\' ? memchr(letters, p[1], sizeof(letters) - 1) : NULL;

	if (n == 3 && *p != '\\')
		bcc_add(b, text, "%d", *p);
	else if (found)
		bcc_add(b, text, "%d", bytes[found - letters]);
	else
		bcc_fail(b, text, "expected one character between single quotes");
}

static uint32_t add_quoted(struct bcc *b, uint32_t pos, struct span all)
{
	struct span text = { all.source, pos, bcc_skip_quoted(b, pos, all.end) };

	if (text.end - pos < 2 || b->source[text.end - 1] != b->source[pos])
		bcc_fail(b, text, "expected %c at the end of this", b->source[pos]);
	else if (b->source[pos] == '"')
		bcc_copy(b, text);
	else
		add_character(b, text);
	return text.end;
}

/* The user's text must not end our parentheses, nor hide them. */
static void check_byte(struct bcc *b, uint32_t pos, struct span all, uint32_t *depth)
{
	char c = b->source[pos], next = at(b, pos + 1, all);
	struct span here = { all.source, pos, pos + 1 };

	*depth += c == '(';
	if (c == ')' && !(*depth)--)
		bcc_fail(b, here, "this ')' has no '('");
	else if (c == ';')
		bcc_fail(b, here, "expected ':', or '#' and a label");
	else if (strchr("{}#@", c) || (c == '/' && (next == '/' || next == '*')))
		bcc_fail(b, here, "expected an expression of C");
}

void bcc_add_expression(struct bcc *b, struct span all)
{
	uint32_t pos, end, depth = 0;

	all = bcc_trim(b, all);
	if (bcc_is_empty(&all))
		bcc_fail(b, all, "expected an expression");
	bcc_add(b, all, "(");
	for (pos = all.begin; pos < all.end && !b->failed; pos = end) {
		struct span word = word_at(b, pos, all);
		char c = b->source[pos];

		end = pos + 1;
		if (lex_is_name_start(c) || (c == '$' && word.end > pos + 1)) {
			end = add_word(b, word, all);
		} else if (lex_is_digit(c)) {
			bcc_copy(b, word);
			end = word.end;
		} else if (c == '"' || c == '\'') {
			end = add_quoted(b, pos, all);
		} else {
			check_byte(b, pos, all, &depth);
			word.end = end;
			bcc_copy(b, word);
		}
	}
	if (depth)
		bcc_fail(b, all, "expected ')' at the end of this");
	bcc_add(b, all, ")");
}
