/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of a probe: instructions of BPF, and what the engine must put into them when it links them with
 * bpf/lang.bpf.c. emit.h makes it.
 */
#ifndef SONDE_LANG_CODE_CODE_H
#define SONDE_LANG_CODE_CODE_H

#include "lang/text/source.h"

struct bpf_insn;

enum lang_relocation_kind {
	RELOCATE_MAP,		  /* load of 64 bits: lang_program.maps[index] */
	RELOCATE_DATA,		  /* load of 64 bits: address of enum lang_data + offset */
	RELOCATE_LIBRARY,	  /* call of enum lang_function */
	RELOCATE_LIBRARY_ADDRESS, /* load of 64 bits: its address, as a callback */
	RELOCATE_LOCAL,		  /* call of a function of this code: index in code.functions */
	RELOCATE_LOCAL_ADDRESS,
	RELOCATE_RING, /* load of 64 bits: the ring buffer */
};

struct lang_relocation {
	uint32_t insn; /* index of the instruction, of two the first */
	enum lang_relocation_kind kind;
	uint32_t index, offset;
};

/* Instructions: the program's own function first, then functions of loops, each ends with an exit. */
struct lang_code {
	vec(struct bpf_insn) insns;
	vec(struct lang_relocation) relocations;
	struct {
		struct lang_code_function {
			uint32_t begin; /* index of its first instruction */
			uint32_t n_params;
		} * v;
		size_t n, cap;
	} functions; /* [0]: the program's own */
	struct {
		struct lang_line {
			uint32_t insn;
			struct span at;
		} * v;
		size_t n, cap;
	} lines; /* which part of the program instructions belong to, from that instruction on */
};

#endif
