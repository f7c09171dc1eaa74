/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of any task what helpers give for the current task only. */
#ifndef SONDE_BPF_TASK_BPF_H
#define SONDE_BPF_TASK_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/typed.bpf.h"

/* How deep pid namespaces nest (include/linux/pid_namespace.h, MAX_PID_NS_LEVEL, and the host). */
#define PID_LEVELS_MAX 33

/* How many levels a filter goes up from the cgroup of a task. */
#define CGROUP_LEVELS_MAX 32

/* The id of a process or thread in a pid namespace, with that namespace; NULL: not visible there. */
static __always_inline struct upid *task_upid(struct pid *pid, __u32 ino)
{
	__u32 level = BPF_CORE_READ(pid, level);
	void *numbers = (void *)pid + bpf_core_field_offset(struct pid, numbers);

	for (__u32 i = 0; i < PID_LEVELS_MAX; i++) {
		struct upid *number;

		/*
		 * hide i: clang 19 merges both bounds to i != min(), and old verifiers cannot see that such a loop
		 * ends
		 */
		barrier_var(i);
		if (i > level)
			break;
		number = numbers + i * bpf_core_type_size(struct upid);
		if (BPF_CORE_READ(number, ns, ns.inum) == ino)
			return number;
	}
	return NULL;
}

/* 0: not visible there. */
static __always_inline __u32 task_id_in_pidns(struct pid *pid, __u32 ino)
{
	struct upid *number = task_upid(pid, ino);

	return number ? BPF_CORE_READ(number, nr) : 0;
}

/* The id of the process of a task in the pid namespace ino; 0: on the host. */
static __always_inline __u32 task_process(struct task_struct *task, __u32 ino)
{
	if (ino)
		return task_id_in_pidns(BPF_CORE_READ(task, group_leader, thread_pid), ino);
	return BPF_CORE_READ(task, tgid);
}

/* Whether the current task is a child of a process; process 0: of any. */
static __always_inline bool task_is_child_of(__u32 process, __u32 ino)
{
	struct task_struct *task;

	if (!process) /* before the call of the helper, which the verifier would not remove */
		return true;
	task = (void *)bpf_get_current_task();
	return task_process(BPF_CORE_READ(task, real_parent), ino) == process;
}

/* The id of a task in its own pid namespace, with that namespace. */
static __always_inline struct upid *task_own_upid(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);

	return (void *)pid + bpf_core_field_offset(struct pid, numbers) +
	       (BPF_CORE_READ(pid, level) & 63) * bpf_core_type_size(struct upid);
}

/* The inode of the pid namespace of a task, as /proc/PID/ns/pid shows it. */
static __always_inline __u32 task_pidns(struct task_struct *task)
{
	return BPF_CORE_READ(task_own_upid(task), ns, ns.inum);
}

static __always_inline __u32 task_load_state(struct task_struct *task, bool typed)
{
	struct task_struct___state *now = (void *)task;
	struct task_struct___old_state *old = (void *)task;

	if (bpf_core_field_exists(now->__state))
		return typed_load(typed, now, __state);
	return typed_load(typed, old, state);
}

static __always_inline __u32 task_state(struct task_struct *task)
{
	return task_load_state(task, false);
}

struct thread_info___cpu {
	__u32 cpu; /* the processor, on kernels where it is not in task_struct */
} CORE;

struct task_struct___cpu {
	struct thread_info___cpu thread_info;
	unsigned int cpu; /* until 5.15, and on architectures that have it there */
} CORE;

/* The processor where a task runs or waits, or where it ran last. */
static __always_inline __u32 task_cpu(struct task_struct *task, bool typed)
{
	struct task_struct___cpu *own = (void *)task;

	if (bpf_core_field_exists(own->cpu))
		return typed_load(typed, own, cpu);
	if (bpf_core_field_exists(own->thread_info.cpu))
		return typed_load(typed, own, thread_info.cpu);
	return 0; /* a kernel for one processor */
}

/*
 * Whether a task runs now. On kernels for one processor only the current one does. on_cpu was an int and became a
 * byte.
 */
static __always_inline bool task_runs(struct task_struct *task)
{
	if (bpf_core_field_exists(task->on_cpu))
		return BPF_CORE_READ_BITFIELD_PROBED(task, on_cpu);
	return (__u64)task == bpf_get_current_task();
}

static __always_inline bool task_has_ids(struct task_struct *task, bool typed)
{
	__u32 tgid, tid;

	if (filter.in_pidns) {
		tgid = filter.by_tgid ? task_id_in_pidns(BPF_CORE_READ(task, group_leader, thread_pid),
							 filter.pidns_ino)
				      : 0;
		tid = filter.by_tid ? task_id_in_pidns(BPF_CORE_READ(task, thread_pid), filter.pidns_ino) : 0;
	} else {
		tgid = typed_load(typed, task, tgid);
		tid = typed_load(typed, task, pid);
	}
	if (filter.by_tgid && tgid != filter.tgid)
		return false;
	return !filter.by_tid || tid == filter.tid;
}

/* Copies the name up to its NUL only: the rest of a longer earlier name may follow it. */
static __always_inline bool task_has_comm(struct task_struct *task)
{
	union {
		char text[FILTER_COMM_LEN];
		__u64 words[2];
	} comm = {};
	const volatile __u64 *want = (const volatile __u64 *)filter.comm;

	BPF_CORE_READ_STR_INTO(&comm.text, task, comm);
	return comm.words[0] == want[0] && comm.words[1] == want[1];
}

static __always_inline bool task_in_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);

	for (int i = 0; i < CGROUP_LEVELS_MAX && cgroup; i++) {
		if (BPF_CORE_READ(cgroup, kn, id) == filter.cgroup_id)
			return true;
		cgroup = (void *)BPF_CORE_READ(cgroup, self.parent);
	}
	return false;
}

/* Whether the filter passes the current processor. */
static __always_inline bool task_cpu_pass(void)
{
	return !filter.by_cpu || bpf_get_smp_processor_id() == filter.cpu;
}

/*
 * filter_pass() for any task, without the filter on processors: see task_cpu_pass(). typed: its type is known
 * (bpf/typed.bpf.h).
 */
static __always_inline bool task_load_pass(struct task_struct *task, bool typed)
{
	if (!filter.any)
		return true;
	if ((filter.by_tgid || filter.by_tid) && !task_has_ids(task, typed))
		return false;
	if (filter.by_members) {
		__u8 *member = filter_member(typed_load(typed, task, tgid));

		if (!member || !*member)
			return false;
	}
	if (filter.by_uid && BPF_CORE_READ(task, cred, uid.val) != filter.uid)
		return false;
	if (filter.by_cgroup && !task_in_cgroup(task))
		return false;
	return !filter.by_comm || task_has_comm(task);
}

static __always_inline bool task_pass(struct task_struct *task)
{
	return task_load_pass(task, false);
}

#endif
