// SPDX-License-Identifier: BSD-2-Clause
/*
 * The frame of a program: what runs before its block (the filter, exit(), the predicate, scratch memory) and after it.
 * Scratch memory is claimed by a block of its own that is filled at the end, when it is known whether it is needed.
 */
#include "lowering.h"

void lower_error(struct lower *l, struct span at, const char *fmt, ...)
{
	char text[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lang_error(&l->program->messages, at, "%s", text);
}

bool lower_is_full(struct lower *l, struct span at)
{
	const struct ir_function *f = &l->b.program->functions.v[l->f->number];

	if (!l->is_full && f->n_regs + f->blocks.n > LOWER_SIZE_MAX) {
		lower_error(l, at,
			    "this probe's block is too large from here on; loops (for, while) are shorter than unroll");
		l->is_full = true;
	}
	return l->is_full;
}

uint32_t lower_cold_block(struct lower *l)
{
	uint32_t block = ir_new_block(&l->b);

	l->b.program->functions.v[l->f->number].blocks.v[block].is_cold = true;
	return block;
}

void lower_exit(struct lower *l)
{
	if (!ir_block_ended(&l->b))
		ir_jump(&l->b, l->f->exit);
}

/* Filters ask about the task that hits a probe. The task that these programs run in is sonde, or reads an iterator. */
static bool is_filtered(const struct lang_probe *probe)
{
	return probe->kind > PROBE_BENCH && probe->kind != PROBE_ITER;
}

static bool uses_exit(const struct lang_program *program)
{
	for (size_t i = 0; i < program->sites.n; i++)
		if (program->sites.v[i]->kind == SITE_EXIT)
			return true;
	return false;
}

static void check_filter(struct lower *l)
{
	uint32_t next = ir_new_block(&l->b);

	ir_branch(&l->b, IR_NE, lower_library(l, LANG_FN_wanted, 1, l->f->context), ir_imm(0), next, l->f->exit);
	lower_at(l, next);
}

static void check_exited(struct lower *l)
{
	struct ir_value state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);
	uint32_t next = ir_new_block(&l->b);

	ir_branch(&l->b, IR_EQ, ir_load(&l->b, 64, false, state, offsetof(struct lang_state, exited)), ir_imm(0), next,
		  l->f->exit);
	lower_at(l, next);
}

/*
 * An iterator runs once more at its end, without an object. The object is the second member of its context; each is a
 * pointer in a union that has no name.
 */
static void check_object(struct lower *l)
{
	const struct type *context = l->checked->arguments.context;
	uint32_t next;

	if (!context || !ctypes_complete(l->program->types, context) || context->n_fields < 2)
		return;
	next = ir_new_block(&l->b);
	ir_branch(&l->b, IR_NE, ir_load(&l->b, 64, false, l->f->context, context->fields[1].at), ir_imm(0), next,
		  l->f->exit);
	lower_at(l, next);
}

/* Goes on in a new block; returns the empty one before it, into which claim() can be put. */
static uint32_t leave_room(struct lower *l)
{
	uint32_t room = ir_new_block(&l->b), next = ir_new_block(&l->b);

	ir_jump(&l->b, room);
	lower_at(l, next);
	return room;
}

/* Fills a room: claims scratch memory or does nothing. next: the block behind it. */
static void fill_room(struct lower *l, uint32_t room, bool claims, uint32_t leave)
{
	uint32_t next = room + 1, claimed;
	struct ir_value memory;

	lower_at(l, room);
	if (!claims) {
		ir_jump(&l->b, next);
		return;
	}
	memory = lower_library(l, LANG_FN_scratch, 0);
	ir_move(&l->b, l->f->scratch.reg, memory);
	claimed = ir_new_block(&l->b);
	ir_branch(&l->b, IR_NE, memory, ir_imm(0), claimed, leave);
	lower_at(l, claimed);
	if (l->shared != IR_NONE) {
		struct low_memory at = lower_shared(l, SHARED_SCRATCH);

		lower_store(l, &at, 64, l->f->scratch);
	}
	ir_jump(&l->b, next);
}

struct low_claim lower_claim_begin(struct lower *l, uint32_t none)
{
	return (struct low_claim){ .had = l->probe->needs.scratch, .none = none, .before = leave_room(l) };
}

void lower_claim_end(struct lower *l, struct low_claim *claim)
{
	claim->after = leave_room(l);
	l->probe->needs.scratch = claim->had;
	*(struct low_claim *)vec_push(&l->claims) = *claim;
}

static void fill_claims(struct lower *l)
{
	bool claims = !l->probe->needs.scratch;

	vec_each(claim, &l->claims) {
		fill_room(l, claim->before, claims, claim->none);
		lower_at(l, claim->after);
		if (claims)
			lower_library(l, LANG_FN_scratch_free, 1, l->f->scratch);
		ir_jump(&l->b, claim->after + 1);
	}
}

/* What bodies of loops find in the shared object, before anything else runs. */
static void fill_shared(struct lower *l, uint32_t room)
{
	lower_at(l, room);
	if (l->shared != IR_NONE) {
		struct low_memory at = lower_shared(l, SHARED_CONTEXT);

		lower_store(l, &at, 64, l->f->context);
		at = lower_shared(l, SHARED_RETURNED);
		lower_store(l, &at, 64, ir_imm(0));
		at = lower_shared(l, SHARED_RESULT);
		lower_store(l, &at, 64, ir_imm(0));
		l->b.program->functions.v[0].objects.v[l->shared].size = (l->shared_size + 7) & ~7U;
	}
	ir_jump(&l->b, room + 1);
}

/*
 * Two ways out: with scratch memory to give back, and without, from where it was not claimed yet. The result is a
 * register for probes of kind test; for all others 0, for the kernel takes other values as an order.
 */
static void finish(struct lower *l, uint32_t leave)
{
	uint32_t exit = l->f->exit;

	lower_at(l, exit);
	if (l->probe->needs.scratch)
		lower_library(l, LANG_FN_scratch_free, 1, l->f->scratch);
	ir_jump(&l->b, leave);
	lower_at(l, leave);
	ir_return(&l->b, l->probe->kind == PROBE_TEST ? ir_reg(l->f->result) : ir_imm(0));
}

static void lower_program(struct lower *l)
{
	struct ast_probe *ast = l->checked->ast;
	uint32_t leave = ir_new_block(&l->b), exit = ir_new_block(&l->b), rooms[2], room;
	bool early = false;

	l->f->exit = leave;
	l->f->result = ir_new_reg(&l->b);
	ir_move(&l->b, l->f->result, ir_imm(0));
	l->f->context = ir_address(&l->b, IR_CONTEXT, 0, 0);
	l->f->scratch = ir_reg(ir_new_reg(&l->b));
	if (l->options->is_filtered && is_filtered(l->probe))
		check_filter(l);
	if (uses_exit(l->program) && l->probe->kind != PROBE_END)
		check_exited(l);
	if (l->probe->kind == PROBE_ITER)
		check_object(l);
	room = leave_room(l);
	rooms[0] = leave_room(l);
	if (ast->predicate) {
		uint32_t body = ir_new_block(&l->b), no = ir_new_block(&l->b);
		struct low_mark mark = lower_mark(l);

		l->is_predicate = true;
		lower_condition(l, ast->predicate, body, no);
		l->is_predicate = false;
		lower_release(l, mark);
		early = l->probe->needs.scratch;
		lower_at(l, no);
		ir_jump(&l->b, early ? exit : leave);
		lower_at(l, body);
	}
	rooms[1] = leave_room(l);
	l->f->exit = exit;
	l->may_claim = true;
	lower_statements(l, ast->body->block.first);
	if (ast->body->block.value && !ir_block_ended(&l->b))
		lower_expression(l, ast->body->block.value);
	lower_exit(l);
	finish(l, leave);
	fill_shared(l, room);
	fill_room(l, rooms[0], early, leave);
	fill_room(l, rooms[1], !early && l->probe->needs.scratch, leave);
	fill_claims(l);
}

bool lang_lower(struct lang_program *program, const struct checked_probe *probe, const struct lang_options *options,
		struct ir_program *ir)
{
	struct low_function function = {};
	struct lower l = {
		.program = program,
		.checked = probe,
		.probe = probe->probe,
		.options = options,
		.b = { .program = ir, .at = probe->ast->at },
		.f = &function,
		.shared = IR_NONE,
	};
	size_t errors = program->messages.errors;

	ir_function_new(ir, 0);
	lower_program(&l);
	free(l.variables.v);
	free(l.claims.v);
	if (l.scratch_size > program->scratch_size)
		program->scratch_size = l.scratch_size;
	return program->messages.errors == errors;
}
