/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of bpf/lang.bpf.c: values of maps whose keys are all `tid`, in a struct lang_tasks (bpf/lang.h). map is the
 * hash that holds those that find no room there.
 */
#ifndef SONDE_BPF_LANG_TASKS_BPF_H
#define SONDE_BPF_LANG_TASKS_BPF_H

#include "bpf/lang.h"

static __always_inline struct lang_task *task_of(struct lang_tasks *tasks, __u64 tid)
{
	return &tasks->v[tid & (LANG_TASKS - 1)];
}

FN lang_task(struct lang_tasks *tasks, __u64 tid, void *map)
{
	struct lang_task *task = task_of(tasks, tid);

	if (task->key == LANG_TASK_KEY(tid))
		return (__u64)&task->value;
	return tasks->is_spilled ? (__u64)bpf_map_lookup_elem(map, &tid) : 0;
}

/*
 * A thread does not run at two places at once: nobody else adds or deletes its entry meanwhile. Only the id 0, of the
 * idle tasks and of tasks outside our pid namespace, is that of several, which share an entry as they would in a
 * hash.
 */
FN lang_task_add(struct lang_tasks *tasks, __u64 tid, void *map)
{
	struct lang_task *task = task_of(tasks, tid);
	__u64 zero = 0, found, owner;

	if (task->key == LANG_TASK_KEY(tid))
		return (__u64)&task->value;
	if (tasks->is_spilled) {
		found = (__u64)bpf_map_lookup_elem(map, &tid);
		if (found)
			return found;
	}
	owner = __sync_val_compare_and_swap(&task->key, 0, LANG_TASK_KEY(tid));
	if (!owner || owner == LANG_TASK_KEY(tid))
		return (__u64)&task->value;
	tasks->is_spilled = 1;
	bpf_map_update_elem(map, &tid, &zero, BPF_NOEXIST);
	return (__u64)bpf_map_lookup_elem(map, &tid);
}

/* The value of a free place is 0. The swap orders what was read of it before the next thread's claim. */
FN lang_task_delete(struct lang_tasks *tasks, __u64 tid, void *map)
{
	struct lang_task *task = task_of(tasks, tid);

	if (task->key == LANG_TASK_KEY(tid)) {
		task->value = 0;
		return __sync_val_compare_and_swap(&task->key, LANG_TASK_KEY(tid), 0) == LANG_TASK_KEY(tid) ? 0 : -2;
	}
	return tasks->is_spilled ? bpf_map_delete_elem(map, &tid) : -2 /* ENOENT */;
}

#endif
