/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies arguments of programs into records (bpf/args.h). Those of a program that runs are one block in its memory.
 * Those that are passed to execve(2) are an array of strings.
 */
#ifndef SONDE_BPF_ARGS_BPF_H
#define SONDE_BPF_ARGS_BPF_H

#include "bpf/event.bpf.h"
#include "bpf/args.h"

/* Where the strings of a program are. */
struct args_block {
	__u64 args, name; /* name: what was executed; it follows the environment */
	__u32 size;	  /* of the arguments */
};

/* Finds those of the current task. */
static __always_inline void args_find(struct args_block *block)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	block->args = BPF_CORE_READ(mm, arg_start);
	block->name = BPF_CORE_READ(mm, env_end);
	block->size = BPF_CORE_READ(mm, arg_end) - block->args;
}

/* Copies as many of them as room bytes, a constant, hold, to the offset `at` in data. */
static __always_inline void args_copy(struct args_record *record, char *data, __u32 at, __u32 room,
				      const struct args_block *block)
{
	__u32 size = block->size;

	/* compare the same register that is used: older verifiers see no link between copies */
	barrier_var(size);
	if (size > room)
		size = room;
	barrier_var(size);
	if (bpf_probe_read_user(data + at, size, (void *)block->args))
		size = 0;
	record->at = at;
	record->size = size;
	record->total = block->size;
}

/*
 * Copies n strings of the array argv, one after the other. False: one may be longer than `longest`, or all together
 * exceed room, a power of two; after that there is room for one more. The size is kept in the record: the verifier
 * does not track memory there, so that all turns of the loop look the same to it and it checks one.
 */
static __always_inline bool args_copy_array(struct args_record *record, char *data, __u32 at, __u32 room, __u64 argv,
					    int n, __u32 longest)
{
	record->at = at;
	record->size = 0;
	record->total = 1;
	for (int i = 0; i < n; i++) {
		__u32 size = *(volatile __u32 *)&record->size & (2 * room - 1);
		__u64 arg = 0;
		long length;

		if (bpf_probe_read_user(&arg, sizeof(arg), (void *)(argv + i * sizeof(arg))) || !arg) {
			record->total = size;
			return true;
		}
		if (size >= room)
			break;
		length = bpf_probe_read_user_str(data + at + size, longest, (void *)arg);
		/* the page is not present: the kernel has not read the argument */
		if (length < 0)
			break;
		/* before 6.14 an empty string gives 0, not 1 for its NUL; no branch, for the verifier */
		length += (__u64)(length - 1) >> 63;
		record->size = size + length;
		record->total = size + length + 1;
		if (length >= longest)
			break;
	}
	return false;
}

#endif
