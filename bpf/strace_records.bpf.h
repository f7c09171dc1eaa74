/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the records of calls, with what their plans copy, and sends them. For bpf/strace.bpf.c. */
#ifndef SONDE_BPF_STRACE_RECORDS_BPF_H
#define SONDE_BPF_STRACE_RECORDS_BPF_H

#include "bpf/event.bpf.h"
#include "bpf/call.bpf.h"
#include "bpf/strace_blobs.bpf.h"

struct call {
	struct pt_regs *regs;
	__u32 nr, kind, flags;
	__u64 who; /* as bpf_get_current_pid_tgid() gives it */
	__u64 began;
	__s64 ret;
};

/* The current thread and its process as the reader's pid namespace numbers them; 0: it does not see them. */
__noinline int tid_in_pidns(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return task_id_in_pidns(BPF_CORE_READ(task, thread_pid), event_setup.pidns_ino);
}

__noinline int pid_in_pidns(void)
{
	return task_process((void *)bpf_get_current_task(), event_setup.pidns_ino);
}

static __always_inline __u32 own_tid(void)
{
	return config.how & STRACE_HOW_PIDNS ? (__u32)tid_in_pidns() : (__u32)bpf_get_current_pid_tgid();
}

/* All but the arguments. */
static __always_inline void fill(struct strace_record *record, const struct call *call, __u32 how)
{
	record->time = bpf_ktime_get_boot_ns();
	record->began = call->began;
	if (call->kind == STRACE_ENTER || how & STRACE_HOW_UNTIMED) {
		/* a begin of 0 has come here in no other way; with one test for both, the verifier would go both ways with it */
		barrier();
		if (call->began == STRACE_NOW)
			record->began = record->time;
	}
	record->pid = call->who >> 32;
	record->tid = call->who;
	if (how & STRACE_HOW_PIDNS) {
		record->pid = pid_in_pidns();
		record->tid = tid_in_pidns();
	}
	record->kind = call->kind;
	record->flags = call->flags;
	record->nr = call->nr;
	record->size = 0;
	record->own = 0;
	record->space = 0;
	record->unused = 0;
	record->ret = call->ret;
	if (how & STRACE_HOW_COMM)
		bpf_get_current_comm(record->comm, sizeof(record->comm));
	if (how & STRACE_HOW_SPACE) {
		struct upid *own = task_own_upid((void *)bpf_get_current_task());

		record->own = BPF_CORE_READ(own, nr);
		record->space = BPF_CORE_READ(own, ns, ns.inum);
	}
}

/* The mask of signals that rt_sigreturn restores is in the frame that the stack pointer points to. */
#if defined(__TARGET_ARCH_x86)
#define NR_RT_SIGRETURN	       15
#define SIGRETURN_MASK	       296
#define stack_pointer(regs)    ((regs)->sp)
#define next_instruction(regs) ((regs)->ip)
#else
#define NR_RT_SIGRETURN	       139
#define SIGRETURN_MASK	       168
#define stack_pointer(regs)    ((regs)->user_regs.sp)
#define next_instruction(regs) ((regs)->user_regs.pc)
#endif

static __always_inline void fill_call(struct strace_record *record, const struct call *call, bool typed, __u32 how)
{
	fill(record, call, how);
	if (how & STRACE_HOW_IP)
		bpf_probe_read_kernel(&record->ip, sizeof(record->ip), &next_instruction(call->regs));
	call_read_arguments(call->regs, typed, call->flags & STRACE_COMPAT, record->args);
	if (call->kind == STRACE_ENTER && call->nr == NR_RT_SIGRETURN && !call->flags &&
	    !bpf_probe_read_kernel(&record->args[0], sizeof(record->args[0]), &stack_pointer(call->regs)))
		record->args[0] += SIGRETURN_MASK;
}

#define submit(record) bpf_ringbuf_submit(record, event_wakeup_seldom((record)->time))

/* A call without blobs; has_registers false: what is no call. */
static __always_inline void send_plain(const struct call *call, bool typed, bool has_registers)
{
	struct strace_record *record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);
	__u32 how = config.how;

	if (!record) {
		event_dropped();
		return;
	}
	if (has_registers)
		fill_call(record, call, typed, how);
	else
		fill(record, call, how);
	submit(record);
}

/* A number that a step names, of an argument or the result. The words behind the arguments are in the record, too. */
static __always_inline __u64 number_in(const struct strace_record *record, __u32 from)
{
	return from == STRACE_FROM_RET ? (__u64)record->ret : record->args[from & 7];
}

/*
 * Bytes that a step copies go to the stack, and from there to the buffer: kernels that check where user memory is
 * copied to (CONFIG_HARDENED_USERCOPY) search the buffer in all that is mapped.
 */
#define copy_words(to, from, n) \
	do { \
		_Pragma("unroll") for (__u32 _i = 0; _i < (n) / 8; _i++)((__u64 *)(to))[_i] = (from)[_i]; \
	} while (0)

/* Returns how many bytes a step has; 0 where it is not wanted. */
static __always_inline __u64 count_brief(const struct strace_record *record, const volatile struct strace_step *step)
{
	__u64 count = step->scale;
	__u32 from = step->count_from;

	if (from != STRACE_FROM_NONE)
		count *= number_in(record, from);
	return (__s64)count < 0 ? STRACE_ROOM : count;
}

static __always_inline void fill_bytes(struct strace_record *record, const volatile struct strace_step *step,
				       __u64 from)
{
	__u64 count = count_brief(record, step), n = step->most, words[STRACE_BYTES_ROOM / 8] = {};
	struct strace_blob *blob = (void *)(record + 1);

	if (n > count)
		n = count;
	barrier_var(n);
	if (n > STRACE_BYTES_ROOM)
		n = STRACE_BYTES_ROOM;
	blob->tag = step->tag;
	blob->status = n < count ? STRACE_SHORT : STRACE_WHOLE;
	blob->all = count;
	if (n && bpf_probe_read_user(words, n, (void *)from)) {
		blob->status = STRACE_UNREAD;
		n = 0;
	}
	copy_words(blob + 1, words, STRACE_BYTES_ROOM);
	blob->n = n;
	record->size = (sizeof(*blob) + n + 7) & ~7;
}

/* Behind a text or, if `at` is 0, alone. */
static __always_inline void fill_struct(struct strace_record *record, const volatile struct strace_step *step,
					__u64 from, __u64 at)
{
	__u64 count = count_brief(record, step), n = step->most;
	struct strace_blob *blob = (void *)(record + 1) + at;

	if (n > count)
		n = count;
	barrier_var(n);
	if (n > STRACE_STRUCT_ROOM)
		n = STRACE_STRUCT_ROOM;
	blob->tag = step->tag;
	blob->status = n < count ? STRACE_SHORT : STRACE_WHOLE;
	blob->all = count;
	if (n && bpf_probe_read_user(blob + 1, n, (void *)from)) {
		blob->status = STRACE_UNREAD;
		n = 0;
	}
	blob->n = n;
	record->size = at + ((sizeof(*blob) + n + 7) & ~7);
}

/* False: the text is longer than the room. */
static __always_inline bool fill_text(struct strace_record *record, const volatile struct strace_step *step, __u64 from)
{
	struct strace_blob *blob = (void *)(record + 1);
	__u64 words[STRACE_TEXT_ROOM / 8] = {}, n = step->most;
	long length;

	if (n > STRACE_TEXT_ROOM)
		n = STRACE_TEXT_ROOM;
	length = bpf_probe_read_user_str(words, n, (void *)from);
	if (length == (long)n && n < step->most)
		return false;
	blob->tag = step->tag;
	blob->status = length < 0 ? STRACE_UNREAD : length == (long)n ? STRACE_SHORT
								      : STRACE_WHOLE;
	blob->all = 0;
	if (length < 0)
		length = 0;
	copy_words(blob + 1, words, STRACE_TEXT_ROOM);
	blob->n = length;
	record->size = (sizeof(*blob) + length + 7) & ~7;
	return true;
}

/* The second step, behind a text that has its room. */
static __always_inline void fill_other(struct strace_record *record, const volatile struct strace_step *step)
{
	__u64 from = number_in(record, step->from), at = record->size;

	if (!from || !is_wanted_step(step, record->ret))
		return;
	barrier_var(at);
	if (at <= sizeof(struct strace_blob) + STRACE_TEXT_ROOM)
		fill_struct(record, step, from, at);
}

/* A call that has ended, with one or two small blobs. False: they are not small, and nothing was sent. */
static __always_inline bool send_brief(const struct call *call, bool typed, const volatile struct strace_step *step,
				       enum strace_brief brief, const __u32 room)
{
	struct strace_record *record =
		bpf_ringbuf_reserve(&events, sizeof(*record) + sizeof(struct strace_blob) + room, 0);
	__u64 from;

	if (!record) {
		event_dropped();
		return true;
	}
	fill_call(record, call, typed, config.how);
	from = number_in(record, step->from);
	if (from && is_wanted_step(step, call->ret)) {
		if (brief == STRACE_BRIEF_BYTES) {
			fill_bytes(record, step, from);
		} else if (brief == STRACE_BRIEF_STRUCT) {
			fill_struct(record, step, from, 0);
		} else if (!fill_text(record, step, from)) {
			event_discard(record);
			return false;
		}
	}
	if (brief == STRACE_BRIEF_BOTH)
		fill_other(record, step + 1);
	submit(record);
	return true;
}

/* Takes a lane of this processor. User space replaces the swap by a load where the kernel has none. */
static __always_inline struct strace_scratch *take_lane(__u32 *lane)
{
	__u32 first = bpf_get_smp_processor_id() * STRACE_LANES;

	for (__u32 i = 0; i < STRACE_LANES; i++) {
		struct strace_scratch *scratch;

		*lane = first + i;
		scratch = scratch_of(*lane);
		if (!scratch)
			return NULL;
		if (!__sync_val_compare_and_swap(&scratch->busy, 0, 1))
			return scratch;
	}
	return NULL;
}

/* With the blobs of n steps. */
static __always_inline void send_long(const struct call *call, bool typed, __u32 first, __u32 n)
{
	struct strace_scratch *scratch;
	__u32 lane = 0, size;

	scratch = take_lane(&lane);
	if (!scratch) {
		event_lost(EVENT_LOSS_OWN);
		return;
	}
	*(volatile __u64 *)&scratch->busy = 1;
	fill_call(&scratch->record, call, typed, config.how);
	__builtin_memset(scratch->at, 0, sizeof(scratch->at));
	scratch->netlink = 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < STRACE_BLOBS; i++) {
		barrier_var(i);
		if (i >= n)
			break;
		if (call->kind == STRACE_ENTER)
			take_step_of_begin(lane, first + i, i);
		else
			take_step_of_end(lane, first + i, i);
	}
	size = scratch->record.size;
	barrier_var(size);
	if (size > 2 * STRACE_ROOM)
		size = 2 * STRACE_ROOM;
	if (bpf_ringbuf_output(&events, &scratch->record, sizeof(scratch->record) + size,
			       event_wakeup_seldom(scratch->record.time)))
		event_dropped();
	*(volatile __u64 *)&scratch->busy = 0;
}

#endif
