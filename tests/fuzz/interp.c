// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the readers of functions: the input is the memory of a process, from an address on; the function is at its
 * begin. And the line table of Python: the whole input is one.
 */
#include "fuzz.h"
#include "interp/language.h"
#include "interp/lines.h"

#define BEGIN 0x10000
#define STATE 0x20000

#define TYPES .code_type = 8, .string_type = 16, .bytes_type = 24

static const struct runtime runtimes[] = {
	{ .language = &language_python, .python = { 112, 128, 136, 72, 184, .ascii = 48, .compact = 72, TYPES } },
	{ .language = &language_python, .python = { 112, 128, 136, 68, 192, .ascii = 40, .compact = 56, TYPES } },
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const struct peek peek = { read_input, &input };

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++)
		for (unsigned int of = 0; of <= (runtimes[i].language->has_lines ? INTERP_OF_FILE : 0); of++)
			check_names(&runtimes[i], &peek, BEGIN | of);
	for (unsigned int place = 0; place < 256; place += 15)
		if (lines_at(data, size, 1, place) < 0)
			abort();
	return 0;
}
