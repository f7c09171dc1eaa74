/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a wall-clock flame graph is made of: the waits of all threads, and samples of those that run, in the map
 * "stack_counts", by their stacks, their classes and the names of the tasks. Only if user space asks for it.
 */
#ifndef SONDE_BPF_WHY_FLAME_BPF_H
#define SONDE_BPF_WHY_FLAME_BPF_H

#include "bpf/stack.bpf.h"
#include "bpf/why_thread.bpf.h"

/* A thread waited, or was found running if the class is WHY_RUNNING. */
static __noinline void why_flame_add(struct task_struct *task, __u64 stack, __u32 class, __u64 ns)
{
	struct stack_key key = { .stack = stack, .slot = class };

	BPF_CORE_READ_STR_INTO(&key.comm, task, comm);
	stack_add(&key, ns);
}

#endif
