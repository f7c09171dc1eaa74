// SPDX-License-Identifier: BSD-2-Clause
/* Three-address code: its text, an instruction a line, and whether it is well-formed. */
#include "tests/lang/show.h"

static const char *const op_names[IR_OPS] = {
	[IR_ADD] = "add",
	[IR_SUB] = "sub",
	[IR_MUL] = "mul",
	[IR_DIV] = "div",
	[IR_MOD] = "mod",
	[IR_SDIV] = "sdiv",
	[IR_SMOD] = "smod",
	[IR_AND] = "and",
	[IR_OR] = "or",
	[IR_XOR] = "xor",
	[IR_SHL] = "shl",
	[IR_SHR] = "shr",
	[IR_SAR] = "sar",
	[IR_MOVE] = "move",
	[IR_NEG] = "neg",
	[IR_SWAP] = "swap",
	[IR_SIGN] = "sign",
	[IR_ZERO] = "zero",
	[IR_CONST] = "const",
	[IR_PATCH] = "patch",
	[IR_OBJECT] = "object",
	[IR_MAP] = "map",
	[IR_DATA] = "data",
	[IR_RING] = "ring",
	[IR_FUNCTION] = "function",
	[IR_CONTEXT] = "context",
	[IR_LOAD] = "load",
	[IR_STORE] = "store",
	[IR_ATOMIC_ADD] = "atomic_add",
	[IR_ATOMIC] = "atomic",
	[IR_HELPER] = "helper",
	[IR_LIBRARY] = "library",
	[IR_CALL] = "call",
	[IR_JUMP] = "jump",
	[IR_BRANCH] = "branch",
	[IR_RETURN] = "return",
};

static const char *const condition_names[] = {
	[IR_EQ] = "==",
	[IR_NE] = "!=",
	[IR_LT] = "<",
	[IR_LE] = "<=",
	[IR_GT] = ">",
	[IR_GE] = ">=",
	[IR_SLT] = "s<",
	[IR_SLE] = "s<=",
	[IR_SGT] = "s>",
	[IR_SGE] = "s>=",
	[IR_TEST] = "&",
};

static void show_value(const struct ir_value *value, struct str *to)
{
	if (value->is_const)
		str_addf(to, " %lld", (long long)value->imm);
	else
		str_addf(to, " v%u", value->reg);
}

/* What an instruction has besides registers and constants. */
static void show_rest(const struct ir_insn *insn, struct str *to)
{
	switch (insn->op) {
	case IR_CONST:
		str_addf(to, " %lld", (long long)insn->imm);
		break;
	case IR_PATCH:
		str_addf(to, " %#llx", (unsigned long long)insn->imm);
		break;
	case IR_OBJECT:
	case IR_DATA:
		str_addf(to, " %u", insn->index);
		if (insn->imm)
			str_addf(to, " + %lld", (long long)insn->imm);
		break;
	case IR_MAP:
	case IR_FUNCTION:
	case IR_HELPER:
	case IR_CALL:
	case IR_ATOMIC:
		str_addf(to, " %u", insn->index);
		break;
	case IR_LIBRARY:
		str_addf(to, " %s", ir_library_name(insn->index));
		break;
	default:
		break;
	}
}

static bool is_memory(enum ir_op op)
{
	return op == IR_LOAD || op == IR_STORE || op == IR_ATOMIC_ADD || op == IR_ATOMIC;
}

static void show_insn(struct ir_insn *insn, struct str *to)
{
	struct ir_value *uses[IR_USES_MAX];
	uint32_t n = ir_uses(insn, uses);

	str_addc(to, '\t');
	if (ir_result(insn) != IR_NONE)
		str_addf(to, "v%u = ", insn->dst);
	str_add(to, op_names[insn->op]);
	if (insn->bits && insn->bits != 64)
		str_addf(to, "%u", insn->bits);
	if (insn->is_signed)
		str_addc(to, 's');
	show_rest(insn, to);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 1 && insn->op == IR_BRANCH)
			str_addf(to, " %s", condition_names[insn->condition]);
		else if (i)
			str_addc(to, ',');
		show_value(uses[i], to);
		if (!i && is_memory(insn->op) && insn->imm)
			str_addf(to, " + %lld", (long long)insn->imm);
	}
	if (insn->op == IR_JUMP)
		str_addf(to, " b%u", insn->then);
	else if (insn->op == IR_BRANCH)
		str_addf(to, ": b%u, else b%u", insn->then, insn->otherwise);
	str_addc(to, '\n');
}

static void show_function(const struct ir_function *function, struct str *to)
{
	for (size_t i = 0; i < function->objects.n; i++)
		str_addf(to, "  object %zu: %u bytes\n", i, function->objects.v[i].size);
	for (size_t i = 0; i < function->blocks.n; i++) {
		const struct ir_block *block = &function->blocks.v[i];

		/* folding leaves empty blocks where it removed some */
		if (!block->n)
			continue;
		str_addf(to, "b%zu:%s\n", i, block->is_cold ? " cold" : "");
		vec_each(insn, block)
			show_insn(insn, to);
	}
}

void ir_show(const struct ir_program *program, struct str *to)
{
	for (size_t i = 0; i < program->functions.n; i++) {
		str_addf(to, "function %zu(", i);
		for (uint32_t p = 0; p < program->functions.v[i].n_params; p++)
			str_addf(to, "%sv%u", p ? ", " : "", p);
		str_add(to, ")\n");
		show_function(&program->functions.v[i], to);
	}
}

/* --- the check --- */

static const char *check_insn(const struct ir_program *program, const struct ir_function *function,
			      struct ir_insn *insn, const bool *assigned)
{
	struct ir_value *uses[IR_USES_MAX];
	uint32_t targets[2], n = ir_uses(insn, uses), dst = ir_result(insn);

	for (uint32_t i = 0; i < n; i++)
		if (!uses[i]->is_const && (uses[i]->reg >= function->n_regs || !assigned[uses[i]->reg]))
			return "a register is used that nothing assigns";
	if (dst != IR_NONE && dst >= function->n_regs)
		return "a result goes to no register";
	if (dst == IR_NONE && insn->op <= IR_LOAD)
		return "an operation without its result";
	if ((insn->op == IR_LOAD || insn->op == IR_STORE || insn->op == IR_ATOMIC_ADD || insn->op == IR_ATOMIC) &&
	    insn->a.is_const)
		return "an address is a constant";
	if (insn->op == IR_OBJECT && insn->index >= function->objects.n)
		return "no such object";
	if ((insn->op == IR_CALL || insn->op == IR_FUNCTION) && insn->index >= program->functions.n)
		return "no such function";
	if (insn->op == IR_CONTEXT && function != program->functions.v)
		return "only the first function has a context";
	if (insn->n_args > 5)
		return "more than five arguments";
	n = ir_targets(insn, targets);
	for (uint32_t i = 0; i < n; i++)
		if (targets[i] >= function->blocks.n)
			return "no such block";
	return NULL;
}

static const char *check_function(const struct ir_program *program, const struct ir_function *function)
{
	__free bool *assigned = base_alloc(function->n_regs + 1);
	const char *wrong = NULL;

	memset(assigned, true, function->n_params);
	vec_each(block, &function->blocks)
		vec_each(insn, block)
			if (ir_result(insn) < function->n_regs)
				assigned[insn->dst] = true;
	vec_each(block, &function->blocks) {
		vec_each(insn, block) {
			if (ir_is_end(insn->op) != (insn == block->v + block->n - 1))
				return "a block ends within, or never";
			wrong = check_insn(program, function, insn, assigned);
			if (wrong)
				return wrong;
		}
	}
	return function->blocks.n && function->blocks.v[0].n ? NULL : "a function without a start";
}

const char *ir_check(const struct ir_program *program)
{
	const char *wrong = NULL;

	vec_each(function, &program->functions)
		if (!wrong)
			wrong = check_function(program, function);
	return program->functions.n ? wrong : "no function";
}
