// SPDX-License-Identifier: BSD-2-Clause
/* Kernel functions by BPF trampoline: the cheapest per call, a program and a patched function each. */
#include <linux/bpf.h>

#include "symbols/kernel.h"
#include "mechanism.h"
#include "quirks.h"

/* Above this many, one kprobe.multi link is ready sooner than so many trampolines. */
#define FENTRY_FEW 8

static const char *refuses(const struct attach *attach, const struct target *target, size_t n)
{
	bool asked = attach->options.mech == MECH_FENTRY || target->mech == MECH_FENTRY;

	if (target->offset)
		return "fentry attaches to a function's first instruction only";
	if (target->object)
		return "fentry is for functions of the kernel proper, not of modules";
	if (!target->unique)
		return "several functions have this name, and fentry goes by name";
	if (target->ret && quirk_never_returns(target->name))
		return "it never returns";
	if (n > FENTRY_FEW && !asked)
		return "too many for fentry";
	return NULL;
}

struct names {
	struct target **targets;
	size_t n;
};

static int offer(const char *name, uint32_t id, void *ctx)
{
	struct names *names = ctx;

	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(name, names->targets[i]->name))
			names->targets[i]->btf_id = id;
	return 0;
}

static int attach_one(struct attach *attach, struct target *target)
{
	struct copy copy = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = target->ret ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
		.btf_id = target->btf_id,
		.how = SLOT_CONSTANT,
		.value = target->slot,
	};
	int program;

	if (!target->btf_id)
		return -ENOENT;
	program = copy_load(attach, &copy, NULL);
	return program < 0 ? program : bpf_raw_tracepoint_open(NULL, program);
}

static int attach_all(struct attach *attach, struct target **targets, size_t n, struct err *err)
{
	struct names names = {.targets = targets, .n = n};
	int ret = kernel_each_btf_func(offer, &names, err);

	return ret ? ret : attach_each(attach, targets, n, MECH_FENTRY, attach_one);
}

const struct mechanism mechanism_fentry = {
	.mech = MECH_FENTRY,
	.kind = TARGET_KERNEL,
	.refuses = refuses,
	.attach = attach_all,
};
