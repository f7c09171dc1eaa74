// SPDX-License-Identifier: BSD-2-Clause
/* Tracepoints: raw ones if there is one of that name, otherwise by perf event. */
#include <linux/bpf.h>

#include "kernel/kernel.h"
#include "mechanism.h"
#include "quirks.h"

/* From this number on, use the tracepoints of all syscalls. */
#define SYSCALLS_MANY 16

static const char *raw_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	const struct target *target = candidate->target;
	bool asked = attach_asked(attach, candidate) == MECH_RAW_TP;

	if (attach->options.record)
		return "the program reads perf's record";
	if (target->object && !strcmp(target->object, "syscalls")) {
		if (!target->syscall)
			return "the number of this syscall is not known";
		/* these slow down all syscalls; perf's tracepoints only the requested ones */
		if (n < SYSCALLS_MANY && !asked)
			return "too few for sys_enter and sys_exit";
		if (quirk_preemptible() && !asked)
			return "a preemptible kernel skips hits";
	}
	/* perf's tracepoint costs three times as much, but runs with preemption off */
	if (target->object && attach->options.must_not_miss && !asked && quirk_preemptible())
		return "a preemptible kernel skips hits";
	return NULL;
}

/* The same tracepoint, with arguments whose types the verifier knows: the program may load what they point to. */
static struct copy typed_copy(const struct candidate *candidate)
{
	return (struct copy){
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = BPF_TRACE_RAW_TP,
		.btf_id = candidate->btf_id,
		.how = SLOT_CONSTANT,
		.value = candidate->target->slot,
	};
}

/* That a kernel refuses it does not matter. */
static int typed_one(struct attach *attach, struct candidate *candidate)
{
	const struct copy copy = typed_copy(candidate);
	int program = copy_load(attach, &copy);
	int link = program < 0 ? program : bpf_raw_tracepoint_open(NULL, program);

	attach->rejected = NULL;
	return link;
}

static bool is_typed(const struct attach *attach, const struct candidate *candidate)
{
	return candidate->btf_id && image_has(attach->image, PATCH_TYPED);
}

static struct copy copy_of(enum bpf_prog_type type, const struct target *target)
{
	return (struct copy){ .type = type, .how = SLOT_CONSTANT, .value = target->slot };
}

static int raw_one(struct attach *attach, struct candidate *candidate)
{
	int link = is_typed(attach, candidate) ? typed_one(attach, candidate) : -ENOENT;
	const struct target *target = candidate->target;
	const struct copy copy = copy_of(BPF_PROG_TYPE_RAW_TRACEPOINT, target);
	int program;

	if (link >= 0)
		return link;
	program = copy_load(attach, &copy);
	return program < 0 ? program : bpf_raw_tracepoint_open(target->name, program);
}

static int syscalls_raw(struct attach *attach, struct candidate **candidates, size_t n)
{
	bool exits = target_is_sys_exit(candidates[0]->target);
	struct copy copy = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.how = SLOT_SYSCALL,
		.value = candidates[0]->target->key + (exits ? SLOT_RETURN : 0),
	};
	int program = copy_load(attach, &copy);

	return program < 0 ? program : bpf_raw_tracepoint_open(exits ? "sys_exit" : "sys_enter", program);
}

static int by_kind(const void *pa, const void *pb)
{
	const struct target *a = (*(struct candidate *const *)pa)->target, *b = (*(struct candidate *const *)pb)->target;
	int ret = !!a->syscall - !!b->syscall;

	return ret ? ret : target_is_sys_exit(a) - target_is_sys_exit(b);
}

/*
 * tracefs derives the tracepoints of syscalls from two raw ones, sys_enter and sys_exit. So do we, with one link for
 * each of these two. perf's tracepoints take 35 ms each to detach, one after the other.
 */
static int attach_grouped(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
			  attach_one_fn one, attach_many_fn syscalls)
{
	size_t plain = 0, enters;
	int ret;

	qsort(candidates, n, sizeof(*candidates), by_kind);
	while (plain < n && !candidates[plain]->target->syscall)
		plain++;
	for (enters = plain; enters < n && !target_is_sys_exit(candidates[enters]->target);)
		enters++;
	ret = attach_each(attach, candidates, plain, mech, one);
	if (!ret && enters > plain)
		ret = attach_halving(attach, candidates + plain, enters - plain, mech, syscalls);
	if (!ret && n > enters)
		ret = attach_halving(attach, candidates + enters, n - enters, mech, syscalls);
	return ret;
}

static void look_up_types(struct attach *attach)
{
	if (!image_has(attach->image, PATCH_TYPED) || attach->knows_tracepoints)
		return;
	attach->knows_tracepoints = true;
	btf_ids_of_tracepoints(attach);
}

static size_t raw_ahead(struct attach *attach, struct candidate **candidates, size_t n, struct copy *copies)
{
	size_t found = 0;

	look_up_types(attach);
	for (size_t i = 0; i < n; i++) {
		const struct target *target = candidates[i]->target;

		if (target->syscall)
			continue;
		copies[found++] = is_typed(attach, candidates[i]) ? typed_copy(candidates[i])
								  : copy_of(BPF_PROG_TYPE_RAW_TRACEPOINT, target);
	}
	return found;
}

static int raw_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	look_up_types(attach);
	return attach_grouped(attach, candidates, n, MECH_RAW_TP, raw_one, syscalls_raw);
}

const struct mechanism mechanism_raw_tp = {
	.mech = MECH_RAW_TP,
	.kind = TARGET_TRACEPOINT,
	.refuses = raw_refuses,
	.attach = raw_attach,
	.ahead = raw_ahead,
};

static const char *perf_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	const struct target *target = candidate->target;
	return target->object ? NULL : "without tracefs its number is not known";
}

static int perf_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	int id = kernel_tracepoint_id(target->object, target->name);
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = id, .sample_period = 1 };
	/* a program for each: the kernel then counts the skipped hits of each */
	const struct copy copy = copy_of(BPF_PROG_TYPE_TRACEPOINT, target);

	return id < 0 ? id : perf_attach(attach, &attr, 0, &copy, target);
}

static int syscalls_perf(struct attach *attach, struct candidate **candidates, size_t n)
{
	bool exits = target_is_sys_exit(candidates[0]->target);
	int id = kernel_tracepoint_id("raw_syscalls", exits ? "sys_exit" : "sys_enter");
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = id, .sample_period = 1 };
	struct copy copy = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.how = SLOT_SYSCALL_TASK,
		.value = candidates[0]->target->key + (exits ? SLOT_RETURN : 0),
	};

	return id < 0 ? id : perf_attach(attach, &attr, 0, &copy, candidates[0]->target);
}

/* Older kernels have no helper for a task's registers: there each syscall gets its own event, as if there were few. */
static int perf_attach_all(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	size_t left = 0;

	if (n >= SYSCALLS_MANY && quirk_task_regs() && !attach->options.record) {
		int ret = attach_grouped(attach, candidates, n, MECH_TP, perf_one, syscalls_perf);

		if (ret)
			return ret;
		for (size_t i = 0; i < n; i++)
			if (!candidates[i]->attached)
				candidates[left++] = candidates[i];
		n = left;
	}
	return attach_each(attach, candidates, n, MECH_TP, perf_one);
}

static size_t perf_ahead(struct attach *attach, struct candidate **candidates, size_t n, struct copy *copies)
{
	size_t found = 0;

	if (n >= SYSCALLS_MANY)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct target *target = candidates[i]->target;

		if (kernel_tracepoint_id(target->object, target->name) >= 0)
			copies[found++] = copy_of(BPF_PROG_TYPE_TRACEPOINT, target);
	}
	return found;
}

const struct mechanism mechanism_tp = {
	.mech = MECH_TP,
	.kind = TARGET_TRACEPOINT,
	.refuses = perf_refuses,
	.attach = perf_attach_all,
	.ahead = perf_ahead,
};
