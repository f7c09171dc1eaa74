// SPDX-License-Identifier: BSD-2-Clause
/* Constant expressions where the parser needs their value: sizes of arrays and bit fields, values of enums. */
#include "parse_part.h"

static bool fold_binary(struct parser *p, const struct ast *node, int64_t *value)
{
	enum ast_op op = node->binary.op;
	int64_t left, right;

	if (!parse_constant(p, node->binary.left, &left) || !parse_constant(p, node->binary.right, &right))
		return false;
	if ((op == OP_DIV || op == OP_MOD) && !right) {
		parse_fail(p, node->at, "division by zero");
		return false;
	}
	*value = operator_compute(op, left, right, true);
	return true;
}

static bool fold_unary(struct parser *p, const struct ast *node, int64_t *value)
{
	if (node->unary.op == OP_DEREF || node->unary.op == OP_ADDRESS) {
		parse_fail(p, node->at, "expected a number that is known now");
		return false;
	}
	if (!parse_constant(p, node->unary.operand, value))
		return false;
	if (node->unary.op == OP_NEGATE)
		*value = 0 - (uint64_t)*value;
	else if (node->unary.op == OP_INVERT)
		*value = ~*value;
	else
		*value = !*value;
	return true;
}

bool parse_constant(struct parser *p, struct ast *node, int64_t *value)
{
	const struct type *type;

	if (p->failed)
		return false;
	switch (node->kind) {
	case AST_INTEGER:
	case AST_BOOL:
		*value = node->integer.value;
		return true;
	case AST_BINARY:
		return fold_binary(p, node, value);
	case AST_UNARY:
		return fold_unary(p, node, value);
	case AST_TERNARY:
		if (!parse_constant(p, node->branch.condition, value))
			return false;
		return parse_constant(p, *value ? node->branch.then : node->branch.otherwise, value);
	case AST_SIZEOF:
		if (node->cast.as_type && cdecl_size(p, node->cast.as_type, value))
			return true;
		break;
	case AST_NAME:
		if (p->types)
			ctypes_use_headers(p->types, p->pp.includes);
		if (p->types && ctypes_find_value(p->types, node->name.name, value, &type))
			return true;
		parse_fail(p, node->at, "expected a constant number; '%s' is not a constant", node->name.name);
		return false;
	default:
		break;
	}
	parse_fail(p, node->at, "expected a number that is known now");
	return false;
}
