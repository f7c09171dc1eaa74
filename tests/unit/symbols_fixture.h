/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of src/symbols/: names of the frames of one file, without a session that unwinds. */
#ifndef SONDE_TESTS_UNIT_SYMBOLS_FIXTURE_H
#define SONDE_TESTS_UNIT_SYMBOLS_FIXTURE_H

#include "binary_fixture.h"
#include "symbols/symbols_part.h"
#include "unwind/functions.h"

/* Where the system has its libraries. */
#if defined(__x86_64__)
#define LIBS "/lib/x86_64-linux-gnu/"
#else
#define LIBS "/lib/aarch64-linux-gnu/"
#endif
/* What a stack has for a place in the file of a module. */
#define FRAME(number, offset) ((uint64_t)(number) << STACK_MODULE_SHIFT | (offset))

/* In place of the unwinding session: one module, its file, and the functions of its .eh_frame. */
static struct unwind_module module = { .number = 7, .fd = -1 };
static struct binary *binary;
static struct functions functions;
static struct symbols *symbols;

static inline const struct unwind_module *fake_module(void *ctx, uint16_t number)
{
	return number == module.number ? &module : NULL;
}

static inline int fake_function_at(void *ctx, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size)
{
	const struct functions_one *function = functions_at(&functions, offset);

	if (!function)
		return -ENOENT;
	*start = function->offset;
	*size = function->size;
	return 0;
}

static const struct symbols_source source = { fake_module, fake_function_at, NULL };

/* The file becomes the module, seen from module.root; done() ends it. */
static inline void begin(const char *path, struct symbols_options options)
{
	module.path = path;
	module.fd = open(path, O_RDONLY);
	binary = fixture_open_in(module.root, path);
	functions_read(&functions, binary);
	symbols = symbols_new_from(&source, NULL, &options);
}

static inline void done(void)
{
	symbols_free(symbols);
	functions_release(&functions);
	binary_close(binary);
	base_closep(&module.fd);
}

/* The name of a place of the file; valid until done(). */
static inline const char *name_at(uint64_t offset)
{
	const struct frame *frame = symbols_user(symbols, 0, FRAME(module.number, offset));

	cr_expect_eq(symbols_name(symbols), 0);
	return frame->name;
}

/* The place of a function in the file. */
static inline uint64_t offset_of(const char *function)
{
	const struct binary_symbol *symbol = fixture_find(binary, function);

	cr_assert(symbol, "no function %s", function);
	return symbol->offset;
}

#define expect_name(offset, text) cr_expect_str_eq(name_at(offset), text)

#endif
