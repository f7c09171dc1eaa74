// SPDX-License-Identifier: BSD-2-Clause
/* Expands what BPF has no instruction for. Knows operations and constants, no machine registers. */
#include <linux/bpf.h>

#include "legal.h"

/* An address or a constant that a register holds, within a block and up to the next call. */
struct made {
	struct ir_insn how;
	uint32_t reg;
};

struct expander {
	struct legal *to;
	struct ir_block out;
	struct span at;
	vec(struct made) made;
};

const struct ir_insn *legal_origin(const struct legal *legal, uint32_t reg)
{
	return reg < legal->n_origins && legal->origins[reg].op != IR_OPS ? &legal->origins[reg] : NULL;
}

bool legal_commutes(enum ir_op op)
{
	return op == IR_ADD || op == IR_MUL || op == IR_AND || op == IR_OR || op == IR_XOR;
}

/* --- adding instructions --- */

static void add(struct expander *e, struct ir_insn insn)
{
	insn.at = e->at;
	*vec_push(&e->out) = insn;
}

static void add_to(struct expander *e, uint32_t dst, enum ir_op op, struct ir_value a, struct ir_value b)
{
	add(e, (struct ir_insn){ .op = op, .dst = dst, .a = a, .b = b });
}

static struct ir_value add_new(struct expander *e, enum ir_op op, struct ir_value a, struct ir_value b)
{
	uint32_t dst = e->to->ir.n_regs++;

	add_to(e, dst, op, a, b);
	return ir_reg(dst);
}

/* --- operands --- */

static bool is_same_value(const struct ir_insn *a, const struct ir_insn *b)
{
	return a->op == b->op && a->index == b->index && a->imm == b->imm;
}

/* A register with a constant or an address, which is made unless the block has it already. */
static struct ir_value make(struct expander *e, const struct ir_insn *how)
{
	struct ir_insn insn = *how;

	vec_each(made, &e->made)
		if (is_same_value(&made->how, how))
			return ir_reg(made->reg);
	insn.dst = e->to->ir.n_regs++;
	add(e, insn);
	*vec_push(&e->made) = (struct made){ insn, insn.dst };
	return ir_reg(insn.dst);
}

/* Replaces a register that a constant makes by the constant. */
static struct ir_value plain(const struct expander *e, struct ir_value value)
{
	const struct ir_insn *origin = value.is_const ? NULL : legal_origin(e->to, value.reg);

	return origin && origin->op == IR_CONST ? ir_imm(origin->imm) : value;
}

static struct ir_value in_register(struct expander *e, struct ir_value value)
{
	const struct ir_insn *origin;

	value = plain(e, value);
	if (value.is_const)
		return make(e, &(struct ir_insn){ .op = IR_CONST, .imm = value.imm });
	origin = legal_origin(e->to, value.reg);
	return origin ? make(e, origin) : value;
}

/*
 * Whether an instruction can hold a constant. attach would take a number for a patch site if it looks like those of
 * bpf/patch.h: all begin with these 16 bits.
 */
static bool fits(int64_t imm)
{
	return imm == (int32_t)imm && (uint32_t)imm >> 16 != 0x736f;
}

/* The second operand of an operation: a constant that fits, or a register. */
static struct ir_value operand(struct expander *e, struct ir_value value, uint8_t bits)
{
	value = plain(e, value);
	if (value.is_const && bits && bits <= 32)
		value.imm = (int32_t)value.imm;
	return value.is_const && fits(value.imm) ? value : in_register(e, value);
}

/* --- operations --- */

static void sign_extend(struct expander *e, uint32_t dst, struct ir_value a, uint8_t bits)
{
	struct ir_value shift = ir_imm(64 - bits), up = add_new(e, IR_SHL, a, shift);

	add_to(e, dst, IR_SAR, up, shift);
}

/* The value without its sign, and in *sign its sign: 0 or -1. */
static struct ir_value without_sign(struct expander *e, struct ir_value value, struct ir_value *sign)
{
	*sign = add_new(e, IR_SAR, value, ir_imm(63));
	return add_new(e, IR_SUB, add_new(e, IR_XOR, value, *sign), *sign);
}

static void apply_sign(struct expander *e, uint32_t dst, struct ir_value value, struct ir_value sign)
{
	add_to(e, dst, IR_SUB, add_new(e, IR_XOR, value, sign), sign);
}

static struct ir_value signed_operand(struct expander *e, struct ir_value value, uint8_t bits)
{
	uint32_t dst;

	value = plain(e, value);
	if (value.is_const)
		return ir_imm(bits == 32 ? (int32_t)value.imm : value.imm);
	value = in_register(e, value);
	if (bits != 32)
		return value;
	dst = e->to->ir.n_regs++;
	sign_extend(e, dst, value, 32);
	return ir_reg(dst);
}

/* By the unsigned division of the values without their signs. Without branches: the verifier follows each path. */
static void divide_signed(struct expander *e, const struct ir_insn *insn)
{
	bool is_mod = insn->op == IR_SMOD;
	struct ir_value a = in_register(e, signed_operand(e, insn->a, insn->bits));
	struct ir_value b = signed_operand(e, insn->b, insn->bits), sign_a, sign_b, result;
	uint32_t dst = insn->bits == 32 ? e->to->ir.n_regs++ : insn->dst;

	a = without_sign(e, a, &sign_a);
	if (b.is_const) {
		sign_b = ir_imm(b.imm < 0 ? -1 : 0);
		b = operand(e, ir_imm(b.imm < 0 ? (int64_t) - (uint64_t)b.imm : b.imm), 64);
	} else {
		b = without_sign(e, b, &sign_b);
	}
	/* the verifier refuses a constant divisor of 0 */
	if (b.is_const && !b.imm)
		result = is_mod ? a : ir_imm(0);
	else
		result = add_new(e, is_mod ? IR_MOD : IR_DIV, a, b);
	if (!is_mod)
		sign_a = add_new(e, IR_XOR, sign_a, sign_b);
	apply_sign(e, dst, in_register(e, result), sign_a);
	if (insn->bits == 32)
		add(e, (struct ir_insn){ .op = IR_ZERO, .bits = 32, .dst = insn->dst, .a = ir_reg(dst) });
}

static void expand_binary(struct expander *e, struct ir_insn insn)
{
	uint8_t bits = insn.bits == 32 ? 32 : 64;
	bool shifts = insn.op == IR_SHL || insn.op == IR_SHR || insn.op == IR_SAR;

	insn.bits = bits;
	insn.a = plain(e, insn.a);
	insn.b = plain(e, insn.b);
	if (insn.a.is_const && legal_commutes(insn.op)) {
		struct ir_value a = insn.a;

		insn.a = insn.b;
		insn.b = a;
	}
	if (shifts && insn.b.is_const)
		insn.b.imm &= bits - 1;
	insn.a = in_register(e, insn.a);
	insn.b = operand(e, insn.b, bits);
	if ((insn.op == IR_DIV || insn.op == IR_MOD) && insn.b.is_const && !insn.b.imm) {
		if (insn.op == IR_DIV)
			add(e, (struct ir_insn){ .op = IR_CONST, .dst = insn.dst });
		else
			add(e, (struct ir_insn){
				       .op = bits == 32 ? IR_ZERO : IR_MOVE,
				       .bits = bits,
				       .dst = insn.dst,
				       .a = insn.a,
			       });
		return;
	}
	/* BPF works on the register of the first operand, so the result must not be in that of the second */
	if (!legal_commutes(insn.op) && !insn.b.is_const && insn.b.reg == insn.dst && insn.a.reg != insn.dst) {
		uint32_t dst = insn.dst;

		insn.dst = e->to->ir.n_regs++;
		add(e, insn);
		add(e, (struct ir_insn){ .op = IR_MOVE, .dst = dst, .a = ir_reg(insn.dst) });
		return;
	}
	add(e, insn);
}

static void expand_unary(struct expander *e, struct ir_insn insn)
{
	insn.a = in_register(e, insn.a);
	if (insn.op == IR_SIGN && insn.bits && insn.bits < 64) {
		sign_extend(e, insn.dst, insn.a, insn.bits);
	} else if (insn.op == IR_SIGN || (insn.op == IR_ZERO && (!insn.bits || insn.bits == 64))) {
		add(e, (struct ir_insn){ .op = IR_MOVE, .dst = insn.dst, .a = insn.a });
	} else if (insn.op == IR_ZERO && insn.bits < 32) {
		insn.op = IR_AND;
		insn.b = ir_imm((1LL << insn.bits) - 1);
		insn.bits = 64;
		add(e, insn);
	} else {
		add(e, insn);
	}
}

static void expand_move(struct expander *e, struct ir_insn insn)
{
	const struct ir_insn *origin;

	insn.a = plain(e, insn.a);
	if (insn.a.is_const) {
		add(e, (struct ir_insn){ .op = IR_CONST, .dst = insn.dst, .imm = insn.a.imm });
		return;
	}
	origin = legal_origin(e->to, insn.a.reg);
	if (origin) {
		uint32_t dst = insn.dst;

		insn = *origin;
		insn.dst = dst;
	}
	add(e, insn);
}

/* The address of a load or store: an object may stay, whose place the emitter knows. */
static void expand_address(struct expander *e, struct ir_insn *insn)
{
	const struct ir_insn *origin = insn->a.is_const ? NULL : legal_origin(e->to, insn->a.reg);

	if (origin && origin->op == IR_OBJECT)
		return;
	insn->a = in_register(e, insn->a);
	if (insn->imm != (int16_t)insn->imm) {
		insn->a = add_new(e, IR_ADD, insn->a, operand(e, ir_imm(insn->imm), 64));
		insn->imm = 0;
	}
}

static void expand_memory(struct expander *e, struct ir_insn insn)
{
	uint32_t dst = insn.dst;

	expand_address(e, &insn);
	switch (insn.op) {
	case IR_LOAD:
		if (insn.is_signed && insn.bits && insn.bits < 64)
			insn.dst = e->to->ir.n_regs++;
		add(e, insn);
		if (insn.dst != dst)
			sign_extend(e, dst, ir_reg(insn.dst), insn.bits);
		return;
	case IR_STORE:
		insn.b = operand(e, insn.b, insn.bits);
		break;
	case IR_ATOMIC:
		/* the instruction leaves what was there in the register of its operand */
		insn.dst = dst == IR_NONE ? e->to->ir.n_regs++ : dst;
		add(e, (struct ir_insn){ .op = IR_MOVE, .dst = insn.dst, .a = in_register(e, insn.b) });
		insn.b = ir_reg(insn.dst);
		break;
	default:
		insn.b = in_register(e, insn.b);
	}
	add(e, insn);
}

static enum ir_condition mirrored(enum ir_condition condition)
{
	static const enum ir_condition of[] = {
		[IR_EQ] = IR_EQ,
		[IR_NE] = IR_NE,
		[IR_LT] = IR_GT,
		[IR_LE] = IR_GE,
		[IR_GT] = IR_LT,
		[IR_GE] = IR_LE,
		[IR_SLT] = IR_SGT,
		[IR_SLE] = IR_SGE,
		[IR_SGT] = IR_SLT,
		[IR_SGE] = IR_SLE,
		[IR_TEST] = IR_TEST,
	};

	return of[condition];
}

static void expand_branch(struct expander *e, struct ir_insn insn)
{
	insn.a = plain(e, insn.a);
	insn.b = plain(e, insn.b);
	if (insn.a.is_const && !insn.b.is_const) {
		struct ir_value a = insn.a;

		insn.a = insn.b;
		insn.b = a;
		insn.condition = mirrored(insn.condition);
	}
	insn.a = in_register(e, insn.a);
	insn.b = operand(e, insn.b, insn.bits);
	add(e, insn);
}

static void expand(struct expander *e, const struct ir_insn *insn)
{
	e->at = insn->at;
	switch (insn->op) {
	case IR_SDIV:
	case IR_SMOD:
		divide_signed(e, insn);
		break;
	case IR_ADD ... IR_MOD:
	case IR_AND ... IR_SAR:
		expand_binary(e, *insn);
		break;
	case IR_MOVE:
		expand_move(e, *insn);
		break;
	case IR_NEG ... IR_ZERO:
		expand_unary(e, *insn);
		break;
	case IR_CONST ... IR_FUNCTION:
		if (!legal_origin(e->to, insn->dst))
			add(e, *insn);
		break;
	case IR_CONTEXT:
		add(e, (struct ir_insn){ .op = IR_MOVE, .dst = insn->dst, .a = ir_reg(e->to->context) });
		break;
	case IR_LOAD ... IR_ATOMIC:
		expand_memory(e, *insn);
		break;
	case IR_BRANCH:
		expand_branch(e, *insn);
		break;
	default:
		add(e, *insn);
		/* what is kept over a call needs one of the few saved registers: it is made again */
		if (ir_is_call(insn->op))
			e->made.n = 0;
	}
}

/* --- the function --- */

static bool is_origin(enum ir_op op)
{
	return op == IR_CONST || (op >= IR_OBJECT && op <= IR_FUNCTION);
}

static void find_origins(struct legal *legal)
{
	struct ir_function *ir = &legal->ir;
	__free uint32_t *n_defined = base_alloc((ir->n_regs + 1) * sizeof(*n_defined));

	legal->origins = base_alloc((ir->n_regs + 1) * sizeof(*legal->origins));
	legal->n_origins = ir->n_regs;
	for (uint32_t i = 0; i < ir->n_regs; i++) {
		legal->origins[i].op = IR_OPS;
		n_defined[i] = i < ir->n_params;
	}
	vec_each(block, &ir->blocks)
		vec_each(insn, block)
			if (ir_result(insn) != IR_NONE && !n_defined[insn->dst]++ && is_origin(insn->op))
				legal->origins[insn->dst] = *insn;
	for (uint32_t i = 0; i < ir->n_regs; i++)
		if (n_defined[i] > 1)
			legal->origins[i].op = IR_OPS;
}

/* Results of calls that nothing reads need no register. */
static void drop_unused_results(struct ir_function *ir)
{
	__free bool *used = base_alloc(ir->n_regs + 1);
	struct ir_value *uses[IR_USES_MAX];

	vec_each(block, &ir->blocks) {
		vec_each(insn, block) {
			uint32_t n = ir_uses(insn, uses);

			for (uint32_t i = 0; i < n; i++)
				if (!uses[i]->is_const)
					used[uses[i]->reg] = true;
		}
	}
	vec_each(block, &ir->blocks)
		vec_each(insn, block)
			if (ir_is_call(insn->op) && insn->dst != IR_NONE && !used[insn->dst])
				insn->dst = IR_NONE;
}

static void copy_function(const struct ir_function *from, struct ir_function *to)
{
	*to = (struct ir_function){ .n_regs = from->n_regs, .n_params = from->n_params };
	vec_each(block, &from->blocks) {
		struct ir_block *copy = vec_push(&to->blocks);

		copy->is_cold = block->is_cold;
		vec_each(insn, block)
			*vec_push(copy) = *insn;
	}
	vec_each(object, &from->objects)
		*vec_push(&to->objects) = *object;
}

/*
 * Orders blocks so that a block comes after those that lead to it, but for loops: the reverse of the order in which a
 * depth-first search leaves them. Of two blocks that follow, `then` comes first.
 */
static void order_blocks(struct legal *legal)
{
	const struct ir_function *ir = &legal->ir;
	size_t n = ir->blocks.n, depth = 0, n_left = 0;
	__free uint8_t *visited = base_alloc(n + 1);
	__free uint32_t *path = base_alloc((n + 1) * sizeof(*path)), *left = base_alloc((n + 1) * sizeof(*left));

	legal->order = base_alloc((n + 1) * sizeof(*legal->order));
	path[depth++] = 0;
	visited[0] = 1;
	while (depth) {
		const struct ir_block *block = &ir->blocks.v[path[depth - 1]];
		uint32_t targets[2], n_targets = ir_targets(&block->v[block->n - 1], targets);
		uint8_t *step = &visited[path[depth - 1]]; /* 1 + how many targets were looked at */

		if (*step > n_targets) {
			left[n_left++] = path[--depth];
			continue;
		}
		path[depth] = targets[n_targets - (*step)++];
		if (!visited[path[depth]])
			visited[path[depth++]] = 1;
	}
	for (int cold = 0; cold < 2; cold++)
		for (size_t i = n_left; i--;)
			if (ir->blocks.v[left[i]].is_cold == cold || (!cold && !left[i]))
				if (!cold || left[i])
					legal->order[legal->n_order++] = left[i];
}

void legal_make(const struct ir_program *program, uint32_t function, struct legal *legal)
{
	struct expander e = { .to = legal };
	struct ir_function *ir = &legal->ir;

	*legal = (struct legal){ .context = IR_NONE };
	copy_function(&program->functions.v[function], ir);
	drop_unused_results(ir);
	find_origins(legal);
	if (!function)
		legal->context = ir->n_params ? 0 : ir->n_regs++;
	vec_each(block, &ir->blocks) {
		e.out = (struct ir_block){ .is_cold = block->is_cold };
		e.made.n = 0;
		vec_each(insn, block)
			expand(&e, insn);
		free(block->v);
		*block = e.out;
	}
	free(e.made.v);
	order_blocks(legal);
}

void legal_release(struct legal *legal)
{
	vec_each(block, &legal->ir.blocks)
		free(block->v);
	free(legal->ir.blocks.v);
	free(legal->ir.objects.v);
	free(legal->origins);
	free(legal->order);
	*legal = (struct legal){};
}
