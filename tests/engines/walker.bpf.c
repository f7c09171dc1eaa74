// SPDX-License-Identifier: BSD-2-Clause
/* Takes the stack of one process, wherever it is attached. */
#include "bpf/stack.bpf.h"

const volatile struct {
	__u32 tgid;
} walker_setup SEC(".rodata.walker");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} ids SEC(".maps");

SEC("kprobe")
int walk(void *ctx)
{
	__u64 id;

	if (bpf_get_current_pid_tgid() >> 32 != walker_setup.tgid)
		return 0;
	id = stack_keep(ctx);
	bpf_ringbuf_output(&ids, &id, sizeof(id), 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
