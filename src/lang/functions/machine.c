// SPDX-License-Identifier: BSD-2-Clause
/* The machine: its processors, and numbers by chance. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static struct low_value lower_cpu(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_helper(l, BPF_FUNC_get_smp_processor_id, 0), ast->type);
}

BUILTIN(cpu, check_uint32, lower_cpu, .is_stable = true);

static const struct type *check_ncpus(struct checker *c, struct ast *ast)
{
	check_set_integer(ast, c->options->n_cpus, type_integer(8, false));
	return ast->type;
}

BUILTIN(ncpus, check_ncpus, lower_nothing);

static struct low_value lower_numaid(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_helper(l, BPF_FUNC_get_numa_node_id, 0), ast->type);
}

BUILTIN(numaid, check_uint32, lower_numaid);

static struct low_value lower_rand(struct lower *l, struct ast *ast)
{
	return lower_scalar(ir_unary(&l->b, IR_ZERO, 32, lower_helper(l, BPF_FUNC_get_prandom_u32, 0)), ast->type);
}

BUILTIN(rand, check_uint32, lower_rand);
