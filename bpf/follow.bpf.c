// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps the members map of another object up to date: who is forked by a member is
 * one, and who is gone is none. Loaded only for "a command and its children", for
 * it reads task_struct, and relocating that costs a scan of the kernel's BTF.
 */
#include "bpf/filter.bpf.h"
#include <bpf/bpf_core_read.h>

/*
 * Run once by the loader itself (BPF_PROG_TEST_RUN): its only child is the command, and here
 * its id is the host's, in whatever pid namespace the loader lives.
 */
SEC("raw_tp")
int follow_adopt(void *ctx)
{
	struct task_struct *loader = (void *)bpf_get_current_task(), *child;
	struct list_head *first = BPF_CORE_READ(loader, children.next);
	__u8 *member;

	child = (void *)first - bpf_core_field_offset(struct task_struct, sibling);
	member = filter_member(BPF_CORE_READ(child, tgid));
	if (!member)
		return 0;
	*member = 1;
	return 1;
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
 * The thread that gave the process its id is freed after all others, and the id can
 * be used again only after that: no count of the last instructions of an exit is lost.
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
