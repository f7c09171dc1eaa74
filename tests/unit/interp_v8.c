// SPDX-License-Identifier: BSD-2-Clause
/* src/interp/v8*: tables of V8 that a program of Node had, and objects in memory that is right, wrong or hostile. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "interp/language.h"
#include "interp/v8.h"
#include "interp/v8_tables.h"

TestSuite(interp_v8);

static const char opcodes[] = "10BB11c1c11111i11111111RFFFw01111121";
static const char sizes[] = "AAAAABCDESTBABAAAAABDDBBBCBBBAAAICCC";

static size_t bytes_of(const char *hex, uint8_t *bytes)
{
	size_t n = 0;

	for (; hex[2 * n]; n++) {
		unsigned int byte;

		cr_assert_eq(sscanf(hex + 2 * n, "%2x", &byte), 1);
		bytes[n] = (uint8_t)byte;
	}
	return n;
}

/* Of a function that calls one, which was inlined with the one that it calls. */
Test(interp_v8, translations)
{
	uint8_t table[256];
	const size_t n = bytes_of("0200060618060a021f061f031f051f0a1c1c180c00041d0c1d0e1f051d101c1c1c180c02061d121d0e1d141d100f010f"
				  "071c1d1402340404271e0727181a0004261e07250f01251e0702490404271e0727181a0004261e07250f01251e07025e"
				  "0202180e0a02261e07260f02026c020218030a022a027506063318380206281d161d18251c0285010606331838020628"
				  "100e100c251c",
				  table);
	struct v8_translated functions[4];

	cr_assert_eq(v8_tables_translation(table, n, opcodes, 0, functions, 4), 3);
	cr_expect(functions[0].literal == 5 && functions[0].offset == 3);
	cr_expect(functions[1].literal == 0 && functions[1].offset == 6);
	cr_expect(functions[2].literal == 1 && functions[2].offset == 6);
	/* these repeat parts of the first */
	cr_assert_eq(v8_tables_translation(table, n, opcodes, 52, functions, 4), 2);
	cr_expect(functions[1].literal == 0 && functions[1].offset == 13);
	cr_assert_eq(v8_tables_translation(table, n, opcodes, 108, functions, 4), 1);
	cr_expect(functions[0].literal == 5 && functions[0].offset == -1);
	cr_assert_eq(v8_tables_translation(table, n, opcodes, 133, functions, 4), 3);
	cr_expect(functions[2].literal == 1 && functions[2].offset == 28);
	/* too many, cut off, not at the begin of one, nowhere */
	cr_expect_eq(v8_tables_translation(table, n, opcodes, 133, functions, 2), 0);
	cr_expect_eq(v8_tables_translation(table, 30, opcodes, 0, functions, 4), 0);
	cr_expect_eq(v8_tables_translation(table, n, opcodes, 1, functions, 4), 0);
	cr_expect_eq(v8_tables_translation(table, n, opcodes, (int)n, functions, 4), 0);
	cr_expect_eq(v8_tables_translation(table, n, opcodes, -1, functions, 4), 0);
}

/* Those of 10.2 repeat nothing, and their opcodes are numbers with a sign. */
Test(interp_v8, translations_of_10)
{
	static const char old[] = "ix1x0xbx1x1xcx1xcx1x1x1x1x1x1x1x1x1xRxcxcxwx1x1x1x1x1x2x";
	/* two functions, the second behind a stub's frame; a literal and a slot of the first */
	static const uint8_t table[] = { 6, 6, 4, 0, 36, 14, 2, 4, 0, 0, 44, 8, 48, 9, 16, 2, 4, 6, 36, 0x80, 2, 6, 2, 0, 2, 46, 1 };
	uint8_t damaged[sizeof(table)];
	struct v8_translated functions[4];

	cr_assert_eq(v8_tables_translation(table, sizeof(table), old, 0, functions, 4), 2);
	cr_expect(functions[0].literal == 1 && functions[0].offset == 7);
	cr_expect(functions[1].literal == 3 && functions[1].offset == 128);
	cr_expect_eq(v8_tables_translation(table, sizeof(table), old, 4, functions, 4), 0);
	cr_expect_eq(v8_tables_translation(table, 18, old, 0, functions, 4), 0);
	/* an opcode that is none, one that would repeat, two begins */
	for (int i = 0; i < 3; i++) {
		memcpy(damaged, table, sizeof(table));
		damaged[10] = (const uint8_t[]){ 45, 56, 6 }[i];
		cr_expect_eq(v8_tables_translation(damaged, sizeof(damaged), old, 0, functions, 4), 0);
	}
}

/* Those of 13 have the bytecode among the literals, too. */
Test(interp_v8, translations_of_13)
{
	static const char new[] = "SGcciocwccc100BB11101111111111111111101111121";
	/* two functions, the second behind a stub's frame, and values of the first */
	static const uint8_t table[] = { 14, 0, 6, 4, 1, 10, 4, 2, 3, 40, 6, 19, 5, 8, 0, 194, 1, 6, 2, 5, 0, 2, 40, 6 };
	struct v8_translated functions[4];

	cr_assert_eq(v8_tables_translation(table, sizeof(table), new, 0, functions, 4), 2);
	cr_expect(functions[0].literal == 2 && functions[0].offset == 5);
	cr_expect(functions[1].literal == 3 && functions[1].offset == 97);
	for (size_t n = 0; n < sizeof(table) - 2; n++)
		cr_expect_eq(v8_tables_translation(table, n, new, 0, functions, 4), 0);
}

Test(interp_v8, places)
{
	/* offset 1 at position 160; 8 further at 165, inlined by call 0; 4 further, of no known position */
	static const uint8_t table[] = { 0x03, 0x84, 0x05, 0x0f, 0x94, 0x80, 0x80, 0x80, 0x10, 0x07, 0x97, 0x85, 0x80, 0x80, 0x10 };
	struct v8_place place;

	cr_expect_not(v8_tables_place(table, sizeof(table), 0, &place));
	cr_assert(v8_tables_place(table, sizeof(table), 1, &place));
	cr_expect_eq(place.position, 160);
	cr_expect_eq(place.inlined, -1);
	cr_assert(v8_tables_place(table, sizeof(table), 8, &place));
	cr_expect_eq(place.inlined, 0);
	cr_expect_eq(place.position, 165);
	cr_assert(v8_tables_place(table, sizeof(table), 100, &place));
	cr_expect_eq(place.position, -1);
	cr_expect_not(v8_tables_place(table, 2, 1, &place), "the number is cut off");
	cr_expect_not(v8_tables_place(NULL, 0, 1, &place));
}

Test(interp_v8, bytecode)
{
	/* the prologue; three bytecodes, of which the second has a prefix */
	static const uint8_t table[] = { 40, 4, 6, 0x85, 0x01 }, code[] = { 5, 1, 0, 6, 1, 2, 3, 4, 12 };

	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 39), -1);
	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 40), 0);
	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 43), 0);
	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 44), 2);
	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 49), 2);
	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 50), 8);
	cr_expect_eq(v8_tables_bytecode(table, sizeof(table), code, sizeof(code), sizes, 1000), -1);
	cr_expect_eq(v8_tables_bytecode(table, 2, code, sizeof(code), sizes, 44), -1);
}

/* A chain of inlined calls has an end, whatever the table says. */
Test(interp_v8, inlined)
{
	const struct {
		uint64_t position;
		int32_t function, unused;
	} calls[] = { { 100 << 1, 3, 0 }, { 50 << 1 | 2ULL << 31, 1, 0 } };
	struct v8_place call;
	int function;

	cr_assert(v8_tables_inlined((const uint8_t *)calls, sizeof(calls), 0, &call, &function));
	cr_expect(function == 3 && call.position == 99 && call.inlined == -1);
	cr_expect_not(v8_tables_inlined((const uint8_t *)calls, sizeof(calls), 1, &call, &function), "it calls itself");
	cr_expect_not(v8_tables_inlined((const uint8_t *)calls, sizeof(calls), 2, &call, &function));
	cr_expect_not(v8_tables_inlined((const uint8_t *)calls, sizeof(calls), -1, &call, &function));
}

/* --- objects --- */

enum type {
	TYPE_TEXT = 0x28,
	TYPE_TWO_BYTES = 0x20,
	TYPE_CONS = 0x29,
	TYPE_SHARED = 0x8010,
	TYPE_SCOPE,
	TYPE_SCRIPT,
	TYPE_ARRAY,
	TYPE_BYTES,
	TYPE_BYTECODE,
	TYPE_CODE,
};

static const struct runtime runtime = {
	.language = &language_v8,
	.v8 = { .map_type = 12,
		.shared_data = 8,
		.shared_other = 8,
		.shared_name = 16,
		.shared_script = 32,
		.shared_flags = 48,
		.scope_head = 4,
		.script_source = 8,
		.script_name = 16,
		.script_line = 24,
		.script_ends = 56,
		.bytecode_positions = 32,
		.bytecode_data = 54,
		.code_data = 16,
		.stream_align = 64,
		.data_literals = 2,
		.data_shared = 6,
		.data_calls = 7,
		.data_exits = 8,
		.data_words = 11,
		.sizes = sizes,
		.opcodes = opcodes,
		.shared_type = TYPE_SHARED,
		.scope_type = TYPE_SCOPE,
		.script_type = TYPE_SCRIPT,
		.array_type = TYPE_ARRAY,
		.bytes_type = TYPE_BYTES,
		.bytecode_type = TYPE_BYTECODE,
		.data_type = TYPE_ARRAY,
		.trusted_type = TYPE_BYTES }
};

/* An object with its map, which says its type. */
struct object {
	uint64_t map, words[32];
	uint8_t of_map[16];
};

static struct object shared, scope, script, name, file, source, bytecode, positions;

static uint64_t pointer(const struct object *object)
{
	return (uintptr_t)object + 1;
}

static void make(struct object *object, uint16_t type)
{
	memset(object, 0, sizeof(*object));
	object->map = (uintptr_t)object->of_map + 1;
	memcpy(object->of_map + 12, &type, sizeof(type));
}

static void make_text(struct object *object, const char *text)
{
	const uint32_t length = (uint32_t)strlen(text);

	make(object, TYPE_TEXT);
	memcpy((uint8_t *)object->words + 4, &length, sizeof(length));
	memcpy(&object->words[1], text, length);
}

static uint64_t number(int32_t value)
{
	return (uint64_t)(uint32_t)value << 32;
}

/* A function at line 2 of a file, whose bytecode is at line 3 from offset 4 on. */
static void make_function(void)
{
	static const uint8_t table[] = { 0x08, 112 };

	make_text(&name, "add");
	make_text(&file, "/srv/app/cart.js");
	make_text(&source, "// one\nfunction add(x) {\n\treturn 1;\n}\n");
	make(&script, TYPE_SCRIPT);
	script.words[0] = pointer(&source);
	script.words[1] = pointer(&file);
	make(&scope, TYPE_SCOPE);
	scope.words[3] = pointer(&name);
	scope.words[4] = number(-1);
	scope.words[5] = pointer(&shared);
	scope.words[6] = number(19);
	scope.words[7] = number(35);
	make(&positions, TYPE_BYTES);
	positions.words[0] = number(sizeof(table));
	memcpy(&positions.words[1], table, sizeof(table));
	make(&bytecode, TYPE_BYTECODE);
	bytecode.words[0] = number(8);
	bytecode.words[3] = pointer(&positions);
	make(&shared, TYPE_SHARED);
	shared.words[0] = pointer(&bytecode);
	shared.words[1] = pointer(&scope);
	shared.words[3] = pointer(&script);
}

static int read_with(struct v8 *v8, uint64_t address, unsigned int place, struct v8_frame frames[V8_FRAMES])
{
	static const uint64_t none[2];
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);
	int n_before;

	return v8_frames(v8, &(struct v8_process){ pid, &runtime, &peek },
			 INTERP_FRAME | address >> 3 << INTERP_PLACE_BITS | place, none, frames, &n_before);
}

static int read_new(unsigned int place, struct v8_frame *frame, char function[NAMES_FUNCTION])
{
	struct v8 *v8 = v8_new();
	struct v8_frame frames[V8_FRAMES];
	int n = read_with(v8, (uintptr_t)&shared, place, frames);

	*function = 0;
	if (n > 0) {
		*frame = frames[0];
		snprintf(function, NAMES_FUNCTION, "%s", frames[0].function);
	}
	v8_free(v8);
	return n;
}

Test(interp_v8, names)
{
	struct v8_frame frames[V8_FRAMES];
	struct v8 *v8 = v8_new();

	make_function();
	cr_assert_eq(read_with(v8, (uintptr_t)&shared, 53 + 5, frames), 1);
	cr_expect_str_eq(frames[0].function, "add");
	cr_expect_str_eq(frames[0].file, "/srv/app/cart.js");
	cr_expect_eq(frames[0].line, 3);
	cr_expect_not(frames[0].is_begin);
	/* before the first position, and where there is none: the function's begin */
	cr_assert_eq(read_with(v8, (uintptr_t)&shared, 53, frames), 1);
	cr_expect(frames[0].line == 2 && frames[0].is_begin);
	cr_assert_eq(read_with(v8, (uintptr_t)&shared, INTERP_PLACE_UNKNOWN, frames), 1);
	cr_expect(frames[0].line == 2 && frames[0].is_begin);
	/* another function takes its place */
	make_text(&file, "/srv/app/list.js");
	make_text(&name, "sub");
	shared.words[1] = pointer(&name);
	cr_assert_eq(read_with(v8, (uintptr_t)&shared, 53 + 5, frames), 1);
	cr_expect_str_eq(frames[0].function, "sub");
	/* a builtin has its native frame */
	shared.words[0] = number(17);
	cr_expect_eq(read_with(v8, (uintptr_t)&shared, 53, frames), 0);
	/* and nothing is there any more */
	shared.map = script.map;
	cr_expect_eq(read_with(v8, (uintptr_t)&shared, 53, frames), -1);
	v8_free(v8);
}

/* The last object of V8's memory: behind the flags there is nothing more to read. */
Test(interp_v8, names_at_the_end)
{
	const size_t size = (size_t)getpagesize(), n = runtime.v8.shared_flags + 8;
	uint8_t *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;
	struct v8_frame frames[V8_FRAMES];
	struct v8 *v8 = v8_new();

	cr_assert(pages != MAP_FAILED && !munmap(pages + size, size));
	make_function();
	at = memcpy(pages + size - n, &shared, n);
	cr_assert_eq(read_with(v8, (uintptr_t)at, 53 + 5, frames), 1);
	cr_expect_str_eq(frames[0].function, "add");
	v8_free(v8);
	munmap(pages, size);
}

Test(interp_v8, names_that_are_none)
{
	struct v8_frame frame;
	char function[NAMES_FUNCTION];

	make_function();
	scope.words[3] = number(0);
	cr_assert_eq(read_new(53, &frame, function), 1);
	cr_expect_str_eq(function, "(anonymous)", "it has no name");
	make_function();
	scope.words[2] = number(INT32_MAX);
	cr_expect_eq(read_new(53, &frame, function), -1, "where its name is cannot be known");
	make_function();
	scope.words[3] = pointer(&scope) + 8;
	cr_expect_eq(read_new(53, &frame, function), -1, "its name is no object");
	make_function();
	script.words[1] = pointer(&script);
	cr_assert_eq(read_new(53, &frame, function), 1);
	cr_expect_eq(frame.line, 2);
	make_function();
	bytecode.words[0] = number(INT32_MAX);
	positions.words[0] = number(INT32_MAX);
	source.words[0] = UINT64_MAX;
	cr_assert_eq(read_new(53 + 5, &frame, function), 1);
	cr_expect_eq(frame.line, 0, "the lengths are too large");
	make_function();
	shared.map = 1;
	cr_expect_eq(read_new(53, &frame, function), -1);
}

Test(interp_v8, names_with_odd_characters)
{
	static const uint16_t wide[] = { 0xe9, 0x20ac, '\n', 0xd83d, 0xde00, 0xd83d };
	struct v8_frame frame;
	char function[NAMES_FUNCTION];
	struct object cons;

	make_function();
	make_text(&name, "a\x1b[31m");
	cr_assert_eq(read_new(53, &frame, function), 1);
	cr_expect_null(strchr(function, 0x1b));
	make_function();
	make_text(&name, "");
	memcpy((uint8_t *)name.words + 4, &(uint32_t){ ARRAY_SIZE(wide) }, 4);
	memcpy(&name.words[1], wide, sizeof(wide));
	name.of_map[12] = TYPE_TWO_BYTES;
	cr_assert_eq(read_new(53, &frame, function), 1);
	cr_expect_eq(strncmp(function, "\xc3\xa9\xe2\x82\xac", 5), 0, "%s", function);
	cr_expect_not_null(strstr(function, "\xf0\x9f\x98\x80"), "%s", function);
	/* a text of two parts, and one that has itself as a part */
	make_function();
	make(&cons, TYPE_CONS);
	memcpy((uint8_t *)cons.words + 4, &(uint32_t){ 6 }, 4);
	cons.words[1] = cons.words[2] = pointer(&name);
	scope.words[3] = pointer(&cons);
	cr_assert_eq(read_new(53, &frame, function), 1);
	cr_expect_str_eq(function, "addadd");
	cons.words[1] = cons.words[2] = pointer(&cons);
	cr_expect_eq(read_new(53, &frame, function), -1, "a text without end is no name, and the function has one");
}

/* Addresses that are no functions leave what is known as it is. */
Test(interp_v8, functions_that_are_none)
{
	struct v8_frame frames[V8_FRAMES];
	struct v8 *v8 = v8_new();

	make_function();
	cr_expect_eq(read_with(v8, 0, 53, frames), -1);
	cr_expect_eq(read_with(v8, (uintptr_t)&script, 53, frames), -1);
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(read_with(v8, 0, 53, frames), -1);
		cr_assert_eq(read_with(v8, (uintptr_t)&shared, 53 + 5, frames), 1);
		cr_expect_str_eq(frames[0].function, "add");
	}
	v8_free(v8);
}

/* Up to 10.2 a code object has its instructions itself. */
Test(interp_v8, code_with_its_instructions)
{
	static struct {
		struct object page, before;
		uint64_t code[64] __attribute__((aligned(64)));
	} memory __attribute__((aligned(4096)));
	static const uint8_t table[] = { 0x40, 112 };
	struct v8_frame frames[V8_FRAMES];
	struct runtime old = runtime;
	struct object type, places, data, members[2];
	struct v8 *v8 = v8_new();
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);
	uint64_t before[2] = { (uintptr_t)&memory.code[16] + 40 };
	int n_before;

	old.v8.code_type = TYPE_CODE;
	old.v8.code_positions = 24;
	old.v8.code_kind = 48;
	old.v8.code_size = 40;
	old.v8.stream_start = 128;
	old.v8.kind_optimized = 12;
	old.v8.kinds_optimized = 2;
	make_function();
	make(&type, TYPE_CODE);
	make(&places, TYPE_BYTES);
	places.words[0] = number(sizeof(table));
	memcpy(&places.words[1], table, sizeof(table));
	make(&members[0], TYPE_ARRAY);
	make(&data, TYPE_ARRAY);
	data.words[0] = number(11);
	data.words[1 + 6] = pointer(&shared);
	memory.code[0] = type.map;
	memory.code[1] = pointer(&members[0]);
	memory.code[2] = pointer(&data);
	memory.code[3] = pointer(&places);
	memory.code[5] = 256;
	memory.code[6] = 13;
	cr_assert_eq(v8_frames(v8, &(struct v8_process){ pid, &old, &peek },
			       INTERP_FRAME | (uintptr_t)&shared >> 3 << INTERP_PLACE_BITS | INTERP_PLACE_BY_CODE, before, frames,
			       &n_before),
		     1);
	cr_expect(n_before == 1 && frames[0].line == 3 && !frames[0].is_begin);
	cr_expect_str_eq(frames[0].function, "add");
	/* it has ended before the address; the function is known by the note alone */
	memory.code[5] = 32;
	cr_assert_eq(v8_frames(v8, &(struct v8_process){ pid, &old, &peek },
			       INTERP_FRAME | (uintptr_t)&shared >> 3 << INTERP_PLACE_BITS | INTERP_PLACE_BY_CODE, before, frames,
			       &n_before),
		     1);
	cr_expect(n_before == 0 && frames[0].is_begin);
	v8_free(v8);
}

/* V8 13: other places, and the return addresses of Maglev's code are in a table of its own. */
Test(interp_v8, code_of_maglev)
{
	static struct {
		struct object page, before;
		uint64_t code[64] __attribute__((aligned(64)));
	} memory __attribute__((aligned(4096)));
	/* at an entry that begins at 4; a table for 13: return address 20 has entry 0, with a byte of registers */
	static const uint8_t translation[] = { 14, 0, 2, 2, 1, 10, 0, 0, 0 };
	static const uint8_t table[] = { 0, 0, 0, 0, 2, 0, 0, 0, 0x93, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 9, 9, 20, 1, 44, 9, 9 };
	struct v8_frame frames[V8_FRAMES];
	struct runtime new = runtime;
	struct object code, data, literals, wrapper, translations, stream;
	struct v8 *v8 = v8_new();
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);
	uint64_t before[2] = { (uintptr_t)&memory.code[8] + 19 };
	const uint64_t note = INTERP_FRAME | (uintptr_t)&shared >> 3 << INTERP_PLACE_BITS | INTERP_PLACE_BY_CODE;
	int n_before;

	new.v8.shared_other = 16;
	new.v8.shared_name = 24;
	new.v8.shared_script = 40;
	new.v8.shared_flags = 56;
	new.v8.scope_head = 6;
	new.v8.bytecode_positions = 24;
	new.v8.bytecode_data = 64;
	new.v8.code_data = 8;
	new.v8.code_positions = 16;
	new.v8.code_stream = 32;
	new.v8.code_start = 40;
	new.v8.code_kind = 52;
	new.v8.code_size = 56;
	new.v8.stream_code = 8;
	new.v8.stream_start = 32;
	new.v8.data_literals = 3;
	new.v8.data_shared = 7;
	new.v8.data_calls = 8;
	new.v8.data_exits = 9;
	new.v8.data_words = 12;
	new.v8.kind_optimized = new.v8.kind_maglev = 11;
	new.v8.kinds_optimized = 2;
	new.v8.opcodes = "SGcciocwccc100BB11101111111111111111101111121";
	new.v8.code_type = TYPE_CODE;
	new.v8.wrapper_type = TYPE_CONS;
	new.v8.weak_type = TYPE_ARRAY;
	make_function();
	make(&scope, TYPE_SCOPE);
	scope.words[3] = number(19);
	scope.words[4] = number(35);
	scope.words[5] = pointer(&name);
	bytecode.words[2] = pointer(&positions);
	make(&shared, TYPE_SHARED);
	shared.words[0] = pointer(&bytecode);
	shared.words[2] = pointer(&scope);
	shared.words[4] = pointer(&script);
	make(&wrapper, TYPE_CONS);
	wrapper.words[0] = pointer(&shared);
	make(&literals, TYPE_ARRAY);
	literals.words[0] = number(1);
	literals.words[1] = pointer(&shared);
	make(&translations, TYPE_BYTES);
	translations.words[0] = number(sizeof(translation));
	memcpy(&translations.words[1], translation, sizeof(translation));
	make(&data, TYPE_ARRAY);
	data.words[0] = number(15);
	data.words[1] = pointer(&translations);
	data.words[1 + 3] = pointer(&literals);
	data.words[1 + 7] = pointer(&wrapper);
	data.words[1 + 9] = number(44);
	data.words[1 + 14] = number(44);
	make(&stream, TYPE_CODE);
	make(&code, TYPE_CODE);
	code.words[0] = pointer(&data);
	code.words[3] = (uintptr_t)&memory.code[4] + 1;
	code.words[4] = (uintptr_t)&memory.code[8];
	code.words[5] = number(11);
	code.words[6] = 48;
	memory.code[4] = stream.map;
	memory.code[5] = pointer(&code);
	memcpy((uint8_t *)&memory.code[8] + 48, table, sizeof(table));
	cr_assert_eq(v8_frames(v8, &(struct v8_process){ pid, &new, &peek }, note, before, frames, &n_before), 1);
	cr_expect(n_before == 1 && frames[0].line == 3 && !frames[0].is_begin);
	cr_expect_str_eq(frames[0].function, "add");
	/* at no call */
	before[0]--;
	cr_assert_eq(v8_frames(v8, &(struct v8_process){ pid, &new, &peek }, note, before, frames, &n_before), 1);
	cr_expect(frames[0].line == 2 && frames[0].is_begin);
	/* a wrapper that is none: of which function the code is is not known */
	v8_free(v8);
	v8 = v8_new();
	before[0]++;
	wrapper.map = scope.map;
	cr_assert_eq(v8_frames(v8, &(struct v8_process){ pid, &new, &peek }, note, before, frames, &n_before), 1);
	cr_expect(n_before == 0 && frames[0].is_begin);
	v8_free(v8);
}
