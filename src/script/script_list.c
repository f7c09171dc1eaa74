// SPDX-License-Identifier: BSD-2-Clause
/* -l: lists what can be probed, or what a program would attach to; -- --help: the options of a program. */
#include <sys/stat.h>

#include "base/report.h"
#include "base/str.h"
#include "lang/check/getopt.h"
#include "options/doc.h"
#include "script_part.h"

bool script_lists_program(const struct script *script)
{
	const struct opt_list *args = &script->instance->args;
	struct stat st;

	if (script->instance->source || script->settings->program)
		return true;
	return args->n && !stat(args->v[0], &st) && S_ISREG(st.st_mode);
}

/* bpftrace's own lists have no offsets. */
static enum lang_detail detail_of(const struct engine_context *ctx)
{
	return !ctx->verbose ? LANG_LIST_NAMES : ctx->as_peer ? LANG_LIST_TYPES
							      : LANG_LIST_OFFSETS;
}

static void print_line(const char *line, void *ctx)
{
	struct script *script = ctx;

	str_addf(&script->text, "%s\n", line);
}

static int print(struct script *script, struct err *err)
{
	size_t written = fwrite(str_or_empty(script->text.data), 1, script->text.len, stdout);

	if ((written < script->text.len || fflush(stdout)) && errno != EPIPE)
		return err_set(err, -errno, "cannot write: %s", strerror(errno));
	script->instance->ctx->answered = true;
	return 0;
}

int script_list(struct script *script, struct err *err)
{
	struct engine_context *ctx = script->instance->ctx;
	const struct opt_list *args = &script->instance->args;
	int n;

	report_set_verbose(false); /* -v means the list's details */
	n = lang_list(args->n ? args->v[0] : NULL, detail_of(ctx), ctx->pid, print_line, script, err);

	if (n < 0) {
		ctx->usage = n == -EINVAL;
		return n;
	}
	return print(script, err);
}

int script_list_options(struct script *script, const struct lang_about *about, struct err *err)
{
	struct opt_table table = {};
	struct doc doc = { .name = "trace", .tables = &table, .n_tables = 1 };
	struct opt *opts __free = NULL;
	char *args __free = NULL, *brief __free = NULL;

	opts = base_alloc((about->n + 1) * sizeof(*opts));
	for (size_t i = 0; i < about->n; i++)
		opts[i] = (struct opt){ .type = about->v[i].kind == GETOPT_FLAG ? OPT_BOOL : OPT_STRING,
					.name = about->v[i].name,
					.arg = about->v[i].argument,
					.help = about->v[i].help };
	table = (struct opt_table){ .title = "options of the program, behind --", .opts = opts, .n = about->n };
	doc.args = args = base_printf("%s -- [--NAME[=VALUE]]...",
				      script->settings->program ? "-e PROGRAM" : script->instance->args.v[0]);
	doc.brief = brief = base_strndup(about->comment, strcspn(about->comment, "\n"));
	doc_help(stdout, &doc);
	return print(script, err);
}

int script_list_program(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	enum lang_detail detail = detail_of(script->instance->ctx);

	if (!script->settings->list)
		return 0;
	report_set_verbose(false); /* -v means the list's details */
	vec_each(place, &program->places) {
		int n = 0;

		if (detail)
			n = lang_list(place->probe, detail, script->instance->ctx->pid, print_line, script, err);
		if (n < 0)
			return n;
		if (!n)
			print_line(place->probe, script);
	}
	return print(script, err);
}
