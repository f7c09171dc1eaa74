// SPDX-License-Identifier: BSD-2-Clause
/* Constant expressions where the parser needs their value: sizes of arrays and bit fields, values of enums. */
#include "parse_part.h"

static int64_t shift(enum ast_op op, int64_t left, int64_t right)
{
	return op == OP_SHL ? (int64_t)((uint64_t)left << (right & 63)) : left >> (right & 63);
}

static bool divide(struct parser *p, const struct ast *node, int64_t left, int64_t right, int64_t *value)
{
	if (!right) {
		parse_fail(p, node->at, "division by zero");
		return false;
	}
	/* The least number by -1 does not fit. */
	if (right == -1)
		*value = node->binary.op == OP_DIV ? (int64_t)(0 - (uint64_t)left) : 0;
	else
		*value = node->binary.op == OP_DIV ? left / right : left % right;
	return true;
}

static bool fold_binary(struct parser *p, const struct ast *node, int64_t *value)
{
	int64_t left, right;

	if (!parse_constant(p, node->binary.left, &left) || !parse_constant(p, node->binary.right, &right))
		return false;
	switch (node->binary.op) {
	case OP_ADD:
		*value = (uint64_t)left + (uint64_t)right;
		break;
	case OP_SUB:
		*value = (uint64_t)left - (uint64_t)right;
		break;
	case OP_MUL:
		*value = (uint64_t)left * (uint64_t)right;
		break;
	case OP_DIV:
	case OP_MOD:
		return divide(p, node, left, right, value);
	case OP_AND:
		*value = left & right;
		break;
	case OP_OR:
		*value = left | right;
		break;
	case OP_XOR:
		*value = left ^ right;
		break;
	case OP_SHL:
	case OP_SHR:
		*value = shift(node->binary.op, left, right);
		break;
	case OP_EQ:
		*value = left == right;
		break;
	case OP_NE:
		*value = left != right;
		break;
	case OP_LT:
		*value = left < right;
		break;
	case OP_LE:
		*value = left <= right;
		break;
	case OP_GT:
		*value = left > right;
		break;
	case OP_GE:
		*value = left >= right;
		break;
	case OP_LOGIC_AND:
		*value = left && right;
		break;
	case OP_LOGIC_OR:
		*value = left || right;
		break;
	default:
		return false;
	}
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
