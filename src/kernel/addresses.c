// SPDX-License-Identifier: BSD-2-Clause
#include "kallsyms_text.h"
#include "kernel.h"

struct each {
	ksym_fn fn;
	void *ctx;
};

static int pass_on(const struct ksym *sym, bool function, void *ctx)
{
	const struct each *each = ctx;

	return each->fn(sym, each->ctx);
}

int kernel_each_address(ksym_fn fn, void *ctx)
{
	struct each each = { fn, ctx };
	struct memory_places places = {};

	return kallsyms_text_each(&places, pass_on, &each, NULL);
}

struct search {
	struct kernel_address *v;
	size_t n, left;
};

/* Of several symbols of one name it is the first. */
static int find(const struct ksym *sym, void *ctx)
{
	struct search *search = ctx;

	for (size_t i = 0; i < search->n; i++) {
		struct kernel_address *one = &search->v[i];

		if (one->found || strcmp(one->name, sym->name) != 0)
			continue;
		one->found = true;
		one->addr = sym->addr;
		search->left--;
	}
	return !search->left;
}

int kernel_find_addresses(struct kernel_address *v, size_t n)
{
	struct search search = { .v = v, .n = n, .left = n };
	int ret = kernel_each_address(find, &search);

	if (ret < 0)
		return ret;
	if (search.left)
		return -ENOENT;
	for (size_t i = 0; i < n; i++)
		if (!v[i].addr)
			return -EPERM;
	return 0;
}
