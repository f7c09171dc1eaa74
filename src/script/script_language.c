// SPDX-License-Identifier: BSD-2-Clause
/*
 * The front-end of programs that are typed in the language: where the arguments name one, what they give to it, and
 * that it prints as bpftrace does.
 */
#include "base/report.h"
#include "binary/library.h"
#include "lang/check/getopt.h"
#include "script_part.h"

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

static int find_arguments(const struct engine_instance *instance, struct arguments *to, struct err *err)
{
	const struct script_settings *settings = instance->settings;

	if (instance->source)
		return take_arguments(instance, to, err);
	if (!settings->program && !instance->args.n)
		return err_set(err, -EINVAL, "name a file with a program, or give the program with -e");
	sort_arguments(instance, !settings->program, to);
	return 0;
}

static struct lang_program *compile_text(const struct engine_instance *instance, const struct lang_options *options,
					 struct err *err)
{
	const struct script_settings *settings = instance->settings;
	const struct script_source *source = instance->source;

	if (source)
		return lang_compile(source->path, source->text, source->len, options);
	if (settings->program)
		return lang_compile("stdin", settings->program, strlen(settings->program), options);
	return lang_compile_file(instance->args.v[0], options, err);
}

/* bpftrace ignores them. Of a script that is a tool, take_arguments() has refused them. */
static int refuse_unused(const struct engine_instance *instance, const struct lang_program *program,
			 const struct arguments *arguments, struct err *err)
{
	size_t n = program->n_positional;

	if (instance->source || instance->ctx->as_peer || program->is_malformed || arguments->positional.n <= n)
		return 0;
	return err_set(err, -EINVAL, "unexpected argument '%s': the program does not use $%zu%s", arguments->positional.v[n],
		       n + 1, instance->ctx->metrics ? "" : "; a command comes after --");
}

static bool has_option(const struct lang_program *program, const char *name)
{
	for (size_t i = 0; i < program->options.n; i += 2)
		if (!strcmp(program->options.v[i], name))
			return true;
	return false;
}

/* Takes --help out. False: it is not there. */
static bool take_help(struct opt_list *named)
{
	size_t n = 0;

	for (size_t i = 0; i < named->n; i++)
		if (strcmp(named->v[i], "--help"))
			named->v[n++] = named->v[i];
	if (n == named->n)
		return false;
	named->n = n;
	return true;
}

/* Compiles; --help is an option of ours if the program has none of this name. */
static struct lang_program *compile_named(struct script *script, struct lang_options *options, struct opt_list *named,
					  struct err *err)
{
	struct engine_instance *instance = script->instance;
	bool asks = !instance->source && take_help(named);
	struct lang_program *program;

	options->named = named->v;
	options->n_named = named->n;
	program = compile_text(instance, options, err);
	if (!asks || !program || !has_option(program, "help")) {
		script->asks_help = asks;
		return program;
	}
	lang_program_free(program);
	*vec_push(named) = "--help";
	options->named = named->v;
	options->n_named = named->n;
	return compile_text(instance, options, err);
}

static struct lang_program *compile(struct script *script, struct lang_options *options, struct err *err)
{
	struct engine_instance *instance = script->instance;
	__cleanup(arguments_release) struct arguments arguments = {};
	struct lang_program *program;
	int ret = find_arguments(instance, &arguments, err);

	if (ret) {
		instance->ctx->usage = ret == -EINVAL;
		return NULL;
	}
	options->positional = arguments.positional.v;
	options->n_positional = arguments.positional.n;
	instance->schema = &script_schema;
	program = compile_named(script, options, &arguments.named, err);
	if (!program || !refuse_unused(instance, program, &arguments, err))
		return program;
	instance->ctx->usage = true;
	lang_program_free(program);
	return NULL;
}

static void ended(struct script *script)
{
	if (!script->settings->test && !script->settings->bench)
		script_print_maps(script);
}

const struct script_front script_language = {
	.has_format = true,
	.shows_places = true,
	.makes_room = "max_map_keys makes it larger",
	.compile = compile,
	.armed = script_output_attached,
	.print = script_print_text,
	.ended = ended,
};
