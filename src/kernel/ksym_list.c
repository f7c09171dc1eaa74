// SPDX-License-Identifier: BSD-2-Clause
#include "base/search.h"
#include "ksym.h"
#include "ksym_list.h"

void ksym_list_release(struct ksym_list *list)
{
	free(list->v);
	free(list->modules.v);
	free(list->names.v);
	*list = (struct ksym_list){};
}

static uint32_t add_name(struct ksym_list *list, const char *name)
{
	size_t n = strlen(name) + 1, at = list->names.n;

	while (at + n + 1 > list->names.cap) {
		list->names.cap = list->names.cap ? list->names.cap * 2 : 64 * 1024;
		list->names.v = base_realloc(list->names.v, list->names.cap, 1);
	}
	/* offset 0 is no name */
	at += !at;
	memcpy(list->names.v + at, name, n);
	list->names.n = at + n;
	return at;
}

static uint32_t module_number(struct ksym_list *list, const char *name)
{
	struct ksym_module *last = list->modules.n ? &list->modules.v[list->modules.n - 1] : NULL;

	if (!name)
		return 0;
	if (!last || strcmp(last->name, name)) {
		last = vec_push(&list->modules);
		snprintf(last->name, sizeof(last->name), "%s", name);
	}
	return list->modules.n;
}

void ksym_list_add(struct ksym_list *list, const struct ksym *sym, bool function)
{
	const struct ksym_entry *last = list->n ? &list->v[list->n - 1] : NULL;
	struct ksym_entry *entry;

	/* The kernel's own symbols are sorted: where data follows data, one end is enough. */
	if (!function && !sym->module && last && !last->name && last->addr <= sym->addr)
		return;
	if (last && sym->addr < last->addr)
		list->unsorted = true;
	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 4096;
		list->v = base_realloc(list->v, list->cap, sizeof(*list->v));
	}
	entry = &list->v[list->n++];
	entry->addr = sym->addr;
	entry->name = function ? add_name(list, sym->name) : 0;
	entry->module = function ? module_number(list, sym->module) : 0;
}

void ksym_list_set_module(struct ksym_list *list, const char *module, uint64_t start, uint64_t end)
{
	vec_each(it, &list->modules)
		if (!strcmp(it->name, module)) {
			it->start = start;
			it->end = end;
		}
}

static const struct ksym_module *module_of(const struct ksym_list *list, const struct ksym_entry *entry)
{
	return entry->module ? &list->modules.v[entry->module - 1] : NULL;
}

static const char *name_of(const struct ksym_list *list, const struct ksym_entry *entry)
{
	return list->names.v + entry->name;
}

int ksym_list_each(const struct ksym_list *list, ksym_fn fn, void *ctx)
{
	vec_each(entry, list) {
		const struct ksym_module *module = module_of(list, entry);
		struct ksym sym = { .addr = entry->addr, .module = module ? module->name : NULL };
		int ret;

		if (!entry->name)
			continue;
		sym.name = name_of(list, entry);
		ret = fn(&sym, ctx);
		if (ret)
			return ret;
	}
	return 0;
}

/* Names were added in the order of the entries. */
static int by_address(const void *pa, const void *pb)
{
	const struct ksym_entry *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

void ksym_list_sort(struct ksym_list *list)
{
	if (list->unsorted)
		qsort(list->v, list->n, sizeof(*list->v), by_address);
	list->unsorted = false;
}

/* The first function of those that begin at one address. */
static const struct ksym_entry *function_among(const struct ksym_list *list, size_t first, size_t behind)
{
	for (size_t i = first; i < behind; i++)
		if (list->v[i].name && !ksym_is_end_of_text(name_of(list, &list->v[i])))
			return &list->v[i];
	return NULL;
}

int ksym_list_at(const struct ksym_list *list, uint64_t addr, struct ksym_place *place)
{
	const struct ksym_entry *v = list->v, *entry;
	size_t behind = search_first(i, list->n, v[i].addr > addr), first;
	const struct ksym_module *module;
	uint64_t end = behind < list->n ? v[behind].addr : 0;

	/* where the kernel hides addresses, all are 0; else variables of processors may be there */
	if (!behind || !v[behind - 1].addr)
		return list->n && !v[list->n - 1].addr ? -EPERM : -ENOENT;
	first = search_first(i, behind, v[i].addr >= v[behind - 1].addr);
	entry = function_among(list, first, behind);
	module = entry ? module_of(list, entry) : NULL;
	if (module && module->end && (!end || end > module->end))
		end = module->end;
	if (!entry || (end && addr >= end))
		return -ENOENT;
	snprintf(place->name, sizeof(place->name), "%s", name_of(list, entry));
	place->module = module ? module->name : NULL;
	place->start = entry->addr;
	place->end = end;
	return 0;
}
