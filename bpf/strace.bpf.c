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
const volatile struct strace_plan strace_plans[2 * STRACE_PLANS] SEC(".rodata.plans") = {};

#include "bpf/strace_blobs.bpf.h"
#include "bpf/strace_records.bpf.h"

/* The begin of a call of the one thread that is traced, with STRACE_HOW_ALONE: no table is needed. */
struct strace_pending strace_alone SEC(".data.alone") = {};

/* --- which calls --- */

/* bpf_get_current_pid_tgid(), by plain loads where the kernel permits them. */
static __always_inline __u64 current_ids(void)
{
	struct task_struct *task;

	if (!typed_current())
		return bpf_get_current_pid_tgid();
	task = bpf_get_current_task_btf();
	return (__u64)task->tgid << 32 | (__u32)task->pid;
}

/* The ids of the current thread. 0: it is not wanted. */
static __always_inline __u64 wanted_task(__u32 how)
{
	__u64 both = current_ids();
	__u8 *member;

	if (how & STRACE_HOW_ALONE)
		return (__u32)both == config.tid ? both : 0;
	if (how & STRACE_HOW_FIRST && (__u32)both != both >> 32)
		return 0;
	if (how & STRACE_HOW_MEMBERS) {
		member = filter_member(both >> 32);
		return member && *member ? both : 0;
	}
	if (event_of_reader() || !filter_pass() || (how & STRACE_HOW_PIDNS && !pid_in_pidns()) ||
	    (how & STRACE_HOW_ONE && own_tid() != config.tid))
		return 0;
	return both;
}

/* The plan of a call of this number, in 64-bit programs. It is never NULL, but verifiers do not see that. */
static __always_inline const volatile struct strace_plan *plan_of(__u32 number)
{
	/* below 0 for numbers that have plans of their own, else at least 0 */
	__s64 over = (__s64)(number + 1) - (STRACE_PLANS - 1);
	__u64 index;

	barrier_var(over);
	index = STRACE_PLANS - 1 + (over & over >> 63);
	/* one register for the test and for the address, which is calculated behind the test */
	barrier_var(index);
	if (index >= STRACE_PLANS)
		return NULL;
	barrier_var(index);
	return &strace_plans[index];
}

/* 1 in a call of a 32-bit program, else 0. */
static __always_inline __u32 compat_of_current(void)
{
	__u32 compat = unwind_compat_bit();

	barrier_var(compat);
	return compat & 1;
}

/* A 32-bit call, for which compat is 1, has another plan. False: nobody wants this call. */
static __always_inline bool choose(struct call *call, const volatile struct strace_plan **plan, __u64 compat)
{
	_Static_assert(STRACE_COMPAT == 1, "the flag is what says that it is one");
	call->flags = compat;
	/* Linux 5.10 forgets the bounds of what was on the stack meanwhile */
	barrier_var(compat);
	*plan += (compat & 1) * STRACE_PLANS;
	return (*plan)->wanted & STRACE_WANTED;
}

/* For the table of -c, what strace would count: from the execve on with which the command begins. */
static __always_inline void count(const struct call *call, const volatile struct strace_plan *plan, __u32 how)
{
	__u32 index = call->nr;

	if (config.command && !strace_begun && own_tid() == config.command)
		return;
	if (index == (__u32)-1)
		index = call->flags & STRACE_COMPAT ? STRACE_RETURN_32 : NR_RT_SIGRETURN;
	if (index >= STRACE_CALLS)
		index = STRACE_COUNT_OTHER;
	else if (plan->kind == STRACE_FORK && !call->ret)
		return;
	else if (call->flags & STRACE_COMPAT)
		index += STRACE_COUNT_COMPAT;
	count_end(index, has_failed(call->ret), how & STRACE_HOW_WALL, config.slower);
}

/*
 * Whether the call that ends is one of a 32-bit program. compat: the task is one of 32 bits. On x86-64 that is said of
 * the call, on arm64 of the program, which an exec has replaced by one of the other kind. Then all registers are 0, and
 * the number is an exec's of the kind that called it; else the register of the number has it.
 */
static __always_inline __u32 ends_narrow(const struct call *call, const struct call_regs *now, bool typed,
					 const volatile struct strace_plan *plan, __u32 compat)
{
#if defined(__TARGET_ARCH_arm64)
	__u64 number;

	if (call->ret || now->argument || now->number == -1)
		return compat;
	number = compat ? typed_load(typed, call->regs, user_regs.regs[7]) : typed_load(typed, call->regs, user_regs.regs[8]);
	if (!number && call->nr)
		return plan[STRACE_PLANS].kind == STRACE_EXEC;
#endif
	return compat;
}

/* Whether a program was executed, where that matters. */
static __always_inline bool is_exec(const struct call *call, const struct call_regs *now, bool typed,
				    const volatile struct strace_plan *plan, __u32 how)
{
	if (!(how & (STRACE_HOW_COUNT | STRACE_HOW_DETACH)) || call->ret)
		return false;
	return plan[ends_narrow(call, now, typed, plan, compat_of_current()) * STRACE_PLANS].kind == STRACE_EXEC;
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

/* Of a thread or, where its ids matter until its end, of the task, which keeps its address when a thread executes. */
static __always_inline __u64 begin_key(__u64 who, __u32 how)
{
	return pending_key(how & STRACE_HOW_KEEP ? bpf_get_current_task() : who);
}

/* The begin of the current thread's call. NULL: it was not noted. */
static __always_inline struct strace_pending *find_begin(__u64 who, __u32 how)
{
	if (how & STRACE_HOW_ALONE)
		return strace_alone.key == who ? &strace_alone : NULL;
	return pending_find(begin_key(who, how));
}

/*
 * Takes an entry of the current task, which has these registers, before it is read. Since Linux 6.13 a task may leave
 * the processor in the middle of a program; call_waits() then runs within that program, and both may want the entry.
 * Whoever swaps has it, until the key is cleared. Kernels without the swap run no program within another: for these
 * user space replaces it by a load. False: it was taken, is being filled in, or belongs to another task.
 */
static __always_inline bool take_entry(struct strace_pending *entry, __u64 regs)
{
	volatile __u64 *word = &entry->regs;

	if (__sync_val_compare_and_swap(&entry->regs, regs, 0) != regs)
		return false;
	if (*word)
		*word = 0;
	return true;
}

/* The entry can be another call's. */
static __always_inline void free_entry(struct strace_pending *entry, __u32 how)
{
	if (!(how & STRACE_HOW_ALONE))
		pending_free(entry, entry->start ^ entry->nr ^ entry->flags);
}

/* The call before has not ended, as far as is known: the kernel has skipped the program at its end. */
static __always_inline void send_unended(const struct strace_pending *entry, const struct call *now)
{
	struct call call = {
		.kind = STRACE_UNENDED,
		.who = now->who,
		.nr = entry->nr,
		.flags = entry->flags & STRACE_COMPAT,
		.began = entry->start,
	};

	/* of one that was sent, user space sees no end */
	if (!(entry->flags & STRACE_SENT))
		send_plain(&call, false, false);
}

/*
 * The registers are written last: until then the entry is nobody's. If the one of the call before is left, it may be
 * taken and freed meanwhile, and be another task's: then nothing is noted, and the end comes without a begin.
 */
static __always_inline void note_begin(const struct call *call, __u32 how, __u32 flags)
{
	struct strace_pending *entry = &strace_alone;
	__u64 key = call->who, regs = (__u64)call->regs;

	if (!(how & STRACE_HOW_ALONE)) {
		key = begin_key(call->who, how);
		entry = pending_claim(key);
		if (!entry)
			return;
	}
	if (entry->regs == regs) {
		if (take_entry(entry, regs))
			send_unended(entry, call);
		if (*(volatile __u64 *)&entry->key != key)
			return;
	}
	entry->start = how & STRACE_HOW_UNTIMED ? STRACE_NOW : bpf_ktime_get_boot_ns();
	entry->nr = call->nr;
	entry->flags = call->flags | flags;
	if (how & STRACE_HOW_ALONE)
		entry->key = key;
	barrier();
	*(volatile __u64 *)&entry->regs = regs;
}

/* Of a call whose begin is not noted: the one before has not ended, if its begin is still there. */
static __always_inline void end_noted(const struct call *call, __u32 how)
{
	struct strace_pending *entry = find_begin(call->who, how);

	if (!entry || !take_entry(entry, (__u64)call->regs))
		return;
	send_unended(entry, call);
	free_entry(entry, how);
}

/* Whether the begin is sent when it happens. */
static __always_inline bool is_early(const struct call *call, const volatile struct strace_plan *plan, bool typed, __u32 how)
{
	struct call_regs now;

	if (how & STRACE_HOW_EARLY || !plan->early || !plan->early_of.last)
		return how & STRACE_HOW_EARLY || plan->early;
	return call_read_regs(call->regs, typed, &now) && now.argument >= plan->early_of.first &&
	       now.argument <= plan->early_of.last;
}

/*
 * Whether the verifier knows the type of a call's registers. The compiler does not know it, and makes one program; the
 * verifier does, and follows one way through it.
 */
#define call_regs_typed() (context_kind() == CONTEXT_RAW_TP ? typed_arguments() : typed_current())

static __always_inline int begins(void *ctx, bool typed)
{
	struct call call = {
		.kind = STRACE_ENTER,
		.nr = context_word(ctx, 1),
		.regs = call_regs_of(ctx),
		.began = STRACE_NOW,
	};
	const volatile struct strace_plan *plan = plan_of(call.nr);
	__u32 how = config.how;

	if (!plan || !plan->wanted)
		return 0;
	call.who = wanted_task(how);
	if (!call.who || !choose(&call, &plan, compat_of_current()))
		return 0;
	if (how & STRACE_HOW_COUNT)
		count_begin();
	if (how & STRACE_HOW_NO_RECORDS)
		return 0;
	if (!is_early(&call, plan, typed, how)) {
		note_begin(&call, how, 0);
		return 0;
	}
	if (how & STRACE_HOW_KEEP)
		note_begin(&call, how, plan->kind >= STRACE_EXEC ? STRACE_SENT | STRACE_OTHER : STRACE_SENT);
	else if (!(how & STRACE_HOW_EARLY))
		end_noted(&call, how);
	if (plan->n_enter)
		send_long(&call, typed, plan->enter, plan->n_enter);
	else
		send_plain(&call, typed, true);
	return 0;
}

SEC("raw_tp")
int call_begins(void *ctx)
{
	return begins(ctx, call_regs_typed());
}

/* The address of the current task's registers, by which it knows its entry. */
static __always_inline __u64 own_regs(const struct strace_pending *entry)
{
	/* by hand it depends on how the kernel was built */
	return typed_current() ? (__u64)unwind_task_regs((void *)bpf_get_current_task()) : entry->regs;
}

/* Fills in the begin of the current task's call from an entry of it. False: it is in another call, or in none. */
static __always_inline bool fill_begin(struct call *call, const struct strace_pending *entry, __u64 regs)
{
	struct call_regs now;

	call->kind = STRACE_ENTER;
	call->regs = (void *)regs;
	call->nr = entry->nr;
	call->flags = entry->flags & STRACE_COMPAT;
	call->began = entry->start;
	return call_read_regs(call->regs, false, &now) && (__u32)now.number == call->nr;
}

/* The current task leaves the processor within a call: the user is told what it may wait for. */
SEC("raw_tp")
int call_waits(void *ctx)
{
	struct call call = { .who = bpf_get_current_pid_tgid() };
	struct strace_pending *entry;
	__u32 how = config.how;
	__u64 regs;

	/* a processor that was idle: its key is that of a free entry */
	if (!call.who)
		return 0;
	entry = find_begin(call.who, how);
	if (!entry)
		return 0;
	regs = own_regs(entry);
	/* nothing of this task runs between here and the end of this program: its processor is being switched */
	if (!regs || *(volatile __u64 *)&entry->regs != regs || entry->flags & STRACE_SENT ||
	    !fill_begin(&call, entry, regs) || !take_entry(entry, regs))
		return 0;
	if (how & STRACE_HOW_KEEP) {
		entry->flags |= STRACE_SENT;
		*(volatile __u64 *)&entry->regs = regs;
	} else {
		free_entry(entry, how);
	}
	send_plain(&call, false, true);
	return 0;
}

/* --- the end of calls --- */

/* When the call began that ends; 0: its begin was sent, or not seen. */
static __always_inline __u64 take_begin(const struct call *call, __u32 how)
{
	struct strace_pending *entry = find_begin(call->who, how);
	__u64 began;

	if (!entry || !take_entry(entry, (__u64)call->regs))
		return 0;
	/* another one's: its end was skipped, and the begin of this one, too */
	began = entry->nr == call->nr && !(entry->flags & STRACE_SENT) ? entry->start : 0;
	free_entry(entry, how);
	return began;
}

/* Whether the current task's call was wanted when it began, though a filter leaves the task out now. */
static __always_inline bool was_wanted(const struct call *call, __u32 how)
{
	struct strace_pending *entry;

	if (!(how & STRACE_HOW_KEEP))
		return false;
	if (how & STRACE_HOW_NO_RECORDS)
		return count_is_open();
	entry = pending_find(begin_key(0, how));
	return entry && entry->regs == (__u64)call->regs && (entry->nr == call->nr || entry->flags & STRACE_OTHER);
}

/* Whether the options want no call that ends so, or so soon. One whose begin was sent is never left out. */
static __always_inline bool is_left_out(const struct call *call, __u32 how)
{
	if (!(how & (STRACE_HOW_SKIP_FAILED | STRACE_HOW_SKIP_SUCCESSFUL | STRACE_HOW_SLOWER)) || !call->began)
		return false;
	if (has_failed(call->ret) ? how & STRACE_HOW_SKIP_FAILED : how & STRACE_HOW_SKIP_SUCCESSFUL)
		return true;
	return how & STRACE_HOW_SLOWER && pending_time(call->began, bpf_ktime_get_boot_ns()) < config.slower;
}

static __always_inline void send_end(const struct call *call, bool typed, const volatile struct strace_plan *plan)
{
	__u32 brief;

	if (!plan->n_exit) {
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
		.regs = call_regs_of(ctx),
		.ret = context_result(ctx),
	};
	const volatile struct strace_plan *plan;
	__u32 how = config.how;
	struct call_regs now;
	__u32 compat;
	bool exec;

	if (!call_read_regs(call.regs, typed, &now))
		return 0;
	call.nr = now.number;
	plan = plan_of(call.nr);
	if (!plan)
		return 0;
	exec = is_exec(&call, &now, typed, plan, how);
	if (!exec && !plan->wanted)
		return 0;
	call.who = wanted_task(how);
	if (!call.who && was_wanted(&call, how))
		call.who = bpf_get_current_pid_tgid();
	if (!call.who)
		return 0;
	if (exec)
		executed();
	compat = ends_narrow(&call, &now, typed, plan, compat_of_current());
	if ((exec && !plan->wanted) || !choose(&call, &plan, compat))
		return 0;
	if (how & STRACE_HOW_COUNT)
		count(&call, plan, how);
	if (how & STRACE_HOW_NO_RECORDS)
		return 0;
	call.began = take_begin(&call, how);
	if (!is_left_out(&call, how))
		send_end(&call, typed, plan);
	return 0;
}

SEC("raw_tp")
int call_ends(void *ctx)
{
	return ends(ctx, call_regs_typed());
}

/* --- signals, and the end of threads --- */

SEC("raw_tp")
int signal_delivered(void *ctx)
{
	struct call call = { .kind = STRACE_SIGNAL, .nr = context_word(ctx, 0) };
	struct strace_record *record;
	struct strace_blob *blob;

	if (config.how & STRACE_HOW_NO_RECORDS)
		return 0;
	call.who = wanted_task(config.how);
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

/*
 * A thread ends within a call, as by reboot(2) in a pid namespace: there is no end of it. Returns whose the call is; 0:
 * there is none that was noted.
 */
static __always_inline __u64 end_in_call(__u32 how)
{
	struct call call = { .who = bpf_get_current_pid_tgid() };
	struct strace_pending *entry;
	__u64 regs;

	if (how & STRACE_HOW_NO_RECORDS)
		return 0;
	entry = find_begin(call.who, how);
	if (!entry)
		return 0;
	regs = own_regs(entry);
	if (!regs || !take_entry(entry, regs))
		return 0;
	if (!fill_begin(&call, entry, regs))
		send_unended(entry, &call);
	else if (!(entry->flags & STRACE_SENT))
		send_plain(&call, false, true);
	free_entry(entry, how);
	return call.who;
}

SEC("raw_tp")
int thread_ended(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct call call = { .kind = STRACE_ENDED };
	__u32 how = config.how;
	__u64 within;

	if (how & STRACE_HOW_COUNT)
		count_forget((__u64)task);
	within = end_in_call(how);
	call.who = wanted_task(how);
	/* a filter leaves it out since this call */
	if (!call.who && how & STRACE_HOW_KEEP)
		call.who = within;
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

	if (!plan || !plan->wanted)
		return 0;
	call.who = wanted_task(config.how);
	if (!call.who || !choose(&call, &plan, compat_of_current()))
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
