// SPDX-License-Identifier: BSD-2-Clause
/* Decides where the returns of user functions are probed, and which functions are refused. returns.h says why. */
#include "binary/binary_code.h"
#include "bpf/latency.h"
#include "returns.h"

#define HARMS	    "(--force uses the kernel's return probe, which can break programs)"
#define STACKS_MOVE "(Go moves its stacks: the kernel's return probe, which --force uses, would crash it)"

void returns_init(struct returns *returns, struct binary *binary, bool ret, const struct target_options *options)
{
	*returns = (struct returns){
		.ret = ret,
		.both = options->both,
		.value = options->value,
		.learn = options->learn,
		.force = options->force,
	};
	if (options->force)
		return;
	returns->go = binary_go(binary);
	if (!returns->go || binary_go_range(binary, &returns->begin, &returns->end))
		returns->begin = returns->end = 0;
}

/* In Go an entry and a return are matched by the goroutine and the depth of its stack. NULL, or why these are unknown. */
static const char *why_no_go_pair(const struct returns *returns, const struct binary_symbol *function)
{
	if (function->vaddr < returns->begin || function->vaddr >= returns->end)
		return "it may not be Go code";
	return returns->go == BINARY_GO_REGISTERS ? NULL : "before Go 1.18 the running goroutine cannot be read";
}

/* NULL, or why the ends are not enough for what is asked. */
static const char *why_not_enough(const struct returns *returns, const struct binary_symbol *function,
				  struct binary_ends *ends)
{
	const char *why = returns->both && returns->go ? why_no_go_pair(returns, function) : NULL;

	if (!why && returns->both && ends->again)
		why = "it starts more than once in a call";
	if (!why && returns->value && !binary_ends_keep_values(ends, returns->learn))
		why = "it ends by a jump to another function, and what that returns is not known here";
	return why;
}

static int find_ends(const struct returns *returns, struct binary *binary, const struct binary_symbol *function, uint64_t entry,
		     struct binary_ends *ends, struct err *err)
{
	struct err why = {};
	int ret = returns->go ? binary_find_go_returns(binary, function, entry, ends, &why)
			      : binary_find_ends(binary, function, returns->value, ends, &why);
	const char *no_pair = ret ? NULL : why_not_enough(returns, function, ends);

	if (!ret && !no_pair)
		return 0;
	if (ret == -ENODATA)
		return err_set(err, ret, "%s", why.text);
	return err_set(err, -ENOTSUP, "%s: %s %s", no_pair ? "its ends are not enough" : "its ends are not known",
		       no_pair ? no_pair : why.text, returns->go ? STACKS_MOVE : HARMS);
}

static void set_ends(const struct returns *returns, struct target *target, const struct binary_ends *ends, struct pool *pool)
{
	target->ends = pool_copy(pool, ends->v, ends->n * sizeof(*ends->v));
	target->n_ends = ends->n;
	target->leaves = ends->leaves;
	target->calls = returns->go ? LATENCY_GO : LATENCY_ENDS;
}

int returns_place(const struct returns *returns, struct binary *binary, const struct binary_symbol *function,
		  struct target *target, struct pool *pool, struct err *err)
{
	struct binary_ends ends = {};
	uint64_t entry = 0;
	int ret = returns->go ? binary_go_entry(binary, function, &entry, err) : 0;

	if (ret && !returns->ret)
		return ret;
	if (!returns->ret)
		target->addr += entry;
	if (!returns->ret && !returns->both)
		return 0;
	ret = find_ends(returns, binary, function, entry, &ends, err);
	target->endless = ret == -ENODATA;
	if (!ret)
		set_ends(returns, target, &ends, pool);
	else if (!returns->force)
		target->no_return = pool_add(pool, err->text);
	free(ends.v);
	return returns->ret && !returns->force ? ret : 0;
}
