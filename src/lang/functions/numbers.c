// SPDX-License-Identifier: BSD-2-Clause
/* Numbers, and what they are called. */
#include <byteswap.h>

#include "kernel/syscalls.h"
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* -22, as system calls return it, is 22. */
static void add_error(struct str *to, int64_t number)
{
	str_add(to, strerror(llabs(number)));
}

FUNCTION(strerror, 1, 1, check_named_call, lower_number_call, .naming = { "strerror_t", "strerror_t", add_error });

static void add_syscall(struct str *to, int64_t number)
{
	const char *name = syscall_name(number);

	str_add(to, name ? name : "Unknown syscall");
}

FUNCTION(syscall_name, 1, 1, check_named_call, lower_number_call,
	 .naming = { "syscall_name_t", "syscall_t", add_syscall });

static const struct type *check_bswap(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type;
	uint64_t value;

	if (!check_integer(c, arg, "the argument of bswap()"))
		return type_none();
	type = type_integer(arg->type->size, false);
	value = arg->constant;
	if (arg->is_constant)
		check_set_integer(call,
				  type->size == 8   ? bswap_64(value)
				  : type->size == 4 ? bswap_32(value)
				  : type->size == 2 ? bswap_16(value)
						    : value & 0xff,
				  type);
	return type;
}

static struct low_value lower_swap(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args;
	struct ir_value v = lower_number(l, arg);

	if (call->type->size <= 1)
		return lower_scalar(v, call->type);
	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	return lower_scalar(ir_unary(&l->b, IR_SWAP, call->type->size * 8, v), call->type);
}

FUNCTION(bswap, 1, 1, check_bswap, lower_swap);

/* listed(x, "80,81"): whether x is one of the numbers; "" has all. lower_listed() reads them again. */
static const struct type *check_listed(struct checker *c, struct ast *call)
{
	const char *list = check_text_argument(c, call, 1), *at = list;
	char *end;

	if (!check_integer(c, call->call.args, "the first argument of listed()") || !list)
		return type_bool();
	if (!*list) {
		check_set_bool(call, true);
		return call->type;
	}
	do {
		errno = 0;
		strtoll(at, &end, 0);
		if (end == at || (*end && *end != ',') || errno) {
			check_error(c, call->at,
				    "listed() expects numbers with commas between them, as '80,443', not '%s'", list);
			break;
		}
		at = end + 1;
	} while (*end);
	return type_bool();
}

/* listed(x, "80,81") */
static struct low_value lower_listed(struct lower *l, struct ast *call)
{
	const struct ast *second = call->call.args->next;
	const char *at = second->text ? second->text : second->string.text;
	uint32_t is = ir_new_reg(&l->b), found = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct ir_value v = lower_number(l, call->call.args);
	char *end;

	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	do {
		uint32_t next = ir_new_block(&l->b);

		ir_branch(&l->b, IR_EQ, v, ir_imm(strtoll(at, &end, 0)), found, next);
		lower_at(l, next);
		at = end + 1;
	} while (*end);
	ir_move(&l->b, is, ir_imm(0));
	ir_jump(&l->b, done);
	lower_at(l, found);
	ir_move(&l->b, is, ir_imm(1));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(ir_reg(is), call->type);
}

FUNCTION(listed, 2, 2, check_listed, lower_listed);
