// SPDX-License-Identifier: BSD-2-Clause
/*
 * Expressions. Integers are held in registers of 64 bits, extended by the sign of their type; arithmetic has 64 bits,
 * and its result is cut to the type that the checker gave it.
 */
#include "lowering.h"

struct ir_value lower_number(struct lower *l, struct ast *ast)
{
	struct low_value value = lower_expression(l, ast);

	return lower_use(l, &value);
}

/* --- arithmetic --- */

/* What a pointer is moved by for each 1. */
static uint32_t scale_of(const struct type *pointer)
{
	return pointer->kind == TYPE_POINTER && pointer->of && pointer->of->size ? pointer->of->size : 1;
}

static struct ir_value scaled(struct lower *l, struct ir_value v, uint32_t by)
{
	if (v.is_const)
		return ir_imm(v.imm * by);
	return by == 1 ? v : ir_binary(&l->b, IR_MUL, v, ir_imm(by));
}

static const struct lang_site *division_site(struct lower *l)
{
	struct lang_site *site = pool_alloc(&l->program->pool, sizeof(*site));

	*site = (struct lang_site){ .kind = SITE_DIVISION, .at = l->b.at, .number = l->program->sites.n };
	*(struct lang_site **)vec_push(&l->program->sites) = site;
	return site;
}

/* By 0, the result is 1, and a warning says so. */
static struct ir_value divide(struct lower *l, enum ir_op op, struct ir_value x, struct ir_value y)
{
	uint32_t zero = lower_cold_block(l), other = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct ir_value result = ir_reg(ir_new_reg(&l->b));

	ir_move(&l->b, result.reg, ir_imm(1));
	ir_branch(&l->b, IR_EQ, y, ir_imm(0), zero, other);
	lower_at(l, zero);
	lower_record_values(l, division_site(l), NULL);
	ir_jump(&l->b, done);
	lower_at(l, other);
	ir_move(&l->b, result.reg, ir_binary(&l->b, op, x, y));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return result;
}

struct ir_value lower_arithmetic(struct lower *l, enum ast_op op, struct ir_value x, const struct type *x_type,
				 struct ir_value y, const struct type *y_type, const struct type *type)
{
	bool is_signed = lang_operand_type(x_type, y_type)->is_signed;
	static const enum ir_op plain[] = {
		[OP_ADD] = IR_ADD,
		[OP_SUB] = IR_SUB,
		[OP_MUL] = IR_MUL,
		[OP_DIV] = IR_DIV,
		[OP_MOD] = IR_MOD,
		[OP_AND] = IR_AND,
		[OP_OR] = IR_OR,
		[OP_XOR] = IR_XOR,
		[OP_SHL] = IR_SHL,
		[OP_SHR] = IR_SHR,
	};
	enum ir_op ir = plain[op];

	if (op == OP_ADD || op == OP_SUB) {
		y = scaled(l, y, y_type->kind == TYPE_POINTER ? 1 : scale_of(x_type));
		if (op == OP_ADD && x_type->kind != TYPE_POINTER)
			x = scaled(l, x, scale_of(y_type));
	} else if (op == OP_DIV && is_signed) {
		ir = IR_SDIV;
	} else if (op == OP_MOD && is_signed) {
		ir = IR_SMOD;
	} else if ((op == OP_SHL || op == OP_SHR) && y.is_const) {
		y.imm &= 63; /* the verifier refuses larger constants */
	}
	if (x.is_const && y.is_const) /* instructions need a register */
		x = ir_unary(&l->b, IR_MOVE, 64, x);
	if ((op == OP_DIV || op == OP_MOD) && y.is_const && !y.imm)
		y = ir_unary(&l->b, IR_MOVE, 64, y);
	if ((op == OP_DIV || op == OP_MOD) && !y.is_const)
		return lower_cut(l, divide(l, ir, x, y), type);
	return lower_cut(l, ir_binary(&l->b, ir, x, y), type);
}

static struct low_value lower_binary(struct lower *l, struct ast *ast)
{
	struct ast *left = ast->binary.left, *right = ast->binary.right;
	struct ir_value x, y;

	if (ast->binary.op == OP_LOGIC_AND || ast->binary.op == OP_LOGIC_OR || lower_is_comparison(ast->binary.op))
		return lower_scalar(lower_truth(l, ast), ast->type);
	x = lower_number(l, left);
	if (!x.is_const && right->kind != AST_INTEGER && !right->is_constant) {
		/* The right side may change a variable that the left side is. */
		uint32_t kept = ir_new_reg(&l->b);

		ir_move(&l->b, kept, x);
		x = ir_reg(kept);
	}
	y = lower_number(l, right);
	l->b.at = ast->at;
	return lower_scalar(lower_arithmetic(l, ast->binary.op, x, left->type, y, right->type, ast->type), ast->type);
}

static struct low_value lower_unary(struct lower *l, struct ast *ast)
{
	struct ast *of = ast->unary.operand;
	struct ir_value v;

	switch (ast->unary.op) {
	case OP_DEREF:
		return lower_dereference(l, ast);
	case OP_NOT:
		return lower_scalar(lower_truth(l, ast), ast->type);
	case OP_NEGATE:
		v = lower_number(l, of);
		v = v.is_const ? ir_imm(-(uint64_t)v.imm) : ir_unary(&l->b, IR_NEG, 64, v);
		return lower_scalar(lower_cut(l, v, ast->type), ast->type);
	case OP_INVERT:
		v = lower_number(l, of);
		v = v.is_const ? ir_imm(~v.imm) : ir_binary(&l->b, IR_XOR, v, ir_imm(-1));
		return lower_scalar(lower_cut(l, v, ast->type), ast->type);
	case OP_ADDRESS: {
		struct low_value value = lower_expression(l, of);

		if (value.kind == LOW_OPTIONAL)
			return lower_scalar(value.memory.base, ast->type);
		if (value.kind == LOW_MEMORY)
			return lower_scalar(lower_address(l, &value.memory), ast->type);
		lower_error(l, ast->at, "this has no address");
		return lower_scalar(ir_imm(0), ast->type);
	}
	default:
		return lower_scalar(ir_imm(0), ast->type);
	}
}

/* --- conditions --- */

static void test_value(struct lower *l, struct ast *ast, uint32_t then, uint32_t otherwise)
{
	struct low_value value = lower_expression(l, ast);

	if (value.kind == LOW_OPTIONAL && !lower_is_word(value.type))
		ir_branch(&l->b, IR_NE, value.memory.base, ir_imm(0), then, otherwise);
	else
		ir_branch(&l->b, IR_NE, lower_use(l, &value), ir_imm(0), then, otherwise);
}

void lower_condition(struct lower *l, struct ast *ast, uint32_t then, uint32_t otherwise)
{
	if (ast->is_constant) {
		ir_jump(&l->b, ast->constant ? then : otherwise);
	} else if (ast->kind == AST_UNARY && ast->unary.op == OP_NOT) {
		bool is_predicate = l->is_predicate;

		l->is_predicate = false;
		lower_condition(l, ast->unary.operand, otherwise, then);
		l->is_predicate = is_predicate;
	} else if (ast->kind == AST_BINARY && ast->binary.op == OP_LOGIC_AND) {
		uint32_t next = ir_new_block(&l->b);

		lower_condition(l, ast->binary.left, next, otherwise);
		lower_at(l, next);
		/* Who comes behind the predicate has come by both sides. */
		l->conditional += !l->is_predicate;
		lower_condition(l, ast->binary.right, then, otherwise);
		l->conditional -= !l->is_predicate;
	} else if (ast->kind == AST_BINARY && ast->binary.op == OP_LOGIC_OR) {
		uint32_t next = ir_new_block(&l->b);
		bool is_predicate = l->is_predicate;

		l->is_predicate = false;
		lower_condition(l, ast->binary.left, then, next);
		lower_at(l, next);
		l->conditional++;
		lower_condition(l, ast->binary.right, then, otherwise);
		l->conditional--;
		l->is_predicate = is_predicate;
	} else if (ast->kind == AST_BINARY && lower_is_comparison(ast->binary.op)) {
		lower_compare(l, ast, then, otherwise);
	} else {
		test_value(l, ast, then, otherwise);
	}
}

struct ir_value lower_truth(struct lower *l, struct ast *ast)
{
	uint32_t yes = ir_new_block(&l->b), no = ir_new_block(&l->b), done = ir_new_block(&l->b);
	uint32_t dst = ir_new_reg(&l->b);
	bool is_predicate = l->is_predicate;

	l->is_predicate = false;
	lower_condition(l, ast, yes, no);
	l->is_predicate = is_predicate;
	lower_at(l, yes);
	ir_move(&l->b, dst, ir_imm(1));
	ir_jump(&l->b, done);
	lower_at(l, no);
	ir_move(&l->b, dst, ir_imm(0));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(dst);
}

/* --- the conditional expression --- */

static void lower_arm(struct lower *l, struct ast *arm, const struct type *type, uint32_t reg,
		      const struct low_memory *memory, uint32_t done)
{
	struct low_value value;

	l->conditional++;
	value = lower_expression(l, arm);
	l->conditional--;
	if (memory)
		lower_write(l, &value, memory, type);
	else if (reg != IR_NONE && value.type->kind != TYPE_VOID)
		ir_move(&l->b, reg, lower_cut(l, lower_use(l, &value), type));
	if (!ir_block_ended(&l->b))
		ir_jump(&l->b, done);
}

static struct low_value lower_ternary(struct lower *l, struct ast *ast)
{
	uint32_t then = ir_new_block(&l->b), otherwise = ir_new_block(&l->b), done = ir_new_block(&l->b);
	bool has_value = ast->type->kind != TYPE_VOID && ast->type->kind != TYPE_NONE;
	bool is_word = lower_is_word(ast->type);
	uint32_t reg = has_value && is_word ? ir_new_reg(&l->b) : IR_NONE;
	struct low_memory memory = {};
	bool is_predicate;

	if (has_value && !is_word)
		memory = lower_temp(l, ast->type->size);
	is_predicate = l->is_predicate;
	l->is_predicate = false;
	lower_condition(l, ast->branch.condition, then, otherwise);
	l->is_predicate = is_predicate;
	lower_at(l, then);
	lower_arm(l, ast->branch.then, ast->type, reg, has_value && !is_word ? &memory : NULL, done);
	lower_at(l, otherwise);
	if (ast->branch.otherwise)
		lower_arm(l, ast->branch.otherwise, ast->type, reg, has_value && !is_word ? &memory : NULL, done);
	else
		ir_jump(&l->b, done);
	lower_at(l, done);
	if (!has_value)
		return lower_scalar(ir_imm(0), ast->type);
	return is_word ? lower_scalar(ir_reg(reg), ast->type) : lower_at_memory(memory, ast->type);
}

/* --- casts --- */

/* An integer as an array of bytes, or the reverse: the same bytes. */
static struct low_value cast_bytes(struct lower *l, struct low_value value, const struct type *to)
{
	struct low_memory memory;

	if (value.type->kind == TYPE_ARRAY || value.type->kind == TYPE_BUFFER) {
		memory = value.memory;
		if (value.kind != LOW_MEMORY) {
			memory = lower_temp(l, value.type->size);
			lower_write(l, &value, &memory, value.type);
		}
		if (value.type->kind == TYPE_BUFFER)
			memory.at += 4;
		return lower_scalar(lower_load_scalar(l, &memory, to), to);
	}
	memory = lower_temp(l, to->size);
	lower_write(l, &value, &memory, value.type);
	return lower_at_memory(memory, to);
}

static struct low_value lower_cast(struct lower *l, struct ast *ast)
{
	struct low_value value = lower_expression(l, ast->cast.operand);
	const struct type *to = ast->type, *from = value.type;

	if (lower_is_word(to) && (from->kind == TYPE_ARRAY || from->kind == TYPE_BUFFER))
		return to->kind == TYPE_POINTER && value.kind == LOW_MEMORY
			       ? lower_scalar(lower_address(l, &value.memory), to)
			       : cast_bytes(l, value, to);
	if (to->kind == TYPE_ARRAY && lower_is_word(from))
		return cast_bytes(l, value, to);
	if (to->kind == TYPE_BOOL) {
		uint32_t yes = ir_new_block(&l->b), done = ir_new_block(&l->b), dst = ir_new_reg(&l->b);
		struct ir_value v = lower_use(l, &value);

		ir_move(&l->b, dst, ir_imm(0));
		ir_branch(&l->b, IR_NE, v, ir_imm(0), yes, done);
		lower_at(l, yes);
		ir_move(&l->b, dst, ir_imm(1));
		ir_jump(&l->b, done);
		lower_at(l, done);
		return lower_scalar(ir_reg(dst), to);
	}
	if (lower_is_word(to) && lower_is_word(from))
		return lower_scalar(lower_cut(l, lower_use(l, &value), to), to);
	if (!lower_is_word(to) && !type_same(to, from)) {
		struct low_memory memory = lower_temp(l, to->size);

		lower_write(l, &value, &memory, to);
		return lower_at_memory(memory, to);
	}
	value.type = to;
	return value;
}

/* --- tuples, records, blocks --- */

static struct low_value lower_tuple(struct lower *l, struct ast *ast)
{
	struct low_value tuple = { .kind = LOW_TUPLE, .type = ast->type };
	uint32_t i = 0;

	tuple.elements = pool_alloc(&l->program->pool, (ast->type->n_fields + 1) * sizeof(*tuple.elements));
	for (struct ast *item = ast->list.first; item && i < ast->type->n_fields; item = item->next) {
		struct low_value element = lower_expression(l, item->kind == AST_NAMED ? item->named.value : item);

		/* What a later element could change is read now. */
		if (lower_is_word(element.type) && item->next)
			element = lower_scalar(lower_use(l, &element), element.type);
		tuple.elements[i++] = element;
	}
	return tuple;
}

static struct low_value lower_block(struct lower *l, struct ast *ast)
{
	lower_statements(l, ast->block.first);
	if (ir_block_ended(&l->b))
		lower_at(l, ir_new_block(&l->b));
	return ast->block.value ? lower_expression(l, ast->block.value) : lower_scalar(ir_imm(0), ast->type);
}

static struct low_value lower_constant(struct ast *ast)
{
	if (ast->text && !type_is_integral(ast->type))
		return (struct low_value){
			.kind = LOW_LITERAL,
			.type = ast->type,
			.text = ast->text,
			/* pton() gives bytes, which may be 0. */
			.len = ast->type->kind == TYPE_ARRAY ? ast->type->size : strlen(ast->text)
		};
	return lower_scalar(ir_imm(ast->constant), ast->type);
}

static struct low_value lower_any(struct lower *l, struct ast *ast)
{
	if (ast->is_constant)
		return lower_constant(ast);
	switch (ast->kind) {
	case AST_INTEGER:
	case AST_BOOL:
		return lower_scalar(ir_imm(ast->integer.value), ast->type);
	case AST_STRING:
		return (struct low_value){
			.kind = LOW_LITERAL, .type = ast->type, .text = ast->string.text, .len = ast->string.len
		};
	case AST_NAME:
		return lower_name(l, ast);
	case AST_VARIABLE:
		return lower_variable(l, ast);
	case AST_MAP:
		return lower_map(l, ast);
	case AST_CALL:
		return ast->call.function->lower(l, ast);
	case AST_UNARY:
		return lower_unary(l, ast);
	case AST_BINARY:
		return lower_binary(l, ast);
	case AST_TERNARY:
	case AST_IF_COMPTIME:
		return lower_ternary(l, ast);
	case AST_FIELD:
		return lower_field(l, ast);
	case AST_INDEX:
		return lower_index(l, ast);
	case AST_CAST:
		return lower_cast(l, ast);
	case AST_TUPLE:
	case AST_RECORD:
		return lower_tuple(l, ast);
	case AST_BLOCK:
		return lower_block(l, ast);
	case AST_ASSIGN:
		return lower_assign(l, ast);
	case AST_STEP:
		return lower_step(l, ast);
	default:
		lower_error(l, ast->at, "this cannot be used here");
		return lower_scalar(ir_imm(0), ast->type);
	}
}

struct low_value lower_expression(struct lower *l, struct ast *ast)
{
	struct span outer = l->b.at;
	struct low_value value;

	l->b.at = ast->at;
	value = lower_any(l, ast);
	value.at = ast->at;
	l->b.at = outer;
	return value;
}
