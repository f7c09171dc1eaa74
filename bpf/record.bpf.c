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

/*
 * Writes the first words of a struct, at most `most`, a constant. The struct needs no time: the record gets one, as
 * late as possible, so that the records of a ring are almost in order.
 */
static __always_inline int record_put(__u32 kind, const void *record, __u32 words, __u32 most)
{
	const __u64 *from = record;
	struct ring_place place;
	__u64 *to = record_begin(&place, words);

	if (!to)
		return 0;
#pragma unroll
	for (__u32 i = 1; i < most; i++)
		if (i < words)
			to[i] = from[i];
	record_end(&place, kind, words);
	return 0;
}

#define record_put_all(kind, record) record_put(kind, record, record_words(*(record)), record_words(*(record)))

/* Of a raw tracepoint whose arguments are loaded as what they are, where the kernel permits that. */
#define RECORD_PROGRAM(name) \
	static __always_inline int record_##name(void *ctx, bool typed); \
	SEC("raw_tp") \
	int name(void *ctx) \
	{ \
		return typed_arguments() ? record_##name(ctx, true) : record_##name(ctx, false); \
	} \
	static __always_inline int record_##name(void *ctx, bool typed)

static __always_inline __u32 current_pid(void)
{
	return bpf_get_current_pid_tgid();
}

/* Sonde's own calls and requests are left out: writing the file would cause more of them. */
static __always_inline bool is_own(__u64 pid_tgid)
{
	return record_config.own && pid_tgid >> 32 == record_config.own;
}

/* --- the scheduler --- */

/* Whether the filters pass another task than the current one. */
static __always_inline bool other_passes(struct task_struct *task, bool typed)
{
	return !filter.any || (task_cpu_pass() && task_load_pass(task, typed));
}

RECORD_PROGRAM(switched)
{
	struct task_struct *prev = (void *)context_word(ctx, 1), *next = (void *)context_word(ctx, 2);
	struct record_switch now;
	struct record_call call;
	bool passes = filter_pass();

	if (!passes && !other_passes(next, typed))
		return 0;
	now.prev = typed ? prev->pid : current_pid();
	now.next = typed_load(typed, next, pid);
	now.state = (bool)context_word(ctx, 0) ? RECORD_STATE_PREEMPTED : record_task_state(prev, typed);
	now.passes = passes;
	now.prev_prio = record_task_prio(prev, typed);
	now.next_prio = record_task_prio(next, typed);
	if (!record_state_waits(now.state))
		return record_put(RECORD_SWITCH, &now, RECORD_SWITCH_SHORT, RECORD_SWITCH_SHORT);
	record_task_call(prev, typed, &call);
	now.call = call.number;
	now.iowait = record_task_iowait(prev, typed);
	now.argument = call.argument;
	return record_put_all(RECORD_SWITCH, &now);
}

RECORD_PROGRAM(woken)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	struct record_waking now;

	if (!other_passes(task, typed))
		return 0;
	now.pid = typed_load(typed, task, pid);
	now.waker = current_pid();
	now.cpu = task_cpu(task, typed);
	now.prio = record_task_prio(task, typed);
	now.flags = 0;
	return record_put_all(RECORD_WAKING, &now);
}

RECORD_PROGRAM(migrated)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	struct record_migrate now;

	if (!other_passes(task, typed))
		return 0;
	now.pid = typed_load(typed, task, pid);
	now.prio = record_task_prio(task, typed);
	now.unused = 0;
	now.from = task_cpu(task, typed);
	now.to = context_word(ctx, 1);
	return record_put_all(RECORD_MIGRATE, &now);
}

/* --- the life of tasks --- */

/* The current task is the parent. Its name is not always the child's: threads of the kernel are born with theirs (6.4). */
RECORD_PROGRAM(forked)
{
	struct task_struct *child = (void *)context_word(ctx, 1);
	__u64 both = bpf_get_current_pid_tgid();
	struct record_fork now = {};

	if (!filter_pass())
		return 0;
	now.parent = both;
	now.parent_tgid = both >> 32;
	now.child = typed_load(typed, child, pid);
	now.child_tgid = typed_load(typed, child, tgid);
	BPF_CORE_READ_STR_INTO(&now.comm, child, comm);
	return record_put_all(RECORD_FORK, &now);
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

RECORD_PROGRAM(renamed)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	struct record_comm now = {};

	if (!other_passes(task, typed))
		return 0;
	now.pid = typed_load(typed, task, pid);
	now.tgid = typed_load(typed, task, tgid);
	bpf_probe_read_kernel_str(now.comm, sizeof(now.comm), (void *)context_word(ctx, 1));
	return record_put_all(RECORD_COMM, &now);
}

static __always_inline void read_end(struct task_struct *task, bool typed, struct record_exit *to)
{
	struct signal_struct *signal = typed_load(typed, task, signal);

	to->status = typed_load(typed, task, exit_code);
	to->last = !typed_load(typed, signal, live.counter);
}

/* The current task exits. Two threads that do so at once may both find that they are the last. */
SEC("raw_tp")
int exited(void *ctx)
{
	__u64 both = bpf_get_current_pid_tgid();
	struct record_exit now;

	if (!filter_pass())
		return 0;
	now.pid = both;
	now.tgid = both >> 32;
	if (typed_current())
		read_end(bpf_get_current_task_btf(), true, &now);
	else
		read_end((void *)bpf_get_current_task(), false, &now);
	bpf_get_current_comm(now.comm, sizeof(now.comm));
	return record_put_all(RECORD_EXIT, &now);
}

/* --- system calls --- */

static __always_inline __u32 arguments_of(__u32 number)
{
	__u64 index = number;

	/* one register for the test and for the load: the verifier must see that they are the same */
	barrier_var(index);
	return index < RECORD_CALLS ? record_arguments[index] : RECORD_ARGS;
}

RECORD_PROGRAM(entered)
{
	const __u32 head = __builtin_offsetof(struct record_sys_enter, args) / sizeof(__u64);
	struct record_sys_enter now;
	__u32 number;
	bool narrow;
	__u64 both;

	if (!filter_pass())
		return 0;
	both = bpf_get_current_pid_tgid();
	if (is_own(both))
		return 0;
	number = context_kind() == CONTEXT_RAW_TP ? context_word(ctx, 1) : context_word(ctx, RECORD_CALL_RECORD);
	narrow = unwind_is_compat();
	if (!record_call_arguments(ctx, typed, narrow, now.args))
		return 0;
	now.pid = both;
	now.call = narrow ? number + RECORD_CALL_32 : number;
	return record_put(RECORD_SYS_ENTER, &now, head + (narrow ? RECORD_ARGS : arguments_of(number)),
			  record_words(now));
}

RECORD_PROGRAM(left)
{
	struct record_sys_exit now;
	__u64 both;

	if (!filter_pass())
		return 0;
	both = bpf_get_current_pid_tgid();
	if (is_own(both))
		return 0;
	now.pid = both;
	now.call = record_call_at_exit(ctx, typed);
	if (now.call >= 0 && unwind_is_compat())
		now.call += RECORD_CALL_32;
	now.ret = context_result(ctx);
	return record_put_all(RECORD_SYS_EXIT, &now);
}

/* --- disk requests --- */

/*
 * With a filter of tasks, a request belongs to the task that inserts it into the queue. A thread of the kernel may issue
 * it; but where nothing is queued, the task itself does. Until the completion the request is pending.
 */
SEC("raw_tp")
int inserted(void *ctx)
{
	if (filter.any && filter_pass() && !is_own(bpf_get_current_pid_tgid()))
		pending_begin((__u64)block_request(ctx), bpf_ktime_get_ns());
	return 0;
}

SEC("raw_tp")
int issued(void *ctx)
{
	struct request *rq = block_request(ctx);
	struct record_block now;

	if (!record_request_wanted(rq, is_own(bpf_get_current_pid_tgid())))
		return 0;
	record_read_request(rq, &now);
	now.bytes = BPF_CORE_READ(rq, __data_len);
	return record_put(RECORD_BLOCK_ISSUE, &now, RECORD_BLOCK_ISSUE_WORDS, RECORD_BLOCK_ISSUE_WORDS);
}

SEC("raw_tp")
int completed(void *ctx)
{
	struct request *rq = (void *)context_word(ctx, 0);
	struct record_block now;
	__u64 began;

	if (filter.any && !(block_is_done(ctx, rq) ? pending_end((__u64)rq, &began) : !!pending_find(pending_key(rq))))
		return 0;
	record_read_request(rq, &now);
	now.bytes = context_word(ctx, 2);
	now.error = record_request_error(ctx);
	now.unused = 0;
	return record_put_all(RECORD_BLOCK_COMPLETE, &now);
}

/* --- probes of the user's --- */

/* A tracepoint may have fewer arguments, and the kernel refuses a program that reads more than there are. */
SEC("raw_tp")
int hit(void *ctx)
{
	struct record_probe now;
	__u64 slot;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	now.pid = current_pid();
	now.probe = slot;
	if (!context_is_function())
		return record_put(RECORD_PROBE, &now, RECORD_PROBE_SHORT, RECORD_PROBE_SHORT);
	record_read_arguments_of(ctx, now.args);
	return record_put_all(RECORD_PROBE, &now);
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
	struct record_probe now;
	__u64 slot;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	now.pid = current_pid();
	now.probe = slot | RECORD_AT_RETURN;
	now.args[0] = context_ret(ctx);
	return record_put(RECORD_PROBE, &now, RECORD_RETURN_WORDS, RECORD_RETURN_WORDS);
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
