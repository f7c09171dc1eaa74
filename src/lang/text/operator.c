// SPDX-License-Identifier: BSD-2-Clause
/* The table of binary operators, and arithmetic with constants. */
#include "operator.h"

static const struct binary_operator operators[] = {
	{ "||", OP_LOGIC_OR, 1 },
	{ "&&", OP_LOGIC_AND, 2 },
	{ "|", OP_OR, 3 },
	{ "^", OP_XOR, 4 },
	{ "&", OP_AND, 5 },
	{ "==", OP_EQ, 6 },
	{ "!=", OP_NE, 6 },
	{ "<", OP_LT, 7 },
	{ "<=", OP_LE, 7 },
	{ ">", OP_GT, 7 },
	{ ">=", OP_GE, 7 },
	{ "<<", OP_SHL, 8 },
	{ ">>", OP_SHR, 8 },
	{ "+", OP_ADD, 9 },
	{ "-", OP_SUB, 9 },
	{ "*", OP_MUL, 10 },
	{ "/", OP_DIV, 10 },
	{ "%", OP_MOD, 10 },
};

const struct binary_operator *operator_find(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (!strcmp(operators[i].text, text))
			return &operators[i];
	return NULL;
}

static int64_t divide(int64_t a, int64_t b, bool is_signed, bool is_rest)
{
	if (!b)
		return is_rest ? a : 0;
	if (!is_signed)
		return is_rest ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b;
	if (b == -1) /* the least number has no opposite: the division would trap */
		return is_rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return is_rest ? a % b : a / b;
}

static bool is_less(int64_t a, int64_t b, bool is_signed)
{
	return is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}

int64_t operator_compute(enum ast_op op, int64_t a, int64_t b, bool is_signed)
{
	switch (op) {
	case OP_ADD:
		return (uint64_t)a + (uint64_t)b;
	case OP_SUB:
		return (uint64_t)a - (uint64_t)b;
	case OP_MUL:
		return (uint64_t)a * (uint64_t)b;
	case OP_DIV:
		return divide(a, b, is_signed, false);
	case OP_MOD:
		return divide(a, b, is_signed, true);
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	case OP_SHL:
		return (uint64_t)a << (b & 63);
	case OP_SHR:
		return is_signed ? a >> (b & 63) : (int64_t)((uint64_t)a >> (b & 63));
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return is_less(a, b, is_signed);
	case OP_LE:
		return !is_less(b, a, is_signed);
	case OP_GT:
		return is_less(b, a, is_signed);
	case OP_GE:
		return !is_less(a, b, is_signed);
	case OP_LOGIC_AND:
		return a && b;
	case OP_LOGIC_OR:
		return a || b;
	default:
		return 0;
	}
}
