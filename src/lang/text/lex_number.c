// SPDX-License-Identifier: BSD-2-Clause
/*
 * Numbers: decimal, octal (0755), hexadecimal, binary, 1e6, with "_" between digits, C's suffixes (10UL) and durations
 * (5ms), which are nanoseconds.
 */
#include "lex.h"

#define SECOND 1000000000ULL

static const struct {
	const char *name;
	uint64_t factor;
} suffixes[] = {
	{ "u", 1 },
	{ "U", 1 },
	{ "l", 1 },
	{ "L", 1 },
	{ "ul", 1 },
	{ "UL", 1 },
	{ "ll", 1 },
	{ "LL", 1 },
	{ "ull", 1 },
	{ "ULL", 1 },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000 * 1000 },
	{ "s", SECOND },
	{ "m", 60 * SECOND },
	{ "h", 3600 * SECOND },
	{ "d", 24 * 3600 * SECOND },
};

struct number {
	const char *text; /* the whole word */
	uint32_t len, used;
	uint64_t value;
	bool overflows, has_digits, lacks_exponent;
};

static int digit_of(char c)
{
	if (lex_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

static void scale(struct number *number, uint64_t factor, uint64_t plus)
{
	if (__builtin_mul_overflow(number->value, factor, &number->value) ||
	    __builtin_add_overflow(number->value, plus, &number->value))
		number->overflows = true;
}

/* Reads digits; an underscore only between two of them. */
static void digits(struct number *number, int base)
{
	number->has_digits = false;
	for (; number->used < number->len; number->used++) {
		char c = number->text[number->used];

		if (c == '_' && number->has_digits && number->used + 1 < number->len &&
		    digit_of(number->text[number->used + 1]) < base)
			continue;
		if (digit_of(c) >= base)
			return;
		scale(number, base, digit_of(c));
		number->has_digits = true;
	}
}

static void exponent(struct number *number)
{
	struct number power = { .text = number->text, .len = number->len, .used = number->used + 1 };

	digits(&power, 10);
	number->lacks_exponent = !power.has_digits;
	number->used = power.used;
	for (uint64_t i = 0; i < power.value && number->value && !number->overflows; i++)
		scale(number, 10, 0);
}

static bool suffix(struct number *number)
{
	if (number->used == number->len)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strlen(suffixes[i].name) != number->len - number->used ||
		    memcmp(suffixes[i].name, number->text + number->used, number->len - number->used))
			continue;
		scale(number, suffixes[i].factor, 0);
		return true;
	}
	return false;
}

static int base_of(struct number *number)
{
	char second = number->len > 1 ? number->text[1] | 0x20 : 0;

	if (number->text[0] != '0' || number->len == 1)
		return 10;
	if (second == 'x' || second == 'b') {
		number->used = 2;
		return second == 'x' ? 16 : 2;
	}
	return lex_is_digit(number->text[1]) ? 8 : 10;
}

bool lexer_number(struct lexer *lexer, struct token *token)
{
	struct number number = { .text = lexer->text + lexer->pos };
	uint32_t begin = lexer->pos;
	int base;

	while (lexer->pos < lexer->end && lex_is_name(lexer->text[lexer->pos]))
		lexer->pos++;
	number.len = lexer->pos - begin;
	base = base_of(&number);
	digits(&number, base);
	if (base == 10 && number.used < number.len && (number.text[number.used] | 0x20) == 'e')
		exponent(&number);
	if (number.lacks_exponent && lexer->pos < lexer->end && lexer->text[lexer->pos] == '-') {
		lexer_fail(lexer, begin, lexer->pos + 1, "floating point numbers do not exist here");
	} else if (number.lacks_exponent) {
		lexer_fail(lexer, begin, lexer->pos, "expected a number after the e");
	} else if (base != 10 && !number.has_digits) {
		lexer_fail(lexer, begin, lexer->pos, "this number has no digits");
	} else if (base == 8 && number.used < number.len && lex_is_digit(number.text[number.used])) {
		lexer_fail(lexer, begin, lexer->pos, "a number that begins with 0 is octal: its digits are 0 to 7");
	} else if (!suffix(&number)) {
		lexer_fail(lexer, begin + number.used, lexer->pos,
			   "unknown suffix of a number; known: ns us ms s m h d, and C's u, l, ul, ll, ull");
	} else if (number.overflows) {
		lexer_fail(lexer, begin, lexer->pos, "this number does not fit into 64 bits");
	} else if (base == 10 && lexer->pos + 1 < lexer->end && lexer->text[lexer->pos] == '.' &&
		   lex_is_digit(lexer->text[lexer->pos + 1]) && !(begin && lexer->text[begin - 1] == '.')) {
		uint32_t end = lexer->pos + 2;

		while (end < lexer->end && lex_is_digit(lexer->text[end]))
			end++;
		lexer_fail(lexer, begin, end, "floating point numbers do not exist here");
	}
	token->kind = TOKEN_INTEGER;
	token->value = number.value;
	return !lexer->failed;
}
