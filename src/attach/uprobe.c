// SPDX-License-Identifier: BSD-2-Clause
/* User functions and marks: many of one binary with one link (uprobe.multi), or one perf event each. */
#include <linux/bpf.h>

#include "mechanism.h"
#include "quirks.h"

static const char *refuses_none(const struct attach *attach, const struct target *target, size_t n)
{
	return NULL;
}

static int multi_link(struct attach *attach, struct target **targets, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	__free unsigned long *offsets = base_alloc(n * sizeof(*offsets));
	__free unsigned long *ref_ctrs = base_alloc(n * sizeof(*ref_ctrs));
	__free __u64 *cookies = base_alloc(n * sizeof(*cookies));
	struct copy copy = {
		.type = BPF_PROG_TYPE_KPROBE,
		.attach_type = BPF_TRACE_UPROBE_MULTI,
		.how = SLOT_COOKIE,
	};
	int program = copy_load(attach, &copy);

	if (program < 0)
		return program;
	for (size_t i = 0; i < n; i++) {
		offsets[i] = targets[i]->addr;
		ref_ctrs[i] = targets[i]->ref_ctr;
		cookies[i] = targets[i]->slot;
	}
	opts.uprobe_multi.path = targets[0]->object;
	opts.uprobe_multi.offsets = offsets;
	opts.uprobe_multi.ref_ctr_offsets = ref_ctrs;
	opts.uprobe_multi.cookies = cookies;
	opts.uprobe_multi.cnt = n;
	opts.uprobe_multi.flags = targets[0]->ret ? BPF_F_UPROBE_MULTI_RETURN : 0;
	opts.uprobe_multi.pid = attach->options.pid;
	return bpf_link_create(program, 0, BPF_TRACE_UPROBE_MULTI, &opts);
}

static int by_binary(const void *pa, const void *pb)
{
	const struct target *a = *(struct target *const *)pa, *b = *(struct target *const *)pb;
	int ret = strcmp(a->object, b->object);

	ret = ret ? ret : a->ret - b->ret;
	return ret ? ret : (a->addr > b->addr) - (a->addr < b->addr);
}

static int multi_attach(struct attach *attach, struct target **targets, size_t n, struct err *err)
{
	size_t end;
	int ret = 0;

	if (!quirk_uprobe_multi())
		return err_set(err, -ENOTSUP, "this kernel has no (right) uprobe.multi");
	qsort(targets, n, sizeof(*targets), by_binary);
	for (size_t i = 0; !ret && i < n; i = end) {
		for (end = i + 1; end < n && targets[end]->ret == targets[i]->ret &&
				  !strcmp(targets[end]->object, targets[i]->object);
		     end++)
			;
		ret = attach_halving(attach, targets + i, end - i, MECH_UPROBE_MULTI, multi_link);
	}
	return ret;
}

const struct mechanism mechanism_uprobe_multi = {
	.mech = MECH_UPROBE_MULTI,
	.kind = TARGET_USER,
	.refuses = refuses_none,
	.attach = multi_attach,
};

static int single_one(struct attach *attach, struct target *target)
{
	const struct perf_pmu *pmu = perf_pmu_uprobe();
	struct copy copy = copy_by_cookie(BPF_PROG_TYPE_KPROBE, target);
	struct perf_event_attr attr = {
		.type = pmu->type,
		.config = (target->ret ? 1ULL << pmu->return_bit : 0) | target->ref_ctr << pmu->ref_ctr_bit,
		.uprobe_path = (uintptr_t)target->object,
		.probe_offset = target->addr,
	};

	return perf_attach(attach, &attr, attach->options.pid, &copy, target);
}

static int single_attach(struct attach *attach, struct target **targets, size_t n, struct err *err)
{
	if (perf_pmu_uprobe()->type < 0)
		return err_set(err, -ENOTSUP, "this kernel has no uprobes");
	return attach_each(attach, targets, n, MECH_UPROBE, single_one);
}

const struct mechanism mechanism_uprobe = {
	.mech = MECH_UPROBE,
	.kind = TARGET_USER,
	.refuses = refuses_none,
	.attach = single_attach,
};
