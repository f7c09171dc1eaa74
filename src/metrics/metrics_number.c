// SPDX-License-Identifier: BSD-2-Clause
/* Prints numbers: integers and billionths exactly, doubles as the shortest text that reads back the same. */
#include <math.h>

#include "metrics_number.h"

#define NS_PER_S     1000000000ULL
#define DECIMALS     9
#define DIGITS_MOST  17 /* tell all doubles apart */
#define DIGITS_USUAL 15 /* always survive the way there and back */
/* Bounds with other exponents are printed with an exponent. */
#define LE_EXPONENT_LEAST (-4)
#define LE_EXPONENT_MOST  5

/* Appends ns as seconds, exactly. */
static void metrics_number_add_seconds(struct str *s, uint64_t ns)
{
	uint64_t rest = ns % NS_PER_S;
	char digits[DECIMALS];
	size_t n = DECIMALS;

	str_add_u64(s, ns / NS_PER_S);
	if (!rest)
		return;
	for (size_t i = DECIMALS; i-- > 0; rest /= 10)
		digits[i] = '0' + rest % 10;
	while (digits[n - 1] == '0')
		n--;
	str_addc(s, '.');
	str_addn(s, digits, n);
}

static void add_real(struct str *s, double value)
{
	char text[32];

	if (isnan(value)) {
		str_add(s, "NaN");
		return;
	}
	if (isinf(value)) {
		str_add(s, value > 0 ? "+Inf" : "-Inf");
		return;
	}
	for (int digits = DIGITS_USUAL; digits <= DIGITS_MOST; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	str_add(s, text);
}

void metrics_number_add(struct str *s, struct metrics_number number)
{
	switch (number.type) {
	case METRICS_U64:
		str_add_u64(s, number.u64);
		break;
	case METRICS_S64:
		str_add_s64(s, number.s64);
		break;
	case METRICS_NANO:
		metrics_number_add_seconds(s, number.u64);
		break;
	case METRICS_REAL:
		add_real(s, number.real);
		break;
	}
}

/* The digits that Go's strconv.FormatFloat(value, 'g', -1, 64) has, which Prometheus uses for bounds from protobuf. */
void metrics_number_add_le(struct str *s, double value)
{
	size_t start = s->len;
	int digits = 0, exponent;
	char text[32];

	if (!isfinite(value)) {
		add_real(s, value);
		return;
	}
	do {
		snprintf(text, sizeof(text), "%.*e", digits++, value);
	} while (strtod(text, NULL) != value && digits < DIGITS_MOST);
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent < LE_EXPONENT_LEAST || exponent > LE_EXPONENT_MOST)
		str_add(s, text);
	else
		str_addf(s, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, value);
	if (!strpbrk(s->data + start, ".e"))
		str_add(s, ".0");
}

double metrics_number_real(struct metrics_number number)
{
	switch (number.type) {
	case METRICS_U64:
		return number.u64;
	case METRICS_S64:
		return number.s64;
	case METRICS_NANO:
		/* one rounding: whole seconds and billionths on their own would be two */
		return number.u64 >> 53 ? (long double)number.u64 / NS_PER_S : number.u64 / (double)NS_PER_S;
	default:
		return number.real;
	}
}
