// SPDX-License-Identifier: BSD-2-Clause
/* Lays out functions and their frames, resolves jumps, and counts the stack. emitter.c writes the instructions. */
#include <linux/bpf.h>

#include "emit_part.h"

#define INSNS_MAX 1000000 /* the kernel's own limit */

/* --- functions --- */

static void lay_out_frame(struct emitter *e)
{
	uint32_t used = 0, i = 0;

	e->object_at = base_alloc((e->legal.ir.objects.n + 1) * sizeof(*e->object_at));
	vec_each(object, &e->legal.ir.objects) {
		uint32_t align = object->align ? object->align : 8;

		used = (used + object->size + align - 1) / align * align;
		e->object_at[i++] = -(int32_t)used;
	}
	e->frame = (used + 7) / 8 * 8 + e->regs.n_slots * 8;
}

static void mark_line(struct emitter *e, const struct ir_insn *insn)
{
	if (!memcmp(&e->at, &insn->at, sizeof(e->at)))
		return;
	e->at = insn->at;
	*vec_push(&e->code->lines) = (struct lang_line){ e->code->insns.n, e->at };
}

static int resolve_jumps(struct emitter *e, struct err *err)
{
	vec_each(jump, &e->jumps) {
		int64_t distance = (int64_t)e->block_at[jump->block] - jump->insn - 1;

		if (distance != (int16_t)distance)
			return err_set(err, -E2BIG, "the program is too long: a jump over %lld instructions",
				       (long long)distance);
		e->code->insns.v[jump->insn].off = distance;
	}
	return 0;
}

static int emit_function(struct emitter *e, const struct ir_program *program, uint32_t number, struct err *err)
{
	const struct legal *legal = &e->legal;

	legal_make(program, number, &e->legal);
	regalloc_make(&e->legal, &e->regs);
	lay_out_frame(e);
	e->block_at = base_alloc((legal->ir.blocks.n + 1) * sizeof(*e->block_at));
	*vec_push(&e->code->functions) = (struct lang_code_function){ e->code->insns.n, legal->ir.n_params };
	emitter_add_entry(e);
	for (uint32_t i = 0; i < legal->n_order; i++) {
		uint32_t next = i + 1 < legal->n_order ? legal->order[i + 1] : IR_NONE;

		e->block_at[legal->order[i]] = e->code->insns.n;
		vec_each(insn, &legal->ir.blocks.v[legal->order[i]]) {
			mark_line(e, insn);
			emitter_add(e, insn, next);
		}
	}
	return resolve_jumps(e, err);
}

static void release(struct emitter *e)
{
	legal_release(&e->legal);
	regalloc_release(&e->regs);
	free(e->object_at);
	free(e->block_at);
	free(e->jumps.v);
}

/* --- the program --- */

static bool names_function(const struct ir_insn *insn)
{
	return insn->op == IR_CALL || insn->op == IR_FUNCTION;
}

/* The kernel counts so: each function's frame, of at least one byte, rounded up. */
static uint32_t frame_size(uint32_t bytes)
{
	return ((bytes ? bytes : 1) + 31) / 32 * 32;
}

/*
 * The bytes of stack of a function and of what it calls or passes as a callback. Programs have no recursion; a chain
 * that is longer than there are functions would be one.
 */
static uint32_t stack_depth(const struct ir_program *program, const uint32_t *frames, uint32_t number, size_t chain)
{
	uint32_t deepest = 0;

	if (chain > program->functions.n)
		return UINT16_MAX;
	vec_each(block, &program->functions.v[number].blocks) {
		vec_each(insn, block) {
			uint32_t depth;

			if (!names_function(insn))
				continue;
			depth = stack_depth(program, frames, insn->index, chain + 1);
			deepest = depth > deepest ? depth : deepest;
		}
	}
	return frame_size(frames[number]) + deepest;
}

/* The kernel refuses functions that nothing calls. */
static void mark_reached(const struct ir_program *program, uint32_t number, bool *reached)
{
	if (reached[number])
		return;
	reached[number] = true;
	vec_each(block, &program->functions.v[number].blocks)
		vec_each(insn, block)
			if (names_function(insn))
				mark_reached(program, insn->index, reached);
}

/* Gives each function that is reached its number in the code. */
static void number_functions(const struct ir_program *program, uint32_t *numbers)
{
	__free bool *reached = base_alloc(program->functions.n + 1);
	uint32_t n = 0;

	mark_reached(program, 0, reached);
	for (uint32_t i = 0; i < program->functions.n; i++)
		numbers[i] = reached[i] ? n++ : IR_NONE;
}

static int emit_functions(const struct ir_program *program, struct lang_code *code, uint32_t *frames, struct err *err)
{
	__free uint32_t *numbers = base_alloc((program->functions.n + 1) * sizeof(*numbers));
	int ret = 0;

	number_functions(program, numbers);
	for (uint32_t i = 0; i < program->functions.n && !ret; i++) {
		struct emitter e = { .code = code, .numbers = numbers, .at.source = UINT32_MAX };

		if (numbers[i] == IR_NONE)
			continue;
		ret = emit_function(&e, program, i, err);
		frames[i] = e.frame;
		release(&e);
	}
	return ret;
}

/* How much stack the library leaves. */
static uint32_t stack_limit(const struct lang_code *code)
{
	vec_each(relocation, &code->relocations)
		if (relocation->kind == RELOCATE_LIBRARY && relocation->index == LANG_FN_ustack)
			return LANG_STACK_UNWIND;
	return LANG_STACK_MAX;
}

int lang_emit(const struct ir_program *program, struct lang_code *code, uint32_t *stack, struct err *err)
{
	__free uint32_t *frames = base_alloc((program->functions.n + 1) * sizeof(*frames));
	int ret;

	*code = (struct lang_code){};
	ret = emit_functions(program, code, frames, err);
	*stack = ret ? 0 : stack_depth(program, frames, 0, 1);
	if (!ret && code->insns.n > INSNS_MAX)
		ret = err_set(err, -E2BIG, "the program has %zu instructions, and the kernel takes %d", code->insns.n,
			      INSNS_MAX);
	if (!ret && *stack > stack_limit(code))
		ret = err_set(err, -E2BIG, "the program needs %u bytes of stack, and there are %u", *stack,
			      stack_limit(code));
	return ret;
}

void lang_code_release(struct lang_code *code)
{
	free(code->insns.v);
	free(code->relocations.v);
	free(code->functions.v);
	free(code->lines.v);
	*code = (struct lang_code){};
}
