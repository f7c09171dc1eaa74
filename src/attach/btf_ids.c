// SPDX-License-Identifier: BSD-2-Clause
/* Finds functions and tracepoints in the BTF of the kernel and of its modules. */
#include "base/search.h"
#include "base/str.h"
#include "kernel/kernel.h"
#include "mechanism.h"

#define TRACEPOINT "btf_trace_"

struct names {
	struct candidate **candidates; /* sorted by name */
	size_t n;
	/* Of functions: those of this module are meant, NULL: of the kernel proper. */
	const char *module;
	uint32_t object; /* the number of the module's BTF; 0: the kernel's own */
	bool of_functions;
};

static int by_name(const void *pa, const void *pb)
{
	const struct candidate *a = *(struct candidate *const *)pa, *b = *(struct candidate *const *)pb;

	return strcmp(a->target->name, b->target->name);
}

static bool is_meant(const struct names *names, const struct candidate *candidate)
{
	return !names->of_functions || str_same(candidate->target->object, names->module);
}

/* A function may be probed twice, at entry and at return. */
static int offer(const char *name, uint32_t id, void *ctx)
{
	struct names *names = ctx;
	size_t at = search_first(i, names->n, strcmp(names->candidates[i]->target->name, name) >= 0);

	for (; at < names->n && !strcmp(names->candidates[at]->target->name, name); at++) {
		struct candidate *candidate = names->candidates[at];

		if (!is_meant(names, candidate))
			continue;
		candidate->btf_object = names->object;
		candidate->btf_id = id;
	}
	return 0;
}

static int offer_typedef(const char *name, uint32_t id, void *ctx)
{
	const size_t n = strlen(TRACEPOINT);

	return strncmp(name, TRACEPOINT, n) ? 0 : offer(name + n, id, ctx);
}

/* Whether a candidate before this one is of the same module. */
static bool is_again(const struct names *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_same(names->candidates[i]->target->object, names->candidates[n]->target->object))
			return true;
	return false;
}

static int ids_of_module(struct names *names, struct err *err)
{
	int ret;

	names->object = kernel_btf_object(names->module);
	ret = kernel_each_btf_func_of(names->module, offer, names, err);
	if (ret || names->object)
		return ret;
	return err_set(err, -EPERM, "the BTF of the module %s cannot be opened without CAP_SYS_ADMIN", names->module);
}

static void note_no_btf(struct attach *attach, const struct names *names, const char *why)
{
	for (size_t i = 0; i < names->n; i++)
		if (is_meant(names, names->candidates[i]))
			names->candidates[i]->no_btf = pool_add(&attach->reasons, why);
}

static bool are_looked_up(struct candidate **candidates, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!candidates[i]->looked_up)
			return false;
	return true;
}

int btf_ids_of_functions(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	struct names names = { .candidates = candidates, .n = n, .of_functions = true };

	qsort(candidates, n, sizeof(*candidates), by_name);
	if (are_looked_up(candidates, n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct err why = {};
		int ret;

		if (is_again(&names, i))
			continue;
		names.module = candidates[i]->target->object;
		names.object = 0;
		ret = names.module ? ids_of_module(&names, &why) : kernel_each_btf_func(offer, &names, err);
		if (ret && !names.module)
			return ret;
		if (ret)
			note_no_btf(attach, &names, why.text);
	}
	for (size_t i = 0; i < n; i++)
		candidates[i]->looked_up = true;
	return 0;
}

void btf_ids_of_tracepoints(struct attach *attach)
{
	__free struct candidate **candidates = base_alloc((attach->set->n + 1) * sizeof(*candidates));
	struct names names = { .candidates = candidates };
	struct err err;

	for (size_t i = 0; i < attach->set->n; i++)
		if (attach->set->v[i].kind == TARGET_TRACEPOINT)
			candidates[names.n++] = &attach->candidates[i];
	qsort(candidates, names.n, sizeof(*candidates), by_name);
	kernel_each_btf_typedef(offer_typedef, &names, &err);
}
