// SPDX-License-Identifier: BSD-2-Clause
/* Structs whose text is told by another text: those of ioctl in src/strace/ioctls.txt, which says how, and of bpf. */
#include <net/if.h>

#include "strace_part.h"
#include "types.h"
#include "types_shape.h"

/* Where the printing is: in the text, and in the memory. */
struct walk {
	struct strace_line *line;
	const char *at, *end;
	const unsigned char *bytes;
	size_t used, n;
	size_t size; /* as the call says, which may be less than n */
};

static bool take(struct walk *walk, void *to, size_t n)
{
	if (n > walk->n - walk->used)
		return false;
	memcpy(to, walk->bytes + walk->used, n);
	walk->used += n;
	return true;
}

/* The text in parentheses that comes next. */
static const char *inside(struct walk *walk, char *to, size_t size)
{
	const char *close = *walk->at == '(' ? memchr(walk->at, ')', walk->end - walk->at) : NULL;

	to[0] = '\0';
	if (close) {
		snprintf(to, size, "%.*s", (int)(close - walk->at - 1), walk->at + 1);
		walk->at = close + 1;
	}
	return to;
}

/* A number of so many bytes, as the letter says. */
static bool add_number(struct walk *walk, char letter, size_t size)
{
	struct str *out = walk->line->out;
	uint64_t value = 0;
	char names[1536], *colon, interface[IF_NAMESIZE];
	struct strace_words words;

	if (size > sizeof(value) || !take(walk, &value, size))
		return false;
	switch (letter) {
	case 'd':
		str_add_s64(out, (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
		return true;
	case 'u':
		str_add_u64(out, value);
		return true;
	case 'p':
		strace_address(out, value);
		return true;
	case 'k':
		str_addf(out, "KERNEL_VERSION(%u, %u, %u)", (unsigned int)value >> 16, (unsigned int)value >> 8 & 0xff,
			 (unsigned int)value & 0xff);
		return true;
	case 'i':
		if (if_indextoname(value, interface))
			str_addf(out, "if_nametoindex(\"%s\")", interface);
		else
			str_add_s64(out, (int)value);
		return true;
	case 'b':
	case 'e':
		inside(walk, names, sizeof(names));
		colon = strchr(names, ':');
		if (!colon)
			return false;
		*colon = '\0';
		words = (struct strace_words){ .prefix = names, .names = colon + 1 };
		(letter == 'b' ? strace_bits : strace_word)(out, &words, value);
		return true;
	default:
		str_addf(out, "%#llx", (unsigned long long)value);
		return true;
	}
}

static bool add_bytes(struct walk *walk, char letter, size_t size)
{
	unsigned char bytes[64];
	size_t len;

	if (size > sizeof(bytes) || !take(walk, bytes, size))
		return false;
	if (letter == 'a') {
		strace_sockaddr(walk->line, bytes, size);
	} else if (letter == 's') {
		len = strnlen((const char *)bytes, size);
		strace_text(walk->line, bytes, len == size && size > 1 ? size - 1 : len, len == size && size > 1);
	}
	return true;
}

/* Says that there is more than a call knows. */
static void add_rest(struct walk *walk)
{
	for (size_t i = walk->used; i < walk->size && i < walk->n; i++)
		if (walk->bytes[i]) {
			str_add(walk->line->out, ", ...");
			return;
		}
}

static bool add_item(struct walk *walk)
{
	char letter = *walk->at++;
	size_t size = 0;

	if (letter == '|')
		return true;
	if (letter == '+') {
		add_rest(walk);
		return true;
	}
	if (letter == '?') {
		if (walk->used < walk->size)
			return true;
		while (walk->at < walk->end && !(walk->at[-1] == '%' && *walk->at == '|'))
			walk->at++;
		return walk->at < walk->end;
	}
	if (letter == 'v') {
		if (walk->line->settings->whole) {
			walk->at++; /* its end is left out below */
			return true;
		}
		walk->at = memchr(walk->at, ')', walk->end - walk->at);
		if (!walk->at)
			return false;
		walk->at++;
		str_add(walk->line->out, "...");
		return true;
	}
	while (walk->at < walk->end && *walk->at >= '0' && *walk->at <= '9' && size < 100)
		size = size * 10 + *walk->at++ - '0';
	if (!size)
		return false;
	return strchr(".as", letter) ? add_bytes(walk, letter, size) : add_number(walk, letter, size);
}

bool strace_shape(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n, size_t size)
{
	struct str text __str = {};
	struct strace_line part = *line;
	struct walk walk = { .line = &part, .at = shape, .end = shape + shape_n, .bytes = bytes, .n = n, .size = size };

	part.out = &text;
	while (walk.at < walk.end) {
		char c = *walk.at++;

		/* the end of what only -v shows, and of what has been left out */
		if (c == ')' || (c == '|' && walk.at[-2] == '%'))
			continue;
		if (c != '%')
			str_addc(&text, c);
		else if (walk.at == walk.end || !add_item(&walk))
			return false;
	}
	str_addn(line->out, text.data, text.len);
	return true;
}
