// SPDX-License-Identifier: BSD-2-Clause
/*
 * Loops. The body of one whose turns the kernel counts, bpf_loop() and bpf_for_each_map_elem(), is a function; what it
 * shares with the program is in an object of the program's frame, whose address it gets.
 */
#include <linux/bpf.h>

#include "bpf/stack.h"
#include "lowering.h"

/* --- plain loops --- */

static void lower_body(struct lower *l, struct ast *body, uint32_t again, uint32_t out)
{
	struct low_loop loop = { .outer = l->f->loop, .again = again, .out = out };

	l->f->loop = &loop;
	lower_statement(l, body);
	l->f->loop = loop.outer;
}

/* Counts the turns of a loop; after the last one the loss is counted, and the loop ends. */
static void limit_turns(struct lower *l, uint32_t turns, uint32_t out)
{
	uint32_t next = ir_new_block(&l->b), ended = lower_cold_block(l);

	ir_move(&l->b, turns, ir_binary(&l->b, IR_ADD, ir_reg(turns), ir_imm(1)));
	ir_branch(&l->b, IR_LE, ir_reg(turns), ir_imm(LANG_TURNS_PLAIN), next, ended);
	lower_at(l, ended);
	lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_TURNS));
	ir_jump(&l->b, out);
	lower_at(l, next);
}

static void lower_while(struct lower *l, struct ast *ast)
{
	uint32_t again = ir_new_block(&l->b), body = ir_new_block(&l->b), out = ir_new_block(&l->b);
	uint32_t turns = ir_new_reg(&l->b);
	struct low_mark mark = lower_mark(l);

	ir_move(&l->b, turns, ir_imm(0));
	ir_jump(&l->b, again);
	lower_at(l, again);
	lower_condition(l, ast->loop.condition, body, out);
	lower_release(l, mark);
	lower_at(l, body);
	if (!ast->loop.ends_visibly)
		limit_turns(l, turns, out);
	lower_body(l, ast->loop.body, again, out);
	if (!ir_block_ended(&l->b))
		ir_jump(&l->b, again);
	lower_at(l, out);
}

static void lower_unroll(struct lower *l, struct ast *ast)
{
	int64_t n = ast->loop.condition->constant;
	uint32_t out = ir_new_block(&l->b);

	for (int64_t i = 0; i < n && !lower_is_full(l, ast->at); i++) {
		uint32_t next = ir_new_block(&l->b);

		lower_body(l, ast->loop.body, next, out);
		if (!ir_block_ended(&l->b))
			ir_jump(&l->b, next);
		lower_at(l, next);
	}
	ir_jump(&l->b, out);
	lower_at(l, out);
}

static void set_number(struct lower *l, struct ast *variable, struct ir_value v)
{
	struct low_value value = lower_scalar(v, variable->variable.variable->type);

	lower_set_variable(l, variable->variable.variable, &value);
}

/* The counter is no variable of the program, for the body may change that. */
static void lower_plain_range(struct lower *l, struct ast *ast)
{
	uint32_t again = ir_new_block(&l->b), body = ir_new_block(&l->b), next = ir_new_block(&l->b);
	uint32_t out = ir_new_block(&l->b), i = ir_new_reg(&l->b), end = ir_new_reg(&l->b), turns = ir_new_reg(&l->b);
	bool is_known = ast->loop.begin->is_constant && ast->loop.end->is_constant;

	ir_move(&l->b, i, lower_number(l, ast->loop.begin));
	ir_move(&l->b, end, lower_number(l, ast->loop.end));
	ir_move(&l->b, turns, ir_imm(0));
	ir_jump(&l->b, again);
	lower_at(l, again);
	ir_branch(&l->b, IR_SLT, ir_reg(i), ir_reg(end), body, out);
	lower_at(l, body);
	if (!is_known)
		limit_turns(l, turns, out);
	set_number(l, ast->loop.variable, ir_reg(i));
	lower_body(l, ast->loop.body, next, out);
	if (!ir_block_ended(&l->b))
		ir_jump(&l->b, next);
	lower_at(l, next);
	ir_move(&l->b, i, ir_binary(&l->b, IR_ADD, ir_reg(i), ir_imm(1)));
	ir_jump(&l->b, again);
	lower_at(l, out);
}

/* --- bodies that are functions --- */

struct body {
	struct low_function function;
	uint32_t outer_block, entry;
};

/* frame: which parameter is the address of the shared object. */
static void body_begin(struct lower *l, struct body *body, uint32_t n_params, uint32_t frame)
{
	struct low_function *f = &body->function;

	*f = (struct low_function){ .outer = l->f };
	f->number = ir_function_new(l->b.program, n_params);
	body->outer_block = l->b.block;
	l->f = f;
	l->b.function = f->number;
	l->b.block = 0;
	f->frame = ir_reg(frame);
	f->context = ir_reg(ir_new_reg(&l->b));
	f->scratch = ir_reg(ir_new_reg(&l->b));
	f->result = ir_new_reg(&l->b);
	f->exit = ir_new_block(&l->b);
	body->entry = ir_new_block(&l->b);
	lower_at(l, body->entry);
}

/* Writes the entry, now that it is known what it has to get. */
static void body_end(struct lower *l, struct body *body)
{
	struct low_function *f = &body->function;

	lower_exit(l);
	lower_at(l, f->exit);
	ir_return(&l->b, ir_reg(f->result));
	lower_at(l, 0);
	ir_move(&l->b, f->result, ir_imm(0));
	if (l->shared != IR_NONE)
		ir_move(&l->b, f->context.reg, ir_load(&l->b, 64, false, f->frame, SHARED_CONTEXT));
	if (l->probe->needs.scratch)
		ir_move(&l->b, f->scratch.reg, ir_load(&l->b, 64, false, f->frame, SHARED_SCRATCH));
	ir_jump(&l->b, body->entry);
	l->f = f->outer;
	if (l->f->inner_size < f->frame_size + f->inner_size)
		l->f->inner_size = f->frame_size + f->inner_size;
	l->b.function = l->f->number;
	l->b.block = body->outer_block;
}

/* Behind a loop whose body can return. */
static void check_returned(struct lower *l, const struct body *body)
{
	uint32_t returned, next;
	struct low_memory at;

	if (!body->function.may_return)
		return;
	returned = ir_new_block(&l->b);
	next = ir_new_block(&l->b);
	at = lower_shared(l, SHARED_RETURNED);
	ir_branch(&l->b, IR_NE, lower_load(l, &at, 64, false), ir_imm(0), returned, next);
	lower_at(l, returned);
	if (l->f->outer) {
		l->f->may_return = true;
		ir_move(&l->b, l->f->result, ir_imm(1));
	} else if (l->probe->kind == PROBE_TEST) {
		at = lower_shared(l, SHARED_RESULT);
		ir_move(&l->b, l->f->result, lower_load(l, &at, 64, false));
	}
	lower_exit(l);
	lower_at(l, next);
}

/* The begin of the range is in the shared object: the kernel counts from 0. */
static void lower_range(struct lower *l, struct ast *ast)
{
	struct low_memory first = lower_shared_new(l, 8), frame = lower_shared(l, 0);
	struct ir_value begin = lower_number(l, ast->loop.begin), end = lower_number(l, ast->loop.end);
	uint32_t some = ir_new_block(&l->b), out = ir_new_block(&l->b), run = ir_new_block(&l->b);
	uint32_t many = lower_cold_block(l), first_at = l->shared_size - 8, turns = ir_new_reg(&l->b);
	struct body body;

	lower_store(l, &first, 64, begin);
	if (begin.is_const)
		begin = ir_unary(&l->b, IR_MOVE, 64, begin);
	ir_branch(&l->b, IR_SLT, begin, end, some, out);
	lower_at(l, some);
	ir_move(&l->b, turns, ir_binary(&l->b, IR_SUB, end.is_const ? ir_unary(&l->b, IR_MOVE, 64, end) : end, begin));
	ir_branch(&l->b, IR_LE, ir_reg(turns), ir_imm(LANG_TURNS_KERNEL), run, many);
	lower_at(l, many);
	lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_TURNS_KERNEL));
	ir_move(&l->b, turns, ir_imm(LANG_TURNS_KERNEL));
	ir_jump(&l->b, run);
	lower_at(l, run);
	body_begin(l, &body, 2, 1);
	first = lower_shared(l, first_at);
	set_number(l, ast->loop.variable, ir_binary(&l->b, IR_ADD, lower_load(l, &first, 64, false), ir_reg(0)));
	lower_statement(l, ast->loop.body);
	body_end(l, &body);
	lower_helper(l, BPF_FUNC_loop, 4, ir_reg(turns), ir_address(&l->b, IR_FUNCTION, body.function.number, 0),
		     lower_address(l, &frame), ir_imm(0));
	check_returned(l, &body);
	ir_jump(&l->b, out);
	lower_at(l, out);
}

/* The kernel counts the turns; the body asks the condition, and ends the loop if that does not hold. */
static void lower_kernel_while(struct lower *l, struct ast *ast)
{
	struct low_memory frame = lower_shared(l, 0);
	uint32_t turn, over, out = ir_new_block(&l->b), many = lower_cold_block(l);
	struct ir_value turns;
	struct low_mark mark;
	struct body body;

	body_begin(l, &body, 2, 1);
	mark = lower_mark(l);
	turn = ir_new_block(&l->b);
	over = ir_new_block(&l->b);
	lower_condition(l, ast->loop.condition, turn, over);
	lower_release(l, mark);
	lower_at(l, over);
	ir_move(&l->b, l->f->result, ir_imm(1));
	lower_exit(l);
	lower_at(l, turn);
	lower_statement(l, ast->loop.body);
	body_end(l, &body);
	turns = lower_helper(l, BPF_FUNC_loop, 4, ir_unary(&l->b, IR_MOVE, 64, ir_imm(LANG_TURNS_KERNEL)),
			     ir_address(&l->b, IR_FUNCTION, body.function.number, 0), lower_address(l, &frame),
			     ir_imm(0));
	ir_branch(&l->b, IR_EQ, turns, ir_imm(LANG_TURNS_KERNEL), many, out);
	lower_at(l, many);
	lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_TURNS_KERNEL));
	ir_jump(&l->b, out);
	lower_at(l, out);
	check_returned(l, &body);
}

/* $kv of an entry: key and value lie where the callback's parameters point to. */
static void set_entry(struct lower *l, struct ast *ast, struct lang_map *map)
{
	struct ast_variable *variable = ast->loop.variable->variable.variable;
	const struct type *type = variable->type;
	struct low_value elements[2], entry = { .kind = LOW_TUPLE, .type = type, .elements = elements };

	elements[0] = lower_at_memory(lower_pointed(ir_reg(1), SPACE_BPF), map->key);
	if (type_is_aggregate(map->value))
		elements[1] = lower_total_of(l, map, ir_reg(1), type->fields[1].type);
	else
		elements[1] = lower_at_memory(lower_pointed(ir_reg(2), SPACE_BPF), map->value);
	lower_set_variable(l, variable, &entry);
}

static void lower_entries(struct lower *l, struct ast *ast)
{
	struct lang_map *map = ast->loop.condition->map.map;
	struct low_memory frame = lower_shared(l, 0);
	struct body body;

	body_begin(l, &body, 4, 3);
	set_entry(l, ast, map);
	lower_statement(l, ast->loop.body);
	body_end(l, &body);
	lower_helper(l, BPF_FUNC_for_each_map_elem, 4, ir_address(&l->b, IR_MAP, map->number, 0),
		     ir_address(&l->b, IR_FUNCTION, body.function.number, 0), lower_address(l, &frame), ir_imm(0));
	check_returned(l, &body);
}

void lower_loop(struct lower *l, struct ast *ast)
{
	lower_entry_forget(l, NULL);
	l->conditional++;
	if (ast->kind == AST_WHILE && ast->loop.is_function)
		lower_kernel_while(l, ast);
	else if (ast->kind == AST_WHILE)
		lower_while(l, ast);
	else if (ast->kind == AST_UNROLL)
		lower_unroll(l, ast);
	else if (ast->kind == AST_FOR_MAP)
		lower_entries(l, ast);
	else if (ast->loop.is_function)
		lower_range(l, ast);
	else
		lower_plain_range(l, ast);
	l->conditional--;
}

/* len(kstack): the kernel copies the addresses to scratch memory and returns the bytes, or -errno. */
static struct ir_value kernel_stack_length(struct lower *l, const struct type *type)
{
	uint32_t limit = type->limit && type->limit < STACK_DEPTH ? type->limit : STACK_DEPTH, n = ir_new_reg(&l->b);
	uint32_t some = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct low_mark mark = lower_mark(l);
	struct low_memory frames = lower_scratch(l, 8 * limit);
	struct ir_value bytes;

	ir_move(&l->b, n, ir_imm(0));
	bytes = lower_helper(l, BPF_FUNC_get_stack, 4, l->f->context, lower_address(l, &frames), ir_imm(8 * limit),
			     ir_imm(0));
	lower_release(l, mark);
	ir_branch(&l->b, IR_SGE, bytes, ir_imm(0), some, done);
	lower_at(l, some);
	ir_move(&l->b, n, ir_binary(&l->b, IR_SHR, bytes, ir_imm(3)));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(n);
}

/* A stack that was kept, or that of the user: its id has the number of its frames, of which the limit are shown. */
static struct ir_value stack_length(struct lower *l, struct ast *arg)
{
	struct low_value value = lower_expression(l, arg);
	struct low_memory place;
	struct ir_value id;

	if (lower_is_word(arg->type)) {
		id = lower_use(l, &value);
	} else {
		place = lower_place(l, &value, arg->type);
		id = lower_load(l, &place, 64, false);
	}
	id = ir_binary(&l->b, IR_SHR, id, ir_imm(STACK_FRAMES_SHIFT));
	return arg->type->limit ? lower_bounded(l, id, 0, arg->type->limit) : id;
}

/* len(@x): the kernel counts the entries that a callback sees. */
struct low_value lower_len(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args;
	bool is_direct = arg->kind == AST_NAME || arg->kind == AST_CALL;
	struct body body;

	if (is_direct && arg->type->kind == TYPE_KSTACK)
		return lower_scalar(kernel_stack_length(l, arg->type), call->type);
	if (arg->kind != AST_MAP || arg->map.keys || !arg->map.map->key)
		return lower_scalar(stack_length(l, arg), call->type);
	body_begin(l, &body, 4, 3);
	lower_exit(l);
	l->f = body.function.outer;
	lower_at(l, body.function.exit);
	ir_return(&l->b, ir_imm(0));
	lower_at(l, 0);
	ir_jump(&l->b, body.entry);
	l->b.function = l->f->number;
	l->b.block = body.outer_block;
	return lower_scalar(lower_helper(l, BPF_FUNC_for_each_map_elem, 4,
					 ir_address(&l->b, IR_MAP, arg->map.map->number, 0),
					 ir_address(&l->b, IR_FUNCTION, body.function.number, 0), ir_imm(0), ir_imm(0)),
			    call->type);
}
