// SPDX-License-Identifier: BSD-2-Clause
/* The pipeline: text, tree, types, three-address code, instructions. */
#include "lang.h"
#include "lang/check/check.h"
#include "lang/code/emit.h"
#include "lang/lower/lower.h"
#include "lang/tree/hoist.h"
#include "lang/tree/parse.h"

static bool lang_build(struct lang_program *program, const struct checked_probe *checked,
		       const struct lang_options *options)
{
	struct ir_program ir = {};
	struct err err = {};
	bool ok = lang_lower(program, checked, options, &ir);

	if (ok) {
		ir_fold(&ir);
		if (lang_emit(&ir, &checked->probe->code, &checked->probe->stack, &err)) {
			lang_error(&program->messages, checked->probe->at, "%s", err.text);
			ok = false;
		}
	}
	ir_program_release(&ir);
	return ok;
}

void lang_compile_source(struct lang_program *program, uint32_t source, const struct lang_options *options)
{
	const struct parse_options parse = {
		.positional = options->positional,
		.n_positional = options->n_positional,
		.include_dirs = options->include_dirs,
		.n_include_dirs = options->n_include_dirs,
		.includes = options->includes,
		.n_includes = options->n_includes,
		.has_btf = options->features.btf,
	};
	struct checked_program checked = {};
	struct ast_program *ast;

	program->types = ctypes_new(&program->pool);
	ast = lang_parse(&program->sources, source, &parse, program->types, &program->pool, &program->messages);
	program->is_malformed = program->messages.errors;
	program->n_positional = ast ? ast->n_positional : 0;
	if (ast && options->compat)
		hoist_variables(ast, &program->pool);
	if (ast && !program->messages.errors && lang_check(program, ast, options, &checked))
		vec_each(probe, &checked.probes)
			if (!lang_build(program, probe, options))
				break;
	free(checked.probes.v);
}

struct lang_program *lang_compile(const char *name, const char *text, size_t len, const struct lang_options *options)
{
	struct lang_program *program = base_alloc(sizeof(*program));

	lang_compile_source(program, lang_sources_add(&program->sources, name, text, len), options);
	return program;
}

void lang_program_free(struct lang_program *program)
{
	if (!program)
		return;
	vec_each(probe, &program->probes) {
		target_set_release(&probe->targets);
		lang_code_release(&probe->code);
	}
	free(program->probes.v);
	free(program->maps.v);
	free(program->sites.v);
	free(program->places.v);
	free(program->texts.v);
	free(program->options.v);
	ctypes_free(program->types);
	lang_messages_release(&program->messages);
	lang_sources_release(&program->sources);
	pool_release(&program->pool);
	free(program);
}
