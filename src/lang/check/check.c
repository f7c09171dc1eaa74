// SPDX-License-Identifier: BSD-2-Clause
/* The passes of the check: settings, probes, types until they settle, then once more to report. */
#include "checker.h"
#include "lang/tree/ast_walk.h"

#define PASSES_MAX 50 /* each pass widens at least one type; real programs need 2 to 4 */

static void check_probe(struct checker *c, struct checked_probe *probe)
{
	c->probe = probe;
	c->visible.n = c->declared.n = c->foreign.n = c->block_begin = 0;
	c->loop = NULL;
	c->n_loops = 0;
	if (probe->ast->predicate)
		check_condition(c, probe->ast->predicate);
	if (probe->ast->body)
		check_block(c, probe->ast->body);
	probe->ast->n_variables = c->n_variables;
}

/* Every value has a type, or an error was reported; else later stages would rely on nothing. */
static void check_is_typed(struct ast **child, void *ctx)
{
	struct checker *c = ctx;
	const struct ast *ast = *child;

	switch (ast->kind) {
	case AST_VARIABLE:
	case AST_UNARY:
	case AST_BINARY:
	case AST_TERNARY:
	case AST_FIELD:
	case AST_INDEX:
	case AST_CAST:
	case AST_TUPLE:
	case AST_RECORD:
	case AST_CALL:
		if (!ast->type || ast->type->kind == TYPE_NONE)
			check_error(c, ast->at, "the type of this is not known");
		break;
	default:
		break;
	}
	if (!ast->is_constant)
		ast_walk(*child, check_is_typed, c);
}

static void check_all_typed(struct checker *c)
{
	vec_each(probe, &c->checked->probes) {
		if (probe->ast->predicate)
			check_is_typed(&probe->ast->predicate, c);
		if (probe->ast->body)
			check_is_typed(&probe->ast->body, c);
	}
}

static void check_pass(struct checker *c)
{
	c->is_changed = false;
	vec_each(probe, &c->checked->probes)
		check_probe(c, probe);
}

/* Options behind "--" that no getopt() asks for. */
static void check_named_options(struct checker *c)
{
	for (size_t i = 0; i < c->options->n_named && !c->options->named_are_known; i++) {
		const char *text = c->options->named[i] + 2 * !strncmp(c->options->named[i], "--", 2);
		size_t len = strcspn(text, "=");
		struct nearest nearest;
		char name[128];
		size_t at = 0;

		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		while (at < c->program->options.n && strcmp(c->program->options.v[at], name))
			at += 2;
		if (at < c->program->options.n)
			continue;
		check_error(c, LANG_NOWHERE, "the program has no option --%s", name);
		c->program->is_misused = true;
		nearest_init(&nearest, name);
		for (at = 0; at < c->program->options.n; at += 2)
			nearest_offer(&nearest, c->program->options.v[at]);
		if (nearest_name(&nearest))
			check_hint(c, LANG_NOWHERE, "did you mean '--%s'?", nearest_name(&nearest));
	}
}

static void check_types(struct checker *c)
{
	unsigned int n = 0;

	c->is_final = false;
	do {
		check_pass(c);
		/* The only assignment is @x = @x + 1: no pass finds a type for it. */
		if (!c->is_changed && !c->is_guessing)
			vec_each(map, &c->program->maps)
				c->is_guessing |= (*map)->value->kind == TYPE_NONE;
		else if (!c->is_changed)
			break;
	} while ((c->is_changed || c->is_guessing) && ++n < PASSES_MAX);
	c->is_final = true;
	if (c->is_changed)
		check_error(c, c->ast->probes->at,
			    "the types of variables and maps depend on each other without an end");
	check_pass(c);
	if (!c->program->messages.errors)
		check_all_typed(c);
	check_named_options(c);
	check_maps_finish(c);
}

bool lang_check(struct lang_program *program, struct ast_program *ast, const struct lang_options *options,
		struct checked_program *checked)
{
	struct checker c = {
		.program = program,
		.pool = &program->pool,
		.ast = ast,
		.options = options,
		.checked = checked,
		.is_final = true,
	};

	check_config(&c);
	check_probes(&c);
	if (!program->messages.errors)
		check_types(&c);
	free(c.foreign.v);
	free(c.visible.v);
	free(c.declared.v);
	return !program->messages.errors;
}
