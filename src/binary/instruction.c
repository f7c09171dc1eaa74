// SPDX-License-Identifier: BSD-2-Clause
/* Decodes one instruction, for x86-64 with Zydis, for arm64 by its bits. */
#include "instruction.h"

#if defined(__x86_64__)
#include <Zydis/Decoder.h>

/* jmp *(base + index * 8): how compilers, Go's too, implement a switch. The jump of a tail call has no index. */
static bool is_table(const ZydisDecodedInstruction *x)
{
	return x->raw.modrm.mod != 3 && x->raw.modrm.rm == 4 && x->raw.sib.scale == 3 && x->raw.sib.index != 4;
}

static bool is_branch(const ZydisDecodedInstruction *x)
{
	if (x->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		return true;
	if (x->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	if (x->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return x->opcode >= 0x80 && x->opcode <= 0x8f; /* jcc, 32 bits */
	return x->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       ((x->opcode >= 0x70 && x->opcode <= 0x7f) || (x->opcode >= 0xe0 && x->opcode <= 0xe3)); /* jcc, loop, jrcxz */
}

static enum instruction_kind kind_of(const ZydisDecodedInstruction *x)
{
	switch (x->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
		return INSTRUCTION_NOP;
	case ZYDIS_MNEMONIC_CALL:
		return INSTRUCTION_CALL;
	case ZYDIS_MNEMONIC_RET: /* near; a far return also changes the code segment */
		return x->opcode == 0xc3 || x->opcode == 0xc2 ? INSTRUCTION_RETURN : INSTRUCTION_AWAY;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return INSTRUCTION_AWAY;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_HLT:
		return INSTRUCTION_STOP;
	case ZYDIS_MNEMONIC_JMP:
		if (x->opcode == 0xe9 || x->opcode == 0xeb)
			return INSTRUCTION_JUMP;
		return x->raw.modrm.reg == 4 && is_table(x) ? INSTRUCTION_SWITCH : INSTRUCTION_AWAY;
	default:
		return is_branch(x) ? INSTRUCTION_BRANCH : INSTRUCTION_OTHER;
	}
}

static bool is_skipped(const ZydisDecodedInstruction *x)
{
	if (x->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return x->mnemonic == ZYDIS_MNEMONIC_XCHG && x->opcode == 0x90;
	return (x->opcode >= 0x70 && x->opcode <= 0x7f) || x->opcode == 0x90 || x->opcode == 0xe8 || x->opcode == 0xe9 ||
	       x->opcode == 0xeb;
}

int instruction_decode(const uint8_t *code, size_t n, struct instruction *instruction)
{
	ZydisDecodedInstruction x;
	ZydisDecoder decoder;

	if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, &x)))
		return -EILSEQ;
	*instruction = (struct instruction){
		.kind = kind_of(&x),
		.length = x.length,
		.skipped = is_skipped(&x),
	};
	if (instruction->kind == INSTRUCTION_JUMP || instruction->kind == INSTRUCTION_BRANCH)
		instruction->target = x.length + x.raw.imm[0].value.s;
	return 0;
}

#else

/* A signed field of an instruction, in bytes; the field counts instructions. */
static int64_t field(uint32_t word, unsigned int low, unsigned int bits)
{
	return ((int64_t)((uint64_t)word << (64 - low - bits)) >> (64 - bits)) * 4;
}

static struct instruction direct(enum instruction_kind kind, int64_t target)
{
	return (struct instruction){ .kind = kind, .target = target };
}

static struct instruction classify(uint32_t word)
{
	if (word == 0xd503201f)
		return direct(INSTRUCTION_NOP, 0);
	/* udf (zeroes decode as it), brk, and the word that Go's assembler writes for UNDEF (obj/arm64/asm7.go) */
	if (!(word >> 16) || (word & 0xffe0001f) == 0xd4200000 || word == 0xbea71700)
		return direct(INSTRUCTION_STOP, 0);
	if ((word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff) /* ret, retaa, retab */
		return direct(INSTRUCTION_RETURN, 0);
	if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		return word >> 31 ? direct(INSTRUCTION_CALL, 0) : direct(INSTRUCTION_JUMP, field(word, 0, 26));
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond, cbz, cbnz */
		return direct(INSTRUCTION_BRANCH, field(word, 5, 19));
	if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return direct(INSTRUCTION_BRANCH, field(word, 5, 14));
	if ((word & 0xfe000000) == 0xd6000000) /* branches to a register: blr and its variants, else br, eret */
		return direct((word & 0x00e00000) == 0x00200000 ? INSTRUCTION_CALL : INSTRUCTION_AWAY, 0);
	return direct(INSTRUCTION_OTHER, 0);
}

int instruction_decode(const uint8_t *code, size_t n, struct instruction *instruction)
{
	uint32_t word;

	if (n < sizeof(word))
		return -EILSEQ;
	memcpy(&word, code, sizeof(word));
	*instruction = classify(word);
	instruction->length = sizeof(word);
	return 0;
}
#endif
