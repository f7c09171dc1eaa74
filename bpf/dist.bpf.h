/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds values to distributions (bpf/dist.h):
 *
 *	dist_add(number, value)		without keys: to the histogram of that number; 0 if there is only one
 *	dist_add_key(&key, label, value)
 *
 * The time from one event to another that has the same id comes from bpf/pending.bpf.h.
 */
#ifndef SONDE_BPF_DIST_BPF_H
#define SONDE_BPF_DIST_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/dist.h"
#include "bpf/hist.bpf.h"
#include "bpf/pending.bpf.h"
#include "bpf/task.bpf.h"

const volatile struct dist_setup dist_setup SEC(".rodata.dist");

/* User space sets the sizes of these. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(union dist_key));
	__uint(value_size, sizeof(__u64));
} dist_rows SEC(".maps");
SEC(".data.empty")
__u64 dist_empty[1] = {}; /* the initial value of a row: too large for the stack */
SEC(".data.dist")
__u64 dist_losses[DIST_LOSSES] = {};

/*
 * The value 0, for events that are only counted. It is hidden from the compiler: for an atomic add of a known 0 it
 * emits an instruction that kernels before 5.12 lack.
 */
static __always_inline __u64 dist_no_value(void)
{
	__u64 nothing = 0;

	asm volatile(""
		     : "+r"(nothing));
	return nothing;
}

static __always_inline void dist_add(__u64 number, __u64 value)
{
	__u64 *shard = hist_shard();

	hist_add(hist_at(shard, number), value);
}

#define DIST_E2BIG 7

/* Creates the row of a key. Rows are never deleted, so a map that was full stays full. */
static __always_inline __u64 *dist_new_row(const union dist_key *key)
{
	if (dist_losses[DIST_FULL])
		return NULL;
	/* two processors may create the row at once: BPF_NOEXIST lets one of them win */
	if (bpf_map_update_elem(&dist_rows, key, slot_begin(dist_empty), BPF_NOEXIST) == -DIST_E2BIG)
		dist_losses[DIST_FULL] = 1;
	return bpf_map_lookup_elem(&dist_rows, key);
}

/*
 * *row: the row of a key, or that of all keys that have none, which is laid out like theirs. False: there is neither,
 * and the value is lost.
 */
static __always_inline bool dist_row(const union dist_key *key, __u64 **row)
{
	*row = bpf_map_lookup_elem(&dist_rows, key);
	if (*row)
		return true;
	*row = dist_new_row(key);
	if (*row)
		return true;
	if (dist_setup.others) {
		*row = slot_begin(hist_cells);
		return true;
	}
	atomic_add(&dist_losses[DIST_NO_ROW], 1);
	return false;
}

/*
 * Replaces the label of the row by the latest one, because a task that executes a program changes its name. NULL:
 * none.
 */
static __always_inline void dist_add_key(const union dist_key *key, const char label[DIST_LABEL_LEN], __u64 value)
{
	__u64 *row;

	if (!dist_row(key, &row))
		return;
	if (label)
		__builtin_memcpy(row, label, DIST_LABEL_LEN);
	hist_add(row + DIST_LABEL_WORDS, value);
}

/* --- by task --- */

/* The keys by task, in the order in which tools list them. */
enum dist_by_task {
	DIST_BY_PROCESS,
	DIST_BY_THREAD,
	DIST_BY_PIDNS,
};

static __always_inline void dist_add_task(struct task_struct *task, __u64 value)
{
	char label[DIST_LABEL_LEN] = {};
	union dist_key key = {};

	if (!dist_setup.keyed) {
		dist_add(0, value);
		return;
	}
	if (dist_setup.by == DIST_BY_PIDNS) {
		key.number = task_pidns(task);
	} else if (dist_setup.by == DIST_BY_THREAD) {
		key.number = BPF_CORE_READ(task, pid);
		BPF_CORE_READ_STR_INTO(&label, task, comm);
	} else {
		key.number = BPF_CORE_READ(task, tgid);
		BPF_CORE_READ_STR_INTO(&label, task, group_leader, comm);
	}
	dist_add_key(&key, label, value);
}

#endif
