// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts and times system calls when they return, by number or by process. A call counts once, for the task that
 * made it: the return of fork, vfork or clone in the child is skipped. Calls that never return (exit) are not
 * counted.
 */
#include "bpf/atomic.bpf.h"
#include "bpf/latency.bpf.h"
#include "bpf/sampling.bpf.h"
#include <bpf/bpf_core_read.h>
#include "bpf/syscalls.h"
#include "bpf/task.bpf.h"

#define ERRORS_MAX 4095

#if defined(__TARGET_ARCH_x86)
enum {
	NR_RT_SIGRETURN = 15,
	NR_CLONE = 56,
	NR_FORK = 57,
	NR_VFORK = 58,
	NR_EXECVE = 59,
	NR_EXIT = 60,
	NR_PRCTL = 157,
	NR_EXIT_GROUP = 231,
	NR_EXECVEAT = 322,
	NR_CLONE3 = 435,
};
#else
enum {
	NR_EXIT = 93,
	NR_EXIT_GROUP = 94,
	NR_RT_SIGRETURN = 139,
	NR_PRCTL = 167,
	NR_CLONE = 220,
	NR_EXECVE = 221,
	NR_EXECVEAT = 281,
	NR_CLONE3 = 435,
	/* arm64 has neither */
	NR_FORK = NR_CLONE,
	NR_VFORK = NR_CLONE,
};
#endif

/* Numbers of 32-bit calls: nearly the same on both architectures. */
enum {
	NR_COMPAT_EXIT = 1,
	NR_COMPAT_FORK = 2,
	NR_COMPAT_CLONE = 120,
	NR_COMPAT_VFORK = 190,
#if defined(__TARGET_ARCH_x86)
	NR_COMPAT_EXIT_GROUP = 252,
#else
	NR_COMPAT_EXIT_GROUP = 248,
#endif
};

const volatile struct syscalls_config config SEC(".rodata.config");

/* A shard of SYSCALLS_PLACES for each processor; user space sets the size. */
struct syscalls_cell syscalls_calls[1] SEC(".data.calls") = {};
/* User space sets that it has begun when all is armed; with a command, a program does. */
struct syscalls_state syscalls_state SEC(".data.state") = {};
/* Calls of processes for which the map had no room. */
__u64 syscalls_crowded SEC(".data.crowded") = 0;

/* User space sets the size; created only if it is used. All processors share the values, to save memory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct syscalls_process);
} processes SEC(".maps");

/* --- which call it is --- */

/* On kernels that return the task as a BTF pointer, plain loads can read its members and registers. */
static __always_inline struct task_struct *current_task(void)
{
	return config.typed ? bpf_get_current_task_btf() : (void *)bpf_get_current_task();
}

#if defined(__TARGET_ARCH_x86)
#define TS_COMPAT 0x2

/* Whether this is a 32-bit call. The code segment does not show it: a 64-bit program may make such calls (int 0x80). */
static __always_inline bool is_compat(void *ctx, struct task_struct *task)
{
	__u32 status = config.typed ? task->thread_info.status : BPF_CORE_READ(task, thread_info.status);

	return status & TS_COMPAT;
}

static __always_inline __u64 number_in(void *regs, struct task_struct *task)
{
	__u64 number = -1;

	if (config.typed)
		return ((struct pt_regs *)bpf_task_pt_regs(task))->orig_ax;
	bpf_probe_read_kernel(&number, sizeof(number), &((struct pt_regs *)regs)->orig_ax);
	return number;
}
#else
static __always_inline bool is_compat(void *ctx, struct task_struct *task)
{
	struct pt_regs *regs = context_kind() == CONTEXT_RAW_TP ? (void *)context_word(ctx, 0)
								: (void *)bpf_task_pt_regs(task);
	__u64 pstate = 0;

	bpf_probe_read_kernel(&pstate, sizeof(pstate), &regs->user_regs.pstate);
	return pstate & PSR_MODE32;
}

/* The number is after the registers that user space sees and orig_x0. */
static __always_inline __u64 number_in(void *regs, struct task_struct *task)
{
	__s32 number = -1;

	bpf_probe_read_kernel(&number, sizeof(number), regs + sizeof(struct pt_regs) + sizeof(__u64));
	return (__s64)number;
}
#endif

static __always_inline bool is_fork(__u64 number)
{
	return number == NR_CLONE || number == NR_FORK || number == NR_VFORK || number == NR_CLONE3;
}

static __always_inline bool is_compat_fork(__u64 number)
{
	return number == NR_COMPAT_CLONE || number == NR_COMPAT_FORK || number == NR_COMPAT_VFORK ||
	       number == NR_CLONE3;
}

static __always_inline bool is_exit(__u64 number, bool compat)
{
	return compat ? number == NR_COMPAT_EXIT || number == NR_COMPAT_EXIT_GROUP
		      : number == NR_EXIT || number == NR_EXIT_GROUP;
}

static __always_inline bool is_exec(__u64 place)
{
	return place == NR_EXECVE || place == NR_EXECVEAT;
}

static __always_inline __u64 place_of(__u64 number, bool compat)
{
	return compat ? SYSCALLS_COMPAT : number < SYSCALLS_NUMBERS ? number
								    : SYSCALLS_OTHER;
}

/*
 * The place of a call whose begin was not seen: it was pending when tracing began, seccomp denied it, or there was
 * no room for it. The number of rt_sigreturn is lost at its end, because it restores all registers.
 */
static __always_inline __u64 place_at_exit(void *ctx, __s64 ret)
{
	struct task_struct *task = current_task();
	bool raw = context_kind() == CONTEXT_RAW_TP, compat = is_compat(ctx, task);
	__u64 number = raw ? number_in((void *)context_word(ctx, 0), task) : context_word(ctx, 1);

	if (!ret && (compat ? is_compat_fork(number) : is_fork(number)))
		return SYSCALLS_NONE;
	if (number == (__u64)-1)
		number = NR_RT_SIGRETURN;
	return place_of(number, compat);
}

/* --- how long it takes --- */

/* Whether it is a call of the process's children, and the one call, if the user has asked for these only. */
static __always_inline bool is_chosen(__u64 place)
{
	/* one test without these options: the verifier removes guarded code, but not the loads of the tests themselves */
	if (!config.some)
		return true;
	if (config.one && place != config.place)
		return false;
	return task_is_child_of(config.ppid, config.pidns_ino);
}

/* A task is in one call at a time. */
static __always_inline __u64 task_key(void)
{
	return pending_key(bpf_get_current_task());
}

/* Takes the start that syscall_enter() has stored; 0: none. */
static __always_inline __u64 take_start(void)
{
	struct pending *pending = pending_find(task_key());
	__u64 start;

	if (!pending)
		return 0;
	start = pending->start;
	pending_free(pending, start);
	return start;
}

/* Calls that are left out are counted, but not timed. Exec is always timed: see syscall_enter(). */
static __always_inline bool leaves_out(__u64 place)
{
	return !is_exec(place) && sampling_skips();
}

/* The time as a start has it: with the weight of the call, if calls have weights. */
static __always_inline __u64 start_now(__u64 place)
{
	__u64 now = bpf_ktime_get_ns();

	if (!sampling_on())
		return now;
	return is_exec(place) ? now << SAMPLING_BITS : sampling_stamp(now);
}

/* Subtracts the bits above the lowest ones, which are not of the time: those of 64 hold 200 days, with weights 50. */
static __always_inline __u64 time_above(__u64 start, int bits)
{
	__u64 ns = ((bpf_ktime_get_ns() << bits) - (start >> bits << bits)) >> bits;

	/* negative: clocks of processors differ a little */
	return ns >> (63 - bits) ? 0 : ns;
}

/* The time since a start; with sampling, with its weight. */
static __always_inline __u64 time_since(__u64 start)
{
	if (!sampling_on())
		return time_above(start, SYSCALLS_PLACE_BITS);
	return time_above(start, SYSCALLS_PLACE_BITS + SAMPLING_BITS) << SAMPLING_BITS |
	       (start >> SYSCALLS_PLACE_BITS & SAMPLING_MASK);
}

SEC("raw_tp")
int syscall_enter(void *ctx)
{
	__u64 number = context_word(ctx, 1);
	struct pending *pending;
	__u64 place;
	bool compat;

	if (!filter_pass())
		return 0;
	compat = is_compat(ctx, current_task());
	/* never returns: its entry would stay */
	if (is_exit(number, compat))
		return 0;
	place = place_of(number, compat);
	/* remember exec in any case: at its end execveat has the number of execve */
	if (!is_chosen(place) && !is_exec(place))
		return 0;
	if (sampling_on() && leaves_out(place)) {
		take_start();
		return 0;
	}
	pending = pending_claim(task_key());
	if (pending)
		pending->start = start_now(place) << SYSCALLS_PLACE_BITS | place;
	return 0;
}

/* --- counting --- */

static __always_inline void add(__u64 *to, __u64 n, bool shared)
{
	if (shared)
		atomic_add(to, n);
	else
		*to += n;
}

/* ns: what time_since() returns. Two programs that write a maximum at once may leave the smaller value. */
static __always_inline void count(struct syscalls_cell *cell, bool failed, __u64 ns, bool shared)
{
	add(&cell->calls, 1, shared);
	if (failed)
		add(&cell->errors, 1, shared);
	if (!config.timed)
		return;
	if (sampling_on()) {
		add(&cell->ns, ns >> SAMPLING_BITS << (ns & SAMPLING_MASK), shared);
		ns >>= SAMPLING_BITS;
	} else {
		add(&cell->ns, ns, shared);
	}
	if (ns > cell->max)
		cell->max = ns;
}

static __always_inline void read_comm(struct syscalls_process *process)
{
	struct task_struct *task = (void *)bpf_get_current_task(), *leader = BPF_CORE_READ(task, group_leader);

	bpf_core_read(process->comm, sizeof(process->comm), &leader->comm);
}

static __always_inline struct syscalls_process *new_process(__u32 tgid)
{
	struct syscalls_process process = {};

	read_comm(&process);
	bpf_map_update_elem(&processes, &tgid, &process, BPF_NOEXIST);
	return bpf_map_lookup_elem(&processes, &tgid);
}

static __always_inline void count_process(__u64 place, bool failed, __u64 ns)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct syscalls_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (!process) {
		process = new_process(tgid);
		if (!process) {
			atomic_add(&syscalls_crowded, 1);
			return;
		}
	} else if (is_exec(place) || place == NR_PRCTL) {
		read_comm(process);
	}
	count(&process->cell, failed, ns, true);
}

static __always_inline void count_call(__u64 place, bool failed, __u64 ns)
{
	struct syscalls_cell *shard = slot_shard(syscalls_calls);

	/* for the verifier, which has lost the bound */
	if (place < SYSCALLS_PLACES)
		count(&shard[place], failed, ns, slot_shared());
}

static __always_inline __u64 place_of_return(void *ctx, __u64 start, __s64 ret)
{
	return start ? start & ((1 << SYSCALLS_PLACE_BITS) - 1) : place_at_exit(ctx, ret);
}

/*
 * Whether this is the execve that starts the command: earlier calls were sonde's. In a 32-bit program it has
 * another number.
 */
static __always_inline bool begins(void *ctx, __u64 start, __s64 ret)
{
	__u64 place;
	__u8 *member;

	if (!filter.by_members || ret)
		return false;
	member = filter_member(bpf_get_current_pid_tgid() >> 32);
	if (!member || !*member)
		return false;
	place = place_of_return(ctx, start, ret);
	if (is_exec(place) || place == SYSCALLS_COMPAT)
		syscalls_state.begun = 1;
	return syscalls_state.begun;
}

static __always_inline bool is_wanted(__s64 ret, bool failed)
{
	return !config.failed || (failed && (!config.error || ret == -(__s64)config.error));
}

SEC("raw_tp")
int syscall_exit(void *ctx)
{
	__s64 ret = context_kind() == CONTEXT_RAW_TP ? context_word(ctx, 1) : context_word(ctx, 2);
	bool failed = ret < 0 && ret >= -ERRORS_MAX;
	__u64 start = 0, place, ns = 0;

	/* before the filter: a task may have changed so that the filter rejects it now, and its entry must not stay */
	if (config.timed)
		start = take_start();
	if (!syscalls_state.begun && !begins(ctx, start, ret))
		return 0;
	if (!filter_pass() || !is_wanted(ret, failed))
		return 0;
	place = place_of_return(ctx, start, ret);
	if (place == SYSCALLS_NONE || !is_chosen(place))
		return 0;
	if (start)
		ns = time_since(start);
	if (config.by_process)
		count_process(place, failed, ns);
	else
		count_call(place, failed, ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
