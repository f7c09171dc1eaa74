// SPDX-License-Identifier: BSD-2-Clause
/* Statements and blocks. */
#include "base/nearest.h"
#include "parse_part.h"

static bool is_operator_at(struct parser *p, uint32_t at, const char *text)
{
	const struct token *token = parse_peek(p, at);

	return token->kind == TOKEN_OPERATOR && !strcmp(token->text, text);
}

/* --- blocks with values --- */

static struct ast *wrap(struct parser *p, struct ast *operand)
{
	struct ast *node = parse_node(p, AST_EXPRESSION, operand->at);

	node->unary.operand = operand;
	ast_measure(node);
	return node;
}

static void drop_block_value(struct parser *p, struct ast *block)
{
	struct ast **last = &block->block.first, *value = block->block.value;

	/* "else if" is a block of one `if`, which was left for its outer one to decide. */
	if (!value && *last && ((*last)->kind == AST_IF || (*last)->kind == AST_IF_COMPTIME))
		parse_statement_of(p, *last);
	if (!value)
		return;
	while (*last)
		last = &(*last)->next;
	block->block.value = NULL;
	*last = parse_statement_of(p, value);
	ast_measure(block);
}

struct ast *parse_statement_of(struct parser *p, struct ast *node)
{
	bool is_if = node->kind == AST_TERNARY && node->branch.then->kind == AST_BLOCK &&
		     node->branch.otherwise->kind == AST_BLOCK;

	if (is_if)
		node->kind = AST_IF;
	if (node->kind == AST_IF || node->kind == AST_IF_COMPTIME) {
		drop_block_value(p, node->branch.then);
		if (node->branch.otherwise)
			drop_block_value(p, node->branch.otherwise);
		ast_measure(node);
	} else if (node->kind == AST_BLOCK) {
		drop_block_value(p, node);
	} else if (node->kind < AST_EXPRESSION && node->kind != AST_ASSIGN) {
		return wrap(p, node);
	}
	return node;
}

/* True if the block has a value, also by an `if` that is all of it: "else if". */
static bool has_value(const struct ast *block)
{
	const struct ast *only = block->block.first;

	if (block->block.value)
		return true;
	return only && !only->next && (only->kind == AST_IF || only->kind == AST_IF_COMPTIME) &&
	       only->branch.otherwise && has_value(only->branch.then) && has_value(only->branch.otherwise);
}

static void make_block_value(struct ast *block)
{
	if (block->block.value)
		return;
	parse_make_value(block->block.first);
	block->block.value = block->block.first;
	block->block.first = NULL;
}

bool parse_make_value(struct ast *node)
{
	if ((node->kind != AST_IF && node->kind != AST_IF_COMPTIME) || !node->branch.otherwise ||
	    !has_value(node->branch.then) || !has_value(node->branch.otherwise))
		return false;
	make_block_value(node->branch.then);
	make_block_value(node->branch.otherwise);
	if (node->kind == AST_IF)
		node->kind = AST_TERNARY;
	return true;
}

/* --- statements --- */

static struct ast *parse_let(struct parser *p)
{
	struct ast *node = parse_node(p, AST_LET, parse_take(p).at);

	if (parse_peek(p, 0)->kind == TOKEN_MAP) {
		parse_fail(p, parse_peek(p, 0)->at, "maps are declared outside of blocks: let %s = hash(100);",
			   parse_peek(p, 0)->text);
		return node;
	}
	if (parse_peek(p, 0)->kind != TOKEN_VARIABLE) {
		parse_fail_expected(p, "a variable ($x) after let");
		return node;
	}
	node->let.variable = parse_primary(p);
	if (parse_accept(p, ":"))
		node->let.as_type = parse_type(p);
	if (parse_accept(p, "="))
		node->let.value = parse_expression(p);
	return parse_seal(p, node);
}

/* In "if (x) y" there is a '{' missing, not a cast. */
static struct ast *parse_condition(struct parser *p)
{
	struct ast *node;

	p->in_condition = true;
	node = parse_expression(p);
	p->in_condition = false;
	return node;
}

struct ast *parse_if(struct parser *p)
{
	struct ast *node = parse_node(p, AST_IF, parse_take(p).at), *inner;

	if (!parse_enter(p)) {
		parse_leave(p);
		return node;
	}
	if (parse_accept_word(p, "comptime"))
		node->kind = AST_IF_COMPTIME;
	node->branch.condition = parse_condition(p);
	node->branch.then = parse_block(p, true);
	if (parse_accept_word(p, "else")) {
		if (parse_is_word(p, "if")) {
			node->branch.otherwise = parse_node(p, AST_BLOCK, parse_peek(p, 0)->at);
			inner = parse_if(p);
			node->branch.otherwise->block.first = inner;
			parse_seal(p, node->branch.otherwise);
		} else {
			node->branch.otherwise = parse_block(p, true);
		}
	}
	parse_leave(p);
	return parse_seal(p, node);
}

static struct ast *parse_while(struct parser *p, enum ast_kind kind)
{
	struct ast *node = parse_node(p, kind, parse_take(p).at);

	node->loop.condition = parse_condition(p);
	node->loop.body = parse_block(p, false);
	return parse_seal(p, node);
}

static struct ast *parse_for(struct parser *p)
{
	struct ast *node = parse_node(p, AST_FOR_MAP, parse_take(p).at), *of;
	bool has_paren = parse_accept(p, "(");

	if (parse_peek(p, 0)->kind != TOKEN_VARIABLE) {
		parse_fail_expected(p, "a variable: for ($kv : @map) or for ($i : 0..10)");
		return node;
	}
	node->loop.variable = parse_primary(p);
	if (!parse_expect(p, ":", "after the variable of for")) {
		parse_hint(p, node->at,
			   "for goes over a range, for ($i : 0..10), or a map; other loops are made with while");
		return node;
	}
	of = parse_expression(p);
	if (parse_accept(p, "..")) {
		node->kind = AST_FOR_RANGE;
		node->loop.begin = of;
		node->loop.end = parse_expression(p);
	} else {
		node->loop.condition = of;
		if (of->kind != AST_MAP || of->map.keys) {
			parse_fail(p, of->at, "for goes over a map (@map) or a range (0..10)");
			if (of->kind == AST_NAME)
				parse_hint(p, of->at, "did you mean @%s?", of->name.name);
			else if (of->kind == AST_INTEGER || of->kind == AST_VARIABLE)
				parse_hint(p, of->at, "a range has a start and an end: for ($i : 0..10)");
		}
	}
	if (has_paren)
		parse_expect(p, ")", "after what for goes over");
	node->loop.body = parse_block(p, false);
	return parse_seal(p, node);
}

static struct ast *parse_return(struct parser *p)
{
	struct ast *node = parse_node(p, AST_RETURN, parse_take(p).at);

	if (!parse_is(p, ";") && !parse_is(p, "}"))
		node->unary.operand = parse_expression(p);
	return parse_seal(p, node);
}

static struct ast *parse_simple(struct parser *p, enum ast_kind kind)
{
	return parse_seal(p, parse_node(p, kind, parse_take(p).at));
}

/* "_ = x": its value is dropped on purpose. */
static struct ast *parse_discard(struct parser *p)
{
	struct ast *node = parse_node(p, AST_EXPRESSION, parse_take(p).at);

	parse_take(p);
	node->unary.operand = parse_expression(p);
	node->unary.discard = true;
	return parse_seal(p, node);
}

/* Words of statements that begin like no expression. */
static struct ast *parse_keyword(struct parser *p, bool *is_block)
{
	*is_block = true;
	if (parse_is_word(p, "if"))
		return parse_if(p);
	if (parse_is_word(p, "while"))
		return parse_while(p, AST_WHILE);
	if (parse_is_word(p, "unroll"))
		return parse_while(p, AST_UNROLL);
	if (parse_is_word(p, "for"))
		return parse_for(p);
	if (parse_is(p, "{"))
		return parse_block(p, true);
	*is_block = false;
	if (parse_is_word(p, "let"))
		return parse_let(p);
	if (parse_is_word(p, "return"))
		return parse_return(p);
	if (parse_is_word(p, "break"))
		return parse_simple(p, AST_BREAK);
	if (parse_is_word(p, "continue"))
		return parse_simple(p, AST_CONTINUE);
	if (parse_is_word(p, "_") && is_operator_at(p, 1, "="))
		return parse_discard(p);
	return NULL;
}

/* "whlie ($i < 5) {" and "retrun 1;" look like a call and a name. */
static void hint_keyword(struct parser *p, const struct ast *node, bool has_block)
{
	static const char *const words[] = { "if", "while", "unroll", "else", "let", "return" };
	struct nearest nearest;
	const char *name;

	if (node->kind != AST_CALL && node->kind != AST_NAME)
		return;
	name = node->kind == AST_CALL ? node->call.name : node->name.name;
	nearest_init(&nearest, name);
	for (size_t i = has_block ? 0 : 4; i < (has_block ? 4 : ARRAY_SIZE(words)); i++)
		nearest_offer(&nearest, words[i]);
	if (nearest_name(&nearest))
		parse_hint(p, node->at, "did you mean '%s'?", nearest_name(&nearest));
}

/* Where a statement should end but goes on: a hint for what people write. */
static void fail_statement(struct parser *p, const struct ast *node)
{
	struct token found = *parse_peek(p, 0);

	parse_fail_expected(p, "';' or '}' after a statement");
	if (found.kind == TOKEN_NAME && !strcmp(found.text, "else"))
		parse_hint(p, found.at, "'else' belongs after the '}' of an 'if'");
	else
		hint_keyword(p, node, found.kind == TOKEN_OPERATOR && found.text[0] == '{');
}

/* One statement, or the expression at the end of a block with a value: *is_value. */
static struct ast *parse_statement(struct parser *p, bool *is_value)
{
	bool is_block, is_expression;
	struct ast *node = parse_keyword(p, &is_block);

	is_expression = !node;
	if (is_expression)
		node = parse_expression(p);
	if (!parse_accept(p, ";")) {
		if (!is_block && !parse_is(p, "}"))
			fail_statement(p, node);
		else if (*is_value && parse_is(p, "}") &&
			 (is_expression || (node->kind == AST_BLOCK && node->block.value) || parse_make_value(node)))
			return node;
	}
	*is_value = false;
	return parse_statement_of(p, node);
}

static void parse_statements(struct parser *p, struct ast *block, bool has_value)
{
	struct ast **last = &block->block.first;

	while (!p->failed && !parse_is(p, "}") && parse_peek(p, 0)->kind != TOKEN_END) {
		bool is_value = has_value;
		struct ast *node;

		if (parse_accept(p, ";"))
			continue;
		node = parse_statement(p, &is_value);
		if (is_value) {
			block->block.value = node;
		} else {
			*last = node;
			last = &(*last)->next;
		}
	}
}

struct ast *parse_block(struct parser *p, bool is_value)
{
	struct ast *block = parse_node(p, AST_BLOCK, parse_peek(p, 0)->at);
	bool in_predicate = p->in_predicate;

	if (parse_enter(p) && parse_expect(p, "{", "before the statements of a block")) {
		p->in_predicate = false;
		parse_statements(p, block, is_value);
		if (!p->failed && !parse_is(p, "}")) {
			parse_fail_expected(p, "'}' at the end of a block");
			parse_hint(p, block->at, "the block begins here");
		}
		parse_accept(p, "}");
		p->in_predicate = in_predicate;
	}
	parse_leave(p);
	return parse_seal(p, block);
}
