// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes what describes arguments: notes of USDT probes, format files of tracepoints, and attach points. A byte 0xff
 * separates the three in the input.
 */
#include "fuzz.h"
#include "kernel/kernel.h"
#include "lang/places/probes_part.h"

static void read_note(const char *text)
{
	struct lang_usdt_argument v[4];
	size_t n = 4;

	if (!lang_usdt_parse(text, v, &n) && n > 4)
		abort();
	for (size_t i = 0; i < n; i++)
		if (v[i].size > 8 || v[i].reg > 8 * 34 || (v[i].where == USDT_REGISTER && v[i].reg < 0))
			abort();
}

static void read_format(char *text, struct pool *pool)
{
	struct ctypes *types = ctypes_new(pool);
	struct lang_arguments arguments = {};

	lang_arguments_of_format(text, SPACE_KERNEL, types, pool, &arguments);
	for (size_t i = 0; i < arguments.n; i++)
		if (!*arguments.v[i].name)
			abort();
	ctypes_free(types);
}

static void read_attach(const char *text, struct pool *pool)
{
	struct lang_messages messages = {};
	struct lang_attach attach;

	if (lang_attach_parse(&attach, text, (struct span){}, pool, &messages) == (messages.errors > 0))
		abort();
	lang_messages_release(&messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_piece first = fuzz_next_piece(&data, &size), second = fuzz_next_piece(&data, &size);
	char *note __free = fuzz_text(first.data, first.size), *format __free = fuzz_text(second.data, second.size);
	char *attach __free = fuzz_text(data, size);
	struct pool pool = {};

	kernel_set_root("/nonexistent");
	read_note(note);
	read_format(format, &pool);
	read_attach(attach, &pool);
	pool_release(&pool);
	return 0;
}
