// SPDX-License-Identifier: BSD-2-Clause
/*
 * `if (x) { $a = 1 } print($a)` becomes `let $a; if (x) { $a = 1 } print($a)`. Loops and `let` declare their variables
 * themselves.
 */
#include "base/set.h"

#include "ast_walk.h"
#include "hoist.h"

struct hoist {
	struct pool *pool;
	struct set own;	 /* names that the program declares */
	struct set done; /* names that were hoisted */
	uint32_t depth;	 /* blocks around */
	struct ast *first, **last;
};

static void note_own(struct hoist *h, const struct ast *variable)
{
	if (variable && variable->kind == AST_VARIABLE)
		set_add(&h->own, variable->variable.name, strlen(variable->variable.name));
}

static void find_own(struct ast **child, void *ctx)
{
	const struct ast *ast = *child;

	if (ast->kind == AST_LET)
		note_own(ctx, ast->let.variable);
	else if (ast->kind == AST_FOR_MAP || ast->kind == AST_FOR_RANGE)
		note_own(ctx, ast->loop.variable);
	ast_walk(*child, find_own, ctx);
}

static void declare(struct hoist *h, const struct ast *variable)
{
	const char *name = variable->variable.name;
	size_t len = strlen(name), n = h->done.n;
	struct ast *let;

	if (set_find(&h->own, name, len) != SET_NONE || set_add(&h->done, name, len) < n)
		return;
	let = pool_alloc(h->pool, sizeof(*let));
	*let = (struct ast){ .kind = AST_LET, .at = variable->at, .height = 2 };
	let->let.variable = ast_copy(h->pool, variable);
	*h->last = let;
	h->last = &let->next;
}

static void find_assigned(struct ast **child, void *ctx)
{
	const struct ast *ast = *child;
	struct hoist *h = ctx;

	h->depth += ast->kind == AST_BLOCK;
	if (ast->kind == AST_ASSIGN && ast->assign.to->kind == AST_VARIABLE && h->depth > 1)
		declare(h, ast->assign.to);
	ast_walk(*child, find_assigned, h);
	h->depth -= ast->kind == AST_BLOCK;
}

void hoist_variables(struct ast_program *program, struct pool *pool)
{
	for (struct ast_probe *probe = program->probes; probe; probe = probe->next) {
		struct hoist h = { .pool = pool };

		if (!probe->body)
			continue;
		h.last = &h.first;
		find_own(&probe->body, &h);
		find_assigned(&probe->body, &h);
		*h.last = probe->body->block.first;
		probe->body->block.first = h.first;
		set_release(&h.own);
		set_release(&h.done);
	}
}
