// SPDX-License-Identifier: BSD-2-Clause
/*
 * Remembers what each processor did last, and sends it when a thread comes that waited long (bpf/held.h). Whether it
 * did is known only then, so the lists are always written: some 100 instructions at each switch and interrupt.
 *
 * A wait begins at sched_waking, and not at sched_wakeup: that comes when the processor has taken note of it, which may
 * be what takes long.
 */
#include "bpf/call.bpf.h"
#include "bpf/held.h"
#include "bpf/stack.bpf.h"

#define PENDING struct held_waiter
#include "bpf/pending.bpf.h"
#include "bpf/sched.bpf.h"

const volatile struct held_config config SEC(".rodata.config");

SEC(".data.held_shared")
struct held_shared held_shared = {};

/* User space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct held_cpu);
} held_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} held_messages SEC(".maps");

/* What is about to be sent: too large for the stack. Used with interrupts off. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct held_message);
} held_outgoing SEC(".maps");

/* NULL: it is not looked at. */
static __always_inline struct held_cpu *held_cpu_of(__u32 number)
{
	struct held_cpu *cpu = bpf_map_lookup_elem(&held_cpus, &number);

	return cpu && cpu->wanted && held_shared.armed ? cpu : NULL;
}

static __always_inline struct held_cpu *held_here(void)
{
	return held_cpu_of(bpf_get_smp_processor_id());
}

/* --- what a processor does --- */

/* The place of the next span of a kind, which is a constant. held_push() makes it known. */
static __always_inline struct held_span *held_next(struct held_cpu *cpu, __u32 kind)
{
	__u64 at = cpu->heads[kind];

	barrier_var(at);
	at &= HELD_SPANS - 1;
	return &cpu->spans[kind][at];
}

static __always_inline void held_push(struct held_cpu *cpu, __u32 kind)
{
	*(volatile __u64 *)&cpu->heads[kind] = cpu->heads[kind] + 1;
}

static __always_inline void held_describe(struct held_span *span, struct task_struct *task)
{
	span->who = BPF_CORE_READ(task, pid);
	span->tgid = BPF_CORE_READ(task, tgid);
	span->prio = BPF_CORE_READ(task, prio);
	span->policy = BPF_CORE_READ(task, policy);
	BPF_CORE_READ_INTO(&span->comm, task, comm);
}

/* Of the current task it takes a fifth of the instructions, where its type is known. */
static __always_inline void held_describe_current(struct held_span *span)
{
	if (typed_current()) {
		struct task_struct *task = bpf_get_current_task_btf();

		span->who = task->pid;
		span->tgid = task->tgid;
		span->prio = task->prio;
		span->policy = task->policy;
		BPF_CORE_READ_INTO(&span->comm, task, comm);
	} else {
		held_describe(span, (void *)bpf_get_current_task());
	}
}

/* Where the current task was, before the kernel took it from the processor: in a call, or interrupted in user space. */
static __always_inline __u8 held_where(struct task_struct *task)
{
	struct call_regs regs = {};

	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return HELD_KERNEL;
	if (!call_read_regs(unwind_task_regs(task), false, &regs))
		return 0;
	return regs.number < 0 ? HELD_USER : HELD_KERNEL;
}

static __always_inline void held_add(struct held_cpu *cpu, __u32 kind, __u64 began, __u64 now, __u32 who, __u8 flags)
{
	struct held_span *span = held_next(cpu, kind);

	span->began = began;
	span->ended = now;
	span->stack = 0;
	span->who = who;
	span->comm[0] = 0;
	span->flags = flags;
	span->kind = kind;
	held_push(cpu, kind);
}

static __always_inline int hard_began(__u32 number, __u8 flags, __u64 name)
{
	struct held_cpu *cpu = held_here();

	if (!cpu)
		return 0;
	cpu->hard_number = number;
	cpu->hard_flags = flags;
	cpu->hard_name = name;
	cpu->hard = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp")
int hard_begins(void *ctx)
{
	return hard_began(context_word(ctx, 0), 0, 0);
}

SEC("raw_tp")
int vector_begins(void *ctx)
{
	return hard_began(context_word(ctx, 0), HELD_VECTOR, 0);
}

/* arm64: from another processor; the argument is its name. */
SEC("raw_tp")
int ipi_begins(void *ctx)
{
	return hard_began(0, HELD_VECTOR, context_word(ctx, 0));
}

static __always_inline void held_name(struct held_span *span, const struct held_cpu *cpu)
{
	if (cpu->hard_name)
		bpf_probe_read_kernel_str(span->comm, sizeof(span->comm), (void *)cpu->hard_name);
}

/* Of any kind. */
SEC("raw_tp")
int hard_ends(void *ctx)
{
	struct held_cpu *cpu = held_here();
	struct held_span *span;

	if (!cpu || !cpu->hard)
		return 0;
	span = held_next(cpu, HELD_HARD);
	held_add(cpu, HELD_HARD, cpu->hard, bpf_ktime_get_ns(), cpu->hard_number, cpu->hard_flags);
	held_name(span, cpu);
	cpu->hard = 0;
	return 0;
}

SEC("raw_tp")
int soft_begins(void *ctx)
{
	struct held_cpu *cpu = held_here();

	if (!cpu)
		return 0;
	cpu->soft_number = context_word(ctx, 0);
	cpu->soft = bpf_ktime_get_ns();
	return 0;
}

/* Also of one that is preempted, in a thread of a PREEMPT_RT kernel: what is left of it is the thread's. */
static __always_inline void soft_ended(struct held_cpu *cpu, __u64 now)
{
	if (!cpu->soft)
		return;
	held_add(cpu, HELD_SOFT, cpu->soft, now, cpu->soft_number, 0);
	cpu->soft = 0;
}

SEC("raw_tp")
int soft_ends(void *ctx)
{
	struct held_cpu *cpu = held_here();

	if (cpu)
		soft_ended(cpu, bpf_ktime_get_ns());
	return 0;
}

/* Whether a task waits for this processor; if the kernel does not say, one may. */
static __always_inline bool somebody_waits(struct task_struct *task)
{
	struct cfs_rq *queue = NULL;

	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(queue->rq))
		return true;
	return BPF_CORE_READ(task, se.cfs_rq, rq, nr_running) > (BPF_CORE_READ(task, pid) != 0);
}

SEC("perf_event")
int sample(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct held_cpu *cpu = held_here();
	struct unwind_regs regs;
	struct held_span *span;
	bool narrow;
	__u64 stack;

	if (!cpu || !somebody_waits(task))
		return 0;
	stack = stack_keep(ctx);
	span = held_next(cpu, HELD_SAMPLE);
	span->began = span->ended = bpf_ktime_get_ns();
	span->stack = stack;
	span->who = BPF_CORE_READ(task, pid);
	span->kind = HELD_SAMPLE;
	/* an interrupt has its own part of the wait: the task is where that one found it */
	span->flags = unwind_context_regs(ctx, &regs, &narrow) ? HELD_USER : held_where(task);
	held_push(cpu, HELD_SAMPLE);
	return 0;
}

/* --- threads that wait --- */

static __always_inline void begins_to_wait(struct task_struct *task, __u64 now, __u8 state, __u32 cpu)
{
	struct held_waiter *waiter = pending_begin((__u64)task, now);

	if (!waiter)
		return;
	waiter->queued = now;
	waiter->tid = BPF_CORE_READ(task, pid);
	waiter->cpu = cpu;
	waiter->state = state;
	waiter->told = 0;
}

/* One that left a processor on its way to sleep, but could run on, waits already. */
SEC("raw_tp")
int woken(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	struct held_waiter *waiter;
	__u8 state = HELD_WOKEN;

	if (!held_shared.armed || !task_pass(task))
		return 0;
	waiter = pending_find(pending_key((__u64)task));
	if (waiter && waiter->state >= HELD_READY)
		return 0;
	if (task_runs(task))
		state = HELD_WOKEN_EARLY;
	else if (sched_is_throttled(task))
		state = HELD_QUOTA;
	begins_to_wait(task, bpf_ktime_get_ns(), state, task_cpu(task, false));
	return 0;
}

SEC("raw_tp")
int born(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);

	if (held_shared.armed && task_pass(task))
		begins_to_wait(task, bpf_ktime_get_ns(), HELD_WOKEN, task_cpu(task, false));
	return 0;
}

/* --- what is sent --- */

static __always_inline void held_send(struct held_message *message)
{
	__u64 size = message->n;

	barrier_var(size);
	size &= 63;
	if (size > HELD_SENT)
		size = HELD_SENT;
	size = HELD_HEAD + size * sizeof(struct held_span);
	if (bpf_ringbuf_output(&held_messages, message, size, wakeup_flags(&held_messages, size)))
		atomic_add(&held_shared.lost, 1);
	message->n = 0;
}

/* Room for a span in the message, which is sent if it is full. */
static __always_inline struct held_span *held_room(struct held_message *message)
{
	__u64 n;

	if (message->n >= HELD_SENT)
		held_send(message);
	n = message->n;
	barrier_var(n);
	n &= 63;
	if (n >= HELD_SENT)
		return NULL;
	message->n = n + 1;
	return &message->spans[n];
}

/* Adds the spans of a kind that ended after `from`, the latest first. Global: the verifier goes through it once. */
__noinline int held_copy(__u32 number, __u32 kind, __u64 from)
{
	__u32 only = 0;
	struct held_message *message = bpf_map_lookup_elem(&held_outgoing, &only);
	struct held_cpu *cpu = bpf_map_lookup_elem(&held_cpus, &number);
	__u64 head;

	if (!message || !cpu || kind >= HELD_KINDS)
		return 0;
	head = cpu->heads[kind];
	for (__u32 i = 1; i <= HELD_SPANS; i++) {
		struct held_span *span, *to;
		__u64 at = head - i;

		barrier_var(at);
		at &= HELD_SPANS - 1;
		span = &cpu->spans[kind][at];
		if (i > head || span->ended <= from)
			break;
		to = held_room(message);
		if (to)
			*to = *span;
	}
	return 0;
}

/* Room for what began and lasts; NULL also if nothing did. */
static __always_inline struct held_span *held_lasting(struct held_message *message, __u32 kind, __u64 began, __u64 now)
{
	struct held_span *span = began ? held_room(message) : NULL;

	if (!span)
		return NULL;
	span->began = began;
	span->ended = now;
	span->stack = 0;
	span->comm[0] = 0;
	span->kind = kind;
	span->flags = HELD_LASTS;
	return span;
}

/* What a processor does at the moment: its lists have that only when it ends. */
__noinline int held_copy_present(__u32 number, __u64 now)
{
	__u32 only = 0;
	struct held_message *message = bpf_map_lookup_elem(&held_outgoing, &only);
	struct held_cpu *cpu = bpf_map_lookup_elem(&held_cpus, &number);
	struct held_span *span;

	if (!message || !cpu)
		return 0;
	span = held_lasting(message, HELD_TASK, cpu->task ? cpu->began : 0, now);
	if (span)
		held_describe(span, (void *)cpu->task);
	span = held_lasting(message, HELD_SOFT, cpu->soft, now);
	if (span)
		span->who = cpu->soft_number;
	span = held_lasting(message, HELD_HARD, cpu->hard, now);
	if (span) {
		span->who = cpu->hard_number;
		span->flags |= cpu->hard_flags;
		held_name(span, cpu);
	}
	return 0;
}

/* Where, for held_tell(): more arguments than five a function cannot have. */
#define WHERE_LAST  0x10000
#define WHERE_STATE 20

/*
 * A thread has waited on a processor since `queued`, and comes or, without WHERE_LAST, goes to another one. Interrupts
 * are off.
 */
__noinline int held_tell(__u64 address, __u64 start, __u64 queued, __u64 now, __u32 where)
{
	struct task_struct *task = (void *)address;
	__u32 only = 0, cpu = where & 0xffff;
	__u8 state = where >> WHERE_STATE;
	bool last = where & WHERE_LAST;
	struct held_message *message = bpf_map_lookup_elem(&held_outgoing, &only);

	if (!message)
		return 0;
	message->start = start;
	message->queued = queued;
	message->ended = now;
	message->tid = BPF_CORE_READ(task, pid);
	message->tgid = BPF_CORE_READ(task, tgid);
	message->prio = BPF_CORE_READ(task, prio);
	message->policy = BPF_CORE_READ(task, policy);
	BPF_CORE_READ_INTO(&message->comm, task, comm);
	message->cpu = cpu;
	message->last = 0;
	message->state = state;
	message->n = 0;
	for (__u32 kind = 0; kind < HELD_KINDS && state != HELD_QUOTA; kind++) {
		barrier_var(kind);
		held_copy(cpu, kind, queued);
	}
	if (!last)
		held_copy_present(cpu, now);
	message->last = last;
	held_send(message);
	return 0;
}

/* Into the queue of another processor. Also on the way to the one where it is woken: that takes no time. */
SEC("raw_tp")
int moves(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	struct held_waiter *waiter = pending_find(pending_key((__u64)task));
	__u64 now;

	if (!waiter || !held_shared.armed)
		return 0;
	now = bpf_ktime_get_ns();
	if (now - waiter->queued >= config.over && waiter->state != HELD_QUOTA && held_cpu_of(waiter->cpu)) {
		held_tell((__u64)task, waiter->start, waiter->queued, now, waiter->cpu);
		waiter->told = 1;
	}
	waiter->queued = now;
	waiter->cpu = context_word(ctx, 1);
	return 0;
}

/* If it was woken before it slept and has run on, nothing is pending. Its waker may still be about to queue it. */
#define STALE_NS 1000000

static __always_inline void leaves(const struct sched_switch *sw, __u64 now)
{
	struct held_waiter *waiter = pending_find(pending_key((__u64)sw->prev));

	/* some kernels run no programs behind some tasks: it has come, and nobody knows when */
	if (waiter && waiter->state != HELD_WOKEN_EARLY) {
		atomic_add(&held_shared.unseen, 1);
		pending_free(waiter, 0);
		waiter = NULL;
	}
	if (sched_waits(sw)) {
		if (!sched_is_idle(sw->prev) && task_pass(sw->prev))
			begins_to_wait(sw->prev, now, sched_is_throttled(sw->prev) ? HELD_QUOTA : HELD_READY,
				       bpf_get_smp_processor_id());
		return;
	}
	if (waiter && (sched_ends(sw) || now - waiter->start > STALE_NS))
		pending_free(waiter, 0);
}

/* The stay of the task that leaves. */
static __always_inline void add_stay(void *ctx, struct held_cpu *cpu, const struct sched_switch *sw, __u64 now,
				     bool told)
{
	struct held_span *span = held_next(cpu, HELD_TASK);
	__u64 began = cpu->began ? cpu->began : held_shared.armed;

	soft_ended(cpu, now);
	span->began = began;
	span->ended = now;
	span->stack = 0;
	span->kind = HELD_TASK;
	span->flags = sched_waits(sw) ? HELD_PREEMPTED | held_where((void *)bpf_get_current_task()) : 0;
	held_describe_current(span);
	/* somebody may have waited all the time, and others may run before it */
	if (config.stacks && span->who && (told || (now - began >= config.over && !sched_is_idle(sw->next))))
		span->stack = stack_keep(ctx);
	held_push(cpu, HELD_TASK);
}

/* Of a task that comes unseen, no stay is added: that time is not known. */
static __always_inline void changes(void *ctx, struct held_cpu *cpu, const struct sched_switch *sw, __u64 now,
				    bool told)
{
	struct task_struct *next = sw->next; /* not within BPF_CORE_READ(): the kernel has no struct sched_switch */

	if (!cpu->task || cpu->task == (__u64)sw->prev)
		add_stay(ctx, cpu, sw, now, told);
	/* whatever was interrupted goes on: no interrupt is in progress */
	cpu->soft = cpu->hard = 0;
	cpu->task = (__u64)next;
	cpu->tid = BPF_CORE_READ(next, pid);
	cpu->began = now;
}

/* cpu: where it comes; NULL: that one is not looked at. */
static __always_inline bool was_long(const struct held_waiter *waiter, const struct held_cpu *cpu, __u64 now)
{
	__s64 over = config.over;

	if ((__s64)(now - waiter->start) < over)
		return false;
	return waiter->told || (cpu && (!config.some || (__s64)(now - waiter->queued) >= over));
}

SEC("raw_tp")
int switched(void *ctx)
{
	struct held_waiter waiter = {};
	struct sched_switch sw;
	struct held_cpu *cpu;
	bool tell;
	__u64 now;

	if (!held_shared.armed)
		return 0;
	/* behind that test: nothing begins before it was armed */
	now = bpf_ktime_get_ns();
	sched_read_switch(ctx, &sw);
	cpu = held_here();
	leaves(&sw, now);
	tell = pending_take((__u64)sw.next, &waiter) && was_long(&waiter, cpu, now);
	if (cpu)
		changes(ctx, cpu, &sw, now, tell);
	if (tell)
		held_tell((__u64)sw.next, waiter.start, waiter.queued, now,
			  bpf_get_smp_processor_id() | WHERE_LAST | waiter.state << WHERE_STATE);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
