// SPDX-License-Identifier: BSD-2-Clause
/* Reports processes or threads that end. A process ends with the last of its threads, which need not be the leader. */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "tools/exitsnoop.h"

#define EEXIST 17

const volatile struct exitsnoop_config config SEC(".rodata.config");

/* Identifies a process: no two have the same. */
struct process {
	__u64 began;
	__u64 tgid;
};

/* Processes with several threads whose end was reported a moment ago. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct process);
	__type(value, __u8);
} ended SEC(".maps");

/*
 * An exiting thread decrements the number of live threads, stores its exit code and comes here. Two threads that
 * exit at once may both find that none is left, and only one of them must report the end.
 */
static __always_inline bool is_first_to_tell(struct task_struct *leader, struct signal_struct *signal)
{
	struct process process = {
		.began = BPF_CORE_READ(leader, start_boottime),
		.tgid = BPF_CORE_READ(leader, tgid),
	};
	__u8 yes = 1;

	/* no other thread is exiting any more; one that has reported the end is in the map */
	if (BPF_CORE_READ(signal, nr_threads) == 1)
		return !bpf_map_lookup_elem(&ended, &process);
	/* cast to int: before 6.4 the upper half of the result is undefined if the verifier has inlined the call */
	return (int)bpf_map_update_elem(&ended, &process, &yes, BPF_NOEXIST) != -EEXIST;
}

static __always_inline bool is_end_of_process(void *ctx, struct task_struct *task, struct task_struct *leader)
{
	struct trace_event_raw_sched_process_exit *record = ctx;
	struct signal_struct *signal = BPF_CORE_READ(task, signal);

	if (bpf_core_field_exists(record->group_dead))
		return context_kind() == CONTEXT_RAW_TP ? context_word(ctx, 1) : BPF_CORE_READ(record, group_dead);
	if (BPF_CORE_READ(signal, live.counter))
		return false;
	/* the exit code of the process is the leader's, which is exiting and has not stored it yet: it will report */
	if (task != leader && !(BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT) && BPF_CORE_READ(leader, mm))
		return false;
	return is_first_to_tell(leader, signal);
}

static __always_inline __u32 process_code(struct task_struct *leader)
{
	struct signal_struct *signal = BPF_CORE_READ(leader, signal);

	if (BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT)
		return BPF_CORE_READ(signal, group_exit_code);
	return BPF_CORE_READ(leader, exit_code);
}

SEC("raw_tp")
int thread_exit(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	struct task_struct *who = config.per_thread ? task : leader;
	struct exitsnoop_event *e;
	__u32 code;

	if (!event_wanted() || (!config.per_thread && !is_end_of_process(ctx, task, leader)))
		return 0;
	code = config.per_thread ? BPF_CORE_READ(task, exit_code) : process_code(leader);
	if ((config.failed && !code) || !(e = event_new(sizeof(*e))))
		return 0;
	if (!config.per_thread) {
		e->event.tid = e->event.pid;
		BPF_CORE_READ_INTO(&e->event.comm, leader, comm);
	}
	e->age = e->event.time - BPF_CORE_READ(who, start_boottime);
	e->code = code;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
