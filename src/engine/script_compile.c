// SPDX-License-Identifier: BSD-2-Clause
/* Compiles the program that the arguments name, for this kernel. */
#include <linux/bpf.h>

#include "attach/quirks.h"
#include "base/cpus.h"
#include "lang/lang.h"
#include "script_instance.h"

static struct lang_features features(void)
{
	return (struct lang_features){
		.large_keys = quirk_large_keys(),
		.fetching_atomics = quirk_swaps(),
		.for_each = quirk_helper(BPF_FUNC_for_each_map_elem),
		.cookies = quirk_cookies(),
		.func_args = quirk_func_args(),
		.loop = quirk_helper(BPF_FUNC_loop),
		.strncmp = quirk_func_args(),
		.percpu_lookup = quirk_helper(BPF_FUNC_map_lookup_percpu_elem),
		.tai = quirk_guards_raw_tp(),
		.task_regs = quirk_task_regs(),
		.btf = !access("/sys/kernel/btf/vmlinux", R_OK),
	};
}

/* Arguments behind the program: "--name" and "--name=value" are for getopt(), all others are $1, $2 ... */
struct arguments {
	struct opt_list positional, named;
};

static void arguments_release(struct arguments *arguments)
{
	free(arguments->positional.v);
	free(arguments->named.v);
}

static void sort_arguments(const struct engine_instance *instance, size_t from, struct arguments *to)
{
	for (size_t i = from; i < instance->args.n; i++) {
		const char *arg = instance->args.v[i];

		*vec_push(!strncmp(arg, "--", 2) && arg[2] ? &to->named : &to->positional) = arg;
	}
}

static struct lang_program *compile_with(const struct script *script, const struct lang_options *compiling, struct err *err)
{
	const struct script_settings *settings = script->settings;
	const char *file;

	if (settings->program)
		return lang_compile("stdin", settings->program, strlen(settings->program), compiling);
	file = script->instance->args.v[0];
	return lang_compile_file(file, compiling, err);
}

static void show_messages(const struct script *script)
{
	__str struct str text = {};

	lang_messages_show(&script->program->messages, &script->program->sources, !script->settings->no_warnings, &text);
	fputs(str_or_empty(text.data), stderr);
}

int script_compile(struct script *script, struct err *err)
{
	struct engine_context *ctx = script->instance->ctx;
	const struct script_settings *settings = script->settings;
	__cleanup(arguments_release) struct arguments arguments = {};
	struct lang_options compiling = {
		.features = features(),
		.kernel = script->kernel,
		.include_dirs = settings->include_dirs.v,
		.n_include_dirs = settings->include_dirs.n,
		.is_unsafe = settings->is_unsafe,
		.is_filtered = script->instance->filter.any,
		.test = settings->test,
		.bench = settings->bench,
		.reports_faults = settings->faults,
		.pid = ctx->pid,
		.command = ctx->command.pid,
		.n_cpus = cpus_ids(),
	};

	compiling.n_shards = 1;
	while (compiling.n_shards < compiling.n_cpus)
		compiling.n_shards *= 2;
	if (!settings->program && !script->instance->args.n) {
		ctx->usage = true;
		return err_set(err, -EINVAL, "name a file with a program, or give the program with -e");
	}
	sort_arguments(script->instance, !settings->program, &arguments);
	compiling.positional = arguments.positional.v;
	compiling.n_positional = arguments.positional.n;
	compiling.named = arguments.named.v;
	compiling.n_named = arguments.named.n;
	script->program = compile_with(script, &compiling, err);
	if (!script->program)
		return err->code ? err->code : -EINVAL;
	show_messages(script);
	if (!script->program->messages.errors)
		return 0;
	ctx->said = true;
	return err_set(err, -EINVAL, "the program has errors");
}
