// SPDX-License-Identifier: BSD-2-Clause
/* Operators, with C's precedence: assignment, ?:, binary, unary. */
#include "parse_part.h"

static const struct {
	const char *text;
	enum ast_op op;
} unaries[] = {
	{ "!", OP_NOT },
	{ "~", OP_INVERT },
	{ "-", OP_NEGATE },
	{ "*", OP_DEREF },
	{ "&", OP_ADDRESS },
	{ "+", OP_NONE },
},
  assignments[] = {
	  { "=", OP_NONE },
	  { "+=", OP_ADD },
	  { "-=", OP_SUB },
	  { "*=", OP_MUL },
	  { "/=", OP_DIV },
	  { "%=", OP_MOD },
	  { "&=", OP_AND },
	  { "|=", OP_OR },
	  { "^=", OP_XOR },
	  { "<<=", OP_SHL },
	  { ">>=", OP_SHR },
  };

/* The operator that goes on with the expression, NULL: none of at least this precedence. */
static const struct binary_operator *next_binary(struct parser *p, int precedence)
{
	const struct token *token = parse_peek(p, 0), *behind;
	const struct binary_operator *found = token->kind == TOKEN_OPERATOR ? operator_find(token->text) : NULL;

	if (!found || found->precedence < precedence)
		return NULL;
	if (!p->in_predicate || found->op != OP_DIV)
		return found;
	behind = parse_peek(p, 1);
	return behind->kind == TOKEN_OPERATOR && behind->text[0] == '{' ? NULL : found;
}

static struct ast *parse_binary(struct parser *p, int precedence)
{
	struct ast *left = parse_unary(p);
	const struct binary_operator *binary;

	while ((binary = next_binary(p, precedence))) {
		struct ast *node = parse_node(p, AST_BINARY, left->at);

		parse_take(p);
		node->binary.op = binary->op;
		node->binary.left = left;
		node->binary.right = parse_binary(p, binary->precedence + 1);
		left = parse_seal(p, node);
	}
	return left;
}

static struct ast *parse_ternary(struct parser *p)
{
	struct ast *node, *condition = parse_binary(p, 1);

	if (!parse_accept(p, "?"))
		return condition;
	node = parse_node(p, AST_TERNARY, condition->at);
	node->branch.condition = condition;
	node->branch.then = parse_expression(p);
	parse_expect(p, ":", "between the two values of a ? b : c");
	node->branch.otherwise = parse_expression(p);
	return parse_seal(p, node);
}

static void fail_assignment(struct parser *p, const struct ast *to, struct span operator, bool is_plain)
{
	p->takes_hints = false;
	if (p->failed)
		return;
	if (to->kind == AST_NAME) {
		parse_fail(p, to->at, "cannot assign to '%s': only variables ($x) and maps (@x) can be assigned to",
			   to->name.name);
		if (is_plain && p->in_predicate)
			parse_hint(p, operator, "'==' compares");
		else
			parse_hint(p, to->at, "a variable would be $%s, a map @%s", to->name.name, to->name.name);
		return;
	}
	parse_fail(p, to->at, "cannot assign to this: only variables ($x) and maps (@x) can be assigned to");
	if (is_plain && p->in_predicate)
		parse_hint(p, operator, "'==' compares");
}

static struct ast *parse_assignment(struct parser *p)
{
	const struct token *token;
	struct ast *node, *to = parse_ternary(p);
	size_t found = ARRAY_SIZE(assignments);

	token = parse_peek(p, 0);
	for (size_t i = 0; token->kind == TOKEN_OPERATOR && i < ARRAY_SIZE(assignments); i++)
		if (!strcmp(token->text, assignments[i].text))
			found = i;
	if (found == ARRAY_SIZE(assignments))
		return to;
	if (to->kind != AST_VARIABLE && to->kind != AST_MAP)
		fail_assignment(p, to, token->at, !found);
	parse_take(p);
	node = parse_node(p, AST_ASSIGN, to->at);
	node->assign.op = assignments[found].op;
	node->assign.to = to;
	node->assign.value = parse_expression(p);
	return parse_seal(p, node);
}

struct ast *parse_expression(struct parser *p)
{
	struct ast *node;

	if (parse_enter(p))
		node = parse_assignment(p);
	else
		node = parse_node(p, AST_INTEGER, p->last);
	parse_leave(p);
	return node;
}

/* --- unary --- */

static struct ast *parse_step(struct parser *p, struct ast *of, struct span at, bool is_decrement, bool is_postfix)
{
	struct ast *node = parse_node(p, AST_STEP, at);

	if (of->kind != AST_VARIABLE && of->kind != AST_MAP)
		parse_fail(p, of->at, "++ and -- need a variable ($x) or a map (@x)");
	node->step.of = of;
	node->step.is_decrement = is_decrement;
	node->step.is_postfix = is_postfix;
	return parse_seal(p, node);
}

static struct ast *parse_field(struct parser *p, struct ast *of, bool is_arrow)
{
	struct ast *node = parse_node(p, AST_FIELD, of->at);
	const struct token *token = parse_peek(p, 0);

	node->field.of = of;
	node->field.is_arrow = is_arrow;
	if (token->kind == TOKEN_NAME) {
		node->field.name = parse_take(p).text;
	} else if (token->kind == TOKEN_INTEGER && !is_arrow) {
		if (token->value > 1000)
			parse_fail(p, token->at, "a tuple has no %llu values", (unsigned long long)token->value);
		node->field.index = parse_take(p).value;
	} else {
		parse_fail_expected(p, is_arrow ? "a field's name after '->'"
						: "a field's name, or a tuple's index, after '.'");
	}
	return parse_seal(p, node);
}

static struct ast *parse_index(struct parser *p, struct ast *of)
{
	struct ast *node = parse_node(p, AST_INDEX, of->at);

	node->index.of = of;
	node->index.index = parse_expression(p);
	parse_expect(p, "]", "after an index");
	return parse_seal(p, node);
}

static struct ast *parse_postfix(struct parser *p)
{
	struct ast *node = parse_primary(p);

	while (!p->failed) {
		if (parse_accept(p, "."))
			node = parse_field(p, node, false);
		else if (parse_accept(p, "->"))
			node = parse_field(p, node, true);
		else if (parse_accept(p, "["))
			node = parse_index(p, node);
		else if (parse_accept(p, "++"))
			node = parse_step(p, node, node->at, false, true);
		else if (parse_accept(p, "--"))
			node = parse_step(p, node, node->at, true, true);
		else
			break;
	}
	return node;
}

static struct ast *parse_cast(struct parser *p)
{
	struct ast *node = parse_node(p, AST_CAST, parse_take(p).at);

	node->cast.as_type = parse_type(p);
	parse_expect(p, ")", "after the type of a cast");
	node->cast.operand = parse_unary(p);
	return parse_seal(p, node);
}

static struct ast *parse_unary_operator(struct parser *p)
{
	const struct token *token = parse_peek(p, 0);
	struct span at = token->at;
	struct ast *node;

	if (parse_accept(p, "++"))
		return parse_step(p, parse_unary(p), at, false, false);
	if (parse_accept(p, "--"))
		return parse_step(p, parse_unary(p), at, true, false);
	for (size_t i = 0; token->kind == TOKEN_OPERATOR && i < ARRAY_SIZE(unaries); i++) {
		if (strcmp(token->text, unaries[i].text))
			continue;
		parse_take(p);
		if (unaries[i].op == OP_NONE)
			return parse_unary(p);
		node = parse_node(p, AST_UNARY, at);
		node->unary.op = unaries[i].op;
		node->unary.operand = parse_unary(p);
		return parse_seal(p, node);
	}
	return parse_is_cast(p) ? parse_cast(p) : parse_postfix(p);
}

struct ast *parse_unary(struct parser *p)
{
	struct ast *node;

	if (parse_enter(p))
		node = parse_unary_operator(p);
	else
		node = parse_node(p, AST_INTEGER, p->last);
	parse_leave(p);
	return node;
}
