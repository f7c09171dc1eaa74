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

/* The places of a target: its return instructions, otherwise one place. */
static size_t places_of(const struct target *target)
{
	return target->ret && target->n_returns ? target->n_returns : 1;
}

static uint64_t place_of(const struct target *target, size_t i)
{
	return target->ret && target->n_returns ? target->returns[i] : target->addr;
}

static int multi_link(struct attach *attach, struct candidate **candidates, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	const struct target *first = candidates[0]->target;
	__free unsigned long *offsets = NULL, *ref_ctrs = NULL;
	__free __u64 *cookies = NULL;
	size_t places = 0, at = 0;
	struct copy copy = {
		.type = BPF_PROG_TYPE_KPROBE,
		.attach_type = BPF_TRACE_UPROBE_MULTI,
		.how = SLOT_COOKIE,
		.go = first->go,
		.own_stack = quirk_private_stacks(),
	};
	char path[32];
	int program = copy_load(attach, &copy);

	if (program < 0)
		return program;
	for (size_t i = 0; i < n; i++)
		places += places_of(candidates[i]->target);
	offsets = base_alloc(places * sizeof(*offsets));
	ref_ctrs = base_alloc(places * sizeof(*ref_ctrs));
	cookies = base_alloc(places * sizeof(*cookies));
	for (size_t i = 0; i < n; i++) {
		const struct target *target = candidates[i]->target;

		for (size_t p = 0; p < places_of(target); p++, at++) {
			offsets[at] = place_of(target, p);
			ref_ctrs[at] = target->ref_ctr;
			cookies[at] = target->slot;
		}
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", first->file);
	opts.uprobe_multi.path = path;
	opts.uprobe_multi.offsets = offsets;
	opts.uprobe_multi.ref_ctr_offsets = ref_ctrs;
	opts.uprobe_multi.cookies = cookies;
	opts.uprobe_multi.cnt = places;
	opts.uprobe_multi.flags = target_takes_return(first) ? BPF_F_UPROBE_MULTI_RETURN : 0;
	opts.uprobe_multi.pid = attach->options.pid;
	return bpf_link_create(program, 0, BPF_TRACE_UPROBE_MULTI, &opts);
}

/* A link serves one file and one program, so targets are grouped by these. */
static int compare_links(const struct target *a, const struct target *b)
{
	int ret = a->file - b->file;

	if (!ret)
		ret = a->go - b->go;
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

static int single_place(struct attach *attach, const struct target *target, uint64_t place)
{
	const struct perf_pmu *pmu = perf_pmu_uprobe();
	struct copy copy = copy_by_cookie(BPF_PROG_TYPE_KPROBE, target);
	__free char *path = path_of(target);
	struct perf_event_attr attr = {
		.type = pmu->type,
		.config = (target_takes_return(target) ? 1ULL << pmu->return_bit : 0) |
			  target->ref_ctr << pmu->ref_ctr_bit,
		.uprobe_path = (uintptr_t)path,
		.probe_offset = place,
	};

	copy.go = target->go;
	copy.own_stack = quirk_private_stacks();
	return perf_attach(attach, &attr, attach->options.pid, &copy, target);
}

/* Attaches all places or none; the fd of the first one represents the target. */
static int single_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	size_t n = places_of(target), opened;
	__free int *fds = base_alloc(n * sizeof(*fds));

	for (opened = 0; opened < n; opened++) {
		fds[opened] = single_place(attach, target, place_of(target, opened));
		if (fds[opened] < 0)
			break;
	}
	if (opened < n) {
		for (size_t i = 0; i < opened; i++)
			close(fds[i]);
		return fds[opened];
	}
	for (size_t i = 1; i < n; i++)
		attached_also(attach, fds[i], MECH_UPROBE);
	return fds[0];
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
