// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the readers of functions: the input is the memory of a process, from an address on; the function is at its
 * begin. And the line table of Python, and the tables of V8 and HotSpot: the whole input is one.
 */
#include "fuzz.h"
#include "interp/java.h"
#include "interp/java_tables.h"
#include "interp/language.h"
#include "interp/lines.h"
#include "interp/v8.h"
#include "interp/v8_tables.h"

#define BEGIN 0x10000
#define STATE 0x20000

#define TYPES .code_type = 8, .string_type = 16, .bytes_type = 24

static const struct runtime runtimes[] = {
	{ .language = &language_python, .minor = 9, .python = { 104, 112, 120, 40, 128, .ascii = 48, .compact = 72, TYPES } },
	{ .language = &language_python, .minor = 10, .python = { 104, 112, 120, 40, 128, .ascii = 48, .compact = 72, TYPES } },
	{ .language = &language_python, .minor = 11, .python = { 112, 128, 136, 72, 184, .ascii = 48, .compact = 72, TYPES } },
	{ .language = &language_python, .minor = 12, .python = { 112, 128, 136, 68, 192, .ascii = 40, .compact = 56, TYPES } },
	{ .language = &language_php, .php.filename = 136 },
	{ .language = &language_php, .php.filename = 168 },
	{ .language = &language_ruby, .ruby = { .lines = 0x78, .symbols = BEGIN - STATE } },
	{ .language = &language_ruby, .ruby = { .lines = 0x70, .has_length = true, .symbols = BEGIN - STATE + 64 } },
};

struct input {
	const uint8_t *data;
	size_t size;
};

static size_t read_input(void *ctx, uint64_t at, void *to, size_t n)
{
	const struct input *input = ctx;

	if (at - BEGIN >= input->size)
		return 0;
	if (n > input->size - (at - BEGIN))
		n = input->size - (at - BEGIN);
	memcpy(to, input->data + (at - BEGIN), n);
	return n;
}

static void check_text(const char *text, size_t max)
{
	if (strnlen(text, max) == max)
		abort();
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			abort();
}

static void check_names(const struct runtime *runtime, const struct peek *peek, uint64_t at)
{
	struct names_code code = {};

	if (names_read(&code, runtime, STATE, peek, at) == 1) {
		check_text(code.function, sizeof(code.function));
		check_text(code.file, sizeof(code.file));
		for (unsigned int place = 0; place < 64; place++)
			if (names_line(&code, place) < 0)
				abort();
		if (names_read(&code, runtime, STATE, peek, at) != 0)
			abort();
	}
	names_release(&code);
}

static const struct runtime v8_runtime = {
	.language = &language_v8,
	.v8 = { .map_type = 12,
		.function_shared = 24,
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
		.code_positions = 24,
		.code_stream = 32,
		.code_start = 40,
		.code_kind = 48,
		.code_size = 56,
		.stream_code = 8,
		.stream_start = 16,
		.stream_align = 64,
		.data_literals = 2,
		.data_shared = 6,
		.data_calls = 7,
		.data_exits = 8,
		.data_words = 11,
		.kind_baseline = 11,
		.kind_optimized = 12,
		.kinds_optimized = 2,
		.sizes = "AAAABCDERSI",
		.opcodes = "10BB11c1c11111i11111111RFFFw01111121",
		.shared_type = 0x8010,
		.scope_type = 0x8011,
		.script_type = 0x8012,
		.array_type = 0x8013,
		.weak_type = 0x8014,
		.bytes_type = 0x8015,
		.bytecode_type = 0x8016,
		.interpreter_type = 0x8017,
		.code_type = 0x8018,
		.data_type = 0x8013,
		.trusted_type = 0x8015 }
};

/* A function at the begin of the memory, and code anywhere in it. */
static void check_v8(const struct peek *peek, size_t size)
{
	const struct v8_process process = { 1, &v8_runtime, peek };
	struct v8 *v8 = v8_new();
	static const unsigned int places[] = { 0, 60, 200, INTERP_PLACE_BY_CODE, INTERP_PLACE_MAYBE, INTERP_PLACE_UNKNOWN };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(places); i++) {
		const uint64_t note = INTERP_FRAME | (uint64_t)BEGIN >> 3 << INTERP_PLACE_BITS | places[i / 2];
		const uint64_t before[] = { BEGIN + size / 2, BEGIN + size - 1 };
		struct v8_frame frames[V8_FRAMES];
		int n_before, n = v8_frames(v8, &process, i == 1 ? 0 : note, before, frames, &n_before);

		if (n > V8_FRAMES || n_before > 2)
			abort();
		for (int k = 0; k < n; k++) {
			check_text(frames[k].function, NAMES_FUNCTION);
			check_text(frames[k].file, NAMES_FILE);
			if (frames[k].line < 0)
				abort();
		}
	}
	v8_free(v8);
}

static const struct java_layout java_layouts[] = {
	{ .code_at = 0, .name = 8, .code_method = 16, .scopes = 24, .number = 32, .places = 36, .places_end = 40, .metadata = 44, .method_const = 8, .const_size = 8, .const_code_size = 12, .const_name = 14, .const_flags = 16, .code_begin = 24, .pool_length = 8, .pool_file = 12, .pool_begin = 16, .class_pool = 8, .class_methods = 16, .methods_data = 8, .symbol_body = 2 },
	{ .code_at = 0, .name = 8, .code_method = 16, .immutable = 24, .number = 32, .places = 36, .places_end = 40, .immutable_size = 44, .mutable = 48, .mutable_size = 56, .relocations = 60, .method_const = 8, .const_size = 8, .const_code_size = 12, .const_name = 14, .const_flags = 16, .code_begin = 24, .pool_length = 8, .pool_file = 12, .pool_begin = 16, .class_pool = 8, .class_methods = 16, .methods_data = 8, .symbol_body = 2, .is_new = true, .minus = 1 },
};

/* A method at the begin of the memory, and code from there on. */
static void check_java(const struct java_layout *layout, const struct peek *peek, const uint8_t *data, size_t size)
{
	const struct runtime runtime = { .language = &language_java, .java = *layout };
	const struct java_process process = { 1, &runtime, BEGIN, peek };
	struct java *java = java_new();
	uint64_t low = 0;

	memcpy(&low, data, size < 8 ? size : 8);
	for (unsigned int place = 0; place < 256; place += 15) {
		const uint64_t code = ((BEGIN + 8 - low) >> 3 & ((1ULL << JAVA_NUMBER_SHIFT) - 1)) | (uint64_t)data[size - 1] << JAVA_NUMBER_SHIFT;
		const uint64_t frame = place & 1 ? code << INTERP_PLACE_BITS | JAVA_COMPILED : (uint64_t)BEGIN >> 3 << INTERP_PLACE_BITS;
		struct java_frame frames[JAVA_FRAMES];
		int n = java_frames(java, &process, INTERP_FRAME | frame | place, frames);

		if (n > JAVA_FRAMES)
			abort();
		for (int k = 0; k < n; k++) {
			check_text(frames[k].method, 2 * NAMES_FUNCTION + 64);
			check_text(frames[k].file, NAMES_FILE);
			if (frames[k].line < 0)
				abort();
		}
	}
	java_free(java);
}

static void check_tables_of_java(const uint8_t *data, size_t size)
{
	struct java_scope scope;

	for (uint8_t minus = 0; minus < 2; minus++)
		for (unsigned int i = 0; i < 256; i += 15) {
			if (java_tables_scope(data, size, i, minus, &scope) && scope.sender >= i)
				abort();
			if (java_tables_line(data, size, minus, i) < 0)
				abort();
		}
}

static void check_tables(const uint8_t *data, size_t size)
{
	struct v8_translated functions[8];
	struct v8_place place;
	int function;

	for (int i = -1; i < 256; i += 15) {
		v8_tables_place(data, size, (uint32_t)i, &place);
		v8_tables_inlined(data, size, i, &place, &function);
		if (v8_tables_translation(data, size, v8_runtime.v8.opcodes, i, functions, ARRAY_SIZE(functions)) >
		    ARRAY_SIZE(functions))
			abort();
		if (v8_tables_bytecode(data, size / 2, data + size / 2, size - size / 2, v8_runtime.v8.sizes,
				       (uint32_t)i) >= (int)(size - size / 2))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const struct peek peek = { read_input, &input };

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++)
		for (unsigned int of = 0; of <= (runtimes[i].language->has_lines ? INTERP_OF_FILE : 0); of++)
			check_names(&runtimes[i], &peek, BEGIN | of);
	check_v8(&peek, size);
	for (size_t i = 0; size && i < ARRAY_SIZE(java_layouts); i++)
		check_java(&java_layouts[i], &peek, data, size);
	check_tables_of_java(data, size);
	check_tables(data, size);
	for (unsigned int place = 0; place < 256; place += 15)
		if (lines_at(data, size, 1, place) < 0 || lines_at_310(data, size, 1, place) < 0 ||
		    lines_at_38(data, size, 1, place) < 0)
			abort();
	return 0;
}
