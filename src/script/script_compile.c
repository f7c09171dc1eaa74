// SPDX-License-Identifier: BSD-2-Clause
/* Compiles the program that the arguments name, for this kernel. */
#include <linux/bpf.h>

#include "attach/quirks.h"
#include "base/cpus.h"
#include "base/report.h"
#include "binary/library.h"
#include "engine/filter.h"
#include "lang/check/getopt.h"
#include "lang/lang.h"
#include "script_part.h"

struct lang_features script_features(void)
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

/* What the program is given: for getopt(), "--name" and "--name=value", and $1, $2 ... */
struct arguments {
	struct opt_list positional, named;
	struct pool pool;
};

static void arguments_release(struct arguments *arguments)
{
	free(arguments->positional.v);
	free(arguments->named.v);
	pool_release(&arguments->pool);
}

/* Of sonde trace: what stands behind the program. */
static void sort_arguments(const struct engine_instance *instance, size_t from, struct arguments *to)
{
	for (size_t i = from; i < instance->args.n; i++) {
		const char *arg = instance->args.v[i];

		*vec_push(!strncmp(arg, "--", 2) && arg[2] ? &to->named : &to->positional) = arg;
	}
}

/* Whether there is such a library, for process pid (0: for us). */
static int find_library(const char *name, pid_t pid, struct err *err)
{
	struct library library = {};
	int ret = library_find(name, pid, &library, err);

	library_release(&library);
	return ret;
}

/*
 * A default that is a number asks for a number, and one that is a library for a library that exists: the program may
 * ignore that probes are missing, because a machine need not have the libraries that the user did not name.
 */
static int take_argument(const struct script_argument *argument, const char *text, pid_t pid, struct arguments *to,
			 struct err *err)
{
	uint64_t number;
	int ret = 0;

	if (!text && !argument->otherwise)
		return err_set(err, -EINVAL, "%s is missing", argument->name);
	if (text && argument->otherwise && !opt_u64(argument->otherwise, &number) && opt_u64(text, &number))
		return err_set(err, -EINVAL, "%s is a number, not '%s'", argument->name, text);
	if (text && argument->otherwise && !strncmp(argument->otherwise, "lib", 3))
		ret = find_library(text, pid, err);
	*vec_push(&to->positional) = text ? text : argument->otherwise;
	return ret;
}

/* Of a script that is a tool: what its own options and arguments are. */
static int take_arguments(const struct engine_instance *instance, struct arguments *to, struct err *err)
{
	const struct script_source *source = instance->source;
	const struct script_given *given = instance->tool_settings;
	const struct opt_list *args = &instance->args;
	int ret = 0;

	if (args->n > source->n_arguments)
		return engine_unexpected(instance, args->v[source->n_arguments], err);
	for (size_t i = 0; i < source->n_options; i++) {
		const struct lang_getopt *option = &source->options[i];

		if (given[i].is_set)
			*vec_push(&to->named) = pool_addf(&to->pool, "--%s", option->name);
		else if (given[i].text)
			*vec_push(&to->named) = pool_addf(&to->pool, "--%s=%s", option->name, given[i].text);
	}
	for (size_t i = 0; !ret && i < source->n_arguments; i++)
		ret = take_argument(&source->arguments[i], i < args->n ? args->v[i] : NULL,
				    instance->ctx->pid, to, err);
	return ret;
}

static struct lang_program *compile_with(struct script *script, const struct lang_options *compiling, struct err *err)
{
	const struct script_settings *settings = script->settings;
	const struct script_source *source = script->instance->source;

	if (script->front)
		return script->front->compile(script, compiling);
	if (source)
		return lang_compile(source->path, source->text, source->len, compiling);
	if (settings->program)
		return lang_compile("stdin", settings->program, strlen(settings->program), compiling);
	return lang_compile_file(script->instance->args.v[0], compiling, err);
}

static void show_messages(const struct script *script)
{
	__str struct str text = {};

	lang_messages_show(&script->program->messages, &script->program->sources, !script->settings->no_warnings,
			   &text);
	fputs(str_or_empty(text.data), stderr);
}

static int find_arguments(const struct script *script, struct arguments *to, struct err *err)
{
	const struct engine_instance *instance = script->instance;

	if (script->front)
		return 0;
	if (instance->source)
		return take_arguments(instance, to, err);
	if (!script->settings->program && !instance->args.n)
		return err_set(err, -EINVAL, "name a file with a program, or give the program with -e");
	sort_arguments(instance, !script->settings->program, to);
	return 0;
}

/* bpftrace ignores them. Of a script that is a tool, take_arguments() has refused them; a front-end takes all. */
static int refuse_unused(const struct script *script, const struct arguments *arguments, struct err *err)
{
	const struct engine_instance *instance = script->instance;
	const struct lang_program *program = script->program;
	size_t n = program->n_positional;

	if (script->front || instance->source || instance->ctx->as_peer || program->is_malformed ||
	    arguments->positional.n <= n)
		return 0;
	return err_set(err, -EINVAL, "unexpected argument '%s': the program does not use $%zu%s", arguments->positional.v[n],
		       n + 1, instance->ctx->metrics ? "" : "; a command comes after --");
}

int script_compile(struct script *script, struct err *err)
{
	struct engine_context *ctx = script->instance->ctx;
	const struct script_settings *settings = script->settings;
	__cleanup(arguments_release) struct arguments arguments = {};
	int ret;
	struct lang_options compiling = {
		.features = script_features(),
		.kernel = script->kernel,
		.named_are_known = script->instance->source,
		.include_dirs = settings->include_dirs.v,
		.n_include_dirs = settings->include_dirs.n,
		.includes = settings->includes.v,
		.n_includes = settings->includes.n,
		.is_unsafe = settings->is_unsafe,
		.force = settings->force,
		.host_ids = !filter_pidns(),
		.is_filtered = script->instance->filter.any,
		.test = settings->test,
		.bench = settings->bench,
		.reports_faults = settings->faults,
		.compat = settings->compat,
		.pid = ctx->pid,
		.command = ctx->command.pid,
		.n_cpus = cpus_ids(),
		.max_keys = ctx->metrics ? ctx->metrics->max_keys : 0,
	};

	compiling.n_shards = 1;
	while (compiling.n_shards < compiling.n_cpus)
		compiling.n_shards *= 2;
	ret = find_arguments(script, &arguments, err);
	if (ret) {
		ctx->usage = ret == -EINVAL;
		return ret;
	}
	compiling.positional = arguments.positional.v;
	compiling.n_positional = arguments.positional.n;
	compiling.named = arguments.named.v;
	compiling.n_named = arguments.named.n;
	if (getenv("BPFTRACE_BTF") && !settings->no_warnings)
		report_note("BPFTRACE_BTF is ignored: types come from this kernel's own BTF");
	script->program = compile_with(script, &compiling, err);
	if (!script->program)
		return err->code ? err->code : -EINVAL;
	ret = refuse_unused(script, &arguments, err);
	if (ret) {
		ctx->usage = true;
		return ret;
	}
	show_messages(script);
	if (!script->program->messages.errors)
		return 0;
	ctx->said = true;
	ctx->usage = script->front || script->program->is_misused || (ctx->metrics && script->program->is_malformed);
	return err_set(err, -EINVAL, "the program has errors");
}
