// SPDX-License-Identifier: BSD-2-Clause
/*
 * Splits the life of each thread into what it did and what it waited for (bpf/why.h), by the scheduler's tracepoints
 * and nothing in each system call. They are hit with interrupts off, but for the one of exec.
 *
 * A sleep is split off from the wait for a processor when the thread comes (bpf/why_queue.bpf.h). sched_waking tells
 * who woke it, and when.
 */
#include "bpf/stack.bpf.h"
#include "bpf/why_call.bpf.h"
#include "bpf/why_flame.bpf.h"
#include "bpf/why_queue.bpf.h"

const volatile struct why_config config SEC(".rodata.config");
#include "bpf/request_joined.bpf.h"
#include "bpf/why_link.bpf.h"

/* Whether whoever wakes the thread is its object. */
static __always_inline bool wants_waker(__u32 class)
{
	return why_is_one_of(class, config.by_waker);
}

/* Ended threads and long waits. User space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} why_records SEC(".maps");

static __always_inline __u64 wakeup(__u64 size)
{
	return wakeup_flags(&why_records, size);
}

static __always_inline bool send(void *record, __u64 size)
{
	return !bpf_ringbuf_output(&why_records, record, size, wakeup(size));
}

static __always_inline void lost_thread(__u64 ns)
{
	atomic_add(&why_shared.lost_threads, 1);
	atomic_add(&why_shared.lost_ns, ns);
}

/*
 * A long wait of a thread: for what it slept for, or for a processor. a and b: of its key. Global: there are few, and
 * the verifier follows it once.
 */
__noinline int send_wait(__u64 task, __u64 a, __u64 b, __u64 ns, bool slept)
{
	struct why_thread *thread = why_find(task);
	struct why_wait wait = {
		.record = WHY_WAIT,
		.ns = ns,
		.key = { .a = a, .b = b, .class = WHY_PROCESSOR },
	};

	if (!thread)
		return 0;
	if (slept) {
		wait.key.class = thread->key.class;
		wait.key.call = thread->key.call;
		wait.stack = thread->stack;
		wait.before = thread->before;
		wait.waker_stack = thread->waker_tid ? thread->waker_stack : 0;
	}
	wait.tid = thread->tid;
	wait.tgid = thread->tgid;
	wait.waker_tid = thread->waker_tid;
	wait.waker_tgid = thread->waker_tgid;
	wait.call = thread->call;
	__builtin_memcpy(wait.comm, thread->comm, sizeof(wait.comm));
	__builtin_memcpy(wait.waker, thread->waker, sizeof(wait.waker));
	if (!send(&wait, sizeof(wait)))
		atomic_add(&why_shared.lost_waits, 1);
	return 0;
}

static __always_inline void is_ready(struct why_thread *thread, bool throttled)
{
	thread->state = WHY_IS_READY;
	thread->throttled = throttled;
}

/*
 * A thread that existed before, and that the filter passes. It has run, or not run, since it was armed; a command
 * begins when it is released. Global: the verifier follows it once, not on each path to it.
 */
__noinline int adopt_task(__u64 address, __u8 state, __u64 now)
{
	struct task_struct *task = (void *)address;
	struct why_thread *thread;
	__u64 began, came = 0;

	if (!BPF_CORE_READ(task, pid) || BPF_CORE_READ(task, flags) & PF_KTHREAD ||
	    (!task_pass(task) && !request_has_joined(BPF_CORE_READ(task, tgid))))
		return 0;
	thread = why_claim(address);
	if (!thread)
		return 0;
	if (state == WHY_IS_RUNNING)
		came = why_came_at(task, now);
	began = now;
	if (BPF_CORE_READ(task, start_time) < why_shared.armed && (!filter.by_members || filter.members_exist))
		began = why_shared.armed;
	else if (state == WHY_IS_ASLEEP)
		began -= why_in_queue(why_delayed(task));
	/* it slept until then, and has come unseen; of a name that it did not have yet, nothing is to be said */
	if (came > began && filter.by_comm)
		began = came;
	else if (came > began)
		state = WHY_IS_ASLEEP;
	why_begin(thread, task, state, began);
	thread->ran -= why_ran_since(task, came > began ? now - came : now - began);
	thread->adopted = 1;
	thread->key.class = WHY_BEFORE;
	return 1;
}

static __always_inline struct why_thread *adopt(struct task_struct *task, __u8 state, __u64 now)
{
	return adopt_task((__u64)task, state, now) ? why_find((__u64)task) : NULL;
}

/* After a long wait of a class, a place that has a short one becomes known with a chance of one in this: a power of two. */
#define SHORT_ONES 8

/* The most places of a thread that become known: then only its classes count. */
#define NEW_PLACES 64

/* Each of the numbers in why_thread.known. */
#define EACH_PLACE 0x0001000100010001ULL

/* Not 0 if one of the known places is where the thread sleeps: its highest bit. */
static __always_inline __u64 known_place(const struct why_thread *thread)
{
	__u64 others = thread->known ^ thread->place * EACH_PLACE;

	return (others - EACH_PLACE) & ~others & EACH_PLACE << 15;
}

/* Whether to take a stack: waits at one place, of one class, are alike. Short ones get no stack when that is known. */
static __always_inline bool may_be_long(const struct why_thread *thread)
{
	if (thread->news >= NEW_PLACES)
		return (thread->long_ones | ~thread->seen_ones) & why_bit_of(thread->key.class);
	return !known_place(thread);
}

/*
 * The current thread sleeps again where a timer has ended its sleep before, as Python's do until they have the
 * interpreter's lock. It is one wait, unless the thread has done something else, or has no interpreter: threads of all
 * kinds look at something each few ms.
 */
static __always_inline void goes_on(struct why_thread *thread)
{
	if (thread->before && (thread->place != thread->again || thread->ns[WHY_RUNNING] > thread->until ||
			       !stack_is_interpreted()))
		thread->before = 0;
}

/* The thread goes to sleep, or must let others run. */
static __always_inline void waits(void *ctx, struct why_thread *thread, const struct sched_switch *sw)
{
	bool wants_stack = config.drawn;

	if (sched_waits(sw)) {
		is_ready(thread, sched_is_throttled(sw->prev));
	} else {
		why_classify(thread, sw->state);
		thread->place = (thread->place ^ thread->key.class << 1) | 1;
		goes_on(thread);
		thread->state = WHY_IS_ASLEEP;
		wants_stack |= config.stacks && may_be_long(thread);
	}
	thread->stack = wants_stack ? stack_keep(ctx) : 0;
}

/* A wait has ended, in whichever state it was. */
static __always_inline void draw(const struct why_thread *thread, struct task_struct *task, __u32 class, __u64 ns)
{
	if (config.drawn && thread->stack && ns)
		why_flame_add(task, thread->stack, class, ns);
}

static __always_inline void ends(struct why_thread *thread, struct task_struct *task, __u64 now)
{
	why_account(thread, task);
	BPF_CORE_READ_STR_INTO(&thread->comm, task, comm);
	if (config.switches)
		why_link_task(thread, WHY_LINK_END, thread->tid, now);
	thread->record = WHY_END;
	why_flush(thread);
	if (config.sums && !send(thread, sizeof(*thread)))
		lost_thread(thread->since - thread->began);
	why_release(thread, (__u64)task);
	request_part((__u64)task);
}

/* A thread waited for a processor on which prev ran; NULL: not known. */
static __always_inline void waited(const struct why_thread *thread, struct task_struct *task, struct task_struct *prev,
				   __u64 ns, __u64 now)
{
	struct why_behind behind;
	struct why_key key = {};

	if (ns < config.behind)
		return;
	why_find_behind(&behind, thread, prev, ns, now);
	/* not where it is declared: a constant goes to .rodata, an empty type there, and 5.10 takes no types then */
	key.class = WHY_PROCESSOR;
	key.a = behind.comm[0];
	key.b = behind.comm[1];
	why_object_add(&key, ns, 1, ns);
	if (ns >= why_shared.least)
		send_wait((__u64)task, key.a, key.b, ns, false);
}

/* Waits at the place get stacks from now on. Above a number that is found, others may be taken for it: no matter. */
static __always_inline void was_long(struct why_thread *thread, __u64 class_bit)
{
	thread->long_ones |= class_bit;
	thread->known &= ~((known_place(thread) >> 15) * 0xffff);
}

static __always_inline void was_short(struct why_thread *thread, __u64 class_bit)
{
	thread->long_ones &= ~class_bit;
	if (thread->news >= NEW_PLACES)
		return;
	thread->known = thread->known << 16 | thread->place;
	thread->news++;
}

/*
 * Python's pieces have 5 ms, and are no longer than this, ns. Between two of them a thread runs for this part of what it
 * has waited, and for this time, ns, at most.
 */
#define PIECE_MOST 10000000
#define PIECE_PART 8
#define PIECE_RUNS 1000000

/* A wait for a condition that a timer has ended after ns may go on. whole: with the pieces before. */
static __always_inline void note_piece(struct why_thread *thread, __u64 whole, __u64 ns)
{
	thread->before = 0;
	if (thread->key.class != WHY_CONDITION || thread->waker[0] != WHY_INTERRUPT || ns > PIECE_MOST)
		return;
	thread->before = whole;
	thread->again = thread->place;
	thread->until = thread->ns[WHY_RUNNING] + (whole / PIECE_PART < PIECE_RUNS ? whole / PIECE_PART : PIECE_RUNS);
}

/* The thread slept for its object, thread->key. */
static __always_inline void slept(struct why_thread *thread, struct task_struct *task, __u64 ns)
{
	__u64 bit = why_bit_of(thread->key.class), whole = thread->before + ns;
	bool nothing_to_do = config.for_work & bit && thread->waker[0] == WHY_INTERRUPT;

	why_add(thread, thread->key.class, ns);
	if (thread->key.class == WHY_BEFORE)
		return;
	draw(thread, task, thread->key.class, ns);
	if (wants_waker(thread->key.class))
		__builtin_memcpy(&thread->key.a, thread->waker, sizeof(thread->waker));
	why_learn_holder(thread);
	if (config.sums)
		why_hold(thread, ns);
	thread->seen_ones |= bit;
	if (whole >= config.is_long && (config.link_stacks || !nothing_to_do))
		was_long(thread, bit);
	else if (thread->stack && (!(thread->long_ones & bit) || !(ns % SHORT_ONES)))
		was_short(thread, bit);
	if (whole >= why_shared.least && !nothing_to_do)
		send_wait((__u64)task, thread->key.a, thread->key.b, whole, true);
	note_piece(thread, whole, ns);
	__builtin_memset(thread->waker, 0, sizeof(thread->waker));
}

/* The thread has left its state of waiting at `now`. prev: who had the processor; NULL: not known. */
static __always_inline void has_come(struct why_thread *thread, struct task_struct *task, struct task_struct *prev,
				     const struct why_split *split, __u64 off_at, __u64 now)
{
	if (thread->state == WHY_IS_ASLEEP)
		slept(thread, task, split->asleep);
	else if (thread->state == WHY_IS_RUNNING)
		why_add(thread, WHY_UNKNOWN, split->asleep);
	if (thread->throttled) {
		why_add(thread, WHY_THROTTLED, split->ready);
		draw(thread, task, WHY_THROTTLED, split->ready);
	} else {
		why_add(thread, WHY_PROCESSOR, split->ready);
		draw(thread, task, WHY_PROCESSOR, split->ready);
		waited(thread, task, prev, split->ready, now);
	}
	why_link(thread, task, prev, off_at, now, split->ready);
	thread->state = WHY_IS_RUNNING;
	thread->throttled = false;
	thread->woken = 0;
	thread->waker_tid = thread->waker_tgid = 0;
}

/* False: the next task is not measured. */
static __always_inline bool comes(const struct sched_switch *sw, __u64 now)
{
	struct task_struct *next = sw->next;
	struct why_thread *thread = why_find((__u64)next);
	struct why_split split;
	__u64 off_at, delayed;

	if (!thread)
		thread = adopt(next, WHY_IS_ASLEEP, now);
	if (!thread)
		return false;
	off_at = thread->since;
	delayed = why_queue();
	why_divide(&split, thread, delayed, now);
	thread->here = split.ready < config.behind ? split.ready : why_waited_here(next, delayed, split.ready);
	has_come(thread, next, sw->prev, &split, off_at, now);
	return true;
}

/*
 * That the current task came was missed: some kernels run no programs behind some tasks. The kernel's account has it.
 * If it does not, the time is unknown. Global as above.
 */
__noinline int came_unseen(__u64 now)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct why_thread *thread = why_current();
	struct why_split split;
	__u64 off_at, at;

	if (!thread)
		return 0;
	off_at = thread->since;
	if (why_split_past(&split, thread, task, now, &at)) {
		thread->here = split.ready;
		has_come(thread, task, NULL, &split, off_at, at);
	} else if (thread->state == WHY_IS_ASLEEP) {
		why_link(thread, task, NULL, off_at, now, 0);
	}
	return 0;
}

/* The current task leaves the processor. False: it is not measured. */
static __always_inline bool leaves(void *ctx, const struct sched_switch *sw, __u64 now)
{
	struct task_struct *prev = sw->prev;
	struct why_thread *thread = why_find((__u64)prev);

	if (!thread)
		thread = sched_ends(sw) ? NULL : adopt(prev, WHY_IS_RUNNING, now);
	if (!thread)
		return false;
	if (thread->state != WHY_IS_RUNNING)
		came_unseen(now);
	why_add(thread, thread->state == WHY_IS_RUNNING ? WHY_RUNNING : WHY_UNKNOWN, why_lap(thread, now));
	if (sched_ends(sw))
		ends(thread, prev, now);
	else
		waits(ctx, thread, sw);
	return true;
}

SEC("raw_tp")
int switches(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	struct sched_switch sw;
	bool left, came;

	if (!why_shared.armed)
		return 0;
	why_read_switch(ctx, &sw);
	left = leaves(ctx, &sw, now);
	if (config.turns)
		why_turn_leaves(sw.prev, now);
	came = comes(&sw, now);
	if (config.switches && (left || came))
		why_link_switch(ctx, &sw, now, left);
	return 0;
}

/* Of a waker's stack: a runtime has some frames of its own between a function and the call that wakes. */
#define WAKER_FRAMES 32

/* Whether the wait that ends now is one of those that are shown: then it matters where the waker is. */
static __always_inline bool is_shown(const struct why_thread *thread)
{
	return config.wakers && thread->before + (thread->woken - thread->since) >= why_shared.least;
}

/*
 * Who wakes a thread: the current task, or an interrupt that came upon it. The thread may still be on its way to sleep,
 * and its class not be known yet.
 */
SEC("raw_tp")
int waker(void *ctx)
{
	struct why_thread *thread = why_find(context_word(ctx, 0));
	bool sleeps, named;
	__u64 both;

	if (!thread)
		return 0;
	thread->woken = bpf_ktime_get_ns();
	sleeps = thread->state == WHY_IS_ASLEEP;
	/* of one that is ready, it was decided when it left */
	if (sleeps)
		thread->throttled = sched_is_throttled((void *)context_word(ctx, 0));
	named = !sleeps || wants_waker(thread->key.class) || thread->key.class == WHY_LOCK;
	both = bpf_get_current_pid_tgid();
	thread->waker_tid = both;
	thread->waker_tgid = both >> 32;
	if (!both || (!(sleeps && why_woken_by_tasks(thread->key.class)) &&
		      why_is_bystander(ctx, sleeps ? thread->key.class : WHY_UNKNOWN))) {
		__builtin_memset(thread->waker, 0, sizeof(thread->waker));
		thread->waker[0] = WHY_INTERRUPT;
		thread->waker_tid = thread->waker_tgid = 0;
		return 0;
	}
	if (named)
		why_current_comm(thread->waker);
	/* the functions that hold a lock and let it go are among the innermost */
	thread->waker_stack = sleeps && is_shown(thread) ? stack_keep_of(ctx, false, WAKER_FRAMES) : 0;
	return 0;
}

/* A new thread is put into the queue of a processor. Its parent is the current task. */
SEC("raw_tp")
int forks(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);
	__u64 now = bpf_ktime_get_ns();
	struct why_thread *thread;

	if (!why_shared.armed || (!why_find(bpf_get_current_task()) && !task_pass(task)))
		return 0;
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return 0;
	thread = why_find((__u64)task);
	if (thread) /* the end of an earlier task at this address was not seen */
		why_release(thread, (__u64)task);
	thread = why_claim((__u64)task);
	if (!thread)
		return 0;
	why_begin(thread, task, WHY_IS_READY, now);
	why_link_task(thread, WHY_LINK_BORN, bpf_get_current_pid_tgid(), now);
	return 0;
}

/*
 * Takes the time out of the thread's cells, and moves it to a record if that is not NULL. Atomic: see execs. Returns
 * how much it was.
 */
static __always_inline __u64 take_cells(struct why_thread *thread, struct why_thread *record)
{
	__u64 sum = 0;

	for (int i = 0; i < WHY_CLASSES; i++) {
		__u64 ns = *(volatile __u64 *)&thread->ns[i];
		__u32 count = *(volatile __u32 *)&thread->count[i];

		atomic_add(&thread->ns[i], -ns);
		atomic_add(&thread->count[i], -count);
		sum += ns;
		if (record) {
			record->ns[i] = ns;
			record->count[i] = count;
		}
	}
	return sum;
}

/* Sends what the thread was until now, under the name and with the id that it had. */
static __always_inline void send_part(struct why_thread *thread, struct task_struct *task)
{
	struct why_thread *record = bpf_ringbuf_reserve(&why_records, sizeof(*record), 0);
	__u64 ran = thread->ran, user = thread->user, system = thread->system, ns;

	why_account(thread, task);
	/* in one branch: 5.10 would follow both sides of a second test, and on one the record is not sent */
	if (record) {
		__builtin_memcpy(record, thread, sizeof(*record));
		ns = take_cells(thread, record);
		record->record = WHY_PART;
		record->since = record->began + ns;
		bpf_ringbuf_submit(record, wakeup(sizeof(*record)));
	} else {
		ns = take_cells(thread, NULL);
		lost_thread(ns);
	}
	thread->began += ns;
	thread->ran += ran;
	thread->user += user;
	thread->system += system;
}

/*
 * The current task executes another program: what it did until now belongs to the name that it had. A kernel that
 * preempts raw tracepoint programs may switch to other tasks in between, which adds to the thread's cells and to
 * `since`. At each moment its cells add up to since - began.
 */
SEC("raw_tp")
int execs(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct why_thread *thread = why_find((__u64)task);
	__u64 now = bpf_ktime_get_ns(), ns;
	__u32 tid;

	if (!thread || thread->state != WHY_IS_RUNNING)
		return 0;
	ns = (__s64)(now - thread->since) > 0 ? now - thread->since : 0;
	atomic_add(&thread->since, ns);
	atomic_add(&thread->ns[WHY_RUNNING], ns);
	atomic_add(&thread->count[WHY_RUNNING], 1);
	if (config.sums)
		send_part(thread, task);
	thread->file = 0;
	thread->before = 0;
	thread->long_ones = thread->seen_ones = thread->known = thread->news = 0;
	tid = thread->tid;
	thread->tid = BPF_CORE_READ(task, pid);
	BPF_CORE_READ_STR_INTO(&thread->comm, task, comm);
	why_link_task(thread, WHY_LINK_EXEC, tid, now);
	return 0;
}

/* Where measured threads run: for a flame graph, or for the requests that wait for them meanwhile. */
SEC("perf_event")
int sample(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	const struct why_thread *thread = why_shared.armed ? why_find((__u64)task) : NULL;
	__u64 now = bpf_ktime_get_ns(), stack;

	if (!thread)
		return 0;
	stack = stack_keep(ctx);
	if (config.samples && stack)
		why_link_sample(thread, stack, now);
	else if (config.drawn && !config.samples)
		why_flame_add(task, stack, WHY_RUNNING, 0);
	return 0;
}

#include "bpf/request.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
