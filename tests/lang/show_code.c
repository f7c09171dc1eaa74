// SPDX-License-Identifier: BSD-2-Clause
/* Text of instructions, as bpftool and the verifier's log print them. */
#include <linux/bpf.h>

#include "tests/lang/show.h"

static const char *const alu_signs[16] = { "+=", "-=", "*=", "/=", "|=", "&=", "<<=",
					   ">>=", "neg", "%=", "^=", "=", "s>>=" };
static const char *const jump_signs[16] = {
	[BPF_JEQ >> 4] = "==",
	[BPF_JGT >> 4] = ">",
	[BPF_JGE >> 4] = ">=",
	[BPF_JSET >> 4] = "&",
	[BPF_JNE >> 4] = "!=",
	[BPF_JSGT >> 4] = "s>",
	[BPF_JSGE >> 4] = "s>=",
	[BPF_JLT >> 4] = "<",
	[BPF_JLE >> 4] = "<=",
	[BPF_JSLT >> 4] = "s<",
	[BPF_JSLE >> 4] = "s<=",
};
static const char *const sizes[4] = { "u32", "u16", "u8", "u64" };

static const struct lang_relocation *relocation_at(const struct lang_code *code, size_t insn)
{
	vec_each(relocation, &code->relocations)
		if (relocation->insn == insn)
			return relocation;
	return NULL;
}

static void show_alu(const struct bpf_insn *insn, struct str *to)
{
	char reg = BPF_CLASS(insn->code) == BPF_ALU ? 'w' : 'r';
	uint8_t op = BPF_OP(insn->code);

	if (op == BPF_END)
		str_addf(to, "r%d = be%d r%d", insn->dst_reg, insn->imm, insn->dst_reg);
	else if (op == BPF_NEG)
		str_addf(to, "%c%d = -%c%d", reg, insn->dst_reg, reg, insn->dst_reg);
	else if (BPF_SRC(insn->code) == BPF_X)
		str_addf(to, "%c%d %s %c%d", reg, insn->dst_reg, alu_signs[op >> 4], reg, insn->src_reg);
	else
		str_addf(to, "%c%d %s %d", reg, insn->dst_reg, alu_signs[op >> 4], insn->imm);
}

static void show_memory(const struct bpf_insn *insn, struct str *to)
{
	const char *size = sizes[BPF_SIZE(insn->code) >> 3];

	if (BPF_CLASS(insn->code) == BPF_LDX)
		str_addf(to, "r%d = *(%s *)(r%d %+d)", insn->dst_reg, size, insn->src_reg, insn->off);
	else if (BPF_CLASS(insn->code) == BPF_ST)
		str_addf(to, "*(%s *)(r%d %+d) = %d", size, insn->dst_reg, insn->off, insn->imm);
	else if (BPF_MODE(insn->code) == BPF_ATOMIC)
		str_addf(to, "lock *(%s *)(r%d %+d) op %#x r%d", size, insn->dst_reg, insn->off, insn->imm,
			 insn->src_reg);
	else
		str_addf(to, "*(%s *)(r%d %+d) = r%d", size, insn->dst_reg, insn->off, insn->src_reg);
}

static void show_call(const struct bpf_insn *insn, const struct lang_relocation *relocation, struct str *to)
{
	if (!relocation)
		str_addf(to, "call helper#%d", insn->imm);
	else if (relocation->kind == RELOCATE_LIBRARY)
		str_addf(to, "call lang_%s", ir_library_name(relocation->index));
	else
		str_addf(to, "call function %u", relocation->index);
}

static void show_jump(const struct lang_code *code, size_t i, struct str *to)
{
	const struct bpf_insn *insn = &code->insns.v[i];
	char reg = BPF_CLASS(insn->code) == BPF_JMP32 ? 'w' : 'r';
	size_t target = i + 1 + insn->off;

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		str_add(to, "exit");
		break;
	case BPF_JA:
		str_addf(to, "goto %zu", target);
		break;
	case BPF_CALL:
		show_call(insn, relocation_at(code, i), to);
		break;
	default:
		str_addf(to, "if %c%d %s ", reg, insn->dst_reg, jump_signs[BPF_OP(insn->code) >> 4]);
		if (BPF_SRC(insn->code) == BPF_X)
			str_addf(to, "%c%d goto %zu", reg, insn->src_reg, target);
		else
			str_addf(to, "%d goto %zu", insn->imm, target);
	}
}

static void show_load64(const struct lang_code *code, size_t i, struct str *to)
{
	static const char *const kinds[] = {
		[RELOCATE_MAP] = "map",
		[RELOCATE_DATA] = "data",
		[RELOCATE_LIBRARY] = "",
		[RELOCATE_LIBRARY_ADDRESS] = "library",
		[RELOCATE_LOCAL] = "",
		[RELOCATE_LOCAL_ADDRESS] = "function",
		[RELOCATE_RING] = "ring",
	};
	const struct bpf_insn *insn = &code->insns.v[i];
	const struct lang_relocation *relocation = relocation_at(code, i);

	str_addf(to, "r%d = ", insn->dst_reg);
	if (!relocation)
		str_addf(to, "%#llx ll",
			 (unsigned long long)(uint32_t)insn->imm | (unsigned long long)insn[1].imm << 32);
	else
		str_addf(to, "%s[%u] + %u ll", kinds[relocation->kind], relocation->index, relocation->offset);
}

void lang_code_show(const struct lang_code *code, struct str *to)
{
	for (size_t i = 0; i < code->insns.n; i++) {
		const struct bpf_insn *insn = &code->insns.v[i];
		uint8_t class = BPF_CLASS(insn->code);

		vec_each(function, &code->functions)
			if (function->begin == i)
				str_addf(to, "function %zu:\n", function - code->functions.v);
		str_addf(to, "%4zu: ", i);
		if (insn->code == (BPF_LD | BPF_DW | BPF_IMM))
			show_load64(code, i++, to);
		else if (class == BPF_ALU || class == BPF_ALU64)
			show_alu(insn, to);
		else if (class == BPF_JMP || class == BPF_JMP32)
			show_jump(code, i, to);
		else
			show_memory(insn, to);
		str_addc(to, '\n');
	}
}
