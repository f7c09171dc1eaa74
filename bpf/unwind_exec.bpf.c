// SPDX-License-Identifier: BSD-2-Clause
/*
 * Forgets the mappings of a process when it executes a program. User space learns of it a moment later, and until then
 * the mappings of the old program would give frames of the new one wrong names.
 */
#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "bpf/unwind.h"

/* The session's. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

/*
 * exec names the task after its program, when the old memory is gone and the new one has no arguments yet: before the
 * kernel's records of new mappings, so that these are not forgotten. Programs that rename themselves have arguments.
 */
SEC("raw_tp/task_rename")
int unwind_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 process = BPF_CORE_READ(task, tgid);

	if (!BPF_CORE_READ(task, mm, arg_start))
		bpf_map_delete_elem(&unwind_spaces, &process);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
