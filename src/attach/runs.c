// SPDX-License-Identifier: BSD-2-Clause
/* How often the programs of an attach ran, and for how long, as the kernel's statistics say. */
#include <linux/bpf.h>

#include "mechanism.h"
#include "tracing_multi.h"

/* Programs of single probes do not say which: where user functions are probed, that is what costs. */
static enum mech single(const struct attach *attach)
{
	for (size_t i = 0; i < attach->set->n; i++)
		if (attach->candidates[i].attached && attach->candidates[i].by == MECH_UPROBE)
			return MECH_UPROBE;
	return MECH_KPROBE;
}

static enum mech mech_of(const struct attach *attach, const struct copy *copy)
{
	switch (copy->type) {
	case BPF_PROG_TYPE_TRACING:
		return copy->attach_type >= TRACING_FENTRY_MULTI ? MECH_FENTRY_MULTI : MECH_FENTRY;
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
		return MECH_RAW_TP;
	case BPF_PROG_TYPE_TRACEPOINT:
		return MECH_TP;
	case BPF_PROG_TYPE_PERF_EVENT:
		return MECH_EVENT;
	default:
		break;
	}
	if (copy->attach_type == BPF_TRACE_KPROBE_MULTI || copy->attach_type == BPF_TRACE_KPROBE_SESSION)
		return MECH_KPROBE_MULTI;
	return copy->attach_type == BPF_TRACE_UPROBE_MULTI ? MECH_UPROBE_MULTI : single(attach);
}

void attach_add_runs(const struct attach *attach, struct attach_runs *runs)
{
	vec_each(loaded, &attach->copies) {
		struct bpf_prog_info info = {};
		uint32_t len = sizeof(info);

		if (bpf_prog_get_info_by_fd(loaded->fd, &info, &len))
			continue;
		runs->n[mech_of(attach, &loaded->copy)] += info.run_cnt;
		runs->ns += info.run_time_ns;
	}
}
