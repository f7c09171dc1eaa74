// SPDX-License-Identifier: BSD-2-Clause
#include "base/pool.h"
#include "base/search.h"
#include "base/str.h"
#include "kallsyms_search.h"
#include "kallsyms_text.h"
#include "ksym.h"
#include "modules.h"

struct search {
	struct ksym_wanted *v;
	size_t n;
	struct nearest {
		uint64_t start;		 /* of the last symbol between the address before and this one; 0: none */
		uint64_t end;		 /* of the first symbol behind this address and up to the next; 0: none */
		struct str name, module; /* name empty: no function begins at start */
	} * nearest;			 /* of each address */
	bool any;			 /* a symbol has an address */
};

static void search_release(struct search *search)
{
	for (size_t i = 0; i < search->n; i++) {
		str_release(&search->nearest[i].name);
		str_release(&search->nearest[i].module);
	}
	free(search->nearest);
}

static void begin(struct nearest *nearest, const struct ksym *sym, bool function)
{
	if (nearest->start && (sym->addr < nearest->start || (sym->addr == nearest->start && nearest->name.len)))
		return;
	nearest->start = sym->addr;
	str_reset(&nearest->name);
	str_reset(&nearest->module);
	if (!function || ksym_is_end_of_text(sym->name))
		return;
	str_add(&nearest->name, sym->name);
	str_add(&nearest->module, str_or_empty(sym->module));
}

static int offer(const struct ksym *sym, bool function, void *ctx)
{
	struct search *search = ctx;
	size_t at = search_first(i, search->n, search->v[i].addr >= sym->addr);

	search->any |= sym->addr;
	if (at < search->n && sym->addr)
		begin(&search->nearest[at], sym, function);
	if (at && (!search->nearest[at - 1].end || sym->addr < search->nearest[at - 1].end))
		search->nearest[at - 1].end = sym->addr;
	return 0;
}

/* The code of a module ends before its data, which may have no symbols. */
static int end_module(const struct module_line *module, void *ctx)
{
	struct search *search = ctx;

	for (size_t i = 0; module->addr && i < search->n; i++)
		if (!search->v[i].ret && str_same(search->v[i].module, module->name) &&
		    search->v[i].addr - module->addr >= module->size)
			search->v[i].ret = -ENOENT;
	return 0;
}

/* What is nearest to an address may be nearest to those behind it, too. */
static void choose(struct search *search, struct pool *strings)
{
	const struct nearest *nearest = NULL, *before = NULL;
	bool end = false;

	for (size_t i = search->n; i-- > 0;) {
		end |= search->nearest[i].end;
		search->v[i].ret = !search->any ? -EPERM : end ? 0
							       : -ENOENT;
	}
	for (size_t i = 0; i < search->n; i++) {
		struct ksym_wanted *wanted = &search->v[i];

		if (search->nearest[i].start)
			nearest = &search->nearest[i];
		if (!wanted->ret && (!nearest || !nearest->name.len))
			wanted->ret = -ENOENT;
		if (wanted->ret)
			continue;
		wanted->start = nearest->start;
		wanted->name = nearest == before ? wanted[-1].name : pool_add(strings, nearest->name.data);
		wanted->module = nearest->module.len ? pool_add(strings, nearest->module.data) : NULL;
		before = nearest;
	}
}

void kallsyms_search(struct ksym_wanted *v, size_t n, struct pool *strings, struct memory_places *places)
{
	struct search search __cleanup(search_release) = { .v = v, .n = n };
	int ret;

	search.nearest = base_alloc(n * sizeof(*search.nearest));
	ret = kallsyms_text_each(places, offer, &search, NULL);
	if (!ret) {
		choose(&search, strings);
		modules_each(end_module, &search);
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i].ret = ret;
}
