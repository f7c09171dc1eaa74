// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library of the language: functions that compiled programs call (bpf/lang.h), and the maps and memory that they
 * share with user space. The compiler writes a program's own instructions; src/script/script_link.c puts these
 * functions behind them. Only those that a program reaches are loaded with it.
 *
 * A function is hidden and not static, so that clang neither adapts it to its callers here nor leaves it out; libbpf
 * makes it static for the verifier, which then checks it anew for each call, with what is known of the arguments
 * there.
 */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/hist.h"
#include "bpf/lang.h"
#include "bpf/slot.bpf.h"
#include "bpf/stack.bpf.h"

#define FN __hidden __noinline __u64
/* Ids are below 2^22: 4 levels of 6 bits, or 6 of 4 (include/linux/threads.h, xarray.h). */
#define ID_LEVELS_MAX 6
#define XA_NODE	      2 /* the low bits of an entry that is a node */

#include "bpf/lang_tasks.bpf.h" /* its functions are of the library, too */

const volatile struct lang_setup lang_setup SEC(".rodata.setup");
struct lang_state lang_state SEC(".data.state");
/* User space sizes both. */
__u64 lang_cells[1] SEC(".data.cells");
__u64 lang_shards[8] SEC(".data.shards");
const volatile __u64 lang_zeros[1] SEC(".rodata.zero");

/* Losses; user space sizes the first two: by site, by map; then by enum lang_loss. */
struct lang_counts {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} lang_lost_records SEC(".maps"), lang_full_maps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LANG_LOSSES);
	__type(key, __u32);
	__type(value, __u64);
} lang_losses SEC(".maps");

/* User space sizes it: LANG_SCRATCH_SLOTS for each processor, values of sizeof(struct lang_slot) and the memory. */
struct lang_slot {
	__u64 busy;
	__u64 memory[];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 16);
} lang_memory SEC(".maps");

static __always_inline void count(void *map, __u32 key)
{
	__u64 *counter = bpf_map_lookup_elem(map, &key);

	/* atomic: a program in an interrupt may come between */
	if (counter)
		atomic_add(counter, 1);
}

/*
 * A number that the verifier does not know. Where a loop can end after each turn, it would follow the rest of the
 * program once for each number of turns.
 */
static __always_inline __u64 unknown(__u64 n)
{
	return n + *(volatile __u64 *)&lang_state.zero;
}

#include "bpf/lang_keys.bpf.h"

/* --- who, where --- */

FN lang_wanted(void *ctx)
{
	return filter_pass();
}

FN lang_place(void *ctx)
{
	__u64 slot;

	return slot_number(ctx, &slot) ? slot : -1ULL;
}

FN lang_shard(void)
{
	return (__u64)slot_shard(lang_shards);
}

FN lang_ids(void)
{
	struct bpf_pidns_info ids = {};

	if (!lang_setup.pidns_ino)
		return bpf_get_current_pid_tgid();
	if (bpf_get_ns_current_pid_tgid(lang_setup.pidns_dev, lang_setup.pidns_ino, &ids, sizeof(ids)))
		return 0;
	return (__u64)ids.tgid << 32 | ids.pid;
}

FN lang_parent(struct task_struct *task)
{
	return task_process(BPF_CORE_READ(task, real_parent), lang_setup.pidns_ino);
}

FN lang_group_comm(struct task_struct *task, void *to)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	return bpf_probe_read_kernel(to, 16, &leader->comm);
}

/*
 * The thread with an id in the reader's pid namespace, or the host's: from the namespace of the current task down the
 * tree of ids, as bpf_task_from_pid() of Linux 6.2 goes, which most kinds of programs may not call. NULL: there is none.
 */
static __always_inline struct task_struct *thread_of(__u64 id)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid *number = lang_setup.pidns_ino
				      ? task_upid(pid, lang_setup.pidns_ino)
				      : (void *)pid + bpf_core_field_offset(struct pid, numbers);
	__u64 entry = number ? (__u64)BPF_CORE_READ(number, ns, idr.idr_rt.xa_head) : 0;
	__u64 slots = bpf_core_field_size(struct xa_node, slots) / sizeof(void *), last = slots - 1;
	struct hlist_node *link;

	for (int i = 0; i < ID_LEVELS_MAX && (entry & 3) == XA_NODE; i++) {
		struct xa_node *node = (void *)(entry - XA_NODE);
		__u64 slot = id >> (BPF_CORE_READ(node, shift) & 63);

		if (i && slot > last)
			slot &= last;
		if (slot > last || bpf_probe_read_kernel(&entry, sizeof(entry),
							 (void *)node + bpf_core_field_offset(struct xa_node, slots) +
								 slot * sizeof(void *)))
			return NULL;
	}
	if (!entry || entry & 3)
		return NULL;
	pid = (void *)entry;
	link = BPF_CORE_READ(pid, tasks[0].first);
	return link ? (void *)link - bpf_core_field_offset(struct task_struct, pid_links) : NULL;
}

FN lang_comm(__u64 id, void *to)
{
	struct task_struct *task = thread_of(id);

	if (task)
		return bpf_probe_read_kernel(to, 16, &task->comm);
	__builtin_memcpy(to, "N/A", 4);
	return 0;
}

/* Whether an ancestor of the current task, or its process, has this id. */
FN lang_progeny(__u64 pid)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	for (int i = 0; i < 64; i++) {
		struct task_struct *parent;

		if (task_process(task, 0) == (__u32)pid)
			return 1;
		parent = BPF_CORE_READ(task, real_parent);
		if (parent == task || !parent)
			break;
		task = parent;
	}
	return 0;
}

/* --- memory of a run --- */

/* As stack_take(): each run adds itself, and has the slot if it then finds itself alone. */
FN lang_scratch(void)
{
	__u32 first = bpf_get_smp_processor_id() * LANG_SCRATCH_SLOTS;

	for (__u32 i = 0; i < LANG_SCRATCH_SLOTS; i++) {
		__u32 key = first + i;
		struct lang_slot *slot = bpf_map_lookup_elem(&lang_memory, &key);

		if (!slot)
			break;
		atomic_add(&slot->busy, 1);
		if (*(volatile __u64 *)&slot->busy == 1)
			return (__u64)slot->memory;
		atomic_add(&slot->busy, -1);
	}
	count(&lang_losses, LANG_LOSS_SCRATCH);
	return 0;
}

FN lang_scratch_free(void *memory)
{
	struct lang_slot *slot = memory - sizeof(struct lang_slot);

	atomic_add(&slot->busy, -1);
	return 0;
}

/* --- records --- */

/* The time is read after the place in the buffer was reserved: see src/engine/stream.c. */
FN lang_submit(struct lang_record *record)
{
	record->time = bpf_ktime_get_boot_ns();
	event_submit(record);
	return 0;
}

FN lang_discard(struct lang_record *record)
{
	event_discard(record);
	return 0;
}

/* Copies a record out of scratch memory; bytes: all of it. */
FN lang_output(struct lang_record *record, __u64 bytes)
{
	record->time = bpf_ktime_get_boot_ns();
	return bpf_ringbuf_output(&events, record, bytes, event_wakeup());
}

FN lang_lost(__u64 site)
{
	count(&lang_lost_records, site);
	return 0;
}

FN lang_map_full(__u64 map)
{
	count(&lang_full_maps, map);
	lang_state.full = 1;
	return 0;
}

FN lang_loss(__u64 reason)
{
	count(&lang_losses, reason);
	return 0;
}

/* --- arguments --- */

FN lang_arg(void *ctx, __u64 n)
{
	switch (n) {
	case 0:
		return context_arg(ctx, 0);
	case 1:
		return context_arg(ctx, 1);
	case 2:
		return context_arg(ctx, 2);
	case 3:
		return context_arg(ctx, 3);
	case 4:
		return context_arg(ctx, 4);
	case 5:
		return context_arg(ctx, 5);
	}
	return 0;
}

FN lang_ret(void *ctx)
{
	return context_ret(ctx);
}

/* --- histograms --- */

/* Bucket 0: below 0; then a bucket for each value below 2^bits; then 2^bits for each power of two. */
FN lang_hist(__s64 value, __u64 bits)
{
	__u64 power;

	if (value < 0)
		return 0;
	bits &= 7;
	if (value >> bits == 0)
		return value + 1;
	power = hist_log2(value) - bits;
	return 1 + ((power + 1) << bits) + ((value >> (power & 63)) & ((1ULL << bits) - 1));
}

FN lang_quantile(__s64 value)
{
	return value < 0 ? 0 : hist_precise(value);
}

/* --- memory and texts --- */

/* The kernel zeroes what it could not read: cheaper than a loop. */
FN lang_zero(void *to, __u64 size)
{
	bpf_probe_read_kernel(to, size, NULL);
	return 0;
}

FN lang_copy(void *to, const void *from, __u64 size)
{
	return bpf_probe_read_kernel(to, size, from);
}

FN lang_read(void *to, __u64 size, const void *from, __u64 is_user)
{
	long ret = is_user ? bpf_probe_read_user(to, size, from) : bpf_probe_read_kernel(to, size, from);

	if (ret)
		count(&lang_losses, LANG_LOSS_READ);
	return ret;
}

static __always_inline long read_text(void *to, __u64 size, const char *from, __u64 is_user)
{
	return is_user ? bpf_probe_read_user_str(to, size, from) : bpf_probe_read_kernel_str(to, size, from);
}

/* The kernel says size also if the text has just that length; the byte behind it tells. */
FN lang_str(void *to, __u64 size, const char *from, __u64 space)
{
	__u64 length, is_user = space == LANG_SPACE_USER;
	long ret;
	char next = 0;

	bpf_probe_read_kernel(to, size, NULL);
	ret = read_text(to, size, from, is_user);
	if (ret < 0 && space == LANG_SPACE_UNSURE) {
		is_user = 1;
		ret = read_text(to, size, from, is_user);
	}
	if (ret < 0) {
		count(&lang_losses, LANG_LOSS_READ);
		return ret;
	}
	length = ret;
	if (length < size)
		return length;
	if (is_user)
		bpf_probe_read_user(&next, 1, from + length - 1);
	else
		bpf_probe_read_kernel(&next, 1, from + length - 1);
	return next ? length | LANG_TEXT_CUT : length;
}

#include "bpf/lang_text.bpf.h"

/* --- stacks --- */

FN lang_kstack(void *ctx, __u64 limit)
{
	return stack_keep_kernel(ctx, limit);
}

FN lang_ustack(void *ctx, __u64 limit)
{
	return stack_keep_of(ctx, false, limit);
}

FN lang_time_tai(void)
{
	return bpf_ktime_get_tai_ns();
}

/* --- the carrier --- */

/* The types of functions that the compiler makes: the bodies of loops. src/script/script_link.c gives them these. */
FN lang_callback_loop(__u64 index, void *ctx)
{
	return index & 1;
}

FN lang_callback_map(void *map, void *key, void *value, void *ctx)
{
	return !map;
}

/* Never loaded: it calls every function, so that libbpf puts them behind it, where user space takes them. */
SEC("raw_tp")
int lang_carrier(void *ctx)
{
	void *p = ctx;
	__u64 n = 0;

	barrier_var(p);
	barrier_var(n);
	n += lang_wanted(ctx) + lang_place(ctx) + lang_shard() + lang_ids() + lang_parent(p) + lang_group_comm(p, p);
	n += lang_comm(n, p) + lang_progeny(n) + lang_scratch() + lang_scratch_free(p) + lang_submit(p) + lang_discard(p) +
	     lang_output(p, n);
	n += lang_key(p, n, n, n) + lang_key_add(p, n, n, n, n);
	n += lang_task(p, n, p) + lang_task_add(p, n, p) + lang_task_delete(p, n, p);
	n += lang_loss(n) + lang_lost(n) + lang_map_full(n) + lang_arg(ctx, n) + lang_ret(ctx) + lang_hist(n, n) +
	     lang_quantile(n);
	n += lang_zero(p, n) + lang_copy(p, p, n) + lang_read(p, n, p, n) + lang_str(p, n, p, n);
	n += lang_last(p, n, n) + lang_find(p, n, p, n) + lang_find_word(p, n, n, n) + lang_compare(p, p, n) +
	     lang_memory_compare(p, p, n) + lang_length(p, n);
	n += lang_kstack(ctx, n) + lang_ustack(ctx, n) + lang_time_tai();
	n += lang_callback_loop(n, p) + lang_callback_map(p, p, p, p);
	return n;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
