// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps the members map of another object up to date: adds processes that a member forks, removes processes that
 * are gone. An object of its own, loaded only for -c: it reads task_struct, and relocating that needs a pass over
 * the kernel's BTF.
 */
#include "bpf/filter.bpf.h"
#include <bpf/bpf_core_read.h>

/*
 * How many children of the loader are searched. The command was forked last: only children adopted since come after
 * it.
 */
#define CHILDREN_MAX 16

/* The id of a task in its pid namespace of that level. */
static __always_inline int id_at(struct task_struct *task, __u32 level)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	void *number = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
		       level * bpf_core_type_size(struct upid) + bpf_core_field_offset(struct upid, nr);
	int id = 0;

	bpf_probe_read_kernel(&id, sizeof(id), number);
	return id;
}

/*
 * The loader runs this once (BPF_PROG_TEST_RUN); the command is its child. args[0]: the id of the command in the
 * pid namespace of the loader. The map gets its id on the host. Other children are no members: a shell with
 * children may have executed sonde, or sonde is the init of its namespace.
 */
SEC("raw_tp")
int follow_adopt(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *loader = (void *)bpf_get_current_task(), *child;
	struct list_head *at = BPF_CORE_READ(loader, children.prev);
	__u32 level = BPF_CORE_READ(loader, thread_pid, level);
	int wanted = ctx->args[0];

	for (int i = 0; i < CHILDREN_MAX; i++) {
		__u8 *member;

		child = (void *)at - bpf_core_field_offset(struct task_struct, sibling);
		if (id_at(child, level) == wanted) {
			member = filter_member(BPF_CORE_READ(child, tgid));
			if (!member)
				return 0;
			*member = 1;
			return 1;
		}
		at = BPF_CORE_READ(child, sibling.prev);
	}
	return 0;
}

/* The loader runs this for each process of a service. args[0]: its id on the host. */
SEC("raw_tp")
int follow_add(struct bpf_raw_tracepoint_args *ctx)
{
	__u8 *member = filter_member(ctx->args[0]);

	if (member)
		*member = 1;
	return 0;
}

SEC("raw_tp/sched_process_fork")
int follow_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u8 *member = filter_member(BPF_CORE_READ(parent, tgid));

	if (!member || !*member)
		return 0;
	member = filter_member(BPF_CORE_READ(child, tgid));
	if (member)
		*member = 1;
	return 0;
}

/*
 * The leader thread of a process is freed after all other threads, so that events until the very end of an exit are
 * still counted. The id of the process is free a moment earlier, but the kernel uses it again only after all other
 * ids.
 */
SEC("raw_tp/sched_process_free")
int follow_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	int tgid = BPF_CORE_READ(task, tgid);
	__u8 *member;

	if (BPF_CORE_READ(task, pid) != tgid)
		return 0;
	member = filter_member(tgid);
	if (member)
		*member = 0;
	return 0;
}

/*
 * Both once more for perf's tracepoints, which run with preemption off: a kernel that preempts a program on a raw
 * tracepoint skips the forks of all others on that processor until the program goes on.
 *
 * The records give ids of threads. The parent is the current task. A child that is a thread sets a byte that no process
 * uses, since threads and processes share their ids, and clears it when it is freed.
 */
SEC("tp/sched/sched_process_fork")
int follow_fork_record(struct trace_event_raw_sched_process_fork *record)
{
	__u8 *member = filter_member(bpf_get_current_pid_tgid() >> 32);

	if (!member || !*member)
		return 0;
	member = filter_member(BPF_CORE_READ(record, child_pid));
	if (member)
		*member = 1;
	return 0;
}

SEC("tp/sched/sched_process_free")
int follow_free_record(struct trace_event_raw_sched_process_template *record)
{
	__u8 *member = filter_member(BPF_CORE_READ(record, pid));

	if (member)
		*member = 0;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
