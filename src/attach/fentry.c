// SPDX-License-Identifier: BSD-2-Clause
/* Kernel functions by BPF trampoline: the cheapest for each call; each takes a program and a patched function. */
#include <linux/bpf.h>

#include "mechanism.h"
#include "quirks.h"

/* Above this number, one kprobe.multi link is attached sooner than the trampolines. */
#define FENTRY_FEW 8

static const char *refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	const struct target *target = candidate->target;
	bool asked = attach_asked(attach, candidate) == MECH_FENTRY;

	if (attach->options.arguments && !quirk_func_args())
		return "the tool reads arguments, which fentry does not give by number on this kernel";
	if (attach->options.registers)
		return "the program reads registers, which fentry does not give";
	if (target->offset)
		return "fentry attaches to a function's first instruction only";
	if (target->object && !asked)
		return "a module that fentry is attached to cannot be removed";
	if (!target->unique)
		return "several functions have this name, and fentry goes by name";
	if (!target->alone && !quirk_trampolines_of_modules())
		return "several functions have this name, and this kernel's fentry does not look at the module";
	if (target->ret && quirk_never_returns(target->name))
		return "it never returns";
	if (n > FENTRY_FEW && !asked)
		return "too many for fentry";
	/* kprobes cost twice as much, but run with preemption off */
	if (attach->options.must_not_miss && !asked && quirk_preemptible())
		return "a preemptible kernel skips hits";
	return NULL;
}

static int attach_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	struct copy copy = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = target->ret ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
		.btf_id = candidate->btf_id,
		.btf_object = candidate->btf_object,
		.how = SLOT_CONSTANT,
		.value = target->slot,
	};
	int program, ret;

	if (!candidate->btf_id) {
		attach->rejected = candidate->no_btf;
		return -ENOENT;
	}
	program = copy_load(attach, &copy);
	if (program < 0)
		return program;
	ret = bpf_raw_tracepoint_open(NULL, program);
	/* Linux 5.10 forgets the function when the first link is closed */
	if (ret == -ENOENT && (attach->pauses.resuming || attach->pauses.adopted)) {
		program = copy_load_anew(attach, program);
		ret = program < 0 ? program : bpf_raw_tracepoint_open(NULL, program);
	}
	/* not about one function: arm64 before 6.4 loads such programs but cannot attach them */
	return ret == -ENOTSUPP ? -EOPNOTSUPP : ret;
}

static int attach_all(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	int ret = btf_ids_of_functions(attach, candidates, n, err);

	return ret ? ret : attach_each(attach, candidates, n, MECH_FENTRY, attach_one);
}

const struct mechanism mechanism_fentry = {
	.mech = MECH_FENTRY,
	.kind = TARGET_KERNEL,
	.refuses = refuses,
	.attach = attach_all,
};
