// SPDX-License-Identifier: BSD-2-Clause
/*
 * Resolves specs of kernel functions. kallsyms has every alias and every address. Only ftrace knows which functions
 * it can trace; it is asked only for patterns, because attaching shows that for a single function. kallsyms is not
 * read for a single name that the kernel itself can find.
 */
#include "base/set.h"
#include "base/str.h"
#include "kernel/kernel.h"
#include "resolve.h"
#include "traceable.h"

struct hit {
	uint64_t addr;
	const char *name, *module;
	struct query *query;
	bool listed;	    /* the name by which ftrace lists this address */
	bool unique, alone; /* as of struct target */
};

struct search {
	struct query *queries;
	size_t n;
	struct target_set *set;
	struct kernel *kernel;
	struct traceable traceable;
	uint64_t last; /* address of the previous symbol */
	bool hidden;   /* the kernel hides addresses */
	struct hits {
		vec(struct hit);
	} hits;
};

static bool object_matches(const struct query *query, const char *module)
{
	if (!query->spec.object)
		return true;
	return match_test(query->object, module ?: "vmlinux");
}

/* For a spec with an address in place of a name: the function that contains it. */
static void add_by_address(struct search *search, struct query *query)
{
	struct pool *pool = &search->set->pool;
	struct ksym_place place;

	if (kernel_symbol_at(search->kernel, query->spec.offset, &place) || !object_matches(query, place.module))
		return;
	*vec_push(&search->hits) = (struct hit){
		.addr = place.start,
		.query = query,
		.name = pool_add(pool, place.name),
		.module = place.module ? pool_add(pool, place.module) : NULL,
	};
}

static bool is_pattern(const struct query *query)
{
	return query->spec.name && !match_literal(query->name);
}

/* Newer kernels have a symbol for the padding before each function: skipped, for ftrace can trace none of them. */
static bool is_padding(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

static int offer_symbol(const struct ksym *sym, void *ctx)
{
	struct search *search = ctx;
	struct pool *pool = &search->set->pool;

	for (size_t i = 0; i < search->n; i++) {
		struct query *query = &search->queries[i];

		if (!query_is_kernel(query) || !query->spec.name || !object_matches(query, sym->module))
			continue;
		if (match_test(query->name, sym->name) && !(is_pattern(query) && is_padding(sym->name)))
			*vec_push(&search->hits) = (struct hit){
				.addr = sym->addr,
				.name = pool_add(pool, sym->name),
				.module = sym->module ? pool_add(pool, sym->module) : NULL,
				.query = query,
				.listed = sym->addr != search->last,
			};
	}
	search->hidden |= !sym->addr;
	search->last = sym->addr;
	return 0;
}

/*
 * Ranks the names of one address: first a name that a spec gives literally, then the one that ftrace lists, then
 * the plainest.
 */
static unsigned int name_rank(const struct hit *hit)
{
	return (match_literal(hit->query->name) ? 0 : 4) + (hit->listed ? 0 : 2) +
	       (hit->name[0] == '_' ? 1 : 0);
}

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

static int compare_hits(const void *pa, const void *pb)
{
	const struct hit *a = pa, *b = pb;
	int ret = COMPARE(a->addr, b->addr);

	if (!ret)
		ret = COMPARE(name_rank(a), name_rank(b));
	if (!ret)
		ret = strcmp(a->name, b->name);
	return ret ? ret : strcmp(str_or_empty(a->module), str_or_empty(b->module));
}

/* Sorts by name and module: functions of a module with the same name are neighbours, and cannot be attached by name. */
static int compare_names(const void *pa, const void *pb)
{
	const struct hit *a = *(struct hit *const *)pa, *b = *(struct hit *const *)pb;
	int ret = strcmp(a->name, b->name);

	if (!ret)
		ret = strcmp(str_or_empty(a->module), str_or_empty(b->module));
	return ret ? ret : COMPARE(a->addr, b->addr);
}

static bool same_name(const struct hit *a, const struct hit *b)
{
	return !strcmp(a->name, b->name) && str_same(a->module, b->module);
}

/*
 * Whether two hits of one name and module are one function. If addresses are hidden, a query that has both hits shows
 * that they are two.
 */
static bool same_function(const struct hit *a, const struct hit *b)
{
	return a->addr == b->addr && (a->addr || a->query != b->query);
}

static void find_unique(struct hits *hits)
{
	__free struct hit **index = base_alloc(hits->n * sizeof(*index));
	size_t end;

	for (size_t i = 0; i < hits->n; i++)
		index[i] = &hits->v[i];
	qsort(index, hits->n, sizeof(*index), compare_names);
	for (size_t i = 0; i < hits->n; i = end) {
		bool same = true;

		for (end = i + 1; end < hits->n && same_name(index[i], index[end]); end++)
			same = same && same_function(index[i], index[end]);
		for (size_t j = i; j < end; j++)
			index[j]->unique = index[j]->alone = same;
	}
}

/* How many places of the whole kernel have a name. */
struct twins {
	struct set names;
	uint32_t *places; /* by the number of the name */
};

static bool is_trampoline_of_module(const struct hit *hit)
{
	return hit->module && hit->query->spec.mech == MECH_FENTRY;
}

static int count_place(const struct ksym *sym, void *ctx)
{
	struct twins *twins = ctx;
	uint32_t number = set_find(&twins->names, sym->name, strlen(sym->name));

	if (number != SET_NONE)
		twins->places[number]++;
	return 0;
}

/*
 * Before Linux 6.3 a trampoline finds a module's function by its name alone, and takes the first one in the whole
 * kernel: the kernel proper's own, if it has one.
 */
static void find_twins(struct search *search)
{
	struct twins twins = {};

	vec_each(hit, &search->hits)
		if (is_trampoline_of_module(hit))
			set_add(&twins.names, hit->name, strlen(hit->name));
	if (!twins.names.n)
		return;
	twins.places = base_alloc(twins.names.n * sizeof(*twins.places));
	kernel_each_symbol(search->kernel, count_place, &twins, NULL);
	vec_each(hit, &search->hits)
		if (is_trampoline_of_module(hit) &&
		    twins.places[set_find(&twins.names, hit->name, strlen(hit->name))] > 1)
			hit->alone = false;
	free(twins.places);
	set_release(&twins.names);
}

static void add_target(struct target_set *set, const struct hit *hit)
{
	const struct spec *spec = &hit->query->spec;
	struct target *target = vec_push(set);
	const char *where = hit->name;

	target->kind = TARGET_KERNEL;
	target->mech = spec->mech;
	target->ret = spec->ret;
	target->unique = hit->unique;
	target->alone = hit->alone;
	target->offset = spec->name ? spec->offset : spec->offset - hit->addr;
	target->addr = hit->addr ? hit->addr + target->offset : 0;
	target->name = hit->name;
	target->object = hit->module;
	if (target->offset)
		where = pool_addf(&set->pool, "%s+0x%llx", hit->name, (unsigned long long)target->offset);
	target->label = where;
}

static void add_note(struct target_set *set, const char *name, const char *reason)
{
	struct target_note *note = vec_push(&set->notes);

	note->name = name;
	note->reason = reason;
}

static int check_offset(const struct search *search, const struct hit *hit, struct err *err)
{
	uint64_t offset = hit->query->spec.offset;
	struct ksym_place place;

	if (!hit->query->spec.name || !offset || kernel_symbol_at(search->kernel, hit->addr, &place) || !place.end ||
	    hit->addr + offset < place.end)
		return 0;
	return err_set(err, -EINVAL, "'%s' ends before +0x%llx: it is at most 0x%llx bytes long", hit->name,
		       (unsigned long long)offset, (unsigned long long)(place.end - hit->addr));
}

/* Whether ftrace can trace the function of a hit. */
static bool is_traceable(const struct search *search, const struct hit *hit)
{
	const struct traceable *traceable = &search->traceable;

	if (!traceable->known)
		return true;
	return hit->addr ? traceable_at(traceable, hit->addr) : traceable_named(traceable, hit->name, hit->module);
}

static int add_hits(struct search *search, size_t *bad, struct err *err)
{
	struct hits *hits = &search->hits;

	find_unique(hits);
	find_twins(search);
	for (size_t i = 0; i < search->n; i++)
		search->queries[i].found = 0;
	vec_each(hit, hits) {
		struct query *query = hit->query;
		bool pattern = is_pattern(query);
		const char *excluded = resolve_excluded(hit->name);

		*bad = query - search->queries;
		if (excluded && !pattern)
			return err_set(err, -EPERM, "'%s' cannot be traced: %s", hit->name, excluded);
		if (check_offset(search, hit, err))
			return err->code;
		if (pattern && !is_traceable(search, hit))
			continue;
		query->found++;
		if (excluded)
			add_note(search->set, hit->name, excluded);
		else
			add_target(search->set, hit);
	}
	return 0;
}

static int offer_nearest(const struct ksym *sym, void *ctx)
{
	nearest_offer(ctx, sym->name);
	return 0;
}

/* MODULE:NAME */
static int take_place(const struct ksym *sym, void *ctx)
{
	char **place = ctx;

	*place = base_printf("%s:%s", sym->module ?: "vmlinux", sym->name);
	return 1;
}

static int not_found(const struct search *search, const struct query *query, struct err *err)
{
	const struct spec *spec = &query->spec;
	const char *what = search->traceable.known ? "traceable kernel function" : "kernel function";
	__free char *place = NULL;
	struct nearest nearest;

	if (!spec->name)
		return err_set(err, -ENOENT, "no kernel function is at address 0x%llx",
			       (unsigned long long)spec->offset);
	if (spec->object && match_literal(query->object) && strcmp(spec->object, "vmlinux") &&
	    !kernel_module_loaded(spec->object))
		return err_set(err, -ENOENT, "no kernel module '%s' is loaded", spec->object);
	if (!match_literal(query->name))
		return resolve_no_match(err, what, spec, NULL);
	nearest_init(&nearest, spec->name);
	kernel_each_symbol(search->kernel, offer_nearest, &nearest, NULL);
	/* the name exists in another module */
	if (nearest_name(&nearest) && !strcmp(nearest_name(&nearest), spec->name))
		kernel_each_named(search->kernel, spec->name, take_place, &place, NULL);
	return resolve_no_match(err, "kernel function", spec, place ?: nearest_name(&nearest));
}

static int search_kernel(struct search *search, size_t *bad, struct err *err)
{
	bool patterns = false;
	int ret;

	for (size_t i = 0; i < search->n; i++)
		patterns |= query_is_kernel(&search->queries[i]) && is_pattern(&search->queries[i]);
	ret = kernel_each_symbol(search->kernel, offer_symbol, search, err);
	if (ret)
		return ret;
	if (patterns && search->hits.n)
		traceable_read(&search->traceable, search->kernel, search->hidden);
	for (size_t i = 0; i < search->n; i++)
		if (query_is_kernel(&search->queries[i]) && !search->queries[i].spec.name)
			add_by_address(search, &search->queries[i]);
	if (search->hits.n)
		qsort(search->hits.v, search->hits.n, sizeof(*search->hits.v), compare_hits);
	ret = add_hits(search, bad, err);
	for (size_t i = 0; !ret && i < search->n; i++) {
		if (!query_is_kernel(&search->queries[i]) || search->queries[i].found)
			continue;
		*bad = i;
		ret = not_found(search, &search->queries[i], err);
	}
	return ret;
}

/*
 * The name of a query that has nothing but a literal name; else NULL. The kernel can find its address if there is
 * only one.
 */
static const char *plain_name(const struct query *query)
{
	const struct spec *spec = &query->spec;

	return spec->name && !spec->object && !spec->offset ? match_literal(query->name) : NULL;
}

/*
 * A single spec with a plain name needs neither a list nor an address: then kallsyms is not read, which would take
 * longer than all the rest. With several names that is not possible, for they may be aliases of one place. A trampoline
 * has to know which module a function is in.
 */
static bool add_by_name(struct search *search)
{
	bool wants_module = false;
	const char *name = NULL;

	for (size_t i = 0; i < search->n; i++) {
		const struct query *query = &search->queries[i];

		if (!query_is_kernel(query))
			continue;
		if (!plain_name(query) || (name && strcmp(name, plain_name(query))))
			return false;
		name = plain_name(query);
		wants_module |= query->spec.mech == MECH_FENTRY;
	}
	if (resolve_excluded(name) || !kernel_symbol_unique(name) || (wants_module && !kernel_btf_has_func(name)))
		return false;
	for (size_t i = 0; i < search->n; i++) {
		const struct hit hit = {
			.name = pool_add(&search->set->pool, name),
			.query = &search->queries[i],
			.unique = true,
			.alone = true,
		};

		if (query_is_kernel(hit.query))
			add_target(search->set, &hit);
	}
	return true;
}

int resolve_kernel(struct query *queries, size_t n, struct kernel *kernel, struct target_set *set, size_t *bad,
		   struct err *err)
{
	struct search search = { .queries = queries, .n = n, .set = set, .kernel = kernel };
	size_t i = 0;
	int ret;

	while (i < n && !query_is_kernel(&queries[i]))
		i++;
	if (i == n)
		return 0;
	*bad = i;
	if (add_by_name(&search))
		return 0;
	ret = search_kernel(&search, bad, err);
	traceable_release(&search.traceable);
	free(search.hits.v);
	return ret;
}
