// SPDX-License-Identifier: BSD-2-Clause
/*
 * An entry stands for 1 to 8 units. Its first byte has bit 7 set, the kind of the entry in bits 3 to 6, and the number
 * of units less one below. Numbers behind it have six bits in a byte, the lowest first; bit 6 says that more follow.
 */
#include "lines.h"

enum {
	/* Up to 12: the line is that many lines further, two bytes of columns follow; below: one byte. */
	KIND_ONE_LINE = 10,
	KIND_NO_COLUMNS = 13,
	KIND_LONG = 14, /* the change of the line, how many lines, two columns */
	KIND_NONE = 15, /* no line */
};

struct reader {
	const uint8_t *at, *end;
	bool damaged;
};

static uint32_t take_number(struct reader *reader)
{
	uint32_t value = 0;

	for (int shift = 0; shift < 30; shift += 6) {
		uint8_t byte;

		if (reader->at == reader->end)
			break;
		byte = *reader->at++;
		value |= (uint32_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			return value;
	}
	reader->damaged = true;
	return 0;
}

/* The sign is in the lowest bit. */
static int32_t take_signed(struct reader *reader)
{
	uint32_t value = take_number(reader);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

static void skip(struct reader *reader, ptrdiff_t n)
{
	if (reader->end - reader->at < n)
		reader->damaged = true;
	else
		reader->at += n;
}

/* Reads what follows the first byte. Returns by how much the line changes. */
static int32_t take_change(struct reader *reader, int kind)
{
	int32_t change = 0;

	if (kind == KIND_NONE)
		return 0;
	if (kind < KIND_ONE_LINE) {
		skip(reader, 1);
		return 0;
	}
	if (kind < KIND_NO_COLUMNS) {
		skip(reader, 2);
		return kind - KIND_ONE_LINE;
	}
	change = take_signed(reader);
	for (int i = 0; kind == KIND_LONG && i < 3; i++)
		take_number(reader);
	return change;
}

int lines_at(const uint8_t *table, size_t n, int first, unsigned int place)
{
	struct reader reader = { table, n ? table + n : table, false };
	int64_t line = first;
	uint64_t end = 0;

	while (reader.at < reader.end) {
		uint8_t head = *reader.at++;
		int kind = head >> 3 & 15;

		if (!(head & 0x80))
			return 0;
		line += take_change(&reader, kind);
		if (reader.damaged)
			return 0;
		end += (head & 7) + 1;
		if (place < end)
			return kind == KIND_NONE || line <= 0 || line > INT32_MAX ? 0 : (int)line;
	}
	return 0;
}

/* --- up to 3.10: pairs of bytes, of which the second is signed --- */

static int line_or_none(int64_t line)
{
	return line <= 0 || line > INT32_MAX ? 0 : (int)line;
}

/* How many bytes of code, and by how much the line differs from the one before; -128: these have no line. */
int lines_at_310(const uint8_t *table, size_t n, int first, unsigned int place)
{
	uint64_t end = 0, at = 2ULL * place;
	int64_t line = first;

	for (size_t i = 0; i + 1 < n; i += 2) {
		const bool has_line = table[i + 1] != 0x80;

		end += table[i];
		line += has_line ? (int8_t)table[i + 1] : 0;
		if (at < end)
			return has_line ? line_or_none(line) : 0;
	}
	return 0;
}

/* How many bytes further the code is that far below: what follows the last pair has its line. */
int lines_at_38(const uint8_t *table, size_t n, int first, unsigned int place)
{
	uint64_t begin = 0, at = 2ULL * place;
	int64_t line = first;

	for (size_t i = 0; i + 1 < n; i += 2) {
		begin += table[i];
		if (at < begin)
			break;
		line += (int8_t)table[i + 1];
	}
	return line_or_none(line);
}
