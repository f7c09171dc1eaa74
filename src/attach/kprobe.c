// SPDX-License-Identifier: BSD-2-Clause
/* Kernel functions by kprobe: many with one link (kprobe.multi), or one perf event each. */
#include <linux/bpf.h>

#include "kernel/kernel.h"
#include "mechanism.h"
#include "quirks.h"

/* Each one takes some ms to attach. If we are killed, the kernel detaches them one after the other, 40 ms each. */
#define SINGLE_MANY 2000

/*
 * The kernel takes longer to verify a large program than to attach a probe. So one copy serves all targets where copies
 * would have more instructions than this together.
 */
#define COPIES_LARGE 65536

/* For a name, unlike an address, the kernel walks through all of its symbols. */
#define NAMES_FEW 8

static const char *multi_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	const struct target *target = candidate->target;
	if (target->offset)
		return "kprobe.multi attaches to a function's first instruction only";
	return target->addr || n <= NAMES_FEW ? NULL : "its address is hidden (kernel.kptr_restrict)";
}

static int multi_link(struct attach *attach, struct candidate **candidates, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	const struct target *first = candidates[0]->target;
	__free unsigned long *addrs = base_alloc(n * sizeof(*addrs));
	enum bpf_attach_type type = attach->session ? BPF_TRACE_KPROBE_SESSION : BPF_TRACE_KPROBE_MULTI;
	struct copy copy = {
		.type = BPF_PROG_TYPE_KPROBE,
		.attach_type = type,
		.how = n == 1 ? SLOT_CONSTANT : SLOT_FUNC_IP,
		.value = n == 1 ? first->slot : first->key + (first->ret ? SLOT_RETURN : 0),
	};
	int program = copy_load(attach, &copy);

	if (program < 0)
		return program;
	for (size_t i = 0; i < n; i++)
		addrs[i] = candidates[i]->target->addr;
	if (addrs[0])
		opts.kprobe_multi.addrs = addrs;
	else
		opts.kprobe_multi.syms = (const char **)&first->name;
	opts.kprobe_multi.cnt = n;
	opts.kprobe_multi.flags = first->ret ? BPF_F_KPROBE_MULTI_RETURN : 0;
	return bpf_link_create(program, 0, type, &opts);
}

/* Without addresses the program cannot tell the functions apart, so each one gets a link. */
static int multi_one(struct attach *attach, struct candidate *candidate)
{
	return multi_link(attach, &candidate, 1);
}

static int multi_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	__free struct candidate **some = base_alloc(n * sizeof(*some));
	int ret = 0;

	if (!quirk_kprobe_multi())
		return err_set(err, -ENOTSUP, "this kernel has no kprobe.multi");
	for (int returns = 0; !ret && returns < 2; returns++) {
		size_t m = 0;

		for (size_t i = 0; i < n; i++)
			if (candidates[i]->target->ret == returns)
				some[m++] = candidates[i];
		if (m && some[0]->target->addr)
			ret = attach_halving(attach, some, m, MECH_KPROBE_MULTI, multi_link);
		else
			ret = attach_each(attach, some, m, MECH_KPROBE_MULTI, multi_one);
	}
	return ret;
}

const struct mechanism mechanism_kprobe_multi = {
	.mech = MECH_KPROBE_MULTI,
	.kind = TARGET_KERNEL,
	.refuses = multi_refuses,
	.attach = multi_attach,
};

static int session_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	if (!quirk_kprobe_session())
		return err_set(err, -ENOTSUP, "this kernel has no sessions of kprobe.multi");
	return multi_attach(attach, candidates, n, err);
}

const struct mechanism mechanism_kprobe_session = {
	.mech = MECH_KPROBE_MULTI,
	.kind = TARGET_KERNEL,
	.session = true,
	.refuses = multi_refuses,
	.attach = session_attach,
};

static const char *single_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	bool asked = attach_asked(attach, candidate) == MECH_KPROBE;

	if (n > SINGLE_MANY && !asked)
		return "this kernel has no kprobe.multi, and so many single kprobes take minutes to attach, and to detach after a kill: narrow the pattern, or insist with --mechanism kprobe";
	return NULL;
}

/* Without cookies the program finds the target by address: of an entry's in the registers. */
static bool needs_copy(const struct target *target)
{
	return target->ret || !target->addr || target->key;
}

/*
 * At a return, where the registers have the caller's address, and where another set has the same address, that costs
 * more for each hit, 300 instructions (5.10). So a few targets get a copy each.
 */
static struct copy single_copy(const struct attach *attach, const struct target *target)
{
	struct copy copy = copy_by_cookie(BPF_PROG_TYPE_KPROBE, target);

	if (copy.how != SLOT_CONSTANT)
		return copy;
	if (!needs_copy(target))
		return (struct copy){ .type = BPF_PROG_TYPE_KPROBE, .how = SLOT_REGS_IP };
	if (!attach->kprobe.running || !target->addr || target->offset)
		return copy;
	copy.how = SLOT_KPROBE_IP;
	copy.value = target->key + (target->ret ? SLOT_RETURN : 0);
	return copy;
}

static int single_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	const struct perf_pmu *pmu = perf_pmu_kprobe();
	struct copy copy = single_copy(attach, target);
	struct perf_event_attr attr = {
		.type = pmu->type,
		.config = target->ret ? 1ULL << pmu->return_bit : 0,
		.kprobe_func = target->addr ? 0 : (uintptr_t)target->name,
		.probe_offset = target->addr ? target->addr : target->offset,
	};

	return perf_attach(attach, &attr, 0, &copy, target);
}

/* {}: the kernel hides it, or its kprobes are not as programs expect them. */
static struct kprobe_place find_running(void)
{
	struct kernel_address variables[] = { { .name = "__per_cpu_offset" }, { .name = "current_kprobe" } };

	if (!quirk_kprobe_has_address() || kernel_find_addresses(variables, ARRAY_SIZE(variables)))
		return (struct kprobe_place){};
	return (struct kprobe_place){ variables[0].addr, variables[1].addr };
}

static int single_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	size_t copies = 0;

	if (perf_pmu_kprobe()->type < 0)
		return err_set(err, -ENOTSUP,
			       "this kernel has no kprobes; tracepoints (t:) and user functions (u:) still work");
	for (size_t i = 0; i < n; i++)
		copies += needs_copy(candidates[i]->target);
	if (copies * attach->image->code.n > COPIES_LARGE && !quirk_cookies() && !attach->kprobe.running)
		attach->kprobe = find_running();
	return attach_each(attach, candidates, n, MECH_KPROBE, single_one);
}

const struct mechanism mechanism_kprobe = {
	.mech = MECH_KPROBE,
	.kind = TARGET_KERNEL,
	.refuses = single_refuses,
	.attach = single_attach,
};
