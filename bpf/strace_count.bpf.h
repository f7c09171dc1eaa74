/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts and times calls where they end, for the table of -c. The time is what passes or, without -w, what of it the
 * task was on a processor: what passes between its switches off and on is taken away.
 */
#ifndef SONDE_BPF_STRACE_COUNT_BPF_H
#define SONDE_BPF_STRACE_COUNT_BPF_H

#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/path.h"
#include "bpf/strace.h"

/* A call that has begun. */
struct strace_open {
	__u64 began; /* 0: none */
	__u64 off;   /* ns that the task was off the processor since then */
	__u64 left;  /* when it left the processor; 0: it is on one */
};

/* By strace_count_index(). User space creates both maps only if they are used. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct strace_count);
} strace_counts SEC(".maps");

/* By the address of the task, which stays the same when a thread gets its process's number by exec. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct strace_open);
} strace_opens SEC(".maps");

/* Whether the command has executed its program. */
__u64 strace_begun SEC(".data.begun") = 0;

/* Set by user space when all programs are attached: an end before may have no begin only since that was not seen. */
__u64 strace_armed SEC(".data.armed") = 0;

static __always_inline void count_begin(void)
{
	__u64 task = bpf_get_current_task();
	struct strace_open new = {}, *open = bpf_map_lookup_elem(&strace_opens, &task);

	if (open) {
		open->off = 0;
		open->left = 0;
		open->began = bpf_ktime_get_ns();
		return;
	}
	new.began = bpf_ktime_get_ns();
	/* its end then counts without a time */
	bpf_map_update_elem(&strace_opens, &task, &new, BPF_ANY);
}

/* Whether a call of the current task has begun, and not ended. */
static __always_inline bool count_is_open(void)
{
	__u64 task = bpf_get_current_task();
	struct strace_open *open = bpf_map_lookup_elem(&strace_opens, &task);

	return open && open->began;
}

/* wall: the time that passes. slower: ns that a call must take to count. */
static __always_inline void count_end(__u32 index, bool failed, bool wall, __u64 slower)
{
	__u64 task = bpf_get_current_task(), now = bpf_ktime_get_ns(), ns = 0;
	struct strace_open *open = bpf_map_lookup_elem(&strace_opens, &task);
	struct strace_count *count = bpf_map_lookup_elem(&strace_counts, &index);
	bool timed = open && open->began;

	if (!count || (!timed && (slower || !strace_armed)))
		return;
	if (timed) {
		ns = now - open->began;
		if (ns < slower)
			return;
		if (!wall) {
			/* some kernels do not show each switch to a task */
			if (open->left)
				open->off += now - open->left;
			ns = ns > open->off ? ns - open->off : 0;
		}
		open->began = 0;
		if (ns < count->least || count->calls == count->untimed)
			count->least = ns;
		if (ns > count->most)
			count->most = ns;
	} else {
		atomic_add(&count->untimed, 1);
	}
	/* atomic: kernels since 6.13 let other tasks run in the middle of a program */
	atomic_add(&count->calls, 1);
	if (failed)
		atomic_add(&count->errors, 1);
	atomic_add(&count->ns, ns);
}

static __always_inline void count_forget(__u64 task)
{
	bpf_map_delete_elem(&strace_opens, &task);
}

static __always_inline void count_switch(__u64 from, __u64 to)
{
	struct strace_open *open = bpf_map_lookup_elem(&strace_opens, &from);
	__u64 now = bpf_ktime_get_ns();

	if (open && open->began)
		open->left = now;
	open = bpf_map_lookup_elem(&strace_opens, &to);
	if (open && open->left) {
		open->off += now - open->left;
		open->left = 0;
	}
}

#endif
