// SPDX-License-Identifier: BSD-2-Clause
/* Decodes the tables of V8. Knows no memory but theirs. */
#include "v8_tables.h"

struct reader {
	const uint8_t *at, *end;
	bool damaged;
};

static uint64_t take_number(struct reader *reader)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		uint8_t byte = *reader->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->damaged = true;
	return 0;
}

/* The sign is in the lowest bit. */
static int64_t take_signed(struct reader *reader)
{
	uint64_t value = take_number(reader);

	return (int64_t)(value >> 1 ^ -(value & 1));
}

/* A position as one number: of a file outside of JavaScript, its position + 1, the number of the inlined call + 1. */
static bool place_of(uint64_t raw, struct v8_place *place)
{
	place->position = (int)(raw >> 1 & 0x3fffffff) - 1;
	place->inlined = (int)(raw >> 31 & 0xffff) - 1;
	return !(raw & 1) && place->position >= 0;
}

bool v8_tables_place(const uint8_t *table, size_t n, uint32_t offset, struct v8_place *place)
{
	struct reader reader = { table, n ? table + n : table, false };
	uint64_t at = 0, raw = 0, found = 0;
	bool is_found = false;

	while (reader.at < reader.end) {
		int64_t step = take_signed(&reader);

		/* places of expressions are negative */
		at += (uint64_t)(step < 0 ? -(step + 1) : step);
		raw += (uint64_t)take_signed(&reader);
		if (reader.damaged)
			return false;
		if (at > offset)
			break;
		found = raw;
		is_found = true;
	}
	return is_found && place_of(found, place);
}

/* How many bytes a bytecode has; 0: it is none. *scale: of its operands. */
static size_t size_of(uint8_t code, const char *sizes, size_t n_sizes, size_t *scale)
{
	size_t was = *scale, size;

	*scale = 1;
	if (code >= n_sizes)
		return 0;
	/* prefixes: they double or quadruple the operands of the next one; two of them are the debugger's */
	if (code < 4)
		*scale = code & 1 ? 4 : 2;
	size = (size_t)(sizes[code] - 'A');
	return 1 + (size & 7) * was + (size >> 3);
}

int v8_tables_bytecode(const uint8_t *table, size_t n, const uint8_t *bytecode, size_t n_bytecode, const char *sizes,
		       uint32_t offset)
{
	struct reader reader = { table, n ? table + n : table, false };
	uint64_t end = take_number(&reader);
	size_t n_sizes = strlen(sizes), at = 0;

	if (reader.damaged || offset < end)
		return -1;
	while (at < n_bytecode) {
		size_t scale = 1, begin = at, size = size_of(bytecode[at], sizes, n_sizes, &scale);

		if (scale > 1 && at + 1 < n_bytecode)
			size += size_of(bytecode[at + 1], sizes, n_sizes, &scale);
		end += take_number(&reader);
		if (reader.damaged || !size)
			return -1;
		if (offset < end)
			return begin < INT32_MAX ? (int)begin : -1;
		at += size;
	}
	return -1;
}

struct inlined {
	uint64_t position;
	int32_t function, unused;
};

bool v8_tables_inlined(const uint8_t *table, size_t n, int number, struct v8_place *call, int *function)
{
	struct inlined inlined;

	if (number < 0 || (size_t)number >= n / sizeof(inlined))
		return false;
	memcpy(&inlined, table + (size_t)number * sizeof(inlined), sizeof(inlined));
	*function = inlined.function;
	if (!place_of(inlined.position, call))
		call->position = -1;
	/* calls have the number of one that was inlined before: so a chain of them ends */
	return call->inlined < number;
}
