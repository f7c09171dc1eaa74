// SPDX-License-Identifier: BSD-2-Clause
/* Carries out a format of printf(), one conversion after the other. */
#include <ctype.h>

#include "script_format.h"

/* A conversion: "%-08.3hx". */
struct conversion {
	int position; /* "2$": of the second value; 0: of the next */
	char flags[8];
	int width, precision; /* -1: none */
	unsigned int bits;    /* of an integer: 8 "hh", 16 "h", 32 as in C without a length, 64 "l", "ll", "z" ... */
	char letter;	      /* of C; 'r' for buffers, 'R' for %rx, 'H' for %rh, 'G' for %gr */
};

/* The most that a width or a precision may ask for: a script could print gigabytes with one number. */
#define WIDTH_MAX 4096

static int parse_number(const char **p)
{
	int number = 0;

	for (; isdigit((unsigned char)**p); (*p)++)
		number = number < WIDTH_MAX ? number * 10 + **p - '0' : number;
	return number < WIDTH_MAX ? number : WIDTH_MAX;
}

static void parse_letter(const char **p, struct conversion *to)
{
	to->letter = *(*p)++;
	if (to->letter == 'r' && (**p == 'x' || **p == 'h'))
		to->letter = *(*p)++ == 'x' ? 'R' : 'H';
	else if (to->letter == 'g' && **p == 'r') {
		(*p)++;
		to->letter = 'G';
	}
}

/* p: behind the '%'; moved behind the conversion. False: the format ends within it. */
static bool parse(const char **p, struct conversion *to)
{
	size_t n = 0;

	*to = (struct conversion){ .width = -1, .precision = -1, .bits = 32 };
	if ((*p)[strspn(*p, "0123456789")] == '$') {
		to->position = parse_number(p);
		(*p)++;
	}
	for (; **p && strchr("-+ #0", **p); (*p)++)
		if (n < sizeof(to->flags) - 1)
			to->flags[n++] = **p;
	if (isdigit((unsigned char)**p))
		to->width = parse_number(p);
	if (**p == '.') {
		(*p)++;
		to->precision = parse_number(p);
	}
	for (; **p && strchr("hljztL", **p); (*p)++)
		to->bits = **p != 'h' ? 64 : to->bits > 8 ? to->bits / 2
							  : 8;
	if (!**p)
		return false;
	parse_letter(p, to);
	return true;
}

/* Appends text in its width. */
static void add_padded(struct str *to, const struct conversion *how, const char *text, size_t len)
{
	size_t n = how->precision >= 0 && (size_t)how->precision < len ? (size_t)how->precision : len;
	size_t fill = how->width > 0 && (size_t)how->width > n ? how->width - n : 0;

	if (!strchr(how->flags, '-'))
		str_add_fill(to, ' ', fill);
	str_addn(to, text, n);
	if (strchr(how->flags, '-'))
		str_add_fill(to, ' ', fill);
}

/* The number as C's printf() sees it: with so many bits, signed or not. */
static uint64_t cut(const struct conversion *how, int64_t number)
{
	unsigned int above = 64 - how->bits;
	uint64_t high = (uint64_t)number << above;

	return how->letter == 'd' || how->letter == 'i' ? (uint64_t)((int64_t)high >> above) : high >> above;
}

static size_t add_digits(char *end, uint64_t number, const struct conversion *how)
{
	unsigned int base = how->letter == 'o' ? 8 : how->letter == 'x' || how->letter == 'X' ? 16
											      : 10;
	const char *digits = how->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	size_t n = 0;

	for (; number; number /= base)
		end[-(ptrdiff_t)++n] = digits[number % base];
	return n;
}

/* As C's printf() does. */
static void add_integer(struct str *to, const struct conversion *how, int64_t value)
{
	bool is_signed = how->letter == 'd' || how->letter == 'i', alternate = strchr(how->flags, '#');
	uint64_t number = cut(how, value);
	const char *sign = "";
	char digits[24];
	size_t n, least = how->precision < 0 ? 1 : how->precision, len;

	if (is_signed && (int64_t)number < 0) {
		sign = "-";
		number = -number;
	} else if (is_signed) {
		sign = strchr(how->flags, '+') ? "+" : strchr(how->flags, ' ') ? " "
									       : "";
	} else if (alternate && number && how->letter != 'u' && how->letter != 'o') {
		sign = how->letter == 'x' ? "0x" : "0X";
	}
	n = add_digits(digits + sizeof(digits), number, how);
	if (alternate && how->letter == 'o' && least <= n)
		least = n + 1;
	len = strlen(sign);
	if (strchr(how->flags, '0') && !strchr(how->flags, '-') && how->precision < 0 &&
	    how->width > (int)(len + least))
		least = how->width - len;
	least = least > n ? least : n;
	if (!strchr(how->flags, '-') && how->width > (int)(len + least))
		str_add_fill(to, ' ', how->width - len - least);
	str_add(to, sign);
	str_add_fill(to, '0', least - n);
	str_addn(to, digits + sizeof(digits) - n, n);
	if (strchr(how->flags, '-') && how->width > (int)(len + least))
		str_add_fill(to, ' ', how->width - len - least);
}

/* --- %gr --- */

/* The bits of gfp_t by name; the composed ones first, as the kernel's %pGg prints them. */
static const struct gfp {
	uint64_t bits;
	const char *name;
} gfps[] = {
#define DIRECT	 0x400ULL
#define KSWAPD	 0x800ULL
#define IO	 0x40ULL
#define FS	 0x80ULL
#define HARDWALL 0x100000ULL
	{ DIRECT | KSWAPD | IO | FS | HARDWALL, "GFP_USER" },
	{ DIRECT | KSWAPD | IO | FS, "GFP_KERNEL" },
	{ DIRECT | KSWAPD | IO, "GFP_NOFS" },
	{ DIRECT | KSWAPD, "GFP_NOIO" },
	{ 0x20 | KSWAPD, "GFP_ATOMIC" },
	{ KSWAPD, "GFP_NOWAIT" },
	{ 0x1, "__GFP_DMA" },
	{ 0x2, "__GFP_HIGHMEM" },
	{ 0x4, "__GFP_DMA32" },
	{ 0x8, "__GFP_MOVABLE" },
	{ 0x10, "__GFP_RECLAIMABLE" },
	{ 0x20, "__GFP_HIGH" },
	{ IO, "__GFP_IO" },
	{ FS, "__GFP_FS" },
	{ 0x100, "__GFP_ZERO" },
	{ DIRECT, "__GFP_DIRECT_RECLAIM" },
	{ KSWAPD, "__GFP_KSWAPD_RECLAIM" },
	{ 0x1000, "__GFP_WRITE" },
	{ 0x2000, "__GFP_NOWARN" },
	{ 0x4000, "__GFP_RETRY_MAYFAIL" },
	{ 0x8000, "__GFP_NOFAIL" },
	{ 0x10000, "__GFP_NORETRY" },
	{ 0x20000, "__GFP_MEMALLOC" },
	{ 0x40000, "__GFP_COMP" },
	{ 0x80000, "__GFP_NOMEMALLOC" },
	{ HARDWALL, "__GFP_HARDWALL" },
	{ 0x200000, "__GFP_THISNODE" },
	{ 0x400000, "__GFP_ACCOUNT" },
};

static void add_gfp(struct str *to, uint64_t bits)
{
	size_t before = to->len;

	for (size_t i = 0; i < ARRAY_SIZE(gfps); i++)
		if ((bits & gfps[i].bits) == gfps[i].bits) {
			str_addf(to, "%s%s", to->len > before ? "|" : "", gfps[i].name);
			bits &= ~gfps[i].bits;
		}
	if (bits || to->len == before)
		str_addf(to, "%s%#llx", to->len > before ? "|" : "", (unsigned long long)bits);
}

/* --- one value --- */

static void add_text(struct str *to, struct script_names *names, const struct conversion *how,
		     const struct script_value *value)
{
	__str struct str text = {};

	switch (how->letter) {
	case 'r':
		script_value_add_bytes(&text, value, SCRIPT_BYTES_TEXT);
		break;
	case 'R':
		script_value_add_bytes(&text, value, SCRIPT_BYTES_ALL);
		break;
	case 'H':
		script_value_add_bytes(&text, value, SCRIPT_BYTES_SPACED);
		break;
	case 'G':
		add_gfp(&text, script_value_number(value));
		break;
	case 'c':
		str_addc(&text, script_value_number(value));
		break;
	case 'p':
		str_addf(&text, "%#llx", (unsigned long long)script_value_number(value));
		break;
	default:
		script_value_add(&text, names, value, false);
	}
	add_padded(to, how, str_or_empty(text.data), text.len);
}

/* Of a function: its address. */
static int64_t number_of(const struct script_names *names, const struct script_value *value)
{
	int64_t number = script_value_number(value);

	if (value->type->kind != TYPE_FUNCTION)
		return number;
	return (uint64_t)number < names->program->places.n ? (int64_t)names->program->places.v[number].addr : 0;
}

void script_format_add(struct str *to, struct script_names *names, const char *format,
		       const struct script_value *values, size_t n)
{
	struct conversion how;
	size_t next = 0;

	while (*format) {
		size_t plain = strcspn(format, "%");

		str_addn(to, format, plain);
		format += plain;
		if (!*format)
			break;
		if (*++format == '%') {
			str_addc(to, *format++);
			continue;
		}
		if (next < n ? lang_format_is_plain(format) : lang_format_is_plain_without(format)) {
			str_addc(to, '%');
			continue;
		}
		if (!parse(&format, &how))
			continue;
		next = how.position > 0 ? (size_t)how.position - 1 : next;
		if (next >= n)
			continue;
		if (strchr("diouxX", how.letter))
			add_integer(to, &how, number_of(names, &values[next]));
		else
			add_text(to, names, &how, &values[next]);
		next++;
	}
}

/* --- printa() --- */

/* Of the aggregates. */
static bool is_number(const struct type *type)
{
	return type->kind == TYPE_AVG || !(script_print_is_hist(type) || script_print_is_stats(type));
}

/* The parts of a key; returns how many. More than `most` are left out. */
static size_t key_values(const struct type *type, const void *key, struct script_value *values, size_t most)
{
	size_t n = 0;

	if (type->kind != TYPE_TUPLE) {
		values[n++] = script_value_of(type, key);
		return n;
	}
	for (; n < type->n_fields && n < most; n++)
		values[n] = script_value_of(type->fields[n].type, (const char *)key + type->fields[n].at);
	return n;
}

void script_format_map(struct str *to, struct script_names *names, struct script_entries *entries,
		       const struct script_choice *choice)
{
	const struct lang_map *map = entries->map;
	struct type text = { .kind = TYPE_STRING };
	struct script_value values[64];

	script_print_sort(entries);
	for (size_t i = script_print_first(entries, choice); i < entries->n; i++) {
		const struct script_entry *entry = &entries->v[i];
		size_t n = map->key ? key_values(map->key, entry->key, values, ARRAY_SIZE(values) - 1) : 0;
		int64_t number = script_print_number(map->value, entry->value);
		__str struct str shown = {};

		if (!type_is_aggregate(map->value)) {
			values[n] = script_value_of(map->value, entry->value);
		} else if (is_number(map->value)) {
			values[n] = script_value_of(type_integer(8, map->value->is_signed), &number);
		} else {
			script_print_value(&shown, names, map->value, entry->value, 0);
			values[n] = (struct script_value){ &text, str_or_empty(shown.data), shown.len, false };
		}
		script_format_add(to, names, choice->format, values, n + 1);
	}
}
