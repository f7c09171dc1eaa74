// SPDX-License-Identifier: BSD-2-Clause
/* Statements, but for loops that become functions. */
#include "lowering.h"

static void lower_if(struct lower *l, struct ast *ast)
{
	uint32_t then = ir_new_block(&l->b), otherwise = ir_new_block(&l->b), done = ir_new_block(&l->b);

	if (ast->branch.condition->is_constant) {
		struct ast *arm = ast->branch.condition->constant ? ast->branch.then : ast->branch.otherwise;

		ir_jump(&l->b, then);
		lower_at(l, otherwise);
		ir_jump(&l->b, done);
		lower_at(l, then);
		if (arm)
			lower_statement(l, arm);
	} else {
		lower_condition(l, ast->branch.condition, then, otherwise);
		l->conditional++;
		lower_at(l, then);
		lower_statement(l, ast->branch.then);
		if (!ir_block_ended(&l->b))
			ir_jump(&l->b, done);
		lower_at(l, otherwise);
		if (ast->branch.otherwise)
			lower_statement(l, ast->branch.otherwise);
		l->conditional--;
	}
	if (!ir_block_ended(&l->b))
		ir_jump(&l->b, done);
	lower_at(l, done);
}

static void lower_let(struct lower *l, struct ast *ast)
{
	struct ast_variable *variable = ast->let.variable->variable.variable;

	if (ast->let.value) {
		struct low_value value = lower_expression(l, ast->let.value);

		lower_set_variable(l, variable, &value);
	} else if (variable->type && variable->type->kind != TYPE_NONE) {
		lower_clear_variable(l, variable);
	}
}

static void lower_return(struct lower *l, struct ast *ast)
{
	if (ast->unary.operand && l->probe->kind == PROBE_TEST) {
		struct ir_value v = lower_number(l, ast->unary.operand);

		if (l->f->outer) {
			struct low_memory at = lower_shared(l, SHARED_RESULT);

			lower_store(l, &at, 64, v);
		} else {
			ir_move(&l->b, l->f->result, v);
		}
	} else if (ast->unary.operand) {
		lower_expression(l, ast->unary.operand);
	}
	if (l->f->outer) {
		struct low_memory at = lower_shared(l, SHARED_RETURNED);

		lower_store(l, &at, 64, ir_imm(1));
		l->f->may_return = true;
		ir_move(&l->b, l->f->result, ir_imm(1));
	}
	lower_exit(l);
}

static void lower_jump(struct lower *l, bool is_break)
{
	const struct low_loop *loop = l->f->loop;

	if (loop) {
		ir_jump(&l->b, is_break ? loop->out : loop->again);
		return;
	}
	/* The body of a loop that is a function: 1 ends the loop. */
	ir_move(&l->b, l->f->result, ir_imm(is_break));
	lower_exit(l);
}

/* An expression whose value nobody uses. */
static void lower_unused(struct lower *l, struct ast *ast)
{
	struct ast one;

	if (ast->kind == AST_ASSIGN && ast->assign.to->kind == AST_MAP && ast->assign.op != OP_NONE) {
		lower_map_update(l, ast->assign.to, ast->assign.op, ast->assign.value, false, false);
	} else if (ast->kind == AST_STEP && ast->step.of->kind == AST_MAP) {
		one = lower_one(ast);
		lower_map_update(l, ast->step.of, ast->step.is_decrement ? OP_SUB : OP_ADD, &one, false, false);
	} else {
		lower_expression(l, ast);
	}
}

static void lower_expression_statement(struct lower *l, struct ast *ast)
{
	struct ast *of = ast->unary.operand;

	if (of->kind == AST_IF_COMPTIME)
		lower_if(l, of);
	else if (of->kind == AST_BLOCK && !of->block.value)
		lower_statements(l, of->block.first);
	else
		lower_unused(l, of);
}

void lower_statement(struct lower *l, struct ast *ast)
{
	struct low_mark mark = lower_mark(l);

	if (lower_is_full(l, ast->at))
		return;
	if (ir_block_ended(&l->b)) /* behind a return, break or exit() */
		lower_at(l, ir_new_block(&l->b));
	l->b.at = ast->at;
	switch (ast->kind) {
	case AST_EXPRESSION:
		lower_expression_statement(l, ast);
		break;
	case AST_LET:
		lower_let(l, ast);
		break;
	case AST_IF:
	case AST_IF_COMPTIME:
		lower_if(l, ast);
		break;
	case AST_WHILE:
	case AST_FOR_MAP:
	case AST_FOR_RANGE:
	case AST_UNROLL:
		lower_loop(l, ast);
		break;
	case AST_RETURN:
		lower_return(l, ast);
		break;
	case AST_BREAK:
	case AST_CONTINUE:
		lower_jump(l, ast->kind == AST_BREAK);
		break;
	case AST_BLOCK:
		lower_statements(l, ast->block.first);
		if (ast->block.value && !ir_block_ended(&l->b))
			lower_expression(l, ast->block.value);
		break;
	default:
		lower_unused(l, ast);
		break;
	}
	lower_release(l, mark);
}

void lower_statements(struct lower *l, struct ast *first)
{
	for (struct ast *ast = first; ast; ast = ast->next)
		lower_statement(l, ast);
}
