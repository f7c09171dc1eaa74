// SPDX-License-Identifier: BSD-2-Clause
/* Names that stand for values; what builtins share: ids, stacks, the place that was hit, the wall clock. */
#include <linux/bpf.h>

#include "lowering.h"

struct ir_value lower_place_number(struct lower *l)
{
	struct ir_value slot;

	if (l->probe->n_places <= 1)
		return ir_imm(l->probe->first_place);
	l->probe->needs.place = true;
	slot = lower_library(l, LANG_FN_place, 1, l->f->context);
	return l->probe->first_place ? ir_binary(&l->b, IR_ADD, slot, ir_imm(l->probe->first_place)) : slot;
}

/* A user stack's id or an address, with the process it belongs to: ids of the host. */
static struct low_value of_process(struct lower *l, struct ir_value v, const struct type *type)
{
	struct low_memory to = lower_temp(l, 16), part = lower_behind(to, 8);
	struct ir_value ids;

	lower_store(l, &to, 64, v);
	ids = lower_helper(l, BPF_FUNC_get_current_pid_tgid, 0);
	lower_store(l, &part, 32, ir_binary(&l->b, IR_SHR, ids, ir_imm(32)));
	part.at += 4;
	lower_store(l, &part, 32, ids);
	return lower_at_memory(to, type);
}

struct low_value lower_usym(struct lower *l, struct ir_value address, const struct type *type)
{
	return of_process(l, address, type);
}

struct low_value lower_stack(struct lower *l, bool is_user, const struct type *type)
{
	if (is_user) {
		l->probe->needs.user_stack = true;
		return of_process(l, lower_library(l, LANG_FN_ustack, 2, l->f->context, ir_imm(type->limit)), type);
	}
	l->probe->needs.kernel_stack = true;
	l->probe->needs.limited_stack |= type->limit > 0;
	return lower_scalar(lower_library(l, LANG_FN_kstack, 2, l->f->context, ir_imm(type->limit)), type);
}

struct ir_value lower_wall_clock(struct lower *l)
{
	struct ir_value now = lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
	struct ir_value state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);

	return ir_binary(&l->b, IR_ADD, now, ir_load(&l->b, 64, false, state, offsetof(struct lang_state, epoch)));
}

struct ir_value lower_once(struct lower *l, uint32_t what, uint32_t helper)
{
	struct ir_value v;

	return lower_remembered(l, what, &v) ? v : lower_remember(l, what, lower_helper(l, helper, 0));
}

struct ir_value lower_ids(struct lower *l)
{
	struct ir_value v;

	if (l->options->host_ids)
		return lower_once(l, KNOWN_IDS, BPF_FUNC_get_current_pid_tgid);
	return lower_remembered(l, KNOWN_IDS, &v) ? v : lower_remember(l, KNOWN_IDS, lower_library(l, LANG_FN_ids, 0));
}

struct low_value lower_group_comm(struct lower *l, struct ir_value task, const struct type *type)
{
	struct low_memory to = lower_temp(l, type->size);

	lower_zero(l, &to, type->size);
	lower_library(l, LANG_FN_group_comm, 2, task, lower_address(l, &to));
	return lower_at_memory(to, type);
}

struct low_value lower_name(struct lower *l, struct ast *ast)
{
	if (ast->name.builtin)
		return ast->name.builtin->lower(l, ast);
	lower_error(l, ast->at, "'%s' is not supported here", ast->name.name);
	return lower_nothing(l, ast);
}
