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

/*
 * Compilers write the prefix NOTRACK only in front of the jump of a switch, whose targets have no endbr64. The prefix is
 * that of the segment DS (Intel SDM volume 1, 17.3.1).
 */
static bool is_switch(const ZydisDecodedInstruction *x)
{
	if (x->raw.modrm.reg != 4)
		return false;
	for (uint8_t i = 0; i < x->raw.prefix_count; i++)
		if (x->raw.prefixes[i].value == 0x3e)
			return true;
	return is_table(x);
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
		return is_switch(x) ? INSTRUCTION_SWITCH : INSTRUCTION_AWAY;
	default:
		return is_branch(x) ? INSTRUCTION_BRANCH : INSTRUCTION_OTHER;
	}
}

static bool is_skipped(const ZydisDecodedInstruction *x, bool legacy)
{
	if (legacy)
		return x->mnemonic == ZYDIS_MNEMONIC_XCHG && x->opcode == 0x90;
	return (x->opcode >= 0x70 && x->opcode <= 0x7f) || x->opcode == 0x90 || x->opcode == 0xe8 || x->opcode == 0xe9 ||
	       x->opcode == 0xeb;
}

/*
 * The kernel sets the trap flag for the copy. pushf stores it, and the next popf sets it again; what looks like popf is
 * not cleaned up. What looks like a return or a far call keeps the address of the copy. So do the child of a syscall and
 * the return from a signal handler.
 */
static bool strands(const ZydisDecodedInstruction *x, bool legacy)
{
	if (legacy)
		return x->opcode_map == ZYDIS_OPCODE_MAP_0F ? x->opcode == 0x05
							    : x->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && x->opcode == 0x9c;
	return x->opcode == 0x9d || x->opcode == 0xc2 || x->opcode == 0xc3 || x->opcode == 0xca || x->opcode == 0xcb;
}

/* Segments other than FS and GS, and LOCK. */
static bool has_refused_prefix(const ZydisDecodedInstruction *x)
{
	for (uint8_t i = 0; i < x->raw.prefix_count; i++)
		if (memchr("\x26\x2e\x36\x3e\xf0", x->raw.prefixes[i].value, 5))
			return true;
	return false;
}

/* Sixteen opcodes in each number, from the lowest bit on: those that are invalid, privileged or prefixes without AVX. */
static bool is_refused(const ZydisDecodedInstruction *x, bool legacy)
{
	static const uint16_t opcodes[] = { 0x40c0, 0xc0c0, 0x8080, 0x8080, 0, 0, 0xf007, 0,
					    0x0004, 0x0400, 0, 0, 0xf000, 0x0070, 0xf4f0, 0x0c12 };

	if (legacy && x->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	return opcodes[x->opcode >> 4] >> (x->opcode & 15) & 1;
}

static enum instruction_uprobe uprobe_of(const ZydisDecodedInstruction *x)
{
	bool legacy = x->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;

	if (is_refused(x, legacy) || has_refused_prefix(x))
		return INSTRUCTION_UNSEEN;
	if (is_skipped(x, legacy))
		return INSTRUCTION_SKIPPED;
	return strands(x, legacy) ? INSTRUCTION_STRANDS : INSTRUCTION_RUNS;
}

static uint8_t condition_of(const ZydisDecodedInstruction *x)
{
	bool near = x->opcode_map == ZYDIS_OPCODE_MAP_0F, is_short = x->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && x->opcode >> 4 == 7;

	return near || is_short ? x->opcode & 15 : INSTRUCTION_NONE;
}

/* The operand of jmp *, by its ModRM and SIB bytes (Intel SDM volume 2, 2.1.5). */
static bool find_operand(const ZydisDecodedInstruction *x, struct instruction_operand *operand)
{
	uint8_t b = x->raw.rex.B << 3, mod = x->raw.modrm.mod, rm = x->raw.modrm.rm;

	*operand = (struct instruction_operand){ INSTRUCTION_NONE, INSTRUCTION_NONE, INSTRUCTION_NONE, 1, 0 };
	if (x->mnemonic != ZYDIS_MNEMONIC_JMP || x->opcode != 0xff || x->raw.modrm.reg != 4 || x->address_width != 64 ||
	    x->attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS))
		return false;
	if (mod == 3) {
		operand->reg = rm | b;
		return true;
	}
	operand->displacement = x->raw.disp.value;
	if (!mod && rm == 5) {
		/* from the end of the instruction on */
		operand->base = INSTRUCTION_ITSELF;
		operand->displacement += x->length;
		return true;
	}
	if (rm != 4) {
		operand->base = rm | b;
		return true;
	}
	if (mod || x->raw.sib.base != 5)
		operand->base = x->raw.sib.base | b;
	if (x->raw.sib.index != 4 || x->raw.rex.X)
		operand->index = x->raw.sib.index | x->raw.rex.X << 3;
	operand->scale = 1 << x->raw.sib.scale;
	return true;
}

static ZydisDecoder *decoder_get(void)
{
	static ZydisDecoder decoder;
	static bool ready;

	if (!ready)
		ready = ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	return &decoder;
}

int instruction_decode(const uint8_t *code, size_t n, struct instruction *instruction)
{
	ZydisDecodedInstruction x;

	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(decoder_get(), NULL, code, n, &x)))
		return -EILSEQ;
	*instruction = (struct instruction){
		.kind = kind_of(&x),
		.length = x.length,
		.uprobe = uprobe_of(&x),
	};
	if (instruction->kind == INSTRUCTION_JUMP || instruction->kind == INSTRUCTION_BRANCH)
		instruction->target = x.length + x.raw.imm[0].value.s;
	if (instruction->kind == INSTRUCTION_BRANCH)
		instruction->condition = condition_of(&x);
	if (instruction->kind == INSTRUCTION_SWITCH || instruction->kind == INSTRUCTION_AWAY)
		instruction->indirect = find_operand(&x, &instruction->operand);
	return 0;
}

/* Instructions that write no other register than those of their ModRM byte: the usual ones. By opcode. */
static bool writes_operands_only(const ZydisDecodedInstruction *x)
{
	if (x->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || !x->raw.modrm.offset)
		return false;
	if (x->opcode_map == ZYDIS_OPCODE_MAP_0F) /* cmov, setcc, movzx, movsx */
		return (x->opcode >= 0x40 && x->opcode <= 0x4f) || (x->opcode >= 0x90 && x->opcode <= 0x9f) ||
		       (x->opcode & ~9) == 0xb6;
	/* arithmetic, movsxd, test, mov, lea, shifts */
	return x->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       ((x->opcode <= 0x3b && (x->opcode & 7) <= 3) || x->opcode == 0x63 || (x->opcode >= 0x80 && x->opcode <= 0x8d) ||
		(x->opcode & ~1) == 0xc0 || (x->opcode & ~1) == 0xc6 || (x->opcode >= 0xd0 && x->opcode <= 0xd3));
}

enum instruction_write instruction_writes(const uint8_t *code, size_t n, uint8_t reg)
{
	ZydisDecodedInstruction x;
	uint8_t r, rm;

	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(decoder_get(), NULL, code, n, &x)) || !writes_operands_only(&x))
		return INSTRUCTION_WRITES;
	r = x.raw.modrm.reg | x.raw.rex.R << 3;
	rm = x.raw.modrm.mod == 3 ? x.raw.modrm.rm | x.raw.rex.B << 3 : INSTRUCTION_NONE;
	/* an instruction that only reads it is taken for one that writes it */
	if (r != reg && rm != reg)
		return INSTRUCTION_KEEPS;
	if (x.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && ((x.opcode == 0x01 && rm == reg) || (x.opcode == 0x03 && r == reg)))
		return INSTRUCTION_ADDS;
	return INSTRUCTION_WRITES;
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

/* br: its register is a plain address, or, with pointer authentication (braa, brab), one that only the processor reads. */
static bool is_br(uint32_t word)
{
	return (word & 0xfffffc1f) == 0xd61f0000;
}

/* ldxr, stxr and their kin; load: those that load. The kernel also takes casp for one. */
static bool is_exclusive(uint32_t word, bool load)
{
	return (word & 0x3f800000) == 0x08000000 && (!load || (word & 0x00400000));
}

/*
 * The kernel runs copies of nop, of hints that sign, and of those that mark where jumps may land; of no others, also not of
 * those that check a signature.
 */
static bool is_plain_hint(uint32_t word)
{
	static const uint64_t numbers = 1ULL << 0 | 1ULL << 7 | 1ULL << 8 | 1ULL << 10 | 15ULL << 24 | 85ULL << 32;
	uint32_t number = word >> 5 & 127;

	return number < 64 && numbers >> number & 1;
}

/*
 * What loads a literal finds it by its own address. Of the registers of floating point the kernel overlooks that, and a copy
 * loads something else (0, on 6.1 and 7.2). Of others it read the program's memory as if that were its own, which may kill
 * the program; mended kernels (6.12, and 6.1 of today) set no probe.
 */
static enum instruction_uprobe uprobe_of(uint32_t word)
{
	if ((word & 0x3b000000) == 0x18000000)
		return word >> 24 == 0xd8 ? INSTRUCTION_UNSEEN : INSTRUCTION_STRANDS; /* prfm, ldr and ldrsw */
	if (is_exclusive(word, false))
		return INSTRUCTION_UNSEEN;
	if ((word & 0xff000000) == 0xd4000000 || (word & 0xfff8f01f) == 0xd500401f || (word & 0xfff00000) == 0xd5100000)
		return INSTRUCTION_UNSEEN; /* svc, brk and other exceptions, msr */
	if ((word & 0xfffff01f) == 0xd503201f)
		return is_plain_hint(word) ? INSTRUCTION_RUNS : INSTRUCTION_UNSEEN;
	/* branches to a register but br, blr and ret: with pointer authentication, and eret */
	if ((word & 0xfe000000) == 0xd6000000 && (word & 0xff9ffc1f) != 0xd61f0000 && (word & 0xfffffc1f) != 0xd65f0000)
		return INSTRUCTION_UNSEEN;
	return INSTRUCTION_RUNS;
}

enum instruction_write instruction_writes(const uint8_t *code, size_t n, uint8_t reg)
{
	uint32_t word;

	if (n < sizeof(word))
		return INSTRUCTION_WRITES;
	memcpy(&word, code, sizeof(word));
	if ((word & 31) != reg)
		return INSTRUCTION_KEEPS;
	/* add, 64 bits: with a shifted or an extended register */
	return (word & 0xff000000) == 0x8b000000 ? INSTRUCTION_ADDS : INSTRUCTION_WRITES;
}

int instruction_decode(const uint8_t *code, size_t n, struct instruction *instruction)
{
	uint32_t word;

	if (n < sizeof(word))
		return -EILSEQ;
	memcpy(&word, code, sizeof(word));
	*instruction = classify(word);
	instruction->length = sizeof(word);
	instruction->condition = INSTRUCTION_NONE;
	instruction->uprobe = uprobe_of(word);
	instruction->claims = is_exclusive(word, true);
	instruction->releases = (is_exclusive(word, false) && !instruction->claims) || (word & 0xfffff0ff) == 0xd503305f; /* clrex */
	instruction->indirect = is_br(word);
	instruction->operand = (struct instruction_operand){ word >> 5 & 31, INSTRUCTION_NONE, INSTRUCTION_NONE, 1, 0 };
	return 0;
}
#endif
