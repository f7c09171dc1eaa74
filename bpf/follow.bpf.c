// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps the members map of another object up to date: who is forked by a member is
 * one, and who is gone is none. Loaded only for "a command and its children", for
 * it reads task_struct, and relocating that costs a pass over the kernel's BTF.
 */
#include "bpf/filter.bpf.h"
#include <bpf/bpf_core_read.h>

/* More children may be the loader's, but the one that is looked for was forked last: it, or those adopted since. */
#define CHILDREN_MAX 16

/* A task's id as the pid namespace of that depth numbers it. */
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
 * Run once by the loader itself (BPF_PROG_TEST_RUN), whose child the command is. args[0] is its id as
 * the loader knows it; what is kept is the host's, in whatever pid namespace the loader lives. Other children
 * are left alone: a shell that had some may have become the loader, or it is its namespace's init.
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
 * The thread that gave the process its id is freed after all others: no count of the last
 * instructions of an exit is lost. The id is free some moments earlier, but ids go round, and it is used
 * again when all others have been.
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";
