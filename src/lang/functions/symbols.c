// SPDX-License-Identifier: BSD-2-Clause
/* Symbols and their addresses. */
#include <linux/bpf.h>

#include "base/nearest.h"
#include "kernel/kernel.h"
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

FUNCTION(ksym, 1, 1, check_scalar_call, lower_number_call, .result = TYPE_KSYM);

static struct low_value lower_usym_call(struct lower *l, struct ast *call)
{
	return lower_usym(l, lower_number(l, call->call.args), call->type);
}

FUNCTION(usym, 1, 1, check_scalar_call, lower_usym_call, .result = TYPE_USYM);

static int check_offer_symbol(const struct ksym *symbol, void *nearest)
{
	nearest_offer(nearest, symbol->name);
	return 0;
}

static void check_suggest_symbol(struct checker *c, struct span at, const char *name)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	kernel_each_address(check_offer_symbol, &nearest);
	if (nearest_name(&nearest))
		check_hint(c, at, "did you mean '%s'?", nearest_name(&nearest));
}

/* The address of a symbol of the kernel. 0: there is none, or the kernel hides it, which the error says. */
static uint64_t check_kernel_address(struct checker *c, struct span at, const char *name)
{
	struct kernel_address address = { .name = name };
	int ret = kernel_find_addresses(&address, 1);

	if (!ret)
		return address.addr;
	if (ret != -ENOENT) {
		check_error(c, at, "the kernel hides the addresses of its symbols (kptr_restrict, or not root)");
		return 0;
	}
	check_error(c, at, "Failed to resolve kernel symbol: %s", name);
	check_suggest_symbol(c, at, name);
	return 0;
}

static const struct type *check_kaddr(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);
	const struct type *type = check_in_space(c, type_integer(8, false), SPACE_KERNEL);

	if (!name)
		return type_none();
	check_set_integer(call, c->is_final ? check_kernel_address(c, call->at, name) : 0, type);
	return type;
}

FUNCTION(kaddr, 1, 1, check_kaddr, lower_nothing);

/*
 * What the pointer points to has the width of the symbol. All places of the probe are one: check_probe.c sees to it.
 * Lowering adds the place, unless the binary is where it was linked, which the argument says.
 */
static const struct type *check_uaddr(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);
	const struct target_set *targets = &c->probe->probe->targets;
	struct lang_symbol symbol;
	struct err err = {};
	uint8_t width;

	if (call->type && call->type->kind == TYPE_POINTER)
		return call->type;
	if (!name || !targets->n)
		return type_none();
	if (lang_symbol_of(&targets->v[0], name, &symbol, &err)) {
		check_error(c, call->at, "%s", err.text);
		return type_none();
	}
	if (!symbol.is_fixed && c->probe->probe->kind == PROBE_URETPROBE) {
		check_error(c, call->at, "the end of a function does not know where %s is loaded", targets->v[0].object);
		check_hint(c, call->at, "keep it when the function begins: uprobe:... { @at[tid] = uaddr(\"%s\"); }", name);
		return type_none();
	}
	call->constant = symbol.at;
	call->call.args->constant = symbol.is_fixed;
	width = symbol.size == 1 || symbol.size == 2 || symbol.size == 4 ? symbol.size : 8;
	return type_pointer(c->pool, type_integer(width, false), SPACE_USER);
}

static struct low_value lower_uaddr(struct lower *l, struct ast *call)
{
	struct ir_value at = ir_unary(&l->b, IR_MOVE, 64, ir_imm(call->constant));

	if (!call->call.args->constant)
		at = ir_binary(&l->b, IR_ADD, lower_instruction_pointer(l), at);
	return lower_scalar(at, call->type);
}

FUNCTION(uaddr, 1, 1, check_uaddr, lower_uaddr, .probes = IN(UPROBE) | IN(URETPROBE) | IN(USDT));

static const struct type *check_percpu_kaddr(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);
	struct ast *symbol = check_argument(call, 0);

	if (call->call.n > 1)
		check_integer(c, check_argument(call, 1), "the number of a processor");
	if (name && c->is_final) {
		/* Lowering adds the offset of the processor, which is in an array. */
		symbol->constant = check_kernel_address(c, call->at, name);
		if (symbol->constant)
			call->constant = check_kernel_address(c, call->at, "__per_cpu_offset");
	}
	return type_pointer(c->pool, type_integer(8, false), SPACE_KERNEL);
}

/* percpu_kaddr(symbol[, cpu]): the symbol's place in the part of that processor; NULL if there is no such processor. */
static struct low_value lower_percpu(struct lower *l, struct ast *call)
{
	struct ast *symbol = call->call.args, *cpu = symbol->next;
	uint32_t there = ir_new_block(&l->b), done = ir_new_block(&l->b), dst = ir_new_reg(&l->b);
	struct ir_value n = cpu ? lower_number(l, cpu) : lower_helper(l, BPF_FUNC_get_smp_processor_id, 0);
	struct low_memory offset = lower_pointed(ir_imm(0), SPACE_KERNEL);

	if (n.is_const)
		n = ir_unary(&l->b, IR_MOVE, 64, n);
	ir_move(&l->b, dst, ir_imm(0));
	ir_branch(&l->b, IR_LT, n, ir_imm(l->options->n_cpus), there, done);
	lower_at(l, there);
	offset.base = ir_unary(&l->b, IR_MOVE, 64, ir_imm(call->constant));
	offset.base = ir_binary(&l->b, IR_ADD, offset.base, ir_binary(&l->b, IR_SHL, n, ir_imm(3)));
	n = lower_load_scalar(l, &offset, type_integer(8, false));
	ir_move(&l->b, dst, ir_binary(&l->b, IR_ADD, n, ir_unary(&l->b, IR_MOVE, 64, ir_imm(symbol->constant))));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(ir_reg(dst), call->type);
}

FUNCTION(percpu_kaddr, 1, 2, check_percpu_kaddr, lower_percpu);
