/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out what everything in the tree means: types, variables, maps, probes, and whether it can work on this kernel.
 * What it accepts, the verifier accepts. It repeats until no type of a map or variable changes.
 */
#ifndef SONDE_LANG_CHECK_CHECK_H
#define SONDE_LANG_CHECK_CHECK_H

#include "lang/program/options.h"
#include "lang/program/program.h"
#include "lang/tree/ast.h"

/* A block of the program together with the places that it serves; see struct lang_probe. */
struct checked_probe {
	struct ast_probe *ast;	  /* a copy of its own where one block serves several, for types differ */
	struct lang_probe *probe; /* in program->probes; stays valid: checked_program.probes are in the same order */
	struct lang_arguments arguments;
	const struct lang_usdt_argument *usdt; /* n_usdt of them */
	size_t n_usdt;
};

struct checked_program {
	struct {
		struct checked_probe *v;
		size_t n, cap;
	} probes;
};

/*
 * Fills program: config, maps, sites, places, probes with their targets (not their code). False: there are errors in
 * program->messages. checked.probes.v is the caller's to free.
 */
bool lang_check(struct lang_program *program, struct ast_program *ast, const struct lang_options *options,
		struct checked_program *checked);

/*
 * The type that both sides of an operator are converted to before it is applied: a division, a remainder or a
 * comparison is signed if this type is. Pointers are unsigned.
 */
const struct type *lang_operand_type(const struct type *left, const struct type *right);

#endif
