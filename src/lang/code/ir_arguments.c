// SPDX-License-Identifier: BSD-2-Clause
/*
 * Puts reads of a function's arguments and result in place of calls of lang_arg() and lang_ret(): as context_arg() and
 * context_ret() of bpf/context.bpf.h, a branch for each kind of context, of which the verifier leaves one in each copy.
 */
#include <linux/bpf.h>
#include <sys/user.h>

#include "bpf/context.h"
#include "bpf/patch.h"
#include "fold_part.h"

#define ARGS_MAX 6

/* Where registers are in the context of a kprobe or uprobe. */
#if defined(__x86_64__)
#define AT(NAME) offsetof(struct user_regs_struct, NAME)
static const uint16_t arg_at[ARGS_MAX] = { AT(rdi), AT(rsi), AT(rdx), AT(rcx), AT(r8), AT(r9) };
static const uint16_t ret_at = AT(rax);
#elif defined(__aarch64__)
#define AT(N) (offsetof(struct user_regs_struct, regs) + (N)*8)
static const uint16_t arg_at[ARGS_MAX] = { AT(0), AT(1), AT(2), AT(3), AT(4), AT(5) };
static const uint16_t ret_at = AT(0);
#else
#error "the registers of this architecture are not described yet"
#endif

static bool reads_argument(const struct ir_insn *insn)
{
	if (insn->op != IR_LIBRARY || insn->dst == IR_NONE || insn->args[0].is_const)
		return false;
	return insn->index == LANG_FN_ret ||
	       (insn->index == LANG_FN_arg && insn->args[1].is_const && (uint64_t)insn->args[1].imm < ARGS_MAX);
}

static void load_to(struct ir_builder *b, uint32_t dst, struct ir_value base, int64_t offset)
{
	ir_add(b, &(struct ir_insn){ .op = IR_LOAD, .dst = dst, .a = base, .imm = offset });
}

/* By a helper, which writes to an object. */
static void by_trampoline(struct ir_builder *b, const struct ir_insn *call, uint32_t object)
{
	struct ir_value to = ir_address(b, IR_OBJECT, object, 0);
	struct ir_value arg[] = { call->args[0], call->args[1], to }, ret[] = { call->args[0], to };

	ir_store(b, 64, to, 0, ir_imm(0));
	if (call->index == LANG_FN_arg)
		ir_call(b, IR_HELPER, BPF_FUNC_get_func_arg, arg, 3);
	else
		ir_call(b, IR_HELPER, BPF_FUNC_get_func_ret, ret, 2);
	load_to(b, call->dst, to, 0);
}

/* Adds the branches; the builder is at the end of what comes before, and goes to `end` behind them. */
static void add_branches(struct ir_builder *b, const struct ir_insn *call, uint32_t object, uint32_t end)
{
	uint32_t trampoline = ir_new_block(b), other = ir_new_block(b);
	uint32_t tracepoint = ir_new_block(b), regs = ir_new_block(b);
	bool is_arg = call->index == LANG_FN_arg;
	struct ir_value kind = ir_address(b, IR_PATCH, 0, PATCH_CONTEXT);

	ir_branch(b, IR_EQ, kind, ir_imm(CONTEXT_TRACING), trampoline, other);
	b->block = trampoline;
	by_trampoline(b, call, object);
	ir_jump(b, end);
	b->block = other;
	if (is_arg)
		ir_branch(b, IR_EQ, kind, ir_imm(CONTEXT_RAW_TP), tracepoint, regs);
	else
		ir_jump(b, regs);
	b->block = tracepoint;
	load_to(b, call->dst, call->args[0], is_arg ? call->args[1].imm * 8 : 0);
	ir_jump(b, end);
	b->block = regs;
	load_to(b, call->dst, call->args[0], is_arg ? arg_at[call->args[1].imm] : ret_at);
	ir_jump(b, end);
}

/* What stands behind the call becomes a block of its own, which the builder goes to. */
static void replace_call(struct ir_builder *b, size_t at, uint32_t object)
{
	struct ir_function *f = &b->program->functions.v[b->function];
	uint32_t end = ir_new_block(b);
	struct ir_block *block = &f->blocks.v[b->block], *rest = &f->blocks.v[end];
	struct ir_insn call = block->v[at];

	rest->is_cold = block->is_cold;
	for (size_t i = at + 1; i < block->n; i++)
		*vec_push(rest) = block->v[i];
	block->n = at;
	b->at = call.at;
	add_branches(b, &call, object, end);
	b->block = end;
}

void ir_inline_arguments(struct ir_program *program)
{
	struct ir_builder b = { .program = program };
	uint32_t object = IR_NONE, n_blocks = program->functions.v[0].blocks.n;

	for (uint32_t i = 0; i < n_blocks; i++) {
		b.block = i;
		for (size_t at = 0; at < program->functions.v[0].blocks.v[b.block].n; at++) {
			if (!reads_argument(&program->functions.v[0].blocks.v[b.block].v[at]))
				continue;
			if (object == IR_NONE)
				object = ir_new_object(&b, 8, 8);
			replace_call(&b, at, object);
			at = -1;
		}
	}
}
