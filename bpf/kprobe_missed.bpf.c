// SPDX-License-Identifier: BSD-2-Clause
/*
 * How many returns the kprobes of our own perf events missed, out of the kernel's memory: kernels before 6.7 count
 * them, and tell only about probes in tracefs. An iterator over the files of all processes, which the process runs that
 * asks.
 */
#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "bpf/kprobe_missed.h"

/* The context, as struct bpf_iter__task_file of the kernel. */
struct files_context {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u64 fd;
	struct file *file;
};

/* Eight characters as a number. */
#define BYTE(text, n) ((__u64)(text)[n] << 8 * (n))
#define EIGHT(text) \
	(BYTE(text, 0) | BYTE(text, 1) | BYTE(text, 2) | BYTE(text, 3) | \
	 BYTE(text, 4) | BYTE(text, 5) | BYTE(text, 6) | BYTE(text, 7))

/* How the name of a file begins that has no path. */
static __always_inline __u64 name_of(struct file *file)
{
	__u64 name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	return name;
}

/* The perf event of a descriptor, since 5.15 in a link. NULL: it has none. */
static __always_inline struct perf_event *event_of(struct file *file)
{
	struct bpf_perf_link *link;

	if (!bpf_core_type_exists(struct bpf_perf_link))
		return name_of(file) == EIGHT("[perf_event]") ? BPF_CORE_READ(file, private_data) : NULL;
	if (name_of(file) != EIGHT("bpf_link"))
		return NULL;
	link = BPF_CORE_READ(file, private_data) - bpf_core_field_offset(struct bpf_perf_link, link);
	if (BPF_CORE_READ(link, link.type) != BPF_LINK_TYPE_PERF_EVENT)
		return NULL;
	file = BPF_CORE_READ(link, perf_file);
	return BPF_CORE_READ(file, private_data);
}

/* The probe that an event is of, as trace_kprobe_primary_from_call() finds it. NULL: it is of something else. */
static __always_inline struct trace_kprobe *kprobe_of(struct perf_event *event)
{
	struct trace_event_call *call = event ? BPF_CORE_READ(event, tp_event) : NULL;
	struct trace_probe_event *own = (void *)call - bpf_core_field_offset(struct trace_probe_event, call);
	void *class = (void *)own + bpf_core_field_offset(struct trace_probe_event, class);

	if (!call || BPF_CORE_READ(call, class) != class)
		return NULL;
	return (void *)BPF_CORE_READ(own, probes.next) - bpf_core_field_offset(struct trace_probe, list) -
	       bpf_core_field_offset(struct trace_kprobe, tp);
}

SEC("iter")
int kprobe_missed(struct files_context *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct seq_file *seq = ctx->meta->seq;
	struct kprobe_missed missed = {};
	struct trace_kprobe *kprobe;

	if (!task || !file || BPF_CORE_READ(task, tgid) != bpf_get_current_pid_tgid() >> 32)
		return 0;
	kprobe = kprobe_of(event_of(file));
	if (!kprobe)
		return 0;
	missed.fd = ctx->fd;
	missed.returns = BPF_CORE_READ(kprobe, rp.nmissed);
	bpf_seq_write(seq, &missed, sizeof(missed));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
