// SPDX-License-Identifier: BSD-2-Clause
/* Tracepoints: raw where there is one of that name, else by perf event (syscalls, and what tracefs made). */
#include <linux/bpf.h>

#include "symbols/kernel.h"
#include "mechanism.h"
#include "quirks.h"

static const char *raw_refuses(const struct attach *attach, const struct target *target, size_t n)
{
	bool asked = attach->options.mech == MECH_RAW_TP || target->mech == MECH_RAW_TP;

	/* made by tracefs out of two tracepoints, sys_enter and sys_exit */
	if (target->object && !strcmp(target->object, "syscalls"))
		return "tracepoints of syscalls are no raw tracepoints";
	/* perf's tracepoint costs three times as much, but runs with preemption off */
	if (target->object && attach->options.filtered && !asked && quirk_preemptible())
		return "a preemptible kernel skips hits";
	return NULL;
}

static int raw_one(struct attach *attach, struct target *target)
{
	struct copy copy = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.how = SLOT_CONSTANT,
		.value = target->slot,
	};
	int program = copy_load(attach, &copy, NULL);

	return program < 0 ? program : bpf_raw_tracepoint_open(target->name, program);
}

static int raw_attach(struct attach *attach, struct target **targets, size_t n, struct err *err)
{
	return attach_each(attach, targets, n, MECH_RAW_TP, raw_one);
}

const struct mechanism mechanism_raw_tp = {
	.mech = MECH_RAW_TP,
	.kind = TARGET_TRACEPOINT,
	.refuses = raw_refuses,
	.attach = raw_attach,
};

static const char *perf_refuses(const struct attach *attach, const struct target *target, size_t n)
{
	return target->object ? NULL : "without tracefs its number is not known";
}

static int perf_one(struct attach *attach, struct target *target)
{
	int id = kernel_tracepoint_id(target->object, target->name);
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = id, .sample_period = 1};
	/* a program each: the hits that the kernel skips are then known for each */
	struct copy copy = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.how = SLOT_CONSTANT,
		.value = target->slot,
	};

	return id < 0 ? id : perf_attach(attach, &attr, 0, &copy, target);
}

static int perf_attach_all(struct attach *attach, struct target **targets, size_t n, struct err *err)
{
	return attach_each(attach, targets, n, MECH_TP, perf_one);
}

const struct mechanism mechanism_tp = {
	.mech = MECH_TP,
	.kind = TARGET_TRACEPOINT,
	.refuses = perf_refuses,
	.attach = perf_attach_all,
};
