// SPDX-License-Identifier: BSD-2-Clause
/*
 * System calls with their arguments. Which memory of the task a record has is said by a plan for each call
 * (bpf/strace.h), so there is one program for all calls. Most plans copy at the end, when the kernel has read the
 * arguments and their pages are present.
 *
 * A call has one record, at its end: its begin is only noted, in the pending table. If the task leaves the processor
 * before the end, the begin is sent then, so that the user sees what a task waits for. Begins whose memory is copied,
 * and those of calls that lose their registers, are sent when they happen.
 */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/call.bpf.h"
#include "bpf/stack.bpf.h"
#include "bpf/path.h"
#include "bpf/strace.h"
#define PENDING struct strace_pending
#include "bpf/pending.bpf.h"
#include "bpf/strace_count.bpf.h"

const volatile struct strace_config config SEC(".rodata.config");
const volatile struct strace_plan strace_plans[STRACE_PLANS] SEC(".rodata.plans") = {};

#include "bpf/strace_blobs.bpf.h"

/* The begin of a call of the one thread that is traced, with STRACE_HOW_ALONE: no table is needed. */
struct strace_pending strace_alone SEC(".data.alone") = {};

/* --- records --- */

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
	record->began = call->began == STRACE_NOW ? record->time : call->began;
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
	record->unused = 0;
	record->ret = call->ret;
	if (how & STRACE_HOW_COMM)
		bpf_get_current_comm(record->comm, sizeof(record->comm));
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
/* Of 32-bit programs, on both architectures; sigreturn is 119. */
#define NR_RT_SIGRETURN_32 173

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
	return (__s64)count < 0 ? 0 : count;
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
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < STRACE_BLOBS; i++) {
		barrier_var(i);
		if (i >= n)
			break;
		take_step(lane, first + i, i);
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

/* --- which calls --- */

/* bpf_get_current_pid_tgid(), by plain loads where the kernel permits them. *compat: it is in a 32-bit call. */
static __always_inline __u64 current_ids(bool *compat)
{
	struct task_struct *task;

	if (!typed_current()) {
		*compat = unwind_is_compat();
		return bpf_get_current_pid_tgid();
	}
	task = bpf_get_current_task_btf();
#if defined(__TARGET_ARCH_x86)
	*compat = task->thread_info.status & UNWIND_TS_COMPAT;
#else
	*compat = unwind_is_compat();
#endif
	return (__u64)task->tgid << 32 | (__u32)task->pid;
}

/* The ids of the current thread. 0: it is not wanted. */
static __always_inline __u64 wanted_task(__u32 how, bool *compat)
{
	__u64 both = current_ids(compat);
	__u8 *member;

	if (how & STRACE_HOW_ALONE)
		return (__u32)both == config.tid ? both : 0;
	if (how & STRACE_HOW_MEMBERS) {
		member = filter_member(both >> 32);
		return member && *member ? both : 0;
	}
	if (event_of_reader() || !filter_pass() || (how & STRACE_HOW_PIDNS && !pid_in_pidns()) ||
	    (how & STRACE_HOW_ONE && own_tid() != config.tid))
		return 0;
	return both;
}

/* The plan of a call of this number, in 64-bit programs; NULL: it has none. */
static __always_inline const volatile struct strace_plan *plan_of(__u32 number)
{
	__u64 index = number;

	/* one register for the test and for the address, which is calculated behind the test */
	barrier_var(index);
	if (index >= STRACE_CALLS)
		return NULL;
	barrier_var(index);
	return &strace_plans[index];
}

/* Whether a call of this number is wanted, of a 64-bit or of a 32-bit program: nothing else is known of it yet. */
static __always_inline bool may_be_wanted(const volatile struct strace_plan *plan, __u32 how)
{
	return plan ? plan->wanted : how & STRACE_HOW_ALL;
}

/* A 32-bit call has another plan. False: nobody wants this call. */
static __always_inline bool choose(struct call *call, const volatile struct strace_plan **plan, bool compat)
{
	if (compat) {
		call->flags = STRACE_COMPAT;
		if (*plan)
			*plan += STRACE_CALLS;
	}
	return !*plan || (*plan)->wanted & STRACE_WANTED;
}

/* For the table of -c, what strace would count: from the execve on with which the command begins. */
static __always_inline void count(const struct call *call, const volatile struct strace_plan *plan, __u32 how)
{
	__u32 index = call->nr;

	if (config.command && !strace_begun && own_tid() == config.command)
		return;
	if (!plan)
		index = STRACE_COUNT_OTHER;
	else if (plan->kind == STRACE_FORK && !call->ret)
		return;
	else if (call->flags & STRACE_COMPAT)
		index += STRACE_COUNT_COMPAT;
	count_end(index, call->ret < 0 && call->ret >= -ERRORS_MAX, how & STRACE_HOW_WALL, config.slower);
}

/* Whether a program was executed, where that matters. */
static __always_inline bool is_exec(const struct call *call, const volatile struct strace_plan *plan, __u32 how)
{
	if (!(how & (STRACE_HOW_COUNT | STRACE_HOW_DETACH)) || call->ret || !plan)
		return false;
	return unwind_is_compat() ? plan[STRACE_CALLS].kind == STRACE_EXEC : plan->kind == STRACE_EXEC;
}

/* A program was executed: the command's, or another one, of which -b wants no more calls. */
static __always_inline void executed(void)
{
	__u8 *member;

	if (config.command && !strace_begun && own_tid() == config.command) {
		strace_begun = 1;
		return;
	}
	member = config.how & STRACE_HOW_DETACH ? filter_member(bpf_get_current_pid_tgid() >> 32) : NULL;
	if (member)
		*member = 0;
}

/* --- the begin of calls --- */

static __always_inline void note_begin(const struct call *call, __u32 how)
{
	struct strace_pending *entry = &strace_alone;

	if (!(how & STRACE_HOW_ALONE)) {
		entry = pending_claim(pending_key(call->who));
		if (!entry)
			return;
	}
	entry->start = how & STRACE_HOW_UNTIMED ? STRACE_NOW : bpf_ktime_get_boot_ns();
	entry->regs = (__u64)call->regs;
	entry->nr = call->nr;
	entry->flags = call->flags;
	if (how & STRACE_HOW_ALONE)
		*(volatile __u64 *)&entry->key = call->who;
}

/* The begin of the current thread's call. NULL: it was not noted. */
static __always_inline struct strace_pending *find_begin(__u64 who)
{
	if (config.how & STRACE_HOW_ALONE)
		return strace_alone.key == who ? &strace_alone : NULL;
	return pending_find(pending_key(who));
}

static __always_inline int begins(void *ctx, bool typed)
{
	struct call call = {
		.kind = STRACE_ENTER,
		.nr = context_word(ctx, 1),
		.regs = (void *)context_word(ctx, 0),
		.began = STRACE_NOW,
	};
	const volatile struct strace_plan *plan = plan_of(call.nr);
	__u32 how = config.how;
	bool compat;

	if (!may_be_wanted(plan, how))
		return 0;
	call.who = wanted_task(how, &compat);
	if (!call.who || !choose(&call, &plan, compat))
		return 0;
	if (how & STRACE_HOW_COUNT)
		count_begin();
	if (how & STRACE_HOW_NO_RECORDS)
		return 0;
	if (plan && !(how & STRACE_HOW_EARLY) && !plan->early)
		note_begin(&call, how);
	else if (plan && plan->n_enter)
		send_long(&call, typed, plan->enter, plan->n_enter);
	else
		send_plain(&call, typed, true);
	return 0;
}

SEC("raw_tp")
int call_begins(void *ctx)
{
	return typed_arguments() ? begins(ctx, true) : begins(ctx, false);
}

/* The current task leaves the processor within a call: the user is told what it may wait for. */
SEC("raw_tp")
int call_waits(void *ctx)
{
	struct call call = { .kind = STRACE_ENTER, .who = bpf_get_current_pid_tgid() };
	struct strace_pending *entry;
	struct call_regs now;

	/* a processor that was idle: its key is that of a free entry */
	if (!call.who)
		return 0;
	entry = find_begin(call.who);
	if (!entry)
		return 0;
	call.regs = (void *)entry->regs;
	call.nr = entry->nr;
	call.flags = entry->flags;
	call.began = entry->start;
	/* the end was missed: it is another call, or none; or this one is being noted by a program that was preempted */
	if (!call_read_regs(call.regs, false, &now) || (__u32)now.number != call.nr)
		return 0;
	pending_free(entry, call.began);
	send_plain(&call, false, true);
	return 0;
}

/* --- the end of calls --- */

static __always_inline void take_begin(__u64 who, __u64 *began)
{
	struct strace_pending *entry = find_begin(who);

	if (!entry)
		return;
	*began = entry->start;
	pending_free(entry, *began);
}

/* Whether the options want no call that ends so, or so soon. One whose begin was sent is never left out. */
static __always_inline bool is_left_out(const struct call *call, __u32 how)
{
	bool failed = call->ret < 0 && call->ret >= -ERRORS_MAX;

	if (!(how & (STRACE_HOW_SKIP_FAILED | STRACE_HOW_SKIP_SUCCESSFUL | STRACE_HOW_SLOWER)) || !call->began)
		return false;
	if (failed ? how & STRACE_HOW_SKIP_FAILED : how & STRACE_HOW_SKIP_SUCCESSFUL)
		return true;
	return how & STRACE_HOW_SLOWER && pending_time(call->began, bpf_ktime_get_boot_ns()) < config.slower;
}

static __always_inline void send_end(const struct call *call, bool typed, const volatile struct strace_plan *plan)
{
	__u32 brief;

	if (!plan || !plan->n_exit) {
		send_plain(call, typed, true);
		return;
	}
	brief = plan->brief;
	if (brief == STRACE_BRIEF_BYTES &&
	    send_brief(call, typed, &plan->only, STRACE_BRIEF_BYTES, STRACE_BYTES_ROOM))
		return;
	if (brief == STRACE_BRIEF_TEXT && send_brief(call, typed, &plan->only, STRACE_BRIEF_TEXT, STRACE_TEXT_ROOM))
		return;
	if (brief == STRACE_BRIEF_STRUCT &&
	    send_brief(call, typed, &plan->only, STRACE_BRIEF_STRUCT, STRACE_STRUCT_ROOM))
		return;
	if (brief == STRACE_BRIEF_BOTH &&
	    send_brief(call, typed, &plan->only, STRACE_BRIEF_BOTH,
		       STRACE_TEXT_ROOM + sizeof(struct strace_blob) + STRACE_STRUCT_ROOM))
		return;
	send_long(call, typed, plan->exit, plan->n_exit);
}

static __always_inline int ends(void *ctx, bool typed)
{
	struct call call = {
		.kind = STRACE_EXIT,
		.regs = (void *)context_word(ctx, 0),
		.ret = context_word(ctx, 1),
	};
	const volatile struct strace_plan *plan;
	__u32 how = config.how;
	struct call_regs now;
	bool exec, compat;

	if (!call_read_regs(call.regs, typed, &now))
		return 0;
	call.nr = now.number;
	/* it restores all registers, and so destroys its own number */
	if (call.nr == (__u32)-1)
		call.nr = unwind_is_compat() ? NR_RT_SIGRETURN_32 : NR_RT_SIGRETURN;
	plan = plan_of(call.nr);
	exec = is_exec(&call, plan, how);
	if (!exec && !may_be_wanted(plan, how))
		return 0;
	call.who = wanted_task(how, &compat);
	if (!call.who)
		return 0;
	if (exec)
		executed();
	if ((exec && !may_be_wanted(plan, how)) || !choose(&call, &plan, compat))
		return 0;
	if (how & STRACE_HOW_COUNT)
		count(&call, plan, how);
	if (how & STRACE_HOW_NO_RECORDS)
		return 0;
	take_begin(call.who, &call.began);
	if (!is_left_out(&call, how))
		send_end(&call, typed, plan);
	return 0;
}

SEC("raw_tp")
int call_ends(void *ctx)
{
	return typed_arguments() ? ends(ctx, true) : ends(ctx, false);
}

/* --- signals, and the end of threads --- */

SEC("raw_tp")
int signal_delivered(void *ctx)
{
	struct call call = { .kind = STRACE_SIGNAL, .nr = context_word(ctx, 0) };
	struct strace_record *record;
	struct strace_blob *blob;
	bool compat;

	if (config.how & STRACE_HOW_NO_RECORDS)
		return 0;
	call.who = wanted_task(config.how, &compat);
	if (!call.who)
		return 0;
	record = bpf_ringbuf_reserve(&events, sizeof(*record) + sizeof(*blob) + STRACE_SIGINFO, 0);
	if (!record) {
		event_dropped();
		return 0;
	}
	fill(record, &call, config.how);
	blob = (void *)(record + 1);
	blob->tag = 0;
	blob->n = STRACE_SIGINFO;
	blob->all = STRACE_SIGINFO;
	/* SEND_SIG_NOINFO and the like are small numbers, no pointers: they cannot be read */
	blob->status = bpf_probe_read_kernel(blob + 1, STRACE_SIGINFO, (void *)context_word(ctx, 1)) ? STRACE_UNREAD
												     : STRACE_WHOLE;
	record->size = sizeof(*blob) + STRACE_SIGINFO;
	if (config.how & STRACE_HOW_IP) {
		struct pt_regs *regs = unwind_task_regs((void *)bpf_get_current_task());

		bpf_probe_read_kernel(&record->ip, sizeof(record->ip), &next_instruction(regs));
	}
	submit(record);
	return 0;
}

SEC("raw_tp")
int thread_ended(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct call call = { .kind = STRACE_ENDED };
	__u64 began;
	bool compat;

	if (config.how & STRACE_HOW_COUNT)
		count_forget((__u64)task);
	take_begin(bpf_get_current_pid_tgid(), &began);
	call.who = wanted_task(config.how, &compat);
	if (!call.who)
		return 0;
	call.ret = BPF_CORE_READ(task, exit_code);
	if (!BPF_CORE_READ(task, signal, live.counter))
		call.flags = STRACE_LAST;
	send_plain(&call, false, false);
	return 0;
}

/* Attached only for -k, after the program that sends the begin: its record follows that one. */
SEC("raw_tp")
int stack_taken(void *ctx)
{
	struct call call = { .kind = STRACE_STACK, .nr = context_word(ctx, 1) };
	const volatile struct strace_plan *plan = plan_of(call.nr);
	bool compat;

	if (!may_be_wanted(plan, config.how))
		return 0;
	call.who = wanted_task(config.how, &compat);
	if (!call.who || !choose(&call, &plan, compat))
		return 0;
	call.ret = stack_keep(ctx);
	if (call.ret)
		send_plain(&call, false, false);
	return 0;
}

/* Attached only for -c without -w. */
SEC("raw_tp")
int task_switched(void *ctx)
{
	count_switch(context_word(ctx, 1), context_word(ctx, 2));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
