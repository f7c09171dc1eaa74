// SPDX-License-Identifier: BSD-2-Clause
/* Structs whose text is told by another text: those of ioctl in src/strace/ioctls.txt, which says how, and of bpf. */
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>

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
	strace_pointed *pointed;
};

static bool take(struct walk *walk, void *to, size_t n)
{
	if (n > walk->n - walk->used)
		return false;
	memcpy(to, walk->bytes + walk->used, n);
	walk->used += n;
	return true;
}

/* The text in parentheses that comes next, which may have others in it. */
static const char *inside(struct walk *walk, char *to, size_t size)
{
	const char *close = walk->at;
	int depth = 0;

	to[0] = '\0';
	do {
		if (close == walk->end)
			return to;
		depth += (*close == '(') - (*close == ')');
	} while (depth && ++close);
	if (close > walk->at) {
		snprintf(to, size, "%.*s", (int)(close - walk->at - 1), walk->at + 1);
		walk->at = close + 1;
	}
	return to;
}

/* Leaves out the text in parentheses that comes next; false: there is none, or it has no end. */
static bool leave_out(struct walk *walk)
{
	int depth = 0;

	for (const char *at = walk->at; at < walk->end; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth) {
			walk->at = at + 1;
			return *at == ')';
		}
	}
	return false;
}

/*
 * By names that come next: "PREFIX:NAMES" or "PREFIX|UNKNOWN:NAMES", of B "ZERO:" before them; of y and Y in a
 * remark. */
static bool add_named(struct walk *walk, char letter, uint64_t value)
{
	struct str remark __str = {};
	char text[8192], number[32], *names = text, *colon, *unknown;
	struct strace_words words;

	inside(walk, text, sizeof(text));
	colon = strchr(names, ':');
	if (colon && letter == 'B') {
		*colon = '\0';
		if (!value) {
			strace_constant(walk->line->out, "0", names);
			return true;
		}
		names = colon + 1;
		colon = strchr(names, ':');
	}
	if (!colon)
		return false;
	*colon = '\0';
	unknown = strchr(names, '|');
	if (unknown)
		*unknown++ = '\0';
	words = (struct strace_words){ .prefix = names, .names = colon + 1, .unknown = unknown };
	if (letter == 'y' || letter == 'Y') {
		(letter == 'y' ? strace_word : strace_bits)(&remark, &words, value);
		/* what has no name says so itself */
		if (!remark.data)
			return false;
		if (remark.data[0] == '0')
			str_add(walk->line->out, remark.data);
		else
			str_addf(walk->line->out, "%#llx /* %s */", (unsigned long long)value, remark.data);
	} else if (letter == 'w' || letter == 'W') {
		strace_word_if(&remark, &words, value);
		snprintf(number, sizeof(number), letter == 'w' ? "%#llx" : "%llu", (unsigned long long)value);
		strace_constant(walk->line->out, number, remark.data);
	} else {
		(letter == 'e' ? strace_word : strace_bits)(walk->line->out, &words, value);
	}
	return true;
}

/* A padding that is shown only if it is not zero. */
static bool add_padding(struct walk *walk, uint64_t value)
{
	char text[32];

	inside(walk, text, sizeof(text));
	if (value)
		str_addf(walk->line->out, "%s%#llx", text, (unsigned long long)value);
	return true;
}

static void add_character(struct str *out, unsigned char c, const char *before)
{
	bool plain = c >= ' ' && c < 0x7f;

	str_addf(out, plain ? c == '\'' || c == '\\' ? "%s'\\%c'" : "%s'%c'" : "%s'\\x%02x'", before, c);
}

/* Numbers that are seldom met, and those in hex. */
static void add_special(struct str *out, char letter, size_t size, uint64_t value)
{
	unsigned long long number = value;

	if (letter == 'H') {
		str_add(out, "htons(");
		strace_choice(out, &strace_address_families, ntohs(value));
		str_addc(out, ')');
	} else if (letter == 'h') {
		strace_ethernet(out, value, false);
	} else if (letter == 'c' && value && strace_style() != STRACE_NUMBERS) {
		str_addf(out, "%llu /* %llu.%02llu s */", number, number / 100, number % 100);
	} else if (letter == 'c') {
		str_add_u64(out, value);
	} else if (letter == 'C') {
		str_add(out, "v4l2_fourcc(");
		for (int i = 0; i < 4; i++)
			add_character(out, number >> 8 * i, i ? ", " : "");
		str_addc(out, ')');
	} else if (letter == 'D') {
		strace_device(out, value);
	} else if (letter == 'U' && (uint32_t)value == UINT32_MAX) {
		str_add(out, "-1");
	} else if (letter == 'U') {
		str_add_u64(out, value);
	} else if (letter == 'r') {
		strace_word(out, &strace_audit_archs, value);
	} else if (letter == 'o') {
		strace_flags(out, &strace_open_flags, value);
	} else if (letter == 'X') {
		str_addf(out, "%#0*llx", (int)(2 * size), number);
	} else {
		str_addf(out, "%#llx", number);
	}
}

/* A number of so many bytes, as the letter says. */
static bool add_number(struct walk *walk, char letter, size_t size)
{
	struct str *out = walk->line->out;
	uint64_t value = 0;
	char number[32];

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
	case 'z':
		walk->pointed(walk->line, walk->bytes, walk->used - size);
		return true;
	case 'k':
		snprintf(number, sizeof(number), value ? "%#llx" : "%llx", (unsigned long long)value);
		strace_named(out, number, "KERNEL_VERSION(%u, %u, %u)", (unsigned int)value >> 16,
			     (unsigned int)value >> 8 & 0xff, (unsigned int)value & 0xff);
		return true;
	case 'i':
	case 'I':
		strace_interface(walk->line, value, letter == 'i');
		return true;
	case 'b':
	case 'B':
	case 'e':
	case 'w':
	case 'W':
	case 'y':
	case 'Y':
		return add_named(walk, letter, value);
	case 'f':
		strace_choice(out, &strace_address_families, value);
		return true;
	case 'j':
		return add_padding(walk, value);
	case 'n':
	case 'O':
		strace_swapped(out, &value, size, letter == 'n');
		return true;
	default:
		add_special(out, letter, size, value);
		return true;
	}
}

/* The two ends of a socket, of the family that the struct begins with. */
static void add_ends(struct walk *walk, const unsigned char *bytes)
{
	static const char *const names[] = { "idiag_src", "idiag_dst" };
	struct str *out = walk->line->out;

	for (int i = 0; i < 2; i++) {
		str_add(out, i ? ", " : "");
		if (walk->bytes[0] == AF_INET6) {
			strace_in6_member(out, names[i], bytes + i * 16);
		} else {
			str_addf(out, "%s=", names[i]);
			strace_in_address(out, false, bytes + i * 16, 16);
		}
	}
}

/* Texts that -s cuts: S all bytes, t up to a NUL, Q in hex. Returns false for other letters. */
static bool add_text(struct strace_line *line, char letter, const unsigned char *bytes, size_t size)
{
	size_t n = letter == 't' ? strnlen((const char *)bytes, size) : size, most = line->settings->size;
	bool cut = n > most;

	if (letter == 't' && n == size && !cut) {
		n--;
		cut = true;
	}
	n = n < most ? n : most;
	if (letter == 'Q') {
		strace_quoted(line->out, bytes, n);
		str_add(line->out, cut ? "..." : "");
		return true;
	}
	if (letter != 'S' && letter != 't')
		return false;
	strace_text(line, bytes, n, cut);
	return true;
}

/* The length of a text, of so many bytes at the place in parentheses that comes next. */
static bool length_at(struct walk *walk, size_t bytes, uint32_t *len)
{
	char text[INET6_ADDRSTRLEN];
	size_t at = strtoul(inside(walk, text, sizeof(text)), NULL, 10);

	*len = 0;
	if (at + bytes > walk->n)
		return false;
	memcpy(len, walk->bytes + at, bytes);
	return true;
}

#define HARDWARE_SIZE 14 /* of sockaddr.sa_data */

static bool add_bytes(struct walk *walk, char letter, size_t size)
{
	struct str *out = walk->line->out;
	const unsigned char *bytes = walk->bytes + walk->used;
	char text[INET6_ADDRSTRLEN] = "";
	size_t len;
	uint32_t told;

	if (size > walk->n - walk->used)
		return false;
	walk->used += size;
	if (add_text(walk->line, letter, bytes, size))
		return true;
	if (letter == 'a') {
		strace_sockaddr(walk->line, bytes, size);
	} else if (letter == 's') {
		len = strnlen((const char *)bytes, size);
		strace_text(walk->line, bytes, len == size && size > 1 ? size - 1 : len, len == size && size > 1);
	} else if (letter == 'g') {
		for (size_t i = 0; i < size; i++)
			str_addf(out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
	} else if (letter == 'm') {
		strace_mac(out, bytes, size, size);
	} else if (letter == 'M') {
		/* the struct has room for all kinds */
		len = walk->n - walk->used + size;
		strace_mac(out, bytes, len < HARDWARE_SIZE ? len : HARDWARE_SIZE, size);
	} else if (letter == 'q') {
		strace_quoted(out, bytes, size);
	} else if (letter == 'P') {
		if (!length_at(walk, sizeof(uint16_t), &told))
			return false;
		strace_quoted(out, bytes, told < size ? told : size);
	} else if (letter == 'T') {
		if (!length_at(walk, sizeof(uint32_t), &told))
			return false;
		strace_text(walk->line, bytes, told < size ? told : size, false);
	} else if (letter == 'J') {
		inside(walk, text, sizeof(text));
		for (size_t i = 0; i < size; i++)
			if (bytes[i]) {
				str_add(out, text);
				strace_quoted(out, bytes, size);
				break;
			}
	} else if (letter == 'F') {
		if (walk->bytes[0] != AF_INET && walk->bytes[0] != AF_INET6)
			strace_quoted(out, bytes, size);
		else
			strace_in_address(out, walk->bytes[0] == AF_INET6, bytes, size);
	} else if (letter == 'A') {
		strace_in_address(out, size != 4, bytes, size);
	} else if (letter == 'E') {
		add_ends(walk, bytes);
	}
	return true;
}

/* Says that there is more than a call knows, and with -v what. */
static void add_rest(struct walk *walk)
{
	struct str *out = walk->line->out;

	for (size_t i = walk->used; i < walk->size && i < walk->n; i++)
		if (walk->bytes[i]) {
			str_add(out, walk->line->settings->whole ? ", extra_data=" : ", ...");
			if (!walk->line->settings->whole)
				return;
			strace_quoted(out, walk->bytes + walk->used, (walk->size < walk->n ? walk->size : walk->n) - walk->used);
			str_addf(out, " /* bytes %zu..%zu */", walk->used, walk->size - 1);
			return;
		}
}

static bool walk_on(struct walk *walk);

static bool is_zero(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

/* What the condition of "if" says of bytes of the struct: %!4 of the next ones, %=8&3 and %=8.2=3 of 4 or 2 at 8. */
static bool holds(struct walk *walk, char letter)
{
	unsigned long at = strtoul(walk->at, (char **)&walk->at, 10), n = 4;
	uint64_t number = 0, other;

	if (letter == '!') {
		if (at > walk->n - walk->used || !is_zero(walk->bytes + walk->used, at))
			return true;
		walk->used += at;
		return false;
	}
	if (*walk->at == '.')
		n = strtoul(walk->at + 1, (char **)&walk->at, 10);
	if (n > sizeof(number) || at + n > walk->n)
		return false;
	memcpy(&number, walk->bytes + at, n);
	letter = *walk->at++;
	other = strtoull(walk->at, (char **)&walk->at, 0);
	switch (letter) {
	case '&':
		return number & other;
	case '^':
		return !(number & other);
	case '!':
		return number != other;
	case '}':
		return number > other;
	case '{':
		return number < other;
	default:
		return number == other;
	}
}

/*
 * What is shown only with -v (v, else "...", or V), only without it (N), only if the call succeeded (>) or failed (<),
 * or only if bytes are not zero (!) or a number is so (=).
 */
static bool add_if(struct walk *walk, char letter)
{
	bool whole = walk->line->settings->whole, shown;
	struct walk part;

	if (letter == 'v' || letter == 'V' || letter == 'N')
		shown = whole == (letter != 'N');
	else if (letter == '>' || letter == '<')
		shown = strace_ok(walk->line) == (letter == '>');
	else
		shown = holds(walk, letter);
	part = *walk;
	if (!leave_out(&part))
		return false;
	/* the end of what is shown is left out by walk_on() */
	walk->at = shown ? walk->at + 1 : part.at;
	str_add(walk->line->out, shown || letter != 'v' ? "" : "...");
	return true;
}

/*
 * So many of what is in parentheses, without -v 32 at most: %*3(...), or as a number of the struct says, %*@8.2.1.51(...)
 * twice the one at 8 and one more, 51 at most.
 */
static bool add_elements(struct walk *walk)
{
	struct walk element = *walk;
	bool told = *walk->at == '@';
	unsigned int v[4] = {}, n, most;

	walk->at += told;
	for (int i = 0; i < (told ? 4 : 1); i++)
		v[i] = strtoul(walk->at + (i > 0), (char **)&walk->at, 10);
	n = v[0];
	if (told) {
		if (v[0] + sizeof(n) > walk->n)
			return false;
		memcpy(&n, walk->bytes + v[0], sizeof(n));
		n = n < v[3] ? n * v[1] + v[2] : v[3];
		n = n < v[3] ? n : v[3];
	}
	most = walk->line->settings->whole ? n : 32;
	const char *begin = walk->at + 1;
	const size_t first = walk->used;

	if (!leave_out(walk))
		return false;
	element.end = walk->at - 1;
	for (unsigned int i = 0; i < n && i < most; i++) {
		str_add(walk->line->out, i ? ", " : "");
		element.at = begin;
		if (!walk_on(&element))
			return false;
	}
	/* those that are not shown are as large as the others */
	walk->used = element.used;
	if (n > most)
		walk->used += (n - most) * ((element.used - first) / most);
	if (walk->used > walk->n)
		walk->used = walk->n;
	str_add(walk->line->out, n > most ? ", ..." : "");
	return true;
}

/* Of a time that is so many bytes back: seconds, and ns of 4 bytes. */
static bool add_date(struct walk *walk)
{
	size_t back = strtoul(walk->at, (char **)&walk->at, 10);
	int64_t seconds;
	uint32_t ns;

	if (back > walk->used || back < sizeof(seconds) + sizeof(ns))
		return false;
	memcpy(&seconds, walk->bytes + walk->used - back, sizeof(seconds));
	memcpy(&ns, walk->bytes + walk->used - back + sizeof(seconds), sizeof(ns));
	strace_date_remark(walk->line->out, seconds, ns);
	return true;
}

/* Takes the letter of a long in place of a size, and goes to where a long can be; 0: there is none. */
static size_t size_of_long(struct walk *walk)
{
	size_t size;

	if (walk->at == walk->end || *walk->at != 'L')
		return 0;
	walk->at++;
	size = strace_is_narrow(walk->line) ? 4 : 8;
	walk->used = (walk->used + size - 1) & ~(size - 1);
	if (walk->used > walk->n)
		walk->used = walk->n;
	return size;
}

/* A struct of numbers of devices from before 2.6, whose sizes are the architecture's. */
static bool is_like_x86_64(const struct strace_line *line)
{
#ifdef __x86_64__
	return !strace_is_narrow(line);
#else
	(void)line;
	return false;
#endif
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
	if (strchr("vVN><!=", letter))
		return add_if(walk, letter);
	if (letter == '*')
		return add_elements(walk);
	if (letter == '$')
		return add_date(walk);
	if (letter == '#') {
		strace_address(walk->line->out, strace_arg(walk->line, 2));
		return true;
	}
	if (letter == '~')
		return is_like_x86_64(walk->line);
	size = size_of_long(walk);
	while (walk->at < walk->end && *walk->at >= '0' && *walk->at <= '9' && size < 1000)
		size = size * 10 + *walk->at++ - '0';
	if (letter == '@') {
		walk->used = size < walk->n ? size : walk->n;
		return true;
	}
	if (!size)
		return false;
	return strchr(".asgmMqAEFPJStQT", letter) ? add_bytes(walk, letter, size) : add_number(walk, letter, size);
}

static bool walk_on(struct walk *walk)
{
	while (walk->at < walk->end) {
		char c = *walk->at++;

		/* the end of what only -v shows, and of what has been left out */
		if (c == ')' || (c == '|' && walk->at[-2] == '%'))
			continue;
		if (c != '%')
			str_addc(walk->line->out, c);
		else if (walk->at == walk->end || !add_item(walk))
			return false;
	}
	return true;
}

bool strace_shape(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n, size_t size)
{
	return strace_shape_pointed(line, shape, shape_n, bytes, n, size, NULL);
}

bool strace_shape_pointed(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n,
			  size_t size, strace_pointed *pointed)
{
	struct str text __str = {};
	struct strace_line part = *line;
	struct walk walk = { .line = &part, .at = shape, .end = shape + shape_n, .bytes = bytes, .n = n, .size = size, .pointed = pointed };

	part.out = &text;
	if (!walk_on(&walk))
		return false;
	str_addn(line->out, text.data, text.len);
	return true;
}
