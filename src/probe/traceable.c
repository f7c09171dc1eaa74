// SPDX-License-Identifier: BSD-2-Clause
#include <search.h>

#include "traceable.h"

/* ftrace's own address is at most this far behind the symbol's: endbr, bti, patchable nops. */
#define ENTRY_MAX 16

/* Above this many matches, the memory for their names is better spared. */
#define CANDIDATES_MAX 4096

static void keep_string(void *text)
{
}

void traceable_release(struct traceable *traceable)
{
	tdestroy(traceable->names, keep_string);
	pool_release(&traceable->pool);
	str_release(&traceable->candidates.text);
	free(traceable->candidates.v);
	free(traceable->addrs.v);
	*traceable = (struct traceable){};
}

/* --- addresses --- */

static int compare_addresses(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

void traceable_sort(struct traceable *traceable)
{
	if (traceable->addrs.n)
		qsort(traceable->addrs.v, traceable->addrs.n, sizeof(uint64_t), compare_addresses);
}

bool traceable_at(const struct traceable *traceable, uint64_t addr)
{
	const struct addresses *addrs = &traceable->addrs;
	size_t low = 0, high = addrs->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addrs->v[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < addrs->n && addrs->v[low] - addr < ENTRY_MAX;
}

/* --- candidates --- */

static const char *name_of(const struct candidates *candidates, size_t i)
{
	return candidates->text.data + candidates->v[i].name;
}

static int compare_name(const char *stored, const char *name, const char *module)
{
	int ret = strcmp(stored, name);

	return ret ? ret : strcmp(stored + strlen(stored) + 1, str_or_empty(module));
}

static bool continues_run(const struct candidates *candidates, const struct ksym *sym)
{
	const char *before, *module;

	if (candidates->run == candidates->n)
		return false;
	before = name_of(candidates, candidates->n - 1);
	module = before + strlen(before) + 1;
	if (sym->module || *module)
		return !strcmp(module, str_or_empty(sym->module));
	return candidates->v[candidates->n - 1].addr == sym->addr;
}

static void end_run(struct candidates *candidates)
{
	if (!candidates->wanted) {
		candidates->n = candidates->run;
		candidates->text.len = candidates->run_text;
	}
	candidates->run = candidates->n;
	candidates->run_text = candidates->text.len;
	candidates->wanted = false;
}

bool traceable_many(const struct traceable *traceable)
{
	return traceable->candidates.wanted_n > CANDIDATES_MAX;
}

/* With its NUL. */
static void add_text(struct str *text, const char *more)
{
	str_addn(text, more, strlen(more) + 1);
}

int traceable_offer(struct traceable *traceable, const struct ksym *sym, bool wanted)
{
	struct candidates *candidates = &traceable->candidates;

	if (!continues_run(candidates, sym))
		end_run(candidates);
	candidates->wanted |= wanted;
	candidates->wanted_n += wanted;
	if (!sym->addr || traceable_many(traceable))
		return -EAGAIN;
	*vec_push(candidates) = (struct candidate){ .name = candidates->text.len, .addr = sym->addr };
	add_text(&candidates->text, sym->name);
	add_text(&candidates->text, str_or_empty(sym->module));
	return 0;
}

static int compare_candidates(const void *pa, const void *pb, void *text)
{
	const struct candidate *a = pa, *b = pb;
	const char *an = (const char *)text + a->name, *bn = (const char *)text + b->name;
	int ret = compare_name(an, bn, bn + strlen(bn) + 1);

	return ret ? ret : a->addr < b->addr ? -1
					     : a->addr > b->addr;
}

/* The first candidate of the name, or NULL. */
static struct candidate *find(const struct candidates *candidates, const char *name, const char *module)
{
	size_t low = 0, high = candidates->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_name(name_of(candidates, middle), name, module) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == candidates->n || compare_name(name_of(candidates, low), name, module))
		return NULL;
	return &candidates->v[low];
}

static int count_listed(const struct ksym *sym, void *ctx)
{
	struct candidate *candidate = find(ctx, sym->name, sym->module);

	if (candidate)
		candidate->listed++;
	return 0;
}

/* Of the candidates [from, to), which have one name: all of its places are listed, or none. False: some are, and which? */
static bool judge_name(struct traceable *traceable, size_t from, size_t to)
{
	struct candidate *v = traceable->candidates.v;
	uint32_t places = 1;

	for (size_t i = from + 1; i < to; i++)
		places += v[i].addr != v[i - 1].addr;
	if (!v[from].listed)
		return true;
	for (size_t i = from; i < to; i++)
		*vec_push(&traceable->addrs) = v[i].addr;
	return v[from].listed >= places;
}

static bool judge_names(struct traceable *traceable)
{
	const struct candidates *candidates = &traceable->candidates;
	bool sure = true;
	size_t end;

	for (size_t i = 0; i < candidates->n; i = end) {
		const char *name = name_of(candidates, i);

		for (end = i + 1; end < candidates->n; end++)
			if (compare_name(name_of(candidates, end), name, name + strlen(name) + 1))
				break;
		sure &= judge_name(traceable, i, end);
	}
	return sure;
}

static int add_address(const struct ksym *sym, void *ctx)
{
	*vec_push((struct addresses *)ctx) = sym->addr;
	return 0;
}

int traceable_judge(struct traceable *traceable)
{
	struct candidates *candidates = &traceable->candidates;
	struct addresses addrs = {};
	bool has_addr = false;

	end_run(candidates);
	if (candidates->n)
		qsort_r(candidates->v, candidates->n, sizeof(*candidates->v), compare_candidates, candidates->text.data);
	if (kernel_each_traceable(count_listed, candidates, &has_addr, NULL))
		return -EAGAIN;
	traceable->known = true;
	if (!judge_names(traceable)) {
		has_addr = true;
		/* without addresses all are tried, and attaching tells */
		if (!kernel_each_traceable(add_address, &addrs, &has_addr, NULL) && has_addr) {
			free(traceable->addrs.v);
			traceable->addrs = addrs;
			addrs = (struct addresses){};
		}
		free(addrs.v);
	}
	traceable_sort(traceable);
	return 0;
}

bool traceable_named(const struct traceable *traceable, const char *name, const char *module)
{
	const struct candidate *candidate = find(&traceable->candidates, name, module);

	return candidate && candidate->listed;
}

/* --- the whole list --- */

static int compare_listed(const void *pa, const void *pb)
{
	return strcmp(pa, pb);
}

static const char *listed_key(const struct ksym *sym, char *buf, size_t size)
{
	snprintf(buf, size, "%s\t%s", sym->name, str_or_empty(sym->module));
	return buf;
}

static int add_listed(const struct ksym *sym, void *ctx)
{
	struct traceable *traceable = ctx;
	char key[256];

	if (sym->addr) {
		*vec_push(&traceable->addrs) = sym->addr;
		return 0;
	}
	listed_key(sym, key, sizeof(key));
	if (!tsearch(pool_add(&traceable->pool, key), &traceable->names, compare_listed))
		return -ENOMEM;
	return 0;
}

void traceable_read(struct traceable *traceable)
{
	traceable->has_addr = true;
	traceable->known = !kernel_each_traceable(add_listed, traceable, &traceable->has_addr, NULL);
	traceable->has_addr &= traceable->known;
	traceable_sort(traceable);
}

bool traceable_take(struct traceable *traceable, const struct ksym *sym)
{
	char key[256];

	if (!traceable->names || !tfind(listed_key(sym, key, sizeof(key)), &traceable->names, compare_listed))
		return false;
	*vec_push(&traceable->addrs) = sym->addr;
	return true;
}
