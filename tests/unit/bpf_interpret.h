/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs generated instructions as the kernel does. A register that a call destroys gets a number that nobody expects,
 * and so does the stack at its begin.
 */
#ifndef SONDE_TESTS_UNIT_BPF_INTERPRET_H
#define SONDE_TESTS_UNIT_BPF_INTERPRET_H

#include <criterion/criterion.h>
#include <linux/bpf.h>

#include "lang/code/emit.h"

struct bpf_machine {
	const struct lang_code *code;
	uint8_t *data[LANG_DATAS];
	uint64_t context;
	uint64_t steps;
	uint64_t (*call)(enum ir_op op, uint32_t index, const uint64_t *args, uint32_t n);
};

static inline uint64_t bpf_alu(const struct bpf_insn *insn, uint64_t dst, uint64_t src, bool narrow)
{
	uint64_t shift = src & (narrow ? 31 : 63);

	if (narrow) {
		dst = (uint32_t)dst;
		src = (uint32_t)src;
	}
	switch (BPF_OP(insn->code)) {
	case BPF_ADD:
		return dst + src;
	case BPF_SUB:
		return dst - src;
	case BPF_MUL:
		return dst * src;
	case BPF_DIV:
		return src ? dst / src : 0;
	case BPF_MOD:
		return src ? dst % src : dst;
	case BPF_OR:
		return dst | src;
	case BPF_AND:
		return dst & src;
	case BPF_XOR:
		return dst ^ src;
	case BPF_LSH:
		return dst << shift;
	case BPF_RSH:
		return dst >> shift;
	case BPF_ARSH:
		return narrow ? (uint64_t)((int32_t)dst >> shift) : (uint64_t)((int64_t)dst >> shift);
	case BPF_NEG:
		return -dst;
	case BPF_MOV:
		return src;
	case BPF_END:
		return __builtin_bswap64(dst) >> (64 - insn->imm);
	}
	cr_assert(false, "operation %#x", insn->code);
	return 0;
}

static inline bool bpf_jumps(const struct bpf_insn *insn, uint64_t a, uint64_t b, bool narrow)
{
	int64_t sa = narrow ? (int32_t)a : (int64_t)a, sb = narrow ? (int32_t)b : (int64_t)b;

	a = narrow ? (uint32_t)a : a;
	b = narrow ? (uint32_t)b : b;
	switch (BPF_OP(insn->code)) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return a & b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	case BPF_JSLE:
		return sa <= sb;
	}
	cr_assert(false, "jump %#x", insn->code);
	return false;
}

static inline const struct lang_relocation *bpf_relocation(const struct bpf_machine *m, size_t insn)
{
	vec_each(relocation, &m->code->relocations)
		if (relocation->insn == insn)
			return relocation;
	return NULL;
}

static inline void bpf_memory(const struct bpf_insn *insn, uint64_t *regs)
{
	static const uint8_t sizes[] = { 4, 2, 1, 8 };
	uint8_t size = sizes[BPF_SIZE(insn->code) >> 3];
	uint64_t value = 0;

	if (BPF_CLASS(insn->code) == BPF_LDX) {
		memcpy(&value, (void *)(regs[insn->src_reg] + insn->off), size);
		regs[insn->dst_reg] = value;
		return;
	}
	if (BPF_MODE(insn->code) == BPF_ATOMIC) {
		memcpy(&value, (void *)(regs[insn->dst_reg] + insn->off), size);
		value += regs[insn->src_reg];
	} else {
		value = BPF_CLASS(insn->code) == BPF_ST ? (uint64_t)(int64_t)insn->imm : regs[insn->src_reg];
	}
	memcpy((void *)(regs[insn->dst_reg] + insn->off), &value, size);
}

static inline uint64_t bpf_run(struct bpf_machine *m, size_t at, const uint64_t *params);

static inline void bpf_call(struct bpf_machine *m, size_t at, uint64_t *regs)
{
	const struct bpf_insn *insn = &m->code->insns.v[at];
	const struct lang_relocation *relocation = bpf_relocation(m, at);

	if (!relocation)
		regs[0] = m->call ? m->call(IR_HELPER, insn->imm, &regs[1], 5) : 0;
	else if (relocation->kind == RELOCATE_LOCAL)
		regs[0] = bpf_run(m, m->code->functions.v[relocation->index].begin, &regs[1]);
	else
		regs[0] = m->call ? m->call(IR_LIBRARY, relocation->index, &regs[1], 5) : 0;
	for (int i = 1; i <= 5; i++)
		regs[i] = 0xdead000000000000ULL + i;
}

static inline uint64_t bpf_load64(struct bpf_machine *m, size_t at)
{
	const struct bpf_insn *insn = &m->code->insns.v[at];
	const struct lang_relocation *relocation = bpf_relocation(m, at);

	if (!relocation)
		return (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32;
	cr_assert_eq(relocation->kind, RELOCATE_DATA);
	return (uint64_t)m->data[relocation->index] + relocation->offset;
}

/* Runs the function that begins at an instruction. params: r1 to r5. */
static inline uint64_t bpf_run(struct bpf_machine *m, size_t at, const uint64_t *params)
{
	__free uint8_t *stack = base_alloc(512);
	uint64_t regs[11];

	memset(stack, 0xa5, 512);
	memset(regs, 0x5a, sizeof(regs));
	memcpy(&regs[1], params, 5 * sizeof(*params));
	regs[10] = (uint64_t)(stack + 512);
	while (m->steps && m->steps--) {
		const struct bpf_insn *insn = &m->code->insns.v[at++];
		uint8_t class = BPF_CLASS(insn->code);
		bool swaps = insn->code == (BPF_ALU | BPF_END | BPF_TO_BE);
		bool narrow = (class == BPF_ALU && !swaps) || class == BPF_JMP32;
		uint64_t src = BPF_SRC(insn->code) == BPF_X ? regs[insn->src_reg] : (uint64_t)(int64_t)insn->imm;

		if (insn->code == (BPF_LD | BPF_DW | BPF_IMM)) {
			regs[insn->dst_reg] = bpf_load64(m, at++ - 1);
		} else if (class == BPF_ALU || class == BPF_ALU64) {
			src = bpf_alu(insn, regs[insn->dst_reg], src, narrow);
			regs[insn->dst_reg] = narrow ? (uint32_t)src : src;
		} else if (insn->code == (BPF_JMP | BPF_EXIT)) {
			return regs[0];
		} else if (insn->code == (BPF_JMP | BPF_CALL)) {
			bpf_call(m, at - 1, regs);
		} else if (class == BPF_JMP || class == BPF_JMP32) {
			at += bpf_jumps(insn, regs[insn->dst_reg], src, narrow) ? insn->off : 0;
		} else {
			bpf_memory(insn, regs);
		}
	}
	return 0;
}

#endif
