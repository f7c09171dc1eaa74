// SPDX-License-Identifier: BSD-2-Clause
/*
 * System calls with their arguments: a record when a call begins, and one when it ends. Which memory of the task a
 * record has is said by a plan for each call (bpf/strace.h), so there is one program for all calls. Most plans copy at
 * the end, when the kernel has read the arguments and their pages are present.
 */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/stack.bpf.h"
#include "bpf/path.h"
#include "bpf/strace.h"
#include "bpf/strace_count.bpf.h"
#include "bpf/strace_file.bpf.h"

#define ERRORS_MAX 4095

const volatile struct strace_config config SEC(".rodata.config");
const volatile struct strace_plan strace_plans[STRACE_PLANS] SEC(".rodata.plans") = {};
const volatile struct strace_step strace_steps[STRACE_STEPS] SEC(".rodata.steps") = {};

/* STRACE_LANES for each processor; user space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STRACE_LANES);
	__type(key, __u32);
	__type(value, struct strace_scratch);
} strace_lanes SEC(".maps");

/*
 * The steps are functions of their own, which get numbers only: the verifier then checks each one once, and not once
 * for each step of each plan.
 */
static __always_inline struct strace_scratch *scratch_of(__u32 lane)
{
	return bpf_map_lookup_elem(&strace_lanes, &lane);
}

/* A number that a step names: from an argument, the result, or the bytes of an earlier step. */
static __always_inline __u64 number_of(struct strace_scratch *scratch, __u32 from, __u32 at, bool wide)
{
	__u64 index = from, value;

	if (from == STRACE_FROM_RET)
		return scratch->record.ret;
	if (from < STRACE_ARGS) {
		barrier_var(index);
		return index < STRACE_ARGS ? ((volatile __u64 *)scratch->record.args)[index] : 0;
	}
	if (from < STRACE_FROM_BLOB)
		return 0;
	index = scratch->at[from & (STRACE_BLOBS - 1)];
	if (!index)
		return 0;
	index = (index + at) & (STRACE_ROOM - 1);
	barrier_var(index);
	value = *(volatile __u64 *)(scratch->data + index);
	return wide ? value : (__u32)value;
}

/* A blob of its own begins behind the last one. NULL: there is no room. */
static __always_inline struct strace_blob *new_blob(struct strace_scratch *scratch, __u32 *at)
{
	__u32 begin = scratch->record.size;

	barrier_var(begin);
	if (begin >= STRACE_ROOM - sizeof(struct strace_blob)) {
		scratch->record.flags |= STRACE_CUT;
		return NULL;
	}
	*at = begin + sizeof(struct strace_blob);
	return (void *)scratch->data + begin;
}

static __always_inline void end_blob(struct strace_scratch *scratch, struct strace_blob *blob, __u32 tag, __u32 status,
				     __u32 n, __u32 all)
{
	blob->tag = tag;
	blob->status = status;
	blob->n = n;
	blob->all = all;
	scratch->record.size += (sizeof(*blob) + n + 7) & ~7U;
}

#define TEXT 0x100 /* with the tag: a text that ends with a NUL, and not a number of bytes */

/* Copies a text, or `count` bytes, but `most` at most. */
__noinline int copy_blob(__u32 lane, __u32 tag, __u64 from, __u64 count, __u32 most)
{
	struct strace_scratch *scratch = scratch_of(lane);
	struct strace_blob *blob;
	__u32 at = 0, n = most;
	long length;

	if (!scratch)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	if (!(tag & TEXT) && count < most)
		n = count;
	if (n > STRACE_ROOM - at)
		n = STRACE_ROOM - at;
	barrier_var(n);
	if (n > STRACE_ROOM)
		return 0;
	if (tag & TEXT) {
		length = bpf_probe_read_user_str(blob + 1, n, (void *)from);
		if (length < 0)
			end_blob(scratch, blob, tag, STRACE_UNREAD, 0, 0);
		else
			end_blob(scratch, blob, tag, length == n ? STRACE_SHORT : STRACE_WHOLE, length, 0);
		return 0;
	}
	if (n && bpf_probe_read_user(blob + 1, n, (void *)from))
		end_blob(scratch, blob, tag, STRACE_UNREAD, 0, count);
	else
		end_blob(scratch, blob, tag, n < count ? STRACE_SHORT : STRACE_WHOLE, n, count);
	return 0;
}

#include "bpf/strace_arrays.bpf.h"

/* The arguments that the new program found, and the name that was executed. */
__noinline int copy_program(__u32 lane, __u32 tag, __u32 most)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u64 begin = BPF_CORE_READ(mm, arg_start), end = BPF_CORE_READ(mm, arg_end);

	copy_blob(lane, tag | TEXT, BPF_CORE_READ(mm, env_end), 0, most);
	copy_blob(lane, tag, begin, end - begin, most);
	return 0;
}

__noinline int copy_file(__u32 lane, __u32 tag, __u32 fd)
{
	struct strace_scratch *scratch = scratch_of(lane);
	struct strace_file *file;
	struct strace_blob *blob;
	__u32 at = 0, size;

	if (!scratch)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	file_blob(blob, fd);
	file = (void *)(blob + 1);
	size = *(volatile __u32 *)&file->path.dirs_size;
	if (!*(volatile __u64 *)&file->inode)
		end_blob(scratch, blob, tag, STRACE_UNREAD, 0, 0);
	else
		end_blob(scratch, blob, tag, STRACE_WHOLE, sizeof(*file) + (size & (2 * FILE_ROOM - 1)), 0);
	return 0;
}

/* The descriptors are in the blob whose bytes are there. */
__noinline int copy_poll_files(__u32 lane, __u32 tag, __u32 begin)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 at = begin, n;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at < sizeof(struct strace_blob) || at >= STRACE_ROOM)
		return 0;
	n = ((struct strace_blob *)(scratch->data + at - sizeof(struct strace_blob)))->n / STRACE_FILES_POLL;
	for (__u32 i = 0; i < STRACE_VECTOR; i++) {
		volatile __u32 *fd = (void *)scratch->data + at + i * STRACE_FILES_POLL;

		if (i >= n)
			break;
		copy_file(lane, tag, *fd);
	}
	return 0;
}

__noinline int copy_set_files(__u32 lane, __u32 tag, __u32 begin)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 at = begin, bits;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at < sizeof(struct strace_blob) || at >= STRACE_ROOM)
		return 0;
	bits = *(volatile __u64 *)(scratch->data + at);
	for (__u32 fd = 0; fd < 64; fd++)
		if (bits >> fd & 1)
			copy_file(lane, tag, fd);
	return 0;
}

static __always_inline bool is_wanted_step(const volatile struct strace_step *step, __s64 ret)
{
	bool failed = ret < 0 && ret >= -ERRORS_MAX;

	return !(step->when & STRACE_IF_OK && failed) && !(step->when & STRACE_IF_FAILED && !failed);
}

/* How many bytes STRACE_BYTES are. */
static __always_inline __u64 bytes_of(struct strace_scratch *scratch, const volatile struct strace_step *step)
{
	__u64 count = step->scale;

	if (step->count_from != STRACE_FROM_NONE)
		count *= number_of(scratch, step->count_from, step->count_at, step->wide);
	return (__s64)count < 0 ? 0 : count;
}

/* Takes a step of a plan; number: which of the plan's. */
__noinline int take_step(__u32 lane, __u32 index, __u32 number)
{
	struct strace_scratch *scratch = scratch_of(lane);
	const volatile struct strace_step *step;
	__u64 from;

	if (!scratch || index >= STRACE_STEPS)
		return 0;
	step = &strace_steps[index];
	if (!is_wanted_step(step, scratch->record.ret))
		return 0;
	if (step->op == STRACE_VECTORS)
		return copy_vectors(lane, step->tag, scratch->at[step->from & (STRACE_BLOBS - 1)], step->most);
	if (step->op == STRACE_MESSAGES)
		return copy_messages(lane, step->tag, scratch->at[step->from & (STRACE_BLOBS - 1)], step->most);
	if (step->op == STRACE_PROGRAM)
		return copy_program(lane, step->tag, step->most);
	if (config.files && step->op == STRACE_FILE)
		return copy_file(lane, step->tag, number_of(scratch, step->from, step->at, false));
	if (config.files && step->op == STRACE_FILES) {
		from = scratch->at[step->from & (STRACE_BLOBS - 1)];
		return step->scale == STRACE_FILES_POLL ? copy_poll_files(lane, step->tag, from)
							: copy_set_files(lane, step->tag, from);
	}
	from = number_of(scratch, step->from, step->at, true);
	if (!from)
		return 0;
	scratch->at[number & (STRACE_BLOBS - 1)] = scratch->record.size + sizeof(struct strace_blob);
	if (step->op == STRACE_STRING)
		return copy_blob(lane, step->tag | TEXT, from, 0, step->most);
	if (step->op == STRACE_BYTES)
		return copy_blob(lane, step->tag, from, bytes_of(scratch, step), step->most);
	if (step->op == STRACE_STRINGS)
		return copy_strings(lane, step->tag, from, step->most, step->scale);
	if (step->op == STRACE_ENTRIES)
		return count_entries(lane, step->tag, from, bytes_of(scratch, step));
	return count_pointers(lane, step->tag, from);
}

struct call {
	__u32 nr, kind, flags, first, n;
	__s64 ret;
	__u64 args[STRACE_ARGS];
};

/* The current thread as the reader's pid namespace numbers it. */
static __always_inline __u32 own_tid(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (event_setup.pidns_ino)
		return task_id_in_pidns(BPF_CORE_READ(task, thread_pid), event_setup.pidns_ino);
	return bpf_get_current_pid_tgid();
}

static __always_inline void fill(struct strace_record *record, const struct call *call)
{
	__u64 both = bpf_get_current_pid_tgid();

	record->time = bpf_ktime_get_boot_ns();
	record->pid = both >> 32;
	record->tid = both;
	if (event_setup.pidns_ino) {
		struct task_struct *task = (void *)bpf_get_current_task();

		record->pid = task_process(task, event_setup.pidns_ino);
		record->tid = own_tid();
	}
	record->kind = call->kind;
	record->flags = call->flags;
	record->nr = call->nr;
	record->size = 0;
	record->unused = 0;
	record->ret = call->ret;
#pragma unroll
	for (int i = 0; i < STRACE_ARGS; i++)
		record->args[i] = call->args[i];
	if (config.comm)
		bpf_get_current_comm(record->comm, sizeof(record->comm));
}

/* Sends a call without blobs. */
static __always_inline void send_plain(const struct call *call)
{
	struct strace_record *record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);

	if (!record) {
		event_dropped();
		return;
	}
	fill(record, call);
	event_submit(record);
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

static __always_inline void send(const struct call *call)
{
	struct strace_scratch *scratch;
	__u32 lane = 0, size;

	if (!call->n) {
		send_plain(call);
		return;
	}
	scratch = take_lane(&lane);
	if (!scratch) {
		event_lost(EVENT_LOSS_OWN);
		return;
	}
	*(volatile __u64 *)&scratch->busy = 1;
	fill(&scratch->record, call);
	*(__u64 *)&scratch->at[0] = 0;
	*(__u64 *)&scratch->at[4] = 0;
	for (__u32 i = 0; i < STRACE_BLOBS; i++) {
		if (i >= call->n)
			break;
		take_step(lane, call->first + i, i);
	}
	size = scratch->record.size;
	barrier_var(size);
	if (size > 2 * STRACE_ROOM)
		size = 2 * STRACE_ROOM;
	if (bpf_ringbuf_output(&events, &scratch->record, sizeof(scratch->record) + size, event_wakeup()))
		event_dropped();
	*(volatile __u64 *)&scratch->busy = 0;
}

/* --- which calls --- */

/* Of 32-bit programs, on both architectures; sigreturn is 119. */
#define NR_RT_SIGRETURN_32 173

/* The mask of signals that rt_sigreturn restores is in the frame that the stack pointer points to. */
#if defined(__TARGET_ARCH_x86)
#define NR_RT_SIGRETURN	    15
#define SIGRETURN_MASK	    296
#define stack_pointer(regs) ((regs)->sp)
#else
#define NR_RT_SIGRETURN	    139
#define SIGRETURN_MASK	    168
#define stack_pointer(regs) ((regs)->user_regs.sp)
#endif

#if defined(__TARGET_ARCH_x86)
#define TS_COMPAT 0x2

static __always_inline bool is_compat(struct pt_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread_info.status) & TS_COMPAT;
}

/* The arguments, and at the end of a call its number, by one copy. */
static __always_inline bool read_registers(struct pt_regs *regs, struct call *call)
{
	struct {
		__u64 r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	} now;

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->r10))
		return false;
	call->args[0] = now.di;
	call->args[1] = now.si;
	call->args[2] = now.dx;
	call->args[3] = now.r10;
	call->args[4] = now.r8;
	call->args[5] = now.r9;
	if (call->kind == STRACE_EXIT)
		call->nr = now.orig_ax;
	return true;
}
#else
static __always_inline bool is_compat(struct pt_regs *regs)
{
	__u64 pstate = 0;

	bpf_probe_read_kernel(&pstate, sizeof(pstate), &regs->user_regs.pstate);
	return pstate & PSR_MODE32;
}

static __always_inline bool read_registers(struct pt_regs *regs, struct call *call)
{
	struct context_syscall registers = {};
	__s32 number = -1;

	if (!context_read_regs(regs, &registers))
		return false;
	__builtin_memcpy(call->args, registers.args, sizeof(call->args));
	if (call->kind == STRACE_EXIT) {
		bpf_probe_read_kernel(&number, sizeof(number), (void *)(regs + 1) + sizeof(__u64));
		call->nr = number;
	}
	return true;
}
#endif

static __always_inline bool is_wanted_task(void)
{
	return event_wanted() && (!config.one || own_tid() == config.tid);
}

/* Whether a call of this number is wanted, of a 64-bit or of a 32-bit program: nothing else is known of it yet. */
static __always_inline bool may_be_wanted(__u32 number)
{
	__u64 index = number;

	barrier_var(index);
	if (index >= STRACE_CALLS)
		return config.all;
	return strace_plans[index].wanted || strace_plans[index + STRACE_CALLS].wanted;
}

/* Finds the plan. False: nobody wants this call. */
static __always_inline bool choose(struct call *call, bool at_exit)
{
	__u64 index = call->nr;

	barrier_var(index);
	if (index >= STRACE_CALLS)
		return config.all;
	if (call->flags & STRACE_COMPAT)
		index += STRACE_CALLS;
	barrier_var(index);
	if (index >= STRACE_PLANS)
		return false;
	call->first = at_exit ? strace_plans[index].exit : strace_plans[index].enter;
	call->n = at_exit ? strace_plans[index].n_exit : strace_plans[index].n_enter;
	return strace_plans[index].wanted;
}

/* A 32-bit program on x86-64 passes its arguments in other registers. */
static __always_inline void read_compat(struct pt_regs *regs, struct call *call)
{
#if defined(__TARGET_ARCH_x86)
	struct pt_regs all;

	if (bpf_probe_read_kernel(&all, sizeof(all), regs))
		return;
	call->args[0] = (__u32)all.bx;
	call->args[1] = (__u32)all.cx;
	call->args[2] = (__u32)all.dx;
	call->args[3] = (__u32)all.si;
	call->args[4] = (__u32)all.di;
	call->args[5] = (__u32)all.bp;
#endif
}

/* For the table of -c, what strace would count: from the execve on with which the command begins. */
static __always_inline void count(const struct call *call)
{
	__u64 index = call->nr;
	__u32 kind = STRACE_PLAIN;

	if (call->kind == STRACE_ENTER) {
		count_begin();
		return;
	}
	barrier_var(index);
	if (index >= STRACE_CALLS) {
		index = STRACE_COUNT_OTHER;
	} else if (call->flags & STRACE_COMPAT) {
		kind = strace_plans[index + STRACE_CALLS].kind;
		index += STRACE_COUNT_COMPAT;
	} else {
		kind = strace_plans[index].kind;
	}
	if (config.command && !strace_begun && own_tid() == config.command)
		return;
	if (kind == STRACE_FORK && !call->ret)
		return;
	count_end(index, call->ret < 0 && call->ret >= -ERRORS_MAX, config.wall, config.slower);
}

static __always_inline bool is_exec(const struct call *call, bool compat)
{
	__u64 index = call->nr;

	barrier_var(index);
	if (index >= STRACE_CALLS)
		return false;
	if (compat)
		index += STRACE_CALLS;
	/* some compilers add by an OR, of which the verifier of 5.10 knows no bound */
	barrier_var(index);
	return index < STRACE_PLANS && strace_plans[index].kind == STRACE_EXEC;
}

/* A program was executed: the command's, or another one, of which -b wants no more calls. */
static __always_inline void executed(void)
{
	__u8 *member;

	if (config.command && !strace_begun && own_tid() == config.command) {
		strace_begun = 1;
		return;
	}
	member = config.detach ? filter_member(bpf_get_current_pid_tgid() >> 32) : NULL;
	if (member)
		*member = 0;
}

static __always_inline int traced(void *ctx, struct call *call)
{
	struct pt_regs *regs = (void *)context_word(ctx, 0);

	if (!read_registers(regs, call))
		return 0;
	/* it restores all registers, and so destroys its own number */
	if (call->kind == STRACE_EXIT && call->nr == (__u32)-1)
		call->nr = is_compat(regs) ? NR_RT_SIGRETURN_32 : NR_RT_SIGRETURN;
	if ((config.count || config.detach) && call->kind == STRACE_EXIT && !call->ret &&
	    is_exec(call, is_compat(regs)))
		executed();
	if (!may_be_wanted(call->nr))
		return 0;
	if (is_compat(regs))
		call->flags = STRACE_COMPAT;
	if (!choose(call, call->kind == STRACE_EXIT))
		return 0;
	if (config.count)
		count(call);
	if (config.count == STRACE_COUNTS_ONLY)
		return 0;
	if (call->flags & STRACE_COMPAT)
		read_compat(regs, call);
	if (call->kind == STRACE_ENTER && call->nr == NR_RT_SIGRETURN && !call->flags &&
	    !bpf_probe_read_kernel(&call->args[0], sizeof(call->args[0]), &stack_pointer(regs)))
		call->args[0] += SIGRETURN_MASK;
	send(call);
	return 0;
}

SEC("raw_tp")
int call_begins(void *ctx)
{
	struct call call = { .kind = STRACE_ENTER };

	call.nr = context_word(ctx, 1);
	if (!may_be_wanted(call.nr) || !is_wanted_task())
		return 0;
	return traced(ctx, &call);
}

SEC("raw_tp")
int call_ends(void *ctx)
{
	struct call call = { .kind = STRACE_EXIT };

	if (!is_wanted_task())
		return 0;
	call.ret = context_word(ctx, 1);
	return traced(ctx, &call);
}

/* --- signals, and the end of threads --- */

SEC("raw_tp")
int signal_delivered(void *ctx)
{
	struct call call = { .kind = STRACE_SIGNAL, .nr = context_word(ctx, 0) };
	struct strace_record *record;
	struct strace_blob *blob;

	if (config.count == STRACE_COUNTS_ONLY || !is_wanted_task())
		return 0;
	record = bpf_ringbuf_reserve(&events, sizeof(*record) + sizeof(*blob) + STRACE_SIGINFO, 0);
	if (!record) {
		event_dropped();
		return 0;
	}
	fill(record, &call);
	blob = (void *)(record + 1);
	blob->tag = 0;
	blob->n = STRACE_SIGINFO;
	blob->all = STRACE_SIGINFO;
	/* SEND_SIG_NOINFO and the like are small numbers, no pointers: they cannot be read */
	blob->status = bpf_probe_read_kernel(blob + 1, STRACE_SIGINFO, (void *)context_word(ctx, 1)) ? STRACE_UNREAD
												     : STRACE_WHOLE;
	record->size = sizeof(*blob) + STRACE_SIGINFO;
	event_submit(record);
	return 0;
}

SEC("raw_tp")
int thread_ended(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct call call = { .kind = STRACE_ENDED };

	if (config.count)
		count_forget((__u64)task);
	if (!is_wanted_task())
		return 0;
	call.ret = BPF_CORE_READ(task, exit_code);
	if (!BPF_CORE_READ(task, signal, live.counter))
		call.flags = STRACE_LAST;
	send_plain(&call);
	return 0;
}

/* Attached only for -k, after the program that sends the begin: its record follows that one. */
SEC("raw_tp")
int stack_taken(void *ctx)
{
	struct call call = { .kind = STRACE_STACK };

	if (!is_wanted_task())
		return 0;
	call.nr = context_word(ctx, 1);
	if (is_compat((void *)context_word(ctx, 0)))
		call.flags = STRACE_COMPAT;
	if (!choose(&call, false))
		return 0;
	call.ret = stack_keep(ctx);
	if (call.ret)
		send_plain(&call);
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
