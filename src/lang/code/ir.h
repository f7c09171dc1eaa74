/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three-address code between the tree and instructions. Values are virtual registers of 64 bits, in any number; a
 * register may be assigned many times. A function is a list of basic blocks; each block ends with one IR_JUMP,
 * IR_BRANCH or IR_RETURN. Block 0 is the entry. Objects are pieces of the function's stack frame.
 *
 * lower.h makes it; ir_fold.c simplifies it; emit.h allocates machine registers and writes instructions. Functions that
 * build (ir_add() ...) fold nothing.
 *
 * What the verifier needs is the lowering's duty: a pointer that may be NULL is compared with 0 before it is used, a
 * variable offset is bounded by a mask before it is added to a pointer, each byte of an object is written before it is
 * read. The emitter keeps: ctx is only read with constant offsets; no value stays in r1 to r5 over a call.
 */
#ifndef SONDE_LANG_CODE_IR_H
#define SONDE_LANG_CODE_IR_H

#include "bpf/lang.h"
#include "lang/text/source.h"

#define IR_NONE UINT32_MAX

enum ir_op {
	/* dst = a OP b; bits: 64, or 32: the upper half becomes 0 */
	IR_ADD,
	IR_SUB,
	IR_MUL,
	IR_DIV,	 /* unsigned; by 0: 0, as in BPF */
	IR_MOD,	 /* unsigned; by 0: a */
	IR_SDIV, /* signed: the emitter expands it, for BPF has it from version 4 only (6.6) */
	IR_SMOD,
	IR_AND,
	IR_OR,
	IR_XOR,
	IR_SHL,
	IR_SHR,
	IR_SAR, /* arithmetic */
	/* dst = OP a */
	IR_MOVE,
	IR_NEG,
	IR_SWAP, /* bits: 16, 32, 64 */
	IR_SIGN, /* sign-extends the lower `bits` (8, 16, 32) */
	IR_ZERO, /* zero-extends the lower `bits` (1, 8, 16, 32) */
	/* dst = a constant or an address */
	IR_CONST,    /* imm */
	IR_PATCH,    /* imm: an id of bpf/patch.h that is a load of 64 bits */
	IR_OBJECT,   /* address of an object: index, + imm */
	IR_MAP,	     /* index: lang_program.maps, then their twins */
	IR_DATA,     /* index: enum lang_data, + imm */
	IR_RING,     /* the ring buffer */
	IR_FUNCTION, /* address of a function of this code: index; for callbacks */
	IR_CONTEXT,  /* dst = the function's first parameter, ctx; only in function 0 */
	/* memory; `bits` 8 to 64, at a + imm */
	IR_LOAD,       /* dst, zero-extended; is_signed: sign-extended */
	IR_STORE,      /* b */
	IR_ATOMIC_ADD, /* adds b; bits 32, 64 */
	IR_ATOMIC,     /* dst = what was there: index BPF_FETCH | BPF_ADD, BPF_XCHG ...; kernels from 5.12 on */
	/* calls: args, n_args up to 5 */
	IR_HELPER,  /* dst = helper `index` */
	IR_LIBRARY, /* dst = enum lang_function `index` */
	IR_CALL,    /* dst = function `index` of this code */
	/* the end of a block */
	IR_JUMP,   /* to then */
	IR_BRANCH, /* a COND b: then, else otherwise; bits 64 or 32 */
	IR_RETURN, /* a */
	IR_OPS,
};

enum ir_condition {
	IR_EQ,
	IR_NE,
	IR_LT,
	IR_LE,
	IR_GT,
	IR_GE,
	IR_SLT,
	IR_SLE,
	IR_SGT,
	IR_SGE,
	IR_TEST /* a & b */
};

/* A register or a constant. */
struct ir_value {
	bool is_const;
	uint32_t reg;
	/*
	 * Of a register 0, or its bounds: max << 32 | min. Kernels before 5.12 forget what they know of a register that
	 * is spilled, so as an operand or an argument of a call it is bounded once more.
	 */
	int64_t imm;
};

struct ir_insn {
	enum ir_op op;
	enum ir_condition condition;
	uint8_t bits; /* 0 is 64 */
	bool is_signed;
	uint8_t n_args;
	uint32_t dst; /* IR_NONE: none */
	struct ir_value a, b;
	int64_t imm;
	uint32_t index;
	uint32_t then, otherwise; /* blocks */
	struct ir_value args[5];
	struct span at;
};

struct ir_block {
	vec(struct ir_insn);
	bool is_cold; /* errors, full maps: placed at the end */
};

struct ir_object {
	uint32_t size, align; /* align at least 8 for what helpers write */
};

struct ir_function {
	uint32_t n_regs;
	uint32_t n_params; /* registers 0 .. n_params - 1 hold them at the entry */
	vec(struct ir_block) blocks;
	vec(struct ir_object) objects;
};

/* A program: function 0 is its own, the others are bodies of loops. Initialise with {}. */
struct ir_program {
	vec(struct ir_function) functions;
};
void ir_program_release(struct ir_program *program);

/* --- building --- */
struct ir_builder {
	struct ir_program *program;
	uint32_t function, block; /* where instructions are added */
	struct span at;		  /* given to each of them */
};
static inline struct ir_value ir_reg(uint32_t reg)
{
	return (struct ir_value){ .reg = reg };
}
static inline struct ir_value ir_imm(int64_t imm)
{
	return (struct ir_value){ .is_const = true, .reg = IR_NONE, .imm = imm };
}
uint32_t ir_function_new(struct ir_program *program, uint32_t n_params);
uint32_t ir_new_reg(struct ir_builder *b);
uint32_t ir_new_block(struct ir_builder *b);
uint32_t ir_new_object(struct ir_builder *b, uint32_t size, uint32_t align);
/* Adds a copy of insn. */
void ir_add(struct ir_builder *b, const struct ir_insn *insn);
/* Shorthands; those with a result return its new register. */
struct ir_value ir_binary(struct ir_builder *b, enum ir_op op, struct ir_value x, struct ir_value y);
struct ir_value ir_unary(struct ir_builder *b, enum ir_op op, uint8_t bits, struct ir_value x);
void ir_move(struct ir_builder *b, uint32_t dst, struct ir_value x);
struct ir_value ir_load(struct ir_builder *b, uint8_t bits, bool is_signed, struct ir_value base, int64_t offset);
void ir_store(struct ir_builder *b, uint8_t bits, struct ir_value base, int64_t offset, struct ir_value x);
struct ir_value ir_address(struct ir_builder *b, enum ir_op op, uint32_t index, int64_t imm);
struct ir_value ir_call(struct ir_builder *b, enum ir_op op, uint32_t index, const struct ir_value *args, uint8_t n);
void ir_jump(struct ir_builder *b, uint32_t block);
void ir_branch(struct ir_builder *b, enum ir_condition condition, struct ir_value x, struct ir_value y, uint32_t then,
	       uint32_t otherwise);
void ir_return(struct ir_builder *b, struct ir_value x);
bool ir_block_ended(const struct ir_builder *b); /* whether the current block has its last instruction */

/* --- asking --- */
#define IR_USES_MAX 7
bool ir_is_end(enum ir_op op);
bool ir_is_call(enum ir_op op);
bool ir_has_effect(enum ir_op op); /* besides its result */
/* The register that an instruction assigns; IR_NONE: none. */
uint32_t ir_result(const struct ir_insn *insn);
/* Its operands, IR_USES_MAX at most: a, b, arguments. Returns their number. */
uint32_t ir_uses(struct ir_insn *insn, struct ir_value **uses);
/* The blocks that may follow. Returns their number. */
uint32_t ir_targets(const struct ir_insn *insn, uint32_t targets[2]);

/* The name of an enum lang_function, without "lang_". */
const char *ir_library_name(uint32_t function);

/* Folds constants, copies and dead code; merges blocks. */
void ir_fold(struct ir_program *program);

#endif
