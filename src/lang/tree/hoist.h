/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of scripts that were written for bpftrace before 0.22: they live as long as their probe's block. */
#ifndef SONDE_LANG_TREE_HOIST_H
#define SONDE_LANG_TREE_HOIST_H

#include "ast.h"

/* Declares each variable that is first assigned in an inner block at the beginning of the probe's block. */
void hoist_variables(struct ast_program *program, struct pool *pool);

#endif
