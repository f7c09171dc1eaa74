// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the compiler: the text of a program, and behind a byte 0xff that of a file "x.h" or "x.bt" which the program
 * may include or import. What the parser accepts is shown, so that every part of the tree is read; then the same text
 * goes all the way to instructions, for a kernel that can do everything or for 5.10. Both find the functions,
 * tracepoints and types of lang_kernel.h.
 */
#include "lang/check/function.h"
#include "tests/lang/show.h"
#include "lang_kernel.h"
#include "lang/lang.h"

static const char *const dirs[] = { fuzz_dir };

static void parse(const struct fuzz_piece *piece)
{
	const struct parse_options options = {
		.positional = dirs, .n_positional = 1, .include_dirs = dirs, .n_include_dirs = 1, .has_btf = true
	};
	struct lang_sources sources = {};
	struct lang_messages messages = {};
	struct pool pool = {};
	struct ctypes *types = ctypes_new(&pool);
	struct ast_program *program;
	struct str shown __str = {};
	uint32_t index;

	if (!function_find("printf")) /* nothing names the rows: they must be linked for all that */
		abort();
	index = lang_sources_add(&sources, "stdin", (const char *)piece->data, piece->size);
	program = lang_parse(&sources, index, &options, types, &pool, &messages);
	if (!program != !!messages.errors)
		abort();
	if (program)
		ast_show(program, &shown);
	lang_messages_show(&messages, &sources, true, &shown);
	fuzz_look(shown.data);
	lang_messages_release(&messages);
	lang_sources_release(&sources);
	ctypes_free(types);
	pool_release(&pool);
}

static void compile(const struct fuzz_piece *piece, struct kernel *kernel)
{
	bool is_new = piece->size % 2;
	const struct lang_options options = {
		.features = { is_new, is_new, is_new, is_new, is_new, is_new, is_new, is_new, is_new, is_new, is_new },
		.kernel = kernel,
		.positional = dirs,
		.n_positional = 1,
		.include_dirs = dirs,
		.n_include_dirs = 1,
		.is_unsafe = piece->size % 3,
		.is_filtered = piece->size % 5,
		.reports_faults = piece->size % 7,
		.test = true,
		.bench = true,
		.n_cpus = 4,
		.n_shards = 4,
	};
	struct lang_program *program = lang_compile("stdin", (const char *)piece->data, piece->size, &options);
	struct str shown __str = {};

	lang_messages_show(&program->messages, &program->sources, true, &shown);
	fuzz_look(shown.data);
	lang_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file header, import;
	static struct kernel *kernel;
	struct fuzz_piece program = fuzz_next_piece(&data, &size);

	if (!header.path[0]) {
		fuzz_make_root();
		lang_kernel_make();
		kernel = kernel_new();
		fuzz_link(&header, "/x.h");
		fuzz_link(&import, "/x.bt");
	}
	fuzz_write(&header, data, size);
	fuzz_write(&import, data, size);
	parse(&program);
	compile(&program, kernel);
	return 0;
}
