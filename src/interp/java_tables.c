// SPDX-License-Identifier: BSD-2-Clause
/* The tables of java_tables.h. */
#include "java_tables.h"

#define NUMBER_BYTES 5
#define LAST_BELOW   192

struct reader {
	const uint8_t *at, *end;
	uint8_t minus;
	bool failed;
};

static uint32_t read_number(struct reader *reader)
{
	uint32_t number = 0;

	for (unsigned int i = 0; i < NUMBER_BYTES; i++) {
		uint8_t byte;

		if (reader->at >= reader->end || *reader->at < reader->minus) {
			reader->failed = true;
			return 0;
		}
		byte = *reader->at++;
		number += (uint32_t)(byte - reader->minus) << 6 * i;
		if (byte < LAST_BELOW)
			break;
	}
	return number;
}

/* The lowest bit is the sign. */
static int32_t read_signed(struct reader *reader)
{
	uint32_t number = read_number(reader);

	return (int32_t)((number >> 1) ^ (0 - (number & 1)));
}

uint32_t java_tables_stop(const struct java_stop *stops, size_t n, uint32_t offset)
{
	size_t at = 0;

	while (n) {
		size_t half = n / 2;

		if (stops[at + half].offset >= (int64_t)offset) {
			n = half;
		} else {
			at += half + 1;
			n -= half + 1;
		}
	}
	/* the caller's array has one more, which is none */
	return stops[at].offset == (int64_t)offset && stops[at].scope > 0 ? (uint32_t)stops[at].scope : 0;
}

bool java_tables_scope(const uint8_t *table, size_t n, uint32_t at, uint8_t minus, struct java_scope *scope)
{
	struct reader reader = { .minus = minus };

	if (at >= n)
		return false;
	reader.at = table + at;
	reader.end = table + n;
	scope->sender = read_number(&reader);
	scope->method = read_number(&reader);
	scope->bci = (int)(read_number(&reader) - 1);
	/* the caller's was written before */
	return !reader.failed && scope->sender < at && scope->method;
}

/* What says that two numbers follow; else a byte has 5 bits for bytecode and 3 for lines. */
#define LINE_ESCAPE 0xff
#define LINE_LAST   65535

int java_tables_line(const uint8_t *table, size_t n, uint8_t minus, uint32_t bci)
{
	struct reader reader = { .at = table, .minus = minus };
	int64_t at = 0, line = 0, best = 0, best_at = -1;

	if (!n)
		return 0;
	reader.end = table + n;
	while (reader.at < reader.end && *reader.at) {
		uint8_t byte = *reader.at++;

		if (byte == LINE_ESCAPE) {
			at += read_signed(&reader);
			line += read_signed(&reader);
		} else {
			at += byte >> 3;
			line += byte & 7;
		}
		if (reader.failed || line < 0 || line > LINE_LAST)
			return 0;
		/* the nearest one before */
		if (at <= (int64_t)bci && at > best_at) {
			best_at = at;
			best = line;
		}
	}
	return (int)best;
}
