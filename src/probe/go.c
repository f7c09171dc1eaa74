// SPDX-License-Identifier: BSD-2-Clause
/* Decides where probes on Go functions go, and which are refused. go.h says why. */
#include "binary/binary_code.h"
#include "go.h"

#define STACKS_MOVE "Go moves its stacks, and a return probe would crash it"

void go_init(struct go *go, struct binary *binary, bool ret, bool both)
{
	*go = (struct go){ .go = binary_go(binary), .ret = ret, .both = both };
	if (!go->go)
		return;
	go->no_return = STACKS_MOVE " (--force overrides this)";
	if (binary_go_range(binary, &go->begin, &go->end))
		go->begin = go->end = 0;
}

/* An entry and a return are matched by the goroutine and the depth of its stack. NULL, or why these are unknown. */
static const char *why_not_both(const struct go *go, const struct binary_symbol *function, const struct binary_returns *returns)
{
	if (function->vaddr < go->begin || function->vaddr >= go->end)
		return "it may not be Go code";
	if (go->go != BINARY_GO_REGISTERS)
		return "before Go 1.18 the running goroutine cannot be read";
	return returns->again ? "it starts more than once in a call" : NULL;
}

static int find_returns(const struct go *go, struct binary *binary, const struct binary_symbol *function, uint64_t entry,
			struct binary_returns *returns, struct err *err)
{
	struct err why = {};
	int ret = binary_find_returns(binary, function, entry, returns, &why);
	const char *not_both = !ret && go->both ? why_not_both(go, function, returns) : NULL;

	if (!ret && !not_both)
		return 0;
	return err_set(err, -ENOTSUP, STACKS_MOVE "; its return instructions cannot be used: %s (--force overrides this)",
		       not_both ? not_both : why.text);
}

int go_place(const struct go *go, struct binary *binary, const struct binary_symbol *function, struct target *target,
	     struct pool *pool, struct err *err)
{
	struct binary_returns returns = {};
	uint64_t entry;
	int ret = 0;

	if (!go->go)
		return 0;
	ret = binary_go_entry(binary, function, &entry, err);
	if (ret && !go->ret)
		return ret;
	ret = 0;
	if (go->ret || go->both)
		ret = find_returns(go, binary, function, entry, &returns, err);
	if (!go->ret)
		target->addr += entry;
	if (!ret && returns.n) {
		target->returns = pool_copy(pool, returns.v, returns.n * sizeof(*returns.v));
		target->n_returns = returns.n;
		target->go = true;
	}
	if (go->ret || go->both)
		target->no_return = ret ? pool_add(pool, err->text) : NULL;
	free(returns.v);
	return go->ret ? ret : 0;
}
