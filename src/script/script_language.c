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

/* Reads the text of the program, once: it may come from a pipe. */
static int read_text(const struct engine_instance *instance, struct lang_sources *to, struct err *err)
{
	const struct script_settings *settings = instance->settings;
	const struct script_source *source = instance->source;
	uint32_t index;

	if (source)
		lang_sources_add(to, source->path, source->text, source->len);
	else if (settings->program)
		lang_sources_add(to, "stdin", settings->program, strlen(settings->program));
	else
		return lang_sources_read(to, instance->args.v[0], &index, err);
	return 0;
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

static bool asks_help(const struct opt_list *named)
{
	for (size_t i = 0; i < named->n; i++)
		if (!strcmp(named->v[i], "--help"))
			return true;
	return false;
}

/*
 * -- --help, which is ours if the program has no option of this name: it needs no target, and no other argument
 * matters. False: the program is to be compiled, which also reports what does not parse.
 */
static bool help(struct script *script, const struct lang_source *text, struct err *err)
{
	__cleanup(lang_about_release) struct lang_about about = {};
	struct err ignored = {};

	if (lang_about_read(&about, text->name, text->text, text->len, &ignored))
		return false;
	vec_each(option, &about)
		if (!strcmp(option->name, "help"))
			return false;
	script_list_options(script, &about, err);
	return true;
}

static struct lang_program *compile(struct script *script, struct lang_options *options, struct err *err)
{
	struct engine_instance *instance = script->instance;
	__cleanup(arguments_release) struct arguments arguments = {};
	__cleanup(lang_sources_release) struct lang_sources sources = {};
	struct lang_program *program;
	int ret = find_arguments(instance, &arguments, err);

	if (ret) {
		instance->ctx->usage = ret == -EINVAL;
		return NULL;
	}
	options->positional = arguments.positional.v;
	options->n_positional = arguments.positional.n;
	options->named = arguments.named.v;
	options->n_named = arguments.named.n;
	instance->schema = &script_schema;
	if (read_text(instance, &sources, err))
		return NULL;
	if (!instance->source && asks_help(&arguments.named) && help(script, &sources.v[0], err))
		return NULL;
	program = lang_compile(sources.v[0].name, sources.v[0].text, sources.v[0].len, options);
	if (!refuse_unused(instance, program, &arguments, err))
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
