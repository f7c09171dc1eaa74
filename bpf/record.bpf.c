// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records what happens into the ring: the scheduler, system calls, disk requests, probes of the user's and marks. The
 * kinds and their words are in bpf/record.h. Nothing is looked up or formatted here.
 *
 * A program asks its filter first, then reads what it needs, and reserves last: between the reservation and the commit
 * it may be interrupted, and a reader has to wait for it.
 */
#include "bpf/pending.h"
#include "bpf/pending.bpf.h"
#include "bpf/record.h"
#include "bpf/record_block.bpf.h"
#include "bpf/record_probe.bpf.h"
#include "bpf/record_task.bpf.h"
#include "bpf/ring.bpf.h"

const volatile struct record_config record_config SEC(".rodata.config");
/* How many arguments a call takes, by its number. User space fills it in. */
const volatile __u8 record_arguments[RECORD_CALLS] SEC(".rodata.arguments") = {};

/* A record in the ring, without its header; the time is there already. NULL: there is no room. words: of the struct. */
static __always_inline void *record_begin(struct ring_place *place, __u32 words)
{
	__u64 *record = ring_reserve(place, words + 1);

	return record ? record + 1 : NULL;
}

static __always_inline void record_end(struct ring_place *place, __u32 kind, __u32 words)
{
	ring_commit(place, kind, words + 1);
}

#define record_words(record) (sizeof(record) / sizeof(__u64))

static __always_inline __u32 current_pid(void)
{
	return bpf_get_current_pid_tgid();
}

/* Sonde's own calls and requests are left out: writing the file would cause more of them. */
static __always_inline bool is_own(void)
{
	return record_config.own && bpf_get_current_pid_tgid() >> 32 == record_config.own;
}

/* --- the scheduler --- */

/* Whether the filters pass another task than the current one. */
static __always_inline bool other_passes(struct task_struct *task)
{
	return !filter.any || (task_cpu_pass() && task_pass(task));
}

SEC("raw_tp")
int switched(void *ctx)
{
	struct task_struct *prev = (void *)context_word(ctx, 1), *next = (void *)context_word(ctx, 2);
	struct ring_place place;
	struct record_switch *to;
	struct record_call call;
	__u32 words = RECORD_SWITCH_SHORT, pid, state, prios, iowait = 0;
	bool passes = filter_pass();

	if (!passes && !other_passes(next))
		return 0;
	pid = BPF_CORE_READ(next, pid);
	state = (bool)context_word(ctx, 0) ? RECORD_STATE_PREEMPTED : record_task_state(prev);
	prios = record_task_prio(prev) | record_task_prio(next) << 16;
	if (record_state_waits(state)) {
		record_task_call(prev, &call);
		iowait = record_task_iowait(prev);
		words = record_words(*to);
	}
	to = record_begin(&place, words);
	if (!to)
		return 0;
	to->prev = current_pid();
	to->next = pid;
	to->state = state;
	to->passes = passes;
	to->prev_prio = prios;
	to->next_prio = prios >> 16;
	if (words > RECORD_SWITCH_SHORT) {
		to->call = call.number;
		to->iowait = iowait;
		to->argument = call.argument;
	}
	record_end(&place, RECORD_SWITCH, words);
	return 0;
}

SEC("raw_tp")
int woken(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	struct record_waking *to;
	struct ring_place place;
	__u32 pid, cpu, prio;

	if (!other_passes(task))
		return 0;
	pid = BPF_CORE_READ(task, pid);
	cpu = record_task_cpu(task);
	prio = record_task_prio(task);
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	to->pid = pid;
	to->waker = current_pid();
	to->cpu = cpu;
	to->prio = prio;
	to->flags = 0;
	record_end(&place, RECORD_WAKING, record_words(*to));
	return 0;
}

SEC("raw_tp")
int migrated(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	__u32 goes_to = context_word(ctx, 1), pid, cpu, prio;
	struct record_migrate *to;
	struct ring_place place;

	if (!other_passes(task))
		return 0;
	pid = BPF_CORE_READ(task, pid);
	cpu = record_task_cpu(task);
	prio = record_task_prio(task);
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	to->pid = pid;
	to->prio = prio;
	to->unused = 0;
	to->from = cpu;
	to->to = goes_to;
	record_end(&place, RECORD_MIGRATE, record_words(*to));
	return 0;
}

/* --- the life of tasks --- */

/* The current task is the parent. */
SEC("raw_tp")
int forked(void *ctx)
{
	struct task_struct *child = (void *)context_word(ctx, 1);
	__u64 both = bpf_get_current_pid_tgid();
	struct ring_place place;
	struct record_fork *to;
	__u32 pid, tgid;

	if (!filter_pass())
		return 0;
	pid = BPF_CORE_READ(child, pid);
	tgid = BPF_CORE_READ(child, tgid);
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	to->parent = both;
	to->parent_tgid = both >> 32;
	to->child = pid;
	to->child_tgid = tgid;
	bpf_get_current_comm(to->comm, sizeof(to->comm));
	record_end(&place, RECORD_FORK, record_words(*to));
	return 0;
}

/* Texts take the shorter of two records: its size has to be a constant for the verifier. */
#define TEXT_SHORT	    64
#define text_is_short(size) ((long)(size) <= TEXT_SHORT) /* size: with its NUL */

static __always_inline void write_exec(struct ring_place *place, struct record_exec *to, __u32 old, const char *file,
				       __u32 room)
{
	to->pid = current_pid();
	to->old_pid = old;
	bpf_get_current_comm(to->comm, sizeof(to->comm));
	bpf_probe_read_kernel(to->file, room, file);
	record_end(place, RECORD_EXEC, (__builtin_offsetof(struct record_exec, file) + room) / sizeof(__u64));
}

SEC("raw_tp")
int executed(void *ctx)
{
	const __u32 head = __builtin_offsetof(struct record_exec, file) / sizeof(__u64);
	struct linux_binprm *bprm = (void *)context_word(ctx, 2);
	__u32 old = context_word(ctx, 1);
	char file[RECORD_TEXT_MAX] = {};
	struct record_exec *to;
	struct ring_place place;

	if (!filter_pass())
		return 0;
	if (text_is_short(bpf_probe_read_kernel_str(file, sizeof(file), BPF_CORE_READ(bprm, filename)))) {
		to = record_begin(&place, head + TEXT_SHORT / sizeof(__u64));
		if (to)
			write_exec(&place, to, old, file, TEXT_SHORT);
		return 0;
	}
	to = record_begin(&place, head + RECORD_TEXT_MAX / sizeof(__u64));
	if (to)
		write_exec(&place, to, old, file, RECORD_TEXT_MAX);
	return 0;
}

SEC("raw_tp")
int renamed(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	char comm[RECORD_COMM_LEN] = {};
	struct ring_place place;
	struct record_comm *to;
	__u32 pid, tgid;

	if (!other_passes(task))
		return 0;
	pid = BPF_CORE_READ(task, pid);
	tgid = BPF_CORE_READ(task, tgid);
	bpf_probe_read_kernel_str(comm, sizeof(comm), (void *)context_word(ctx, 1));
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	to->pid = pid;
	to->tgid = tgid;
	__builtin_memcpy(to->comm, comm, sizeof(to->comm));
	record_end(&place, RECORD_COMM, record_words(*to));
	return 0;
}

/* The current task exits. Two threads that do so at once may both find that they are the last. */
SEC("raw_tp")
int exited(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 both = bpf_get_current_pid_tgid();
	struct ring_place place;
	struct record_exit *to;
	__u32 status, live;

	if (!filter_pass())
		return 0;
	status = BPF_CORE_READ(task, exit_code);
	live = BPF_CORE_READ(task, signal, live.counter);
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	to->pid = both;
	to->tgid = both >> 32;
	to->status = status;
	to->last = !live;
	bpf_get_current_comm(to->comm, sizeof(to->comm));
	record_end(&place, RECORD_EXIT, record_words(*to));
	return 0;
}

/* --- system calls --- */

static __always_inline __u32 arguments_of(__u32 number)
{
	return number < RECORD_CALLS ? record_arguments[number] : RECORD_ARGS;
}

SEC("raw_tp")
int entered(void *ctx)
{
	const __u32 head = __builtin_offsetof(struct record_sys_enter, args) / sizeof(__u64);
	struct task_struct *task = (void *)bpf_get_current_task();
	struct context_syscall call = {};
	struct record_sys_enter *to;
	struct ring_place place;
	__u32 number, n;
	bool narrow;

	if (!filter_pass() || is_own())
		return 0;
	number = context_kind() == CONTEXT_RAW_TP ? context_word(ctx, 1) : context_word(ctx, RECORD_CALL_RECORD);
	narrow = record_call_is_32(task);
	if (!record_call_arguments(ctx, narrow, &call))
		return 0;
	n = narrow ? RECORD_ARGS : arguments_of(number);
	to = record_begin(&place, head + n);
	if (!to)
		return 0;
	to->pid = current_pid();
	to->call = narrow ? number + RECORD_CALL_32 : number;
#pragma unroll
	for (__u32 i = 0; i < RECORD_ARGS; i++)
		if (i < n)
			to->args[i] = call.args[i];
	record_end(&place, RECORD_SYS_ENTER, head + n);
	return 0;
}

SEC("raw_tp")
int left(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct record_sys_exit *to;
	struct ring_place place;
	__u32 number;
	__s64 ret;

	if (!filter_pass() || is_own())
		return 0;
	ret = context_result(ctx);
	number = record_call_at_exit(ctx);
	if ((__s32)number >= 0 && record_call_is_32(task))
		number += RECORD_CALL_32;
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	to->pid = current_pid();
	to->call = number;
	to->ret = ret;
	record_end(&place, RECORD_SYS_EXIT, record_words(*to));
	return 0;
}

/* --- disk requests --- */

/*
 * With a filter of tasks, a request belongs to the task that inserts it into the queue. A thread of the kernel may issue
 * it; but where nothing is queued, the task itself does. Until the completion the request is pending.
 */
SEC("raw_tp")
int inserted(void *ctx)
{
	if (filter.any && filter_pass() && !is_own())
		pending_begin((__u64)block_request(ctx), bpf_ktime_get_ns());
	return 0;
}

SEC("raw_tp")
int issued(void *ctx)
{
	struct request *rq = block_request(ctx);
	struct record_request request;
	struct record_block *to;
	struct ring_place place;

	if (!record_request_wanted(rq, is_own()))
		return 0;
	record_read_request(rq, &request);
	request.bytes = BPF_CORE_READ(rq, __data_len);
	to = record_begin(&place, RECORD_BLOCK_ISSUE_WORDS);
	if (!to)
		return 0;
	record_write_request(to, &request, rq);
	record_end(&place, RECORD_BLOCK_ISSUE, RECORD_BLOCK_ISSUE_WORDS);
	return 0;
}

SEC("raw_tp")
int completed(void *ctx)
{
	struct request *rq = (void *)context_word(ctx, 0);
	__u32 bytes = context_word(ctx, 2);
	struct record_request request;
	struct record_block *to;
	struct ring_place place;
	__u64 began;

	if (filter.any && !(block_is_done(ctx, rq) ? pending_end((__u64)rq, &began) : !!pending_find(pending_key(rq))))
		return 0;
	record_read_request(rq, &request);
	request.bytes = bytes;
	to = record_begin(&place, record_words(*to));
	if (!to)
		return 0;
	record_write_request(to, &request, rq);
	to->error = record_request_error(ctx);
	to->unused = 0;
	record_end(&place, RECORD_BLOCK_COMPLETE, record_words(*to));
	return 0;
}

/* --- probes of the user's --- */

/* A tracepoint may have fewer arguments, and the kernel refuses a program that reads more than there are. */
SEC("raw_tp")
int hit(void *ctx)
{
	__u32 words = context_is_function() ? record_words(struct record_probe) : RECORD_PROBE_SHORT;
	__u64 args[RECORD_ARGS], slot;
	struct record_probe *to;
	struct ring_place place;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	if (context_is_function())
		record_read_arguments_of(ctx, args);
	to = record_begin(&place, words);
	if (!to)
		return 0;
	to->pid = current_pid();
	to->probe = slot;
	if (context_is_function())
		__builtin_memcpy(to->args, args, sizeof(args));
	record_end(&place, RECORD_PROBE, words);
	return 0;
}

SEC("raw_tp")
int traced(void *ctx)
{
	struct record_tracepoint *to;
	struct ring_place place;
	__u64 slot;
	__u32 words;

	if (!filter_pass() || !slot_number(ctx, &slot) || slot >= RECORD_TRACEPOINTS_MAX)
		return 0;
	words = record_tracepoint_words(ctx, &record_tracepoints[slot]);
	if (words > RECORD_TRACEPOINT_WORDS)
		return 0;
	to = record_begin(&place, RECORD_TRACEPOINT_SHORT + words);
	if (!to)
		return 0;
	to->pid = current_pid();
	to->probe = slot;
	bpf_probe_read_kernel(to->record, words * sizeof(__u64), ctx + sizeof(__u64));
	record_end(&place, RECORD_TRACEPOINTS + slot, RECORD_TRACEPOINT_SHORT + words);
	return 0;
}

SEC("raw_tp")
int returned(void *ctx)
{
	struct record_probe *to;
	struct ring_place place;
	__u64 slot, value;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	value = context_ret(ctx);
	to = record_begin(&place, RECORD_RETURN_WORDS);
	if (!to)
		return 0;
	to->pid = current_pid();
	to->probe = slot | RECORD_AT_RETURN;
	to->args[0] = value;
	record_end(&place, RECORD_PROBE, RECORD_RETURN_WORDS);
	return 0;
}

/* --- marks --- */

static __always_inline void write_mark(struct ring_place *place, struct record_mark *to, const char *text, __u32 room)
{
	__u64 both = bpf_get_current_pid_tgid();

	to->pid = both;
	to->tgid = both >> 32;
	bpf_probe_read_kernel(to->text, room, text);
	record_end(place, RECORD_MARK, (__builtin_offsetof(struct record_mark, text) + room) / sizeof(__u64));
}

/* `sonde mark` passes its probe, whose argument is the text. Filters do not matter: the user wants it here. */
SEC("raw_tp")
int marked(void *ctx)
{
	const __u32 head = __builtin_offsetof(struct record_mark, text) / sizeof(__u64);
	char text[RECORD_TEXT_MAX] = {};
	struct ring_place place;
	struct record_mark *to;

	if (text_is_short(bpf_probe_read_user_str(text, sizeof(text), (void *)context_register_arg(ctx, 0)))) {
		to = record_begin(&place, head + TEXT_SHORT / sizeof(__u64));
		if (to)
			write_mark(&place, to, text, TEXT_SHORT);
		return 0;
	}
	to = record_begin(&place, head + RECORD_TEXT_MAX / sizeof(__u64));
	if (to)
		write_mark(&place, to, text, RECORD_TEXT_MAX);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
