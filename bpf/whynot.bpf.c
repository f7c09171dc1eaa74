// SPDX-License-Identifier: BSD-2-Clause
/*
 * What failed within a system call. A thread has the functions that it is in, and those that have returned a failure
 * since the call began. A function that succeeds takes back the failures of what it has called: it did not mind them.
 * So at the end of a call that fails the list is short, and says why.
 *
 * seccomp decides before the call begins for other tracers; so the list begins when the call before has ended.
 */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#include "bpf/path.h"
#include "bpf/strace.h"
#include "bpf/latency.bpf.h"
#include "bpf/whynot.h"
#include "bpf/call.bpf.h"

#define ERRORS_MAX 4095

struct frame {
	__u64 place; /* where it is on the stack */
	__u32 slot, begin;
	__u32 failures, unused; /* how many there were */
	__u64 args[GRAPH_ARGS];
};

struct thread {
	__u32 depth, events, failures, begun; /* events: the first is 1 */
	struct frame frames[WHYNOT_DEPTH];
	struct strace_record record; /* what is sent: it and the facts */
	struct whynot_facts facts;
};

const volatile struct whynot_config config SEC(".rodata.config");
SEC(".data.functions")
struct whynot_function whynot_functions[WHYNOT_SLOTS] = {};
SEC(".data.whynot")
__u64 whynot_losses[WHYNOT_LOSSES] = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WHYNOT_THREADS);
	/* the address of its task: an exec can change the number */
	__type(key, __u64);
	__type(value, struct thread);
} threads SEC(".maps");

/* What a thread begins with: it is too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct thread);
} nothing SEC(".maps");

/* --- the kernel's structs, as far as they are read here --- */

struct kuid___whynot {
	unsigned int val;
} CORE;

struct user_namespace___whynot {
	int level;
} CORE;

struct cred___whynot {
	struct kuid___whynot uid, euid, fsuid, gid;
	struct {
		__u64 val;
	} cap_effective;
	struct user_namespace___whynot *user_ns;
} CORE;

struct rlimit___whynot {
	unsigned long rlim_cur, rlim_max;
} CORE;

struct signal_struct___whynot {
	struct rlimit___whynot rlim[WHYNOT_LIMITS];
} CORE;

struct seccomp___whynot {
	int mode;
} CORE;

struct task_struct___whynot {
	struct cred___whynot *cred;
	struct signal_struct___whynot *signal;
	struct seccomp___whynot seccomp;
	void *stack;
} CORE;

struct super_block___whynot {
	unsigned long s_flags, s_magic;
} CORE;

struct inode___whynot {
	unsigned short i_mode;
	struct kuid___whynot i_uid, i_gid;
	unsigned int i_flags;
	struct super_block___whynot *i_sb;
} CORE;

struct dentry___whynot {
	struct inode___whynot *d_inode;
	struct super_block___whynot *d_sb;
} CORE;

struct vfsmount___whynot {
	int mnt_flags;
} CORE;

struct path___whynot {
	struct vfsmount___whynot *mnt;
	struct dentry___whynot *dentry;
} CORE;

struct file___whynot {
	struct path___whynot f_path;
} CORE;

/* --- threads --- */

static __always_inline struct thread *thread_of(bool make)
{
	__u64 task = bpf_get_current_task();
	struct thread *thread = bpf_map_lookup_elem(&threads, &task);
	__u32 zero = 0;
	void *fresh;

	if (thread || !make)
		return thread;
	fresh = bpf_map_lookup_elem(&nothing, &zero);
	if (!fresh)
		return NULL;
	bpf_map_update_elem(&threads, &task, fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&threads, &task);
}

static __always_inline void forget(struct thread *thread, bool begun)
{
	thread->depth = 0;
	thread->events = 1;
	thread->failures = 0;
	thread->facts.deep = 0;
	thread->begun = begun;
}

/* --- functions --- */

#define KERNEL_STACK 16384

/* An interrupt has its own stack: what fails there is not the task's. */
static __always_inline bool is_interrupt(void *ctx)
{
	struct task_struct___whynot *task = (void *)bpf_get_current_task();
	__u64 from = (__u64)BPF_CORE_READ(task, stack), to = from + KERNEL_STACK;

	/* a program may compare its context with numbers, but not compute with it */
	barrier_var(to);
	if (context_kind() == CONTEXT_TRACING)
		return (__u64)ctx < from || (__u64)ctx >= to;
	return PT_REGS_SP((struct pt_regs *)ctx) < from || PT_REGS_SP((struct pt_regs *)ctx) > to;
}

/* Returns the depth + 1 of a call that is watched; 0: it is not. */
static __always_inline __u32 enter(void *ctx, __u64 slot, __u64 place)
{
	struct thread *thread = thread_of(false);
	struct frame *frame;
	__u32 depth;

	if (!thread)
		return 0;
	depth = thread->depth;
	if (depth >= WHYNOT_DEPTH) {
		thread->facts.deep++;
		return 0;
	}
	/* at once: an interrupt may come */
	thread->depth = depth + 1;
	frame = &thread->frames[depth & (WHYNOT_DEPTH - 1)];
	frame->place = place;
	frame->slot = slot;
	frame->begin = thread->events++;
	frame->failures = thread->failures;
	frame->args[0] = context_arg(ctx, 0);
	frame->args[1] = context_arg(ctx, 1);
	frame->args[2] = context_arg(ctx, 2);
	frame->args[3] = context_arg(ctx, 3);
	frame->args[4] = context_arg(ctx, 4);
	frame->args[5] = context_arg(ctx, 5);
	return depth + 1;
}

static __always_inline __s64 widen(__u64 ret, __u8 about)
{
	if (about & WHYNOT_32)
		return (__s32)ret;
	if (about & WHYNOT_8)
		return (__u8)ret;
	return ret;
}

static __always_inline bool is_failure(__s64 ret, __u8 about)
{
	if (about & WHYNOT_ERROR && ret < 0 && ret >= -ERRORS_MAX)
		return true;
	if (about & WHYNOT_ZERO && !ret)
		return true;
	return about & WHYNOT_NONZERO && ret;
}

/* The root of a mount is named by what it is mounted on. */
static __always_inline struct dentry *dentry_of(const struct path *path)
{
	struct mount *mount = (void *)BPF_CORE_READ(path, mnt) - bpf_core_field_offset(struct mount, mnt);
	struct dentry *dentry = BPF_CORE_READ(path, dentry);

	if (dentry == BPF_CORE_READ(mount, mnt.mnt_root) && BPF_CORE_READ(mount, mnt_parent) != mount)
		return BPF_CORE_READ(mount, mnt_mountpoint);
	return dentry;
}

static __always_inline const void *text_at(__u64 kind, __u64 at)
{
	struct dentry *dentry = (void *)at;
	const void *text = NULL;

	if (kind == GRAPH_CHARS)
		return (void *)at;
	if (kind == GRAPH_FILENAME) {
		/* its first member is the name */
		bpf_probe_read_kernel(&text, sizeof(text), (void *)at);
		return text;
	}
	if (kind == GRAPH_PATH)
		dentry = dentry_of((void *)at);
	else if (kind == GRAPH_FILE)
		dentry = dentry_of((void *)at + bpf_core_field_offset(struct file, f_path));
	return BPF_CORE_READ(dentry, d_name.name);
}

/* The mask is for the verifier: two more words are in the struct behind the arguments. */
static __always_inline __u64 argument(const struct whynot_failure *failure, __u64 number)
{
	number &= 7;
	barrier_var(number);
	return *(const __u64 *)((const void *)failure->args + number * sizeof(__u64));
}

static __always_inline void read_text(struct whynot_failure *failure, __u8 about)
{
	__u64 kind = GRAPH_TEXT_KIND(about), at;
	const void *text;

	failure->text[0] = 0;
	if (!kind)
		return;
	at = argument(failure, GRAPH_TEXT_ARGUMENT(about));
	/* small numbers are errors or none */
	text = at < 4096 || at >= (__u64)-4096 ? NULL : text_at(kind, at);
	if (!text)
		return;
	if (bpf_probe_read_kernel_str(failure->text, sizeof(failure->text), text) < 0 &&
	    (kind != GRAPH_CHARS || bpf_probe_read_user_str(failure->text, sizeof(failure->text), text) < 0))
		failure->text[0] = 0;
}

static __always_inline void see_inode(struct whynot_seen *seen, struct inode___whynot *inode)
{
	struct super_block___whynot *super = BPF_CORE_READ(inode, i_sb);

	seen->inode_flags = BPF_CORE_READ(inode, i_flags);
	seen->mode = BPF_CORE_READ(inode, i_mode);
	seen->uid = BPF_CORE_READ(inode, i_uid.val);
	seen->gid = BPF_CORE_READ(inode, i_gid.val);
	seen->super_flags = BPF_CORE_READ(super, s_flags);
	seen->magic = BPF_CORE_READ(super, s_magic);
}

static __always_inline void see(struct whynot_failure *failure, __u8 about)
{
	__u64 kind = WHYNOT_OBJECT_KIND(about), at;
	struct whynot_seen *seen = &failure->seen;
	struct dentry___whynot *dentry = NULL;
	struct vfsmount___whynot *mount = NULL;

	__builtin_memset(seen, 0, sizeof(*seen));
	if (!kind)
		return;
	at = argument(failure, WHYNOT_OBJECT_ARGUMENT(about));
	if (kind == WHYNOT_USER_NS) {
		seen->level = BPF_CORE_READ((struct user_namespace___whynot *)at, level);
		return;
	}
	if (kind == WHYNOT_INODE) {
		see_inode(seen, (void *)at);
		return;
	}
	if (kind == WHYNOT_DENTRY) {
		dentry = (void *)at;
	} else if (kind == WHYNOT_PATH) {
		dentry = BPF_CORE_READ((struct path___whynot *)at, dentry);
		mount = BPF_CORE_READ((struct path___whynot *)at, mnt);
	} else {
		dentry = BPF_CORE_READ((struct file___whynot *)at, f_path.dentry);
		mount = BPF_CORE_READ((struct file___whynot *)at, f_path.mnt);
	}
	seen->mount_flags = BPF_CORE_READ(mount, mnt_flags);
	seen->super_flags = BPF_CORE_READ(dentry, d_sb, s_flags);
	if (BPF_CORE_READ(dentry, d_inode))
		see_inode(seen, BPF_CORE_READ(dentry, d_inode));
}

static __always_inline void add(struct thread *thread, const struct frame *frame, __s64 ret,
				const struct whynot_function *function)
{
	__u32 n = thread->failures;
	struct whynot_failure *failure = &thread->facts.failures[n & (WHYNOT_FAILURES - 1)];

	thread->failures = n + 1;
	failure->slot = frame->slot;
	failure->number = n;
	failure->begin = frame->begin;
	failure->end = thread->events++;
	failure->ret = ret;
	__builtin_memcpy(failure->args, frame->args, sizeof(failure->args));
	read_text(failure, function->text);
	see(failure, function->object);
}

/* It returns at this depth; what is deeper has ended without a return that was seen. */
static __always_inline void leave_at(void *ctx, struct thread *thread, __u32 depth, __u64 slot)
{
	const struct whynot_function *function = &whynot_functions[slot & (WHYNOT_SLOTS - 1)];
	struct frame *frame = &thread->frames[depth & (WHYNOT_DEPTH - 1)];
	__s64 ret = widen(context_ret(ctx), function->fails);

	if (frame->slot != (__u32)slot || thread->depth <= depth)
		return;
	if (is_failure(ret, function->fails))
		add(thread, frame, ret, function);
	else
		thread->failures = frame->failures;
	thread->depth = depth;
}

/* Finds the call by its place on the stack, from the last one on. */
static __always_inline void leave(void *ctx, __u64 slot, __u64 place)
{
	struct thread *thread = thread_of(false);
	__u32 depth;

	if (!thread)
		return;
	depth = thread->depth;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < WHYNOT_DEPTH; i++) {
		struct frame *frame;

		barrier_var(i);
		if (!depth)
			return;
		depth--;
		frame = &thread->frames[depth & (WHYNOT_DEPTH - 1)];
		if (frame->place == place && frame->slot == (__u32)slot) {
			leave_at(ctx, thread, depth, slot);
			return;
		}
		/* a caller: its call was not seen to begin */
		if (frame->place > place)
			return;
	}
}

SEC("kprobe")
int whynot_entry(void *ctx)
{
	__u64 slot;

	if (event_wanted() && !is_interrupt(ctx) && slot_number(ctx, &slot))
		enter(ctx, slot, latency_frame(ctx, false));
	return 0;
}

SEC("kprobe")
int whynot_return(void *ctx)
{
	__u64 slot;

	if (event_wanted() && !is_interrupt(ctx) && slot_number(ctx, &slot))
		leave(ctx, slot, latency_frame(ctx, true));
	return 0;
}

SEC("kprobe")
int whynot_session(void *ctx)
{
	struct thread *thread;
	__u64 slot, depth;

	if (latency_is_return(ctx)) {
		depth = *latency_cookie(ctx);
		thread = thread_of(false);
		if (thread && depth && slot_number(ctx, &slot))
			leave_at(ctx, thread, depth - 1, slot);
		return 0;
	}
	if (!event_wanted() || is_interrupt(ctx) || !slot_number(ctx, &slot))
		return latency_skip_return();
	depth = enter(ctx, slot, 0);
	*latency_cookie(ctx) = depth;
	return depth ? 0 : latency_skip_return();
}

/* --- system calls --- */

SEC("raw_tp")
int whynot_begins(void *ctx)
{
	struct thread *thread;

	if (!event_wanted())
		return 0;
	thread = thread_of(true);
	if (thread)
		forget(thread, true);
	return 0;
}

/* The task's own facts. */
static __always_inline void fill_facts(struct whynot_facts *facts)
{
	struct task_struct___whynot *task = (void *)bpf_get_current_task();
	struct cred___whynot *cred = BPF_CORE_READ(task, cred);
	struct signal_struct___whynot *signal = BPF_CORE_READ(task, signal);

	facts->uid = BPF_CORE_READ(cred, uid.val);
	facts->euid = BPF_CORE_READ(cred, euid.val);
	facts->fsuid = BPF_CORE_READ(cred, fsuid.val);
	facts->gid = BPF_CORE_READ(cred, gid.val);
	/* a struct on some kernels, of as many bits */
	bpf_probe_read_kernel(&facts->capabilities, sizeof(facts->capabilities),
			      (void *)cred + bpf_core_field_offset(struct cred___whynot, cap_effective));
	facts->level = BPF_CORE_READ(cred, user_ns, level);
	facts->seccomp = 0;
	if (bpf_core_field_exists(task->seccomp))
		facts->seccomp = BPF_CORE_READ(task, seccomp.mode);
	bpf_probe_read_kernel(facts->limits, sizeof(facts->limits),
			      (void *)signal + bpf_core_field_offset(struct signal_struct___whynot, rlim));
	facts->cgroup = bpf_get_current_cgroup_id();
}

static __always_inline void fill_ids(struct strace_record *record)
{
	__u64 both = bpf_get_current_pid_tgid();
	struct task_struct *task = (void *)bpf_get_current_task();

	record->pid = both >> 32;
	record->tid = both;
	if (config.pidns) {
		record->pid = task_process(task, config.pidns);
		record->tid = task_id_in_pidns(BPF_CORE_READ(task, thread_pid), config.pidns);
	}
}

static __always_inline void send(void *ctx, struct thread *thread, __s64 ret)
{
	struct strace_record *record = &thread->record;
	__u32 n = thread->failures, size;
	struct call_regs now;

	record->time = bpf_ktime_get_boot_ns();
	fill_ids(record);
	record->kind = STRACE_BESIDE;
	record->ret = ret;
	record->nr = call_read_regs(call_regs_of(ctx), false, &now) ? now.number : -1;
	fill_facts(&thread->facts);
	thread->facts.flags = thread->begun ? WHYNOT_BEGUN : 0;
	thread->facts.first = n > WHYNOT_FAILURES ? n - WHYNOT_FAILURES : 0;
	if (n > WHYNOT_FAILURES)
		n = WHYNOT_FAILURES;
	thread->facts.n = n;
	size = offsetof(struct whynot_facts, failures) + n * sizeof(struct whynot_failure);
	record->size = size;
	barrier_var(size);
	if (size > sizeof(struct whynot_facts))
		size = sizeof(struct whynot_facts);
	/*
	 * A reader that sleeps looks again by itself. To wake it here would preempt this program on newer kernels, and
	 * calls of other tasks on this processor would be missed.
	 */
	if (bpf_ringbuf_output(&events, record, sizeof(*record) + size, BPF_RB_NO_WAKEUP))
		atomic_add(&whynot_losses[WHYNOT_DROPPED], 1);
}

SEC("raw_tp")
int whynot_ends(void *ctx)
{
	__s64 ret = context_result(ctx);
	bool fails = ret < 0 && ret >= -ERRORS_MAX && (!config.error || ret == -(__s64)config.error);
	struct thread *thread;

	if (!event_wanted())
		return 0;
	thread = thread_of(true);
	if (!thread) {
		if (fails)
			atomic_add(&whynot_losses[WHYNOT_NO_ROOM], 1);
		return 0;
	}
	if (fails)
		send(ctx, thread, ret);
	forget(thread, false);
	return 0;
}

SEC("raw_tp")
int whynot_thread_ended(void *ctx)
{
	__u64 task = bpf_get_current_task();

	if (thread_of(false))
		bpf_map_delete_elem(&threads, &task);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
