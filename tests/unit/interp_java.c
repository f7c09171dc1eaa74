// SPDX-License-Identifier: BSD-2-Clause
/* src/interp/java*: tables of HotSpot, and methods and code in memory that is right, wrong or hostile. */
#include <criterion/criterion.h>

#include "interp/java.h"
#include "interp/java_tables.h"
#include "interp/language.h"

TestSuite(interp_java);

Test(interp_java, lines)
{
	/* bytecode 0 at line 10, 5 at 12, 300 at 9; most are packed numbers with a sign, as 590 and 5 */
	static const uint8_t table[] = { 0xff, 0, 20, 0x2a, 0xff, 0xce, 0x06, 0x05, 0x00 };
	/* from 20 on each byte has 1 too much */
	static const uint8_t newer[] = { 0xff, 1, 21, 0x2a, 0xff, 0xcf, 0x07, 0x06, 0x00 };

	cr_expect_eq(java_tables_line(table, sizeof(table), 0, 0), 10);
	cr_expect_eq(java_tables_line(table, sizeof(table), 0, 4), 10);
	cr_expect_eq(java_tables_line(table, sizeof(table), 0, 5), 12);
	cr_expect_eq(java_tables_line(table, sizeof(table), 0, 299), 12);
	cr_expect_eq(java_tables_line(table, sizeof(table), 0, 300), 9);
	cr_expect_eq(java_tables_line(newer, sizeof(newer), 1, 299), 12);
	cr_expect_eq(java_tables_line(newer, sizeof(newer), 1, 300), 9);
	cr_expect_eq(java_tables_line(table, 6, 0, 300), 0, "a number is cut off");
	cr_expect_eq(java_tables_line(NULL, 0, 0, 0), 0);
}

Test(interp_java, scopes)
{
	/* nothing at 0; at 1: no sender, method 2, bytecode 7; at 4: its callee, method 3, bytecode 200; at 8: it calls itself */
	static const uint8_t table[] = { 0xff, 0, 2, 8, 1, 3, 0xc9, 0, 8, 1, 1 };
	struct java_scope scope;

	cr_assert(java_tables_scope(table, sizeof(table), 1, 0, &scope));
	cr_expect(!scope.sender && scope.method == 2 && scope.bci == 7);
	cr_assert(java_tables_scope(table, sizeof(table), 4, 0, &scope));
	cr_expect(scope.sender == 1 && scope.method == 3 && scope.bci == 200);
	cr_expect_not(java_tables_scope(table, sizeof(table), 8, 0, &scope), "it has no end");
	cr_expect_not(java_tables_scope(table, sizeof(table), 10, 0, &scope), "cut off");
	cr_expect_not(java_tables_scope(table, sizeof(table), 1000, 0, &scope));
	cr_expect_not(java_tables_scope(table, sizeof(table), 1, 1, &scope), "no byte is 0");
}

Test(interp_java, stops)
{
	static const struct java_stop stops[] = { { -1, 0, 0, 0 }, { 10, 5, 0, 0 }, { 20, 0, 0, 0 }, { 30, 9, 0, 0 }, {} };

	cr_expect_eq(java_tables_stop(stops, 4, 10), 5);
	cr_expect_eq(java_tables_stop(stops, 4, 11), 0);
	cr_expect_eq(java_tables_stop(stops, 4, 20), 0);
	cr_expect_eq(java_tables_stop(stops, 4, 30), 9);
	cr_expect_eq(java_tables_stop(stops, 4, 31), 0);
	cr_expect_eq(java_tables_stop(stops, 0, 10), 0);
}

/* --- memory --- */

#define AT(what)   (memory.at + offsetof(struct process, what))
#define CODE_SIZE  8
#define CODE_BEGIN 100

/* A process with a method of a class, and code that was compiled of it, into which another method was inlined. */
struct process {
	uint64_t low; /* of all code */
	struct {
		uint64_t unused, unchanging;
	} methods[2];
	struct {
		uint64_t pool;
		uint32_t size;
		uint16_t code_size, name, flags, unused[3];
		uint8_t code[CODE_SIZE], lines[8];
	} unchanging[2];
	struct {
		uint64_t holder;
		uint32_t length;
		uint16_t file, unused;
		uint64_t slots[4];
	} pool;
	struct {
		uint64_t name, pool, methods;
	} class;
	struct {
		uint64_t length, methods[2];
	} list;
	struct symbol {
		uint16_t length;
		char text[62];
	} class_name, names[2], file;
	char code_name[64];
	struct {
		uint64_t begin, name, method, scopes;
		int32_t number, stops, stops_end, methods;
		uint64_t refers[2];
		uint8_t table[8];
		uint8_t more[512];
	} code __attribute__((aligned(8)));
};

static struct {
	uint64_t at;
	struct process *process;
	uint64_t absent; /* nothing is there, nor behind it; 0: all is */
} memory;

#define IN(type, what) (uint32_t) offsetof(struct process, type.what) - (uint32_t)offsetof(struct process, type)
static struct runtime runtime = { .language = &language_java };

static size_t read_memory(void *ctx, uint64_t at, void *to, size_t n)
{
	const uint64_t offset = at - memory.at;

	(void)ctx;
	if (offset >= sizeof(struct process) || (memory.absent && at >= memory.absent))
		return 0;
	n = n < sizeof(struct process) - offset ? n : sizeof(struct process) - offset;
	memcpy(to, (char *)memory.process + offset, n);
	return n;
}

static void make_symbol(struct symbol *symbol, const char *text)
{
	symbol->length = (uint16_t)strlen(text);
	memcpy(symbol->text, text, symbol->length);
}

static void make_layout(struct java_layout *layout)
{
	*layout = (struct java_layout){
		.low = 0,
		.code_at = IN(code, begin),
		.name = IN(code, name),
		.code_method = IN(code, method),
		.scopes = IN(code, scopes),
		.number = IN(code, number),
		.places = IN(code, stops),
		.places_end = IN(code, stops_end),
		.metadata = IN(code, methods),
		.method_const = 8,
		.const_pool = 0,
		.const_size = 8,
		.const_code_size = 12,
		.const_name = 14,
		.const_flags = 16,
		.code_begin = 24,
		.pool_holder = 0,
		.pool_length = 8,
		.pool_file = 12,
		.pool_begin = 16,
		.class_name = 0,
		.class_pool = 8,
		.class_methods = 16,
		.methods_data = 8,
		.symbol_body = 2,
	};
}

static void make_methods(struct process *process)
{
	process->pool.holder = AT(class);
	process->pool.length = 4;
	process->pool.file = 3;
	process->pool.slots[3] = AT(file);
	process->class.name = AT(class_name);
	process->class.pool = AT(pool);
	process->class.methods = AT(list);
	process->list.length = 2;
	for (int i = 0; i < 2; i++) {
		process->methods[i].unchanging = memory.at + (uint64_t)((char *)&process->unchanging[i] - (char *)process);
		process->list.methods[i] = memory.at + (uint64_t)((char *)&process->methods[i] - (char *)process);
		process->pool.slots[1 + i] = memory.at + (uint64_t)((char *)&process->names[i] - (char *)process);
		process->unchanging[i].pool = AT(pool);
		process->unchanging[i].size = sizeof(process->unchanging[i]) / 8;
		process->unchanging[i].code_size = CODE_SIZE;
		process->unchanging[i].name = (uint16_t)(1 + i);
		process->unchanging[i].flags = 1;
	}
	/* line 3, and 5 from bytecode 4 on; line 7 */
	memcpy(process->unchanging[0].lines, "\x03\x22", 3);
	memcpy(process->unchanging[1].lines, "\x07", 2);
	make_symbol(&process->class_name, "shop/Cart+0x0123");
	make_symbol(&process->names[0], "total");
	make_symbol(&process->names[1], "price");
	make_symbol(&process->file, "Cart.java");
}

static void make_process(void)
{
	struct process *process = base_alloc(sizeof(*process));

	memory.process = process;
	memory.at = 0x10000;
	make_layout(&runtime.java);
	make_methods(process);
	process->low = AT(low);
	strcpy(process->code_name, "nmethod");
	process->code.begin = AT(code) + CODE_BEGIN;
	process->code.name = AT(code_name);
	process->code.method = process->list.methods[0];
	process->code.number = 0x70005;
	process->code.methods = IN(code, refers);
	process->code.scopes = AT(code.table);
	process->code.refers[0] = process->list.methods[0];
	process->code.refers[1] = process->list.methods[1];
	process->code.stops = IN(code, more);
	process->code.stops_end = process->code.stops + 2 * (int32_t)sizeof(struct java_stop);
	/* total at bytecode 4 has called price, at bytecode 0; and total alone */
	memcpy(process->code.table, "\0\0\1\5\1\2\1", 8);
	memcpy(process->code.more, (struct java_stop[]){ { 20, 4, 0, 0 }, { 40, 1, 0, 0 } }, 2 * sizeof(struct java_stop));
}

static uint64_t frame_of_code(unsigned int number, unsigned int place)
{
	const uint64_t code = (AT(code) - AT(low)) >> 3 | (uint64_t)number << JAVA_NUMBER_SHIFT;

	return INTERP_FRAME | code << INTERP_PLACE_BITS | JAVA_COMPILED | place;
}

static uint64_t frame_of_method(uint64_t address, unsigned int place)
{
	return INTERP_FRAME | address >> 3 << INTERP_PLACE_BITS | place;
}

/* Of a process with its state elsewhere. */
static int read_frame_at(struct java *java, uint64_t state, uint64_t frame, struct java_frame frames[JAVA_FRAMES])
{
	const struct peek peek = { read_memory, NULL };

	return java_frames(java, &(struct java_process){ 1, &runtime, state, &peek }, frame, frames);
}

static int read_frame(struct java *java, bool lives, uint64_t frame, struct java_frame frames[JAVA_FRAMES])
{
	const struct peek peek = { read_memory, NULL };

	return java_frames(java, &(struct java_process){ 1, lives ? &runtime : NULL, memory.at, &peek }, frame, frames);
}

Test(interp_java, interpreted, .init = make_process)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];
	const uint64_t method = memory.process->list.methods[0];

	cr_assert_eq(read_frame(java, true, frame_of_method(method, 4), frames), 1);
	cr_expect_str_eq(frames[0].method, "shop.Cart.total");
	cr_expect_str_eq(frames[0].file, "Cart.java");
	cr_expect_eq(frames[0].line, 5);
	cr_assert_eq(read_frame(java, true, frame_of_method(method, JAVA_BCI_NONE), frames), 1);
	cr_expect_eq(frames[0].line, 0);
	cr_assert_eq(read_frame(java, true, frame_of_method(method, CODE_SIZE), frames), 1);
	cr_expect_eq(frames[0].line, 0, "it has no such place");
	cr_assert_eq(read_frame(java, false, frame_of_method(method, 0), frames), 1, "as it was");
	cr_expect_eq(frames[0].line, 3);
	cr_expect_eq(read_frame(java, false, frame_of_method(memory.process->list.methods[1], 0), frames), -1);
	java_free(java);
	free(memory.process);
}

Test(interp_java, compiled, .init = make_process)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];

	cr_assert_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 20), frames), 2);
	cr_expect_str_eq(frames[0].method, "shop.Cart.price");
	cr_expect_eq(frames[0].line, 7);
	cr_expect_str_eq(frames[1].method, "shop.Cart.total");
	cr_expect_eq(frames[1].line, 5);
	cr_assert_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 40), frames), 1);
	cr_expect_eq(frames[0].line, 5);
	/* no call, or not known whether: the method that was compiled is certain */
	cr_assert_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 21), frames), 1);
	cr_expect_str_eq(frames[0].method, "shop.Cart.total");
	cr_expect_eq(frames[0].line, 0);
	cr_assert_eq(read_frame(java, true, frame_of_code(5, JAVA_EXACT | (CODE_BEGIN + 20)), frames), 1);
	cr_expect_str_eq(frames[0].method, "shop.Cart.total");
	cr_expect_eq(read_frame(java, true, frame_of_code(6, CODE_BEGIN + 20), frames), -1, "other code has its place");
	strcpy(memory.process->code_name, "RuntimeStub - slow\n");
	memory.process->code.number = 7;
	cr_assert_eq(read_frame(java, true, frame_of_code(7, 0), frames), 1);
	cr_expect_str_eq(frames[0].method, "[slow?]");
	cr_assert_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 20), frames), 2, "as it was");
	java_free(java);
	free(memory.process);
}

/* Offsets of what does not change come from a file, which may say anything. */
Test(interp_java, offsets_beyond_the_end, .init = make_process)
{
	uint32_t *offsets[] = { &runtime.java.const_pool, &runtime.java.const_code_size, &runtime.java.const_name,
				&runtime.java.const_flags, &runtime.java.const_size };
	static const uint32_t sizes[] = { 8, 2, 2, 2, 4 };
	const uint64_t method = memory.process->list.methods[0];
	struct java_frame frames[JAVA_FRAMES];
	struct java *java = java_new();

	cr_expect(java_fits(&runtime.java));
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		const uint32_t good = *offsets[i];

		*offsets[i] = runtime.java.code_begin - sizes[i];
		cr_expect(java_fits(&runtime.java), "%zu", i);
		++*offsets[i];
		cr_expect_not(java_fits(&runtime.java), "%zu", i);
		*offsets[i] = 4095;
		cr_expect_not(java_fits(&runtime.java), "%zu", i);
		cr_expect_eq(read_frame(java, true, frame_of_method(method, 0), frames), -1, "%zu", i);
		*offsets[i] = UINT32_MAX;
		cr_expect_not(java_fits(&runtime.java), "%zu", i);
		*offsets[i] = good;
	}
	runtime.java.code_begin = 129;
	cr_expect_not(java_fits(&runtime.java));
	java_free(java);
	free(memory.process);
}

/* Other code may come to have the number and the place, in the process, or in another one that has its id. */
Test(interp_java, code_of_others, .init = make_process)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];
	const uint64_t frame = frame_of_code(5, CODE_BEGIN + 20), state = AT(code.more[256]);

	cr_assert_eq(read_frame(java, true, frame, frames), 2);
	memory.process->code.method = 0;
	cr_assert_eq(read_frame(java, true, frame, frames), 2, "it is given up");
	memory.process->code.method = memory.process->list.methods[1];
	cr_assert_eq(read_frame(java, true, frame, frames), 1, "another method");
	cr_expect_str_eq(frames[0].method, "shop.Cart.price");
	memory.process->code.method = memory.process->list.methods[0];
	memory.process->code.number = 0x80005;
	cr_assert_eq(read_frame(java, true, frame, frames), 2, "another number");
	cr_expect_str_eq(frames[1].method, "shop.Cart.total");
	memory.process->code.number = 9;
	cr_assert_eq(read_frame(java, true, frame, frames), 2, "as it was");
	memcpy(&memory.process->code.more[256], &memory.process->low, sizeof(memory.process->low));
	cr_expect_eq(read_frame_at(java, state, frame, frames), -1, "another process");
	memory.process->code.number = 5;
	memory.process->code.method = memory.process->list.methods[1];
	cr_assert_eq(read_frame_at(java, state, frame, frames), 1);
	cr_expect_str_eq(frames[0].method, "shop.Cart.price");
	memory.process->low += 8;
	memory.process->code.number = 9;
	cr_expect_eq(read_frame(java, true, frame, frames), -1, "its code is elsewhere");
	java_free(java);
	free(memory.process);
}

/* Pages may be absent: what is known is as it was, and code whose name is absent has a method. */
Test(interp_java, absent, .init = make_process)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];
	const uint64_t method = memory.process->list.methods[0];

	cr_assert_eq(read_frame(java, true, frame_of_method(method, 0), frames), 1);
	memory.absent = AT(class);
	cr_expect_eq(read_frame(java, true, frame_of_method(method, 0), frames), 1);
	memory.absent = AT(unchanging);
	cr_expect_eq(read_frame(java, true, frame_of_method(method, 0), frames), 1);
	memory.absent = 0;
	memory.process->unchanging[0].pool = 0;
	cr_expect_eq(read_frame(java, true, frame_of_method(method, 0), frames), -1, "it is another one");
	memory.process->unchanging[0].pool = AT(pool);
	memory.process->code.name = 1ULL << 62;
	cr_expect_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 20), frames), 2);
	java_free(java);
	java = java_new();
	memory.process->list.methods[0] += 8;
	cr_expect_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 20), frames), -1, "no method");
	java_free(java);
	free(memory.process);
}

/* What is not believed takes no room. */
Test(interp_java, not_believed, .init = make_process)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];

	for (unsigned int i = 0; i < 300 * 1024; i++) {
		cr_assert_eq(read_frame(java, true, frame_of_code(6 + (i & 0x7fff), 0) + ((uint64_t)(i >> 15 << 12) << INTERP_PLACE_BITS), frames), -1);
		cr_assert_eq(read_frame(java, true, frame_of_method(memory.at + (2 * sizeof(struct process) + 8ULL * i & ~7ULL), 0), frames), -1);
	}
	cr_expect_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 20), frames), 2);
	java_free(java);
	free(memory.process);
}

static void expect_none(const char *what)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];

	cr_expect_eq(read_frame(java, true, frame_of_method(memory.process->list.methods[0], 0), frames), -1, "%s", what);
	java_free(java);
}

Test(interp_java, names_that_are_none, .init = make_process)
{
	const struct process good = *memory.process;
	struct process *process = memory.process;

	process->list.methods[0] += 8;
	expect_none("it is no method of its class");
	*process = good;
	process->list.length = UINT32_MAX;
	expect_none("too many methods");
	*process = good;
	process->class.pool = 0;
	expect_none("the class has other constants");
	*process = good;
	process->unchanging[0].name = 4;
	expect_none("no such constant");
	*process = good;
	process->names[0].length = 0;
	expect_none("no name");
	*process = good;
	process->pool.slots[1] = 1ULL << 62;
	expect_none("a name in no memory");
	*process = good;
	process->class.name++;
	expect_none("no symbol");
	*process = good;
	process->methods[0].unchanging = 0;
	expect_none("no method");
	free(memory.process);
}

/* Tables that say what cannot be are none. */
Test(interp_java, code_with_odd_tables, .init = make_process)
{
	const struct process good = *memory.process;
	struct process *process = memory.process;
	struct java_frame frames[JAVA_FRAMES];

	for (int i = 0; i < 6; i++) {
		struct java *java = java_new();

		*process = good;
		if (i == 0)
			process->code.table[5] = 3; /* no such method */
		else if (i == 1)
			process->code.table[2] = 2; /* the outermost is another one */
		else if (i == 2)
			process->code.refers[1] = 0x77777; /* no method */
		else if (i == 3)
			process->code.stops_end = INT32_MAX;
		else if (i == 4)
			process->code.scopes = 1ULL << 63;
		else
			process->code.methods = INT32_MIN;
		cr_expect_eq(read_frame(java, true, frame_of_code(5, CODE_BEGIN + 20), frames), 1, "%d", i);
		cr_expect_str_eq(frames[0].method, "shop.Cart.total");
		cr_expect_eq(frames[0].line, 0);
		java_free(java);
	}
	free(memory.process);
}

/* The longest name, and characters that are none. */
Test(interp_java, names_with_odd_characters, .init = make_process)
{
	struct java *java = java_new();
	struct java_frame frames[JAVA_FRAMES];

	make_symbol(&memory.process->names[0], "a\x1b[1m\n\x7f");
	cr_assert_eq(read_frame(java, true, frame_of_method(memory.process->list.methods[0], 0), frames), 1);
	cr_expect_str_eq(frames[0].method, "shop.Cart.a?[1m??");
	java_free(java);
	java = java_new();
	memory.process->names[0].length = 400;
	cr_assert_eq(read_frame(java, true, frame_of_method(memory.process->list.methods[0], 0), frames), 1);
	cr_expect_eq(strlen(frames[0].method), strlen("shop.Cart.") + NAMES_FUNCTION - 1);
	cr_expect_str_eq(frames[0].method + strlen(frames[0].method) - 3, "...");
	java_free(java);
	free(memory.process);
}
