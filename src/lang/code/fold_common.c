// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is the same during a run of a program is asked for once: who runs, arguments, words of the context. A block that
 * one block leads to knows what that one knew at its end.
 */
#include <linux/bpf.h>

#include "fold_part.h"

struct known {
	struct ir_insn how;
	uint32_t reg;
};

struct common {
	struct fold *fold;
	struct block_known {
		vec(struct known);
	} * blocks;
	uint8_t *done; /* by block: 1: it is being looked at or done */
};

static bool is_lasting_helper(uint32_t helper)
{
	switch (helper) {
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_current_pid_tgid:
	case BPF_FUNC_get_current_uid_gid:
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_cgroup_id:
	case BPF_FUNC_get_numa_node_id:
	case BPF_FUNC_get_func_ip:
	case BPF_FUNC_get_attach_cookie:
		return true;
	}
	return false;
}

static bool is_lasting_function(uint32_t function)
{
	switch (function) {
	case LANG_FN_arg:
	case LANG_FN_ret:
	case LANG_FN_ids:
	case LANG_FN_place:
	case LANG_FN_shard:
		return true;
	}
	return false;
}

static bool is_context(const struct fold *fold, const struct ir_value *value)
{
	const struct ir_insn *by = fold_origin(fold, value);

	return by && by->op == IR_CONTEXT;
}

/* Whether an instruction gives the same result each time. */
static bool is_common(const struct fold *fold, const struct ir_insn *insn)
{
	if (insn->dst == IR_NONE || fold->n_defined[insn->dst] != 1)
		return false;
	if (insn->op == IR_LOAD)
		return is_context(fold, &insn->a);
	for (uint8_t i = 0; i < insn->n_args; i++)
		if (!insn->args[i].is_const && !is_context(fold, &insn->args[i]))
			return false;
	return insn->op == IR_CONTEXT || (insn->op == IR_HELPER && is_lasting_helper(insn->index)) ||
	       (insn->op == IR_LIBRARY && is_lasting_function(insn->index));
}

static bool same_value(const struct ir_value *a, const struct ir_value *b)
{
	return a->is_const == b->is_const && a->reg == b->reg && a->imm == b->imm;
}

static bool is_same(const struct ir_insn *a, const struct ir_insn *b)
{
	if (a->op != b->op || a->index != b->index || a->imm != b->imm || a->bits != b->bits ||
	    a->is_signed != b->is_signed || a->n_args != b->n_args || (a->op == IR_LOAD && !same_value(&a->a, &b->a)))
		return false;
	for (uint8_t i = 0; i < a->n_args; i++)
		if (!same_value(&a->args[i], &b->args[i]))
			return false;
	return true;
}

static void look_at(struct common *c, struct block_known *known, struct ir_insn *insn)
{
	if (!is_common(c->fold, insn))
		return;
	vec_each(other, known) {
		if (!is_same(&other->how, insn))
			continue;
		*insn = (struct ir_insn){ .op = IR_MOVE, .dst = insn->dst, .a = ir_reg(other->reg), .at = insn->at };
		c->fold->changed = true;
		return;
	}
	*vec_push(known) = (struct known){ *insn, insn->dst };
}

static void look_at_block(struct common *c, uint32_t number)
{
	const struct fold *fold = c->fold;
	uint32_t chain[64] = {}, n = 0;

	/* from the first block of the chain of single predecessors down to this one */
	while (!c->done[number] && n < ARRAY_SIZE(chain)) {
		c->done[number] = true;
		chain[n++] = number;
		if (!number || fold->n_before[number] != 1)
			break;
		number = fold->before[number];
	}
	while (n--) {
		uint32_t at = chain[n], before = fold->before[at];
		struct block_known *known = &c->blocks[at];

		if (at && fold->n_before[at] == 1)
			vec_each(other, &c->blocks[before])
				*vec_push(known) = *other;
		vec_each(insn, &fold->ir->blocks.v[at])
			look_at(c, known, insn);
	}
}

void fold_common(struct fold *fold)
{
	size_t n = fold->ir->blocks.n;
	struct common c = { .fold = fold };

	c.blocks = base_alloc((n + 1) * sizeof(*c.blocks));
	c.done = base_alloc(n + 1);
	for (size_t i = 0; i < n; i++)
		if (fold->ir->blocks.v[i].n)
			look_at_block(&c, i);
	for (size_t i = 0; i < n; i++)
		free(c.blocks[i].v);
	free(c.blocks);
	free(c.done);
}
