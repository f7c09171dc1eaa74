// SPDX-License-Identifier: BSD-2-Clause
/*
 * Turns specs into a set of targets: parses them, calls the resolver of each kind, removes duplicates, numbers the
 * slots.
 */
#include "kernel/kernel.h"
#include "resolve.h"

static void query_release(struct query *query)
{
	spec_release(&query->spec);
	match_free(query->object);
	match_free(query->name);
	match_free(query->provider);
}

/* X:NAME is a function of the kernel module X if that is loaded (vmlinux: the kernel itself), else of the binary X. */
static void decide_kind(struct query *query)
{
	struct spec *spec = &query->spec;

	if (spec->kind != SPEC_FUNC)
		return;
	query->no_module = strcmp(spec->object, "vmlinux") && !kernel_module_loaded(spec->object);
	spec->kind = query->no_module ? SPEC_UFUNC : SPEC_KFUNC;
}

static int query_init(struct query *query, const char *text, bool regex, struct err *err)
{
	struct spec *spec = &query->spec;
	int ret = spec_parse(text, regex, spec, err);

	if (ret)
		return ret;
	decide_kind(query);
	query->name = match_new(spec->name, spec->regex, err);
	if (!query->name)
		return err->code;
	query->object = match_new(spec->object, false, err);
	if (!query->object)
		return err->code;
	query->provider = match_new(spec->provider, false, err);
	return query->provider ? 0 : err->code;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

/* Compares where targets are; 0: the same place. */
static int compare_places(const struct target *a, const struct target *b)
{
	int ret = COMPARE(a->kind, b->kind);

	if (!ret)
		ret = COMPARE(a->ret, b->ret);
	if (!ret)
		ret = COMPARE(a->addr, b->addr);
	if (!ret)
		ret = compare_text(a->object, b->object);
	/* a tracepoint, or a function whose address is hidden, is known by name and offset only */
	if (!ret && (a->kind == TARGET_TRACEPOINT || !a->addr)) {
		ret = strcmp(a->name, b->name);
		if (!ret)
			ret = COMPARE(a->offset, b->offset);
	}
	return ret;
}

static int by_place(const void *pa, const void *pb)
{
	const struct target *a = *(struct target *const *)pa, *b = *(struct target *const *)pb;
	int ret = compare_places(a, b);

	return ret ? ret : COMPARE(a, b);
}

static int by_label(const void *pa, const void *pb)
{
	const struct target *a = *(struct target *const *)pa, *b = *(struct target *const *)pb;
	int ret = strcmp(a->label, b->label);

	return ret ? ret : COMPARE(a, b);
}

static struct target **sorted(struct target_set *set, int (*compare)(const void *, const void *))
{
	struct target **index = base_alloc(set->n * sizeof(*index));

	for (size_t i = 0; i < set->n; i++)
		index[i] = &set->v[i];
	qsort(index, set->n, sizeof(*index), compare);
	return index;
}

/* Keeps the first target of each place, in the order of the specs. */
static void remove_duplicates(struct target_set *set)
{
	__free struct target **index = sorted(set, by_place);
	size_t kept = 0;

	for (size_t i = 1, first = 0; i < set->n; i++) {
		if (compare_places(index[first], index[i])) {
			first = i;
			continue;
		}
		index[i]->label = NULL;
		/* a USDT probe at the begin of a function: the target that stays must raise the semaphore */
		if (!index[first]->ref_ctr)
			index[first]->ref_ctr = index[i]->ref_ctr;
	}
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].label)
			set->v[kept++] = set->v[i];
	set->n = kept;
}

/* The places of one USDT probe share a slot, and so do the versions of one symbol. */
static bool same_slot(const struct target *a, const struct target *b)
{
	return a->one_of && b->one_of && a->ret == b->ret && !strcmp(a->label, b->label) &&
	       !strcmp(a->object, b->object) && !strcmp(a->name, b->name);
}

/*
 * Targets with the same label get a longer one that shows how they differ. The functions below are tried in that
 * order.
 */
static const char *label_by_return(struct target_set *set, const struct target *target)
{
	return target->ret ? pool_addf(&set->pool, "r:%s", target->label) : target->label;
}

static const char *label_by_object(struct target_set *set, const struct target *target)
{
	if (!target->object || target->kind == TARGET_TRACEPOINT)
		return target->label;
	return pool_addf(&set->pool, "%s:%s", target->object, target->label);
}

/* For constructors of a C++ class, copies of a Rust function: several symbols with the same demangled name. */
static const char *label_by_symbol(struct target_set *set, const struct target *target)
{
	return pool_addf(&set->pool, "%s [%s]", target->label, target->name);
}

/* Targets that share a slot keep the label; others with the same label get the address. */
static const char *label_by_address(struct target_set *set, const struct target *target)
{
	if (target->one_of)
		return target->label;
	return pool_addf(&set->pool, "%s@%llx", target->label, (unsigned long long)target->addr);
}

static bool differ_in_return(const struct target *a, const struct target *b)
{
	return a->ret != b->ret;
}

static bool differ_in_object(const struct target *a, const struct target *b)
{
	return compare_text(a->object, b->object);
}

static bool differ_in_symbol(const struct target *a, const struct target *b)
{
	return a->kind == TARGET_USER && b->kind == TARGET_USER && strcmp(a->name, b->name);
}

static bool differ_in_address(const struct target *a, const struct target *b)
{
	return a->addr != b->addr && !same_slot(a, b);
}

static const struct {
	bool (*differ)(const struct target *a, const struct target *b);
	const char *(*label)(struct target_set *set, const struct target *target);
} qualifiers[] = {
	{ differ_in_return, label_by_return },
	{ differ_in_object, label_by_object },
	{ differ_in_symbol, label_by_symbol },
	{ differ_in_address, label_by_address },
};

static void qualify_labels(struct target_set *set, size_t q)
{
	__free struct target **index = sorted(set, by_label);
	size_t end;

	for (size_t i = 0; i < set->n; i = end) {
		bool differ = false;
		const char *label = index[i]->label;

		for (end = i + 1; end < set->n && !strcmp(label, index[end]->label); end++)
			differ = differ || qualifiers[q].differ(index[i], index[end]);
		for (size_t j = i; differ && j < end; j++)
			index[j]->label = qualifiers[q].label(set, index[j]);
	}
}

static void number_slots(struct target_set *set)
{
	__free struct target **index = NULL;

	for (size_t q = 0; q < ARRAY_SIZE(qualifiers); q++)
		qualify_labels(set, q);
	index = sorted(set, by_label);
	set->slots = base_alloc(set->n * sizeof(*set->slots));
	set->symbols = base_alloc(set->n * sizeof(*set->symbols));
	for (size_t i = 0; i < set->n; i++) {
		if (!i || strcmp(index[i - 1]->label, index[i]->label) || !same_slot(index[i - 1], index[i])) {
			set->symbols[set->n_slots] = index[i]->name;
			set->slots[set->n_slots++] = index[i]->label;
		}
		index[i]->slot = set->n_slots - 1;
	}
}

static int compare_notes(const void *pa, const void *pb)
{
	const struct target_note *a = pa, *b = pb;
	int ret = strcmp(a->reason, b->reason);

	return ret ? ret : strcmp(a->name, b->name);
}

/* Several specs, or entry and return of one function, may produce the same note: reports it once. */
static void remove_equal_notes(struct target_notes *notes)
{
	size_t kept = 0;

	if (!notes->n)
		return;
	qsort(notes->v, notes->n, sizeof(*notes->v), compare_notes);
	for (size_t i = 1; i < notes->n; i++)
		if (compare_notes(&notes->v[kept], &notes->v[i]))
			notes->v[++kept] = notes->v[i];
	notes->n = kept + 1;
}

void target_set_finish(struct target_set *set)
{
	remove_duplicates(set);
	number_slots(set);
	remove_equal_notes(&set->notes);
}

int target_resolve(const char *const *specs, size_t n, const struct target_options *options,
		   struct target_set *set, size_t *bad, struct err *err)
{
	struct kernel *own __cleanup(kernel_freep) = options->kernel ? NULL : kernel_new();
	__free struct query *queries = base_alloc(n * sizeof(*queries));
	int ret = 0;

	for (*bad = 0; *bad < n; ++*bad) {
		ret = query_init(&queries[*bad], specs[*bad], options->regex, err);
		if (ret)
			goto out;
	}
	ret = resolve_kernel(queries, n, own ?: options->kernel, set, bad, err);
	if (!ret)
		ret = resolve_tracepoints(queries, n, set, bad, err);
	for (size_t i = 0; !ret && i < n; i++) {
		*bad = i;
		if (queries[i].spec.kind == SPEC_UFUNC || queries[i].spec.kind == SPEC_USDT)
			ret = resolve_user(&queries[i], options, set, err);
	}
	if (ret)
		resolve_suggest(&queries[*bad], own ?: options->kernel, options->pid, err);
	if (!ret)
		target_set_finish(set);
out:
	for (size_t i = 0; i < n; i++)
		query_release(&queries[i]);
	return ret;
}

void target_set_release(struct target_set *set)
{
	free(set->v);
	free(set->slots);
	free(set->symbols);
	free(set->notes.v);
	free(set->refused.v);
	free(set->unseen.v);
	vec_each(file, &set->files)
		close(*file);
	free(set->files.v);
	pool_release(&set->pool);
	memset(set, 0, sizeof(*set));
}
