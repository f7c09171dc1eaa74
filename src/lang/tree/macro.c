// SPDX-License-Identifier: BSD-2-Clause
/*
 * Macros: a call is replaced by a copy of the macro's body, a block. They are hygienic: the body's own variables get a
 * mark (LANG_HYGIENE) that no name of the program has, and a body may only use maps that are its parameters.
 */
#include "ast_walk.h"
#include "parse_part.h"

#define MAX_EXPANSIONS 10000 /* of a program; PARSE_MAX_NODES counts what they copy */

/* --- declaration --- */

static struct ast *parse_parameter(struct parser *p)
{
	const struct token *token = parse_peek(p, 0);

	if (token->kind != TOKEN_NAME && token->kind != TOKEN_VARIABLE && token->kind != TOKEN_MAP) {
		parse_fail_expected(p, "a parameter: a name, a variable ($x) or a map (@x)");
		return parse_node(p, AST_NAME, token->at);
	}
	if (token->kind == TOKEN_NAME) {
		struct ast *node = parse_node(p, AST_NAME, token->at);

		node->name.name = parse_take(p).text;
		return node;
	}
	return parse_primary(p);
}

static const char *name_of(const struct ast *node)
{
	switch (node->kind) {
	case AST_NAME:
		return node->name.name;
	case AST_VARIABLE:
		return node->variable.name;
	case AST_MAP:
		return node->map.name;
	default:
		return "";
	}
}

static void check_parameter(struct parser *p, const struct macro *macro, const struct ast *param)
{
	if (p->failed)
		return;
	if (param->kind == AST_MAP && param->map.keys)
		parse_fail(p, param->at, "a macro's parameter is a map as a whole: %s", param->map.name);
	for (const struct ast *other = macro->params; other != param; other = other->next)
		if (!strcmp(name_of(other), name_of(param)))
			parse_fail(p, param->at, "the parameter '%s' is there twice", name_of(param));
}

static struct macro *find(struct parser *p, const char *name, uint32_t n, bool *is_name)
{
	struct macro *macro = parse_name(p, name)->macros;

	*is_name = macro != NULL;
	while (macro && macro->n != n)
		macro = macro->next;
	return macro;
}

void macro_parse(struct parser *p)
{
	struct macro *macro = pool_alloc(p->pool, sizeof(*macro)), *other;
	struct ast **last = &macro->params;
	struct macro **at;
	bool is_name;

	parse_take(p);
	macro->at = parse_peek(p, 0)->at;
	if (parse_peek(p, 0)->kind != TOKEN_NAME || parse_is_keyword(parse_peek(p, 0)->text)) {
		parse_fail_expected(p, "a name after macro");
		return;
	}
	macro->name = parse_take(p).text;
	parse_expect(p, "(", "after the name of a macro");
	while (!p->failed && !parse_is(p, ")")) {
		*last = parse_parameter(p);
		check_parameter(p, macro, *last);
		last = &(*last)->next;
		macro->n++;
		if (!parse_accept(p, ","))
			break;
	}
	parse_expect(p, ")", "after the parameters of a macro");
	macro->body = parse_block(p, true);
	other = find(p, macro->name, macro->n, &is_name);
	if (!p->failed && other) {
		parse_fail(p, macro->at, "there is a macro '%s' with %u parameter%s already", macro->name, macro->n,
			   str_plural(macro->n));
		parse_hint(p, other->at, "it is here");
	}
	for (at = &parse_name(p, str_or_empty(macro->name))->macros; *at; at = &(*at)->next)
		;
	*at = macro;
	p->has_macros = true;
}

/* --- copies --- */

struct copy {
	struct parser *p;
	struct macro *macro;
	struct ast *args;	/* as many as the macro has parameters */
	uint32_t source, alias; /* places of the body move from one to the other */
	uint32_t number;	/* of this expansion, for the mark of its variables */
};

static void copy_node(struct ast **node, void *ctx);

/* The argument for a parameter of this name; NULL: it is none. */
static struct ast *argument_of(const struct copy *copy, enum ast_kind kind, const char *name)
{
	struct ast *arg = copy->args;

	if (!copy->macro)
		return NULL;
	for (const struct ast *param = copy->macro->params; param; param = param->next, arg = arg->next)
		if (param->kind == kind && !strcmp(name_of(param), name))
			return arg;
	return NULL;
}

/* Whether the argument for the parameter of this name is a type. */
static bool is_type_argument(const struct copy *copy, const char *name)
{
	const struct ast *arg = argument_of(copy, AST_NAME, name);

	return arg &&
	       (arg->kind == AST_TYPEOF || (arg->kind == AST_NAME && parse_names_type(copy->p, arg->name.name)));
}

/* "(t *)x", where t is a parameter, becomes "(typeof(t) *)x", whose t is replaced as in every other expression. */
static struct ast_type *copy_type(struct copy *copy, const struct ast_type *type)
{
	struct ast_type *made, **last;

	if (!type)
		return NULL;
	made = (struct ast_type *)pool_copy(copy->p->pool, type, sizeof(*type));
	if (type->tag == WRITTEN_PLAIN && is_type_argument(copy, str_or_empty(type->name))) {
		made->tag = WRITTEN_TYPEOF;
		made->of = parse_node(copy->p, AST_NAME, type->at);
		made->of->name.name = type->name;
		return made;
	}
	made->of_type = copy_type(copy, type->of_type);
	last = &made->members;
	for (const struct ast_type *member = type->members; member; member = member->next) {
		*last = copy_type(copy, member);
		last = &(*last)->next;
	}
	return made;
}

static void copy_types(struct copy *copy, struct ast *node)
{
	if (node->kind == AST_CAST || node->kind == AST_SIZEOF || node->kind == AST_TYPEOF)
		node->cast.as_type = copy_type(copy, node->cast.as_type);
	else if (node->kind == AST_OFFSETOF)
		node->offsetof.of_type = copy_type(copy, node->offsetof.of_type);
	else if (node->kind == AST_LET)
		node->let.as_type = copy_type(copy, node->let.as_type);
}

/* Names of the body become those of the arguments, or of this expansion alone. */
static void rename_variable(struct copy *copy, struct ast *node)
{
	const struct ast *arg = argument_of(copy, node->kind, name_of(node));

	if (node->kind == AST_VARIABLE && !arg)
		node->variable.name = pool_addf(copy->p->pool, "%s%c%u", node->variable.name, LANG_HYGIENE,
						copy->number);
	else if (node->kind == AST_VARIABLE)
		node->variable.name = arg->variable.name;
	else if (arg)
		node->map.name = arg->map.name;
	else
		lang_error(copy->p->messages, node->at,
			   "the macro '%s' uses the map %s, which is not one of its parameters", copy->macro->name,
			   node->map.name);
}

static void copy_children(struct copy *copy, struct ast *node)
{
	copy_types(copy, node);
	ast_walk(node, copy_node, copy);
	ast_measure(node);
	if (node->height > PARSE_MAX_HEIGHT)
		parse_fail(copy->p, node->at,
			   "macros make an expression of more than %d operations on each other's results",
			   PARSE_MAX_HEIGHT);
}

/* Replaces a node by a copy, with arguments in place of parameters. */
static void copy_node(struct ast **node, void *ctx)
{
	struct copy *copy = ctx, plain = { .p = copy->p };
	struct ast *arg = (*node)->kind == AST_NAME ? argument_of(copy, AST_NAME, (*node)->name.name) : NULL;
	struct ast *made, *from = arg ? arg : *node;

	made = parse_node(copy->p, from->kind, from->at);
	if (copy->p->failed)
		return;
	*made = *from;
	made->next = (*node)->next;
	*node = made;
	/* An argument's names are the caller's. */
	if (arg)
		copy = &plain;
	if (copy->macro && made->at.source == copy->source)
		made->at.source = copy->alias;
	if (copy->macro && (made->kind == AST_VARIABLE || made->kind == AST_MAP))
		rename_variable(copy, made);
	copy_children(copy, made);
}

/* --- calls --- */

struct expansion {
	struct parser *p;
	const struct expansion *outer; /* the macro whose body is expanded */
	struct macro *macro;
};

static void expand_node(struct ast **node, void *ctx);

static bool check_arguments(struct parser *p, const struct macro *macro, const struct ast *args)
{
	const struct ast *arg = args;

	for (const struct ast *param = macro->params; param; param = param->next, arg = arg->next) {
		if (param->kind == AST_NAME || (param->kind == arg->kind && !(arg->kind == AST_MAP && arg->map.keys)))
			continue;
		lang_error(p->messages, arg->at, "the macro '%s' expects %s for its parameter %s", macro->name,
			   param->kind == AST_MAP ? "a map without a key" : "a variable", name_of(param));
		return false;
	}
	return true;
}

static void fail_recursion(struct expansion *e, const struct ast *call, const struct macro *macro)
{
	struct str chain __str = {};

	for (const struct expansion *outer = e; outer && outer->macro; outer = outer->outer) {
		struct str longer = {};

		str_addf(&longer, " > %s%s", outer->macro->name, str_or_empty(chain.data));
		str_release(&chain);
		chain = longer;
		if (outer->macro == macro)
			break;
	}
	parse_fail(e->p, call->at, "the macro '%s' calls itself: %s > %s", macro->name, chain.data + 3, macro->name);
}

/* Replaces the call by the body. */
static void expand_call(struct expansion *e, struct ast **node, struct macro *macro, struct ast *args)
{
	struct expansion inner = { .p = e->p, .outer = e, .macro = macro };
	struct copy copy = { .p = e->p, .macro = macro, .args = args, .source = macro->body->at.source };
	struct ast *call = *node, *body = macro->body;

	if (macro->is_active) {
		fail_recursion(e, call, macro);
		return;
	}
	if (!check_arguments(e->p, macro, args))
		return;
	copy.number = ++e->p->n_expansions;
	if (copy.number > MAX_EXPANSIONS) {
		parse_fail(e->p, call->at, "the program calls macros more than %d times", MAX_EXPANSIONS);
		return;
	}
	copy.alias = lang_sources_alias(e->p->sources, copy.source, call->at);
	copy_node(&body, &copy);
	if (e->p->failed)
		return;
	/* A body that is one expression stands for that: a constant stays one. */
	if (!body->block.first && body->block.value)
		body = body->block.value;
	body->next = call->next;
	*node = body;
	macro->is_active = true;
	expand_node(node, &inner);
	macro->is_active = false;
}

static void fail_arguments(struct parser *p, const struct ast *call)
{
	struct str counts __str = {};

	for (const struct macro *macro = parse_name(p, call->call.name)->macros; macro; macro = macro->next)
		str_addf(&counts, "%s%u", counts.len ? " or " : "", macro->n);
	lang_error(p->messages, call->at, "the macro '%s' takes %s argument%s, not %u", call->call.name, counts.data,
		   strcmp(counts.data, "1") ? "s" : "", call->call.n);
}

/* A body whose value nobody uses is a statement. */
static void become_statement(struct parser *p, struct ast **node)
{
	struct ast *operand = (*node)->unary.operand, *next = (*node)->next;

	if ((*node)->unary.discard || (operand->kind != AST_BLOCK && operand->kind != AST_TERNARY &&
				       operand->kind != AST_IF_COMPTIME && operand->kind != AST_ASSIGN))
		return;
	*node = parse_statement_of(p, operand);
	(*node)->next = next;
}

static void expand_node(struct ast **node, void *ctx)
{
	struct expansion *e = ctx;
	struct macro *macro = NULL;
	bool is_name = false;

	if (e->p->failed)
		return;
	/* Arguments first: they are the caller's, who may well call the macro in them. */
	ast_walk(*node, expand_node, e);
	if ((*node)->kind == AST_CALL)
		macro = find(e->p, (*node)->call.name, (*node)->call.n, &is_name);
	else if ((*node)->kind == AST_NAME)
		macro = find(e->p, (*node)->name.name, 0, &is_name);
	if (macro)
		expand_call(e, node, macro, (*node)->kind == AST_CALL ? (*node)->call.args : NULL);
	else if (is_name && (*node)->kind == AST_CALL)
		fail_arguments(e->p, *node);
	if (e->p->failed)
		return;
	if ((*node)->kind == AST_EXPRESSION)
		become_statement(e->p, node);
	ast_measure(*node);
	if ((*node)->height > PARSE_MAX_HEIGHT)
		parse_fail(e->p, (*node)->at,
			   "macros make an expression of more than %d operations on each other's results",
			   PARSE_MAX_HEIGHT);
}

void macro_expand(struct parser *p)
{
	struct expansion e = { .p = p };

	if (!p->has_macros)
		return;
	for (struct ast_probe *probe = p->program->probes; probe; probe = probe->next) {
		if (probe->predicate)
			expand_node(&probe->predicate, &e);
		if (probe->body)
			expand_node(&probe->body, &e);
	}
	p->failed |= p->messages->errors > 0;
}
