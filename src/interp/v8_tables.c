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
static struct v8_place place_of(uint64_t raw)
{
	return (struct v8_place){
		.position = raw & 1 ? -1 : (int)(raw >> 1 & 0x3fffffff) - 1,
		.inlined = (int)(raw >> 31 & 0xffff) - 1,
	};
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
	*place = place_of(found);
	return is_found;
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
	*call = place_of(inlined.position);
	/* calls have the number of one that was inlined before: so a chain of them ends */
	return call->inlined < number;
}

/* --- translations --- */

struct translation {
	const uint8_t *table;
	const char *opcodes;
	size_t n, n_opcodes;
	size_t at, before;  /* the index, and that in the translation before; behind the table: there is none */
	uint64_t repeat;    /* how many are still taken from there, and the one that was taken last */
	unsigned int since; /* how many were read since that index was right */
	bool damaged;
};

static uint32_t take_operand(struct translation *translation, size_t *at)
{
	struct reader reader = { translation->table + *at, translation->table + translation->n, false };
	uint64_t value = *at < translation->n ? take_number(&reader) : 0;

	translation->damaged |= *at >= translation->n || reader.damaged || value > UINT32_MAX;
	*at = (size_t)(reader.at - translation->table);
	return (uint32_t)value;
}

static int take_operand_signed(struct translation *translation)
{
	uint32_t value = take_operand(translation, translation->repeat ? &translation->before : &translation->at);

	return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

static uint8_t take_byte(struct translation *translation, size_t *at)
{
	if (*at < translation->n)
		return translation->table[(*at)++];
	translation->damaged = true;
	return 0;
}

static unsigned int n_operands(char opcode)
{
	switch (opcode) {
	case 'S':
		return 6;
	case 'R':
		return 5;
	case 'G':
	case 'w':
		return 4;
	case 'i':
		return 2;
	case 'o':
		return 1;
	case 'B':
	case 'b':
	case 'F':
	case 'c':
		return 3;
	default:
		return (unsigned int)(opcode - '0');
	}
}

static char opcode_before(struct translation *translation)
{
	uint8_t opcode = take_byte(translation, &translation->before);

	/* it repeats nothing itself */
	translation->damaged |= opcode >= translation->n_opcodes - 1;
	return translation->damaged ? '0' : translation->opcodes[opcode];
}

static void skip_before(struct translation *translation)
{
	unsigned int n = n_operands(opcode_before(translation));

	while (n-- && !translation->damaged)
		take_operand(translation, &translation->before);
}

static void begin(struct translation *translation)
{
	size_t at = translation->at;
	uint32_t back = take_operand(translation, &at);

	translation->damaged |= back >= translation->at;
	translation->before = translation->damaged ? 0 : translation->at - 1 - back;
	translation->since = 1;
}

static char take_opcode(struct translation *translation)
{
	uint8_t opcode;

	if (translation->repeat && --translation->repeat)
		return opcode_before(translation);
	opcode = take_byte(translation, &translation->at);
	if (opcode < translation->n_opcodes - 1) {
		translation->since++;
		if (translation->opcodes[opcode] == 'B')
			begin(translation);
		return translation->opcodes[opcode];
	}
	translation->repeat = opcode >= translation->n_opcodes ? opcode - translation->n_opcodes
							       : take_operand(translation, &translation->at);
	translation->damaged |= !translation->repeat;
	while (translation->since && !translation->damaged) {
		skip_before(translation);
		translation->since--;
	}
	return translation->damaged ? '0' : opcode_before(translation);
}

size_t v8_tables_translation(const uint8_t *table, size_t n, const char *opcodes, int index,
			     struct v8_translated *functions, size_t max)
{
	struct translation translation = { .table = table,
					   .n = n,
					   .opcodes = opcodes,
					   .n_opcodes = strlen(opcodes),
					   .at = (size_t)index,
					   .before = n };
	size_t n_functions = 0;
	int left;
	char first;

	first = index < 0 ? '0' : take_opcode(&translation);
	if (first != 'B' && first != 'b')
		return 0;
	/* how far back the one before is; frames of all kinds, those of functions; how many places for feedback */
	if (first == 'B')
		take_operand(&translation, &translation.at);
	left = take_operand_signed(&translation);
	take_operand_signed(&translation);
	if (first == 'b')
		take_operand_signed(&translation);
	while (left > 0 && !translation.damaged) {
		char opcode = take_opcode(&translation);

		/* a translation begins once */
		if (opcode == 'B' || opcode == 'b' || opcode == 'x')
			return 0;
		int operands[6] = {};

		for (unsigned int i = 0; i < n_operands(opcode); i++)
			operands[i] = take_operand_signed(&translation);
		left -= opcode >= 'A';
		if (!strchr("RFSG", opcode))
			continue;
		if (n_functions == max)
			return 0;
		functions[n_functions++] = (struct v8_translated){ .offset = operands[0], .literal = operands[1] };
	}
	return translation.damaged ? 0 : n_functions;
}
