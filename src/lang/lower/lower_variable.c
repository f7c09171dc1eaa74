// SPDX-License-Identifier: BSD-2-Clause
/*
 * Variables: in registers if they can, otherwise in objects. Those that loops' bodies share are in one object of the
 * program's frame.
 */
#include "lowering.h"

struct low_memory lower_shared(struct lower *l, uint32_t at)
{
	if (l->shared == IR_NONE) {
		struct ir_builder b = { .program = l->b.program };

		l->shared = ir_new_object(&b, SHARED_VARIABLES, 8);
		l->shared_size = SHARED_VARIABLES;
	}
	if (l->f->outer)
		return (struct low_memory){ .base = l->f->frame, .at = at, .space = SPACE_BPF, .is_frame = true };
	return (struct low_memory){ .is_object = true, .object = l->shared, .at = at, .space = SPACE_BPF };
}

struct low_memory lower_shared_new(struct lower *l, uint32_t size)
{
	struct low_memory memory;

	lower_shared(l, 0);
	memory = lower_shared(l, l->shared_size);
	l->shared_size += (size + 7) & ~7U;
	return memory;
}

/* Small ones are in the shared object, large ones in scratch memory, whose address is in it. */
static void place_shared(struct lower *l, struct low_variable *variable, const struct type *type)
{
	variable->in_scratch = !lower_fits(l, type->size);
	variable->memory = variable->in_scratch ? lower_scratch(l, type->size) : lower_shared_new(l, type->size);
	if (variable->in_scratch)
		l->scratch_kept = l->scratch_top;
}

static struct low_variable *variable_of(struct lower *l, const struct ast_variable *ast)
{
	struct low_variable *variable;

	while (l->variables.n <= ast->number)
		vec_push(&l->variables);
	variable = &l->variables.v[ast->number];
	/* An unrolled loop has the functions within it several times. */
	if (variable->is_known && (ast->is_captured || variable->function == l->f->number))
		return variable;
	variable->is_known = true;
	variable->function = l->f->number;
	variable->in_memory = ast->is_captured || ast->is_addressed || !lower_is_word(ast->type);
	if (ast->is_captured)
		place_shared(l, variable, ast->type);
	else if (variable->in_memory)
		variable->memory = lower_object(l, ast->type->size ? ast->type->size : 8);
	else
		variable->reg = ir_new_reg(&l->b);
	return variable;
}

/* Where it is in this function: bases of memory that is no object are registers of one function. */
static struct low_memory memory_here(struct lower *l, const struct ast_variable *ast,
				     const struct low_variable *variable)
{
	struct low_memory memory = variable->memory;

	if (!ast->is_captured)
		return memory;
	if (!variable->in_scratch)
		return lower_shared(l, memory.at);
	memory.base = l->f->scratch;
	return memory;
}

struct low_value lower_variable(struct lower *l, struct ast *ast)
{
	struct ast_variable *variable = ast->variable.variable;
	struct low_variable *where = variable_of(l, variable);

	if (where->in_memory)
		return lower_at_memory(memory_here(l, variable, where), variable->type);
	return lower_scalar(ir_reg(where->reg), variable->type);
}

/*
 * The number as one that the verifier does not know: it runs through the body of a loop until nothing changes any more,
 * and a variable that is counted up changes in every turn.
 */
static struct low_value forgotten(struct lower *l, const struct low_value *value, const struct type *type)
{
	struct ir_value state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);
	struct ir_value zero = ir_load(&l->b, 64, false, state, offsetof(struct lang_state, zero));

	return lower_scalar(ir_binary(&l->b, IR_ADD, zero, lower_cut(l, lower_use(l, value), type)), type);
}

void lower_set_variable(struct lower *l, struct ast_variable *variable, const struct low_value *value)
{
	struct low_value number;
	struct low_variable *where = variable_of(l, variable);
	struct low_memory memory;

	if (!where->in_memory) {
		ir_move(&l->b, where->reg, lower_cut(l, lower_use(l, value), variable->type));
		return;
	}
	memory = memory_here(l, variable, where);
	if (variable->is_captured && type_is_integral(variable->type)) {
		number = forgotten(l, value, variable->type);
		value = &number;
	}
	lower_write_over(l, value, &memory, variable->type);
}

void lower_clear_variable(struct lower *l, struct ast_variable *variable)
{
	struct low_variable *where = variable_of(l, variable);
	struct low_memory memory;

	if (!where->in_memory) {
		ir_move(&l->b, where->reg, ir_imm(0));
		return;
	}
	memory = memory_here(l, variable, where);
	lower_zero(l, &memory, variable->type->size);
}

/* --- assignment --- */

static struct low_value assign_variable(struct lower *l, struct ast *ast)
{
	struct ast *to = ast->assign.to;
	struct low_value value = lower_expression(l, ast->assign.value);

	if (ast->assign.op != OP_NONE) {
		struct low_value old = lower_variable(l, to);
		struct ir_value x = lower_use(l, &old), y = lower_use(l, &value);

		l->b.at = ast->at;
		value = lower_scalar(lower_arithmetic(l, ast->assign.op, x, to->type, y, ast->assign.value->type,
						      to->variable.variable->type),
				     to->variable.variable->type);
	}
	lower_set_variable(l, to->variable.variable, &value);
	return lower_variable(l, to);
}

struct low_value lower_assign(struct lower *l, struct ast *ast)
{
	struct ast *to = ast->assign.to, *value = ast->assign.value;

	if (to->kind == AST_VARIABLE)
		return assign_variable(l, ast);
	if (to->kind == AST_MAP && ast->assign.op != OP_NONE)
		return lower_map_update(l, to, ast->assign.op, value, false, true);
	if (to->kind == AST_MAP && value->kind == AST_CALL && type_is_aggregate(to->map.map->value) &&
	    !value->is_constant && value->call.function->is_aggregate) {
		lower_aggregate(l, to->map.map, to->map.key, value);
		return lower_scalar(ir_imm(0), type_void());
	}
	if (to->kind == AST_MAP) {
		struct low_value v = lower_expression(l, value);

		if (lower_is_word(v.type)) /* its own side effects come before those of the key */
			v = lower_scalar(lower_use(l, &v), v.type);
		lower_map_set(l, to->map.map, to->map.key, &v);
		return v;
	}
	lower_error(l, ast->at, "nothing can be assigned here");
	return lower_scalar(ir_imm(0), ast->type);
}

struct ast lower_one(const struct ast *step)
{
	return (struct ast){
		.kind = AST_INTEGER, .at = step->at, .type = type_integer(8, true), .is_constant = true, .constant = 1
	};
}

struct low_value lower_step(struct lower *l, struct ast *ast)
{
	struct ast *of = ast->step.of;
	const struct type *type = of->type;
	struct ast one = lower_one(ast);
	enum ast_op op = ast->step.is_decrement ? OP_SUB : OP_ADD;
	struct low_value value;
	struct ir_value old, now;

	if (of->kind == AST_MAP)
		return lower_map_update(l, of, op, &one, ast->step.is_postfix, !ast->step.is_postfix);
	value = lower_variable(l, of);
	old = ir_reg(ir_new_reg(&l->b));
	ir_move(&l->b, old.reg, lower_use(l, &value));
	now = lower_arithmetic(l, op, old, type, ir_imm(1), one.type, type);
	value = lower_scalar(now, type);
	lower_set_variable(l, of->variable.variable, &value);
	return lower_scalar(ast->step.is_postfix ? old : now, type);
}
