// SPDX-License-Identifier: BSD-2-Clause
/*
 * User functions and USDT probes: many of one binary with one link (uprobe.multi), or one perf event for each. Offsets
 * belong to the file that was read. The owner of the directory may have replaced the file since, so attach to the file
 * itself.
 */
#include <linux/bpf.h>

#include "binary/trusted.h"
#include "mechanism.h"
#include "quirks.h"

static const char *refuses_none(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	return NULL;
}

/* A place to probe. end: NULL, or where calls of the target end. */
struct place {
	const struct target *target;
	const struct binary_end *end;
	struct copy copy;
};

static struct copy copy_of(const struct target *target, const struct binary_end *end)
{
	struct copy copy = {
		.type = BPF_PROG_TYPE_KPROBE,
		.how = SLOT_COOKIE,
		.calls = target->calls,
		.leaves = end && !end->returns,
		.own_stack = quirk_private_stacks(),
	};

	if (end)
		copy.gate = gate_of(end, quirk_cookies());
	return copy;
}

static size_t places_of(const struct target *target)
{
	return target->ret && target->n_ends ? target->n_ends : 1;
}

static struct place place_of(const struct target *target, size_t i)
{
	const struct binary_end *end = target->ret && target->n_ends ? &target->ends[i] : NULL;

	return (struct place){ target, end, copy_of(target, end) };
}

static uint64_t offset_of(const struct place *place)
{
	return place->end ? place->end->offset : place->target->addr;
}

static uint64_t cookie_of(const struct place *place)
{
	return place->end ? gate_cookie(place->target, place->end) : place->target->slot;
}

/* Links n places that have the same program. */
static int link_places(struct attach *attach, const struct place *places, size_t n)
{
	__free unsigned long *offsets = base_alloc(n * sizeof(*offsets)), *ref_ctrs = base_alloc(n * sizeof(*ref_ctrs));
	__free __u64 *cookies = base_alloc(n * sizeof(*cookies));
	struct copy copy = places->copy;
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	char path[32];
	int program;

	copy.attach_type = BPF_TRACE_UPROBE_MULTI;
	program = copy_load(attach, &copy);
	if (program < 0)
		return program;
	for (size_t i = 0; i < n; i++) {
		offsets[i] = offset_of(&places[i]);
		ref_ctrs[i] = places[i].target->ref_ctr;
		cookies[i] = cookie_of(&places[i]);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", places->target->file);
	opts.uprobe_multi.path = path;
	opts.uprobe_multi.offsets = offsets;
	opts.uprobe_multi.ref_ctr_offsets = ref_ctrs;
	opts.uprobe_multi.cookies = cookies;
	opts.uprobe_multi.cnt = n;
	opts.uprobe_multi.flags = target_takes_return(places->target) ? BPF_F_UPROBE_MULTI_RETURN : 0;
	opts.uprobe_multi.pid = attach->options.pid;
	return bpf_link_create(program, 0, BPF_TRACE_UPROBE_MULTI, &opts);
}

static int by_copy(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	int ret = memcmp(&a->copy, &b->copy, sizeof(a->copy));
	uint64_t at = offset_of(a), other = offset_of(b);

	return ret ? ret : (at > other) - (at < other);
}

/* Links all places or none. Returns the first link; the others belong to attach. */
static int link_all(struct attach *attach, const struct place *places, size_t n)
{
	__free int *fds = base_alloc(n * sizeof(*fds));
	size_t linked = 0, end;
	int fd = 0;

	for (size_t i = 0; fd >= 0 && i < n; i = end) {
		for (end = i + 1; end < n && !memcmp(&places[i].copy, &places[end].copy, sizeof(places->copy)); end++)
			;
		fd = link_places(attach, places + i, end - i);
		if (fd >= 0)
			fds[linked++] = fd;
	}
	for (size_t i = fd < 0 ? 0 : 1; i < linked; i++) {
		if (fd < 0)
			close(fds[i]);
		else
			attached_also(attach, fds[i], MECH_UPROBE_MULTI);
	}
	return fd < 0 ? fd : fds[0];
}

static int multi_link(struct attach *attach, struct candidate **candidates, size_t n)
{
	__free struct place *places = NULL;
	size_t all = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		all += places_of(candidates[i]->target);
	places = base_alloc(all * sizeof(*places));
	for (size_t i = 0; i < n; i++)
		for (size_t p = 0; p < places_of(candidates[i]->target); p++)
			places[at++] = place_of(candidates[i]->target, p);
	qsort(places, all, sizeof(*places), by_copy);
	return link_all(attach, places, all);
}

/* A link serves one file, and return probes or others. */
static int compare_links(const struct target *a, const struct target *b)
{
	int ret = a->file - b->file;

	return ret ? ret : target_takes_return(a) - target_takes_return(b);
}

static int by_link(const void *pa, const void *pb)
{
	const struct target *a = (*(struct candidate *const *)pa)->target, *b = (*(struct candidate *const *)pb)->target;
	int ret = compare_links(a, b);

	return ret ? ret : (a->addr > b->addr) - (a->addr < b->addr);
}

static int multi_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	size_t end;
	int ret = 0;

	if (!quirk_uprobe_multi())
		return err_set(err, -ENOTSUP, "this kernel has no (right) uprobe.multi");
	qsort(candidates, n, sizeof(*candidates), by_link);
	for (size_t i = 0; !ret && i < n; i = end) {
		for (end = i + 1; end < n && !compare_links(candidates[i]->target, candidates[end]->target); end++)
			;
		ret = attach_halving(attach, candidates + i, end - i, MECH_UPROBE_MULTI, multi_link);
	}
	return ret;
}

const struct mechanism mechanism_uprobe_multi = {
	.mech = MECH_UPROBE_MULTI,
	.kind = TARGET_USER,
	.refuses = refuses_none,
	.attach = multi_attach,
};

/*
 * The kernel opens the file by a path, and shows the path to everybody. Use the file's own path if only root can make
 * it lead to another file; otherwise the path of our descriptor, which leads to the file that was read.
 */
static char *path_of(const struct target *target)
{
	char path[PATH_MAX];

	return trusted_path(target->file, path) ? base_strdup(path) : base_printf("/proc/self/fd/%d", target->file);
}

/* Opens the event of a place for a program that is loaded. */
static int single_place(struct attach *attach, const struct place *place, int program)
{
	const struct target *target = place->target;
	const struct perf_pmu *pmu = perf_pmu_uprobe();
	__free char *path = path_of(target);
	struct perf_event_attr attr = {
		.type = pmu->type,
		.config = (target_takes_return(target) ? 1ULL << pmu->return_bit : 0) |
			  target->ref_ctr << pmu->ref_ctr_bit,
		.uprobe_path = (uintptr_t)path,
		.probe_offset = offset_of(place),
	};

	return perf_link(program, &attr, attach->options.pid, 0, cookie_of(place));
}

/* Links all places of a target, which are sorted by their programs. Returns 0 or -errno; *opened: how many are linked. */
static int link_singles(struct attach *attach, const struct place *places, size_t n, int *fds, size_t *opened)
{
	int program = -1;

	for (*opened = 0; *opened < n; ++*opened) {
		const struct place *place = &places[*opened];
		struct copy copy = place->copy;

		if (!quirk_cookies()) {
			copy.how = SLOT_CONSTANT;
			copy.value = place->target->slot;
		}
		if (!*opened || memcmp(&place->copy, &place[-1].copy, sizeof(copy)))
			program = copy_load(attach, &copy);
		fds[*opened] = program < 0 ? program : single_place(attach, place, program);
		if (fds[*opened] < 0)
			return fds[*opened];
	}
	return 0;
}

/* Attaches all places or none; the fd of the first one represents the target. */
static int single_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	size_t n = places_of(target), opened;
	__free struct place *places = base_alloc(n * sizeof(*places));
	__free int *fds = base_alloc(n * sizeof(*fds));
	int ret;

	for (size_t i = 0; i < n; i++)
		places[i] = place_of(target, i);
	qsort(places, n, sizeof(*places), by_copy);
	ret = link_singles(attach, places, n, fds, &opened);
	for (size_t i = ret ? 0 : 1; i < opened; i++) {
		if (ret)
			close(fds[i]);
		else
			attached_also(attach, fds[i], MECH_UPROBE);
	}
	return ret ? ret : fds[0];
}

static int single_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	if (perf_pmu_uprobe()->type < 0)
		return err_set(err, -ENOTSUP, "this kernel has no uprobes");
	return attach_each(attach, candidates, n, MECH_UPROBE, single_one);
}

const struct mechanism mechanism_uprobe = {
	.mech = MECH_UPROBE,
	.kind = TARGET_USER,
	.refuses = refuses_none,
	.attach = single_attach,
};
