// SPDX-License-Identifier: BSD-2-Clause
/*
 * The scheduler's events, as the messages that Perfetto has for those of ftrace; thread states come from them. Why a
 * thread sleeps, which ftrace does not know, goes into sched_blocked_reason: the trace processor shows any text there.
 *
 * Of a recording with a filter, not every switch of a processor is recorded. The trace processor would let whom it saw
 * last run for ever. So a switch is held until the next one: if that begins with somebody else, nobody knows who ran
 * in between, and a thread with an id that no thread can have stands for them.
 */
#include "perfetto_part.h"

#define BUNDLE_BYTES	  (32 << 10)
#define NOT_RECORDED	  4194305 /* an id above the kernel's highest, plus the processor */
#define NOT_RECORDED_NAME "(not recorded)"
#define STATE_RUNS_AGAIN  0
#define STATE_DEAD	  0x30 /* X, Z */
#define STATE_SLEEPS	  0xcf /* any other but R */
#define FLAG_INTERRUPT	  8    /* TRACE_FLAG_HARDIRQ */
#define CLONE_THREAD	  0x10000

enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_COMMON_FLAGS = 5,
};
enum ftrace_event {
	FTRACE_SCHED_SWITCH = 4,
	FTRACE_SCHED_BLOCKED_REASON = 18,
	FTRACE_SCHED_WAKING = 20,
	FTRACE_TASK_NEWTASK = 235,
	FTRACE_TASK_RENAME = 236,
	FTRACE_SCHED_PROCESS_EXEC = 237,
	FTRACE_SCHED_PROCESS_EXIT = 238,
	FTRACE_SCHED_PROCESS_FREE = 240,
};

static void write_bundle(struct perfetto *p, uint32_t number)
{
	struct perfetto_cpu *cpu = &p->cpus.v[number];

	if (!cpu->events.len && !cpu->lost_before)
		return;
	protobuf_add_present(&p->message, BUNDLE_CPU, number);
	protobuf_add_number(&p->message, BUNDLE_LOST, cpu->lost_before);
	str_addn(&p->message, cpu->events.data, cpu->events.len);
	perfetto_add_packet(p, PACKET_FTRACE_EVENTS, 0);
	str_reset(&cpu->events);
	cpu->lost_before = false;
}

/* Adds p->message as an event of the processor's. */
static void add_event(struct perfetto *p, uint32_t number, uint64_t time, int32_t pid, uint32_t flags,
		      enum ftrace_event event)
{
	struct perfetto_cpu *cpu = &p->cpus.v[number];

	str_reset(&p->part);
	protobuf_add_present(&p->part, EVENT_TIMESTAMP, time + p->to_boot);
	protobuf_add_present(&p->part, EVENT_PID, pid > 0 ? pid : 0);
	protobuf_add_number(&p->part, EVENT_COMMON_FLAGS, flags);
	protobuf_add_message(&p->part, event, &p->message);
	str_reset(&p->message);
	protobuf_add_message(&cpu->events, BUNDLE_EVENT, &p->part);
	if (cpu->events.len >= BUNDLE_BYTES)
		write_bundle(p, number);
}

static void add_comm(struct perfetto *p, unsigned int field, const char *comm)
{
	perfetto_add_text(&p->message, field, comm, strlen(comm));
}

static void add_switch(struct perfetto *p, uint32_t cpu, const struct perfetto_switch *held)
{
	add_comm(p, 1, held->prev_comm);
	protobuf_add_number(&p->message, 2, (int64_t)held->prev);
	protobuf_add_number(&p->message, 3, (int64_t)held->prev_prio);
	protobuf_add_number(&p->message, 4, held->prev_state);
	add_comm(p, 5, held->next_comm);
	protobuf_add_number(&p->message, 6, (int64_t)held->next);
	protobuf_add_number(&p->message, 7, (int64_t)held->next_prio);
	add_event(p, cpu, held->time, held->prev, 0, FTRACE_SCHED_SWITCH);
}

/* "read(3)", "futex(0x7f0012345678)", "page fault". What an argument means, only the call knows. */
static void add_reason_text(struct perfetto *p, const struct perfetto_switch *held)
{
	const char *name = recording_text(p->r, LAYOUT_SPACE_SYSCALLS, held->call);
	int64_t argument = perfetto_plain(held->call_argument);

	if (held->call < 0)
		str_add(&p->text, "page fault");
	else if (name)
		str_add(&p->text, name);
	else
		str_addf(&p->text, "call %lld", (long long)held->call);
	if (held->call >= 0)
		str_addf(&p->text, argument > -65536 && argument < 65536 ? "(%lld)" : "(0x%llx)", (long long)argument);
}

/* Of the thread's last sleep, from p->text; empty: nobody knows. */
static void add_reason(struct perfetto *p, uint32_t cpu, uint64_t time, int32_t tid, bool iowait)
{
	protobuf_add_present(&p->message, 1, (int64_t)tid);
	if (p->text.len)
		protobuf_add_number(&p->message, 2, perfetto_intern(p, INTERN_KERNEL_SYMBOL, p->text.data));
	protobuf_add_present(&p->message, 3, iowait);
	add_event(p, cpu, time, tid, 0, FTRACE_SCHED_BLOCKED_REASON);
}

/* A kernel thread is in no call, and what it waits for is unknown. */
static void add_call(struct perfetto *p, uint32_t cpu, const struct perfetto_switch *held)
{
	const struct recording_task *task = recording_task(p->r, held->prev);

	str_reset(&p->text);
	if (held->call >= 0 || !task || !(task->flags & LAYOUT_TASK_KERNEL))
		add_reason_text(p, held);
	add_reason(p, cpu, held->time, held->prev, held->iowait);
}

static void add_free(struct perfetto *p, uint32_t cpu, uint64_t time, int32_t tid)
{
	add_comm(p, 1, recording_comm(p->r, tid));
	protobuf_add_number(&p->message, 2, (int64_t)tid);
	protobuf_add_number(&p->message, 3, 120);
	add_event(p, cpu, time, tid, 0, FTRACE_SCHED_PROCESS_FREE);
}

/* prev has run for the last time. A process ends with its last thread, and its first thread's id stays until then. */
static void end_thread(struct perfetto *p, struct perfetto_switch *last)
{
	const struct recording_task *task = recording_task(p->r, last->prev);
	int32_t tgid = task && task->tgid > 0 ? task->tgid : last->prev;
	struct perfetto_thread *thread = perfetto_find_thread(p, last->prev, last->time), *first;

	thread->has_ended = true;
	if (tgid == last->prev) {
		last->ended[0] = thread->others ? 0 : tgid;
		return;
	}
	last->ended[0] = last->prev;
	first = perfetto_find_thread(p, tgid, last->time);
	if (first->others)
		first->others--;
	if (first->has_ended && !first->others)
		last->ended[1] = tgid;
}

static void write_held(struct perfetto *p, uint32_t cpu)
{
	struct perfetto_switch *held = &p->cpus.v[cpu].held;

	if (!held->is_held)
		return;
	held->is_held = false;
	add_switch(p, cpu, held);
	for (size_t i = 0; i < ARRAY_SIZE(held->ended); i++)
		if (held->ended[i])
			add_free(p, cpu, held->time, held->ended[i]);
	if (held->has_reason && held->prev_state & STATE_SLEEPS)
		add_call(p, cpu, held);
}

/* Somebody who is not in the recording gets the processor, or leaves it. */
static void set_unknown(int32_t *pid, int32_t *prio, const char **comm, uint32_t cpu)
{
	*pid = NOT_RECORDED + cpu;
	*prio = 120;
	*comm = NOT_RECORDED_NAME;
}

static void add_unknown_next(struct perfetto *p, uint32_t cpu, uint64_t time, struct perfetto_switch from)
{
	from = (struct perfetto_switch){ .time = time,
					 .prev = from.next,
					 .prev_prio = from.next_prio,
					 .prev_comm = from.next_comm,
					 .prev_state = STATE_RUNS_AGAIN };
	set_unknown(&from.next, &from.next_prio, &from.next_comm, cpu);
	add_switch(p, cpu, &from);
}

static void add_unknown_prev(struct perfetto *p, uint32_t cpu, const struct perfetto_switch *to)
{
	struct perfetto_switch unknown = { .time = to->time,
					   .next = to->prev,
					   .next_prio = to->prev_prio,
					   .next_comm = to->prev_comm };

	set_unknown(&unknown.prev, &unknown.prev_prio, &unknown.prev_comm, cpu);
	add_switch(p, cpu, &unknown);
}

/* The switch before and this one do not fit together. After a loss, both are of threads that are recorded. */
static void bridge(struct perfetto *p, uint32_t number, struct perfetto_switch *now, uint64_t lost_since)
{
	struct perfetto_switch *held = &p->cpus.v[number].held;
	struct perfetto_switch before = *held;

	if (lost_since) {
		write_held(p, number);
		add_unknown_next(p, number, lost_since > before.time ? lost_since : before.time, before);
		add_unknown_prev(p, number, now);
		return;
	}
	set_unknown(&held->next, &held->next_prio, &held->next_comm, number);
	write_held(p, number);
	set_unknown(&now->prev, &now->prev_prio, &now->prev_comm, number);
	now->prev_state = STATE_RUNS_AGAIN;
	now->has_reason = false;
}

static void see_switch(struct perfetto *p, const struct recording_event *event)
{
	struct perfetto_cpu *cpu = perfetto_find_cpu(p, event->cpu);
	struct perfetto_switch now = {
		.is_held = true,
		.time = event->time,
		.prev = recording_known(event, KNOWN_F_PREV, 0),
		.next = recording_known(event, KNOWN_F_NEXT, 0),
		.prev_prio = recording_known(event, KNOWN_F_PREV_PRIO, 120),
		.next_prio = recording_known(event, KNOWN_F_NEXT_PRIO, 120),
		.prev_state = recording_known(event, KNOWN_F_PREV_STATE, 0),
		.call = recording_known(event, KNOWN_F_SYSCALL, -1),
		.call_argument = recording_known(event, KNOWN_F_ARG, 0),
		.iowait = recording_known(event, KNOWN_F_IOWAIT, 0),
	};
	const struct recording_field *call = recording_field(event, KNOWN_F_SYSCALL);
	uint64_t lost_since = cpu->lost_since;

	now.has_reason = call && recording_has(event, call);
	now.prev_comm = now.prev ? recording_comm(p->r, now.prev) : "swapper";
	now.next_comm = now.next ? recording_comm(p->r, now.next) : "swapper";
	perfetto_find_thread(p, now.prev, event->time);
	perfetto_find_thread(p, now.next, event->time);
	if (now.prev_state & STATE_DEAD && now.prev > 0)
		end_thread(p, &now);
	if (cpu->held.is_held && cpu->held.next != now.prev)
		bridge(p, event->cpu, &now, lost_since);
	else
		write_held(p, event->cpu);
	cpu->lost_since = 0;
	cpu->held = now;
}

static void add_waking(struct perfetto *p, const struct recording_event *event, uint64_t time, int64_t target)
{
	int64_t task = recording_known(event, KNOWN_F_TASK, event->task);
	int64_t waker = recording_known(event, KNOWN_F_WAKER, event->task);

	perfetto_find_thread(p, task, time);
	add_comm(p, 1, recording_comm(p->r, task));
	protobuf_add_number(&p->message, 2, task);
	protobuf_add_number(&p->message, 3, recording_known(event, KNOWN_F_PRIO, 120));
	protobuf_add_number(&p->message, 4, 1);
	protobuf_add_number(&p->message, 5, target);
	add_event(p, event->cpu, time, waker, waker > 0 ? 0 : FLAG_INTERRUPT, FTRACE_SCHED_WAKING);
}

static void see_waking(struct perfetto *p, const struct recording_event *event)
{
	add_waking(p, event, event->time, recording_known(event, KNOWN_F_TARGET_CPU, 0));
}

/* It is seen where the thread comes. The trace processor gives a reason to the last sleep before. */
static void see_wait(struct perfetto *p, const struct recording_event *event)
{
	const struct recording_field *what = recording_field(event, KNOWN_F_TEXT);
	uint64_t woken = recording_known(event, KNOWN_F_WOKEN, 0);
	size_t len = 0;
	const char *text = what ? recording_chars(p->r, event, what, &len) : NULL;

	if (woken)
		add_waking(p, event, woken, event->cpu);
	str_reset(&p->text);
	if (text)
		str_addn(&p->text, text, len);
	add_reason(p, event->cpu, event->time, event->task, recording_known(event, KNOWN_F_IOWAIT, 0));
}

static void see_fork(struct perfetto *p, const struct recording_event *event)
{
	int64_t child = recording_known(event, KNOWN_F_CHILD, 0);
	int64_t process = recording_known(event, KNOWN_F_CHILD_PROCESS, child);

	perfetto_find_thread(p, event->task, event->time);
	if (child > 0)
		perfetto_begin_thread(p, child, process, event->time);
	protobuf_add_number(&p->message, 1, child);
	add_comm(p, 2, recording_comm(p->r, child));
	protobuf_add_number(&p->message, 3, process == child ? 0 : CLONE_THREAD);
	add_event(p, event->cpu, event->time, event->task, 0, FTRACE_TASK_NEWTASK);
}

static void see_rename(struct perfetto *p, const struct recording_event *event)
{
	protobuf_add_number(&p->message, 1, (int64_t)event->task);
	add_comm(p, 3, recording_comm(p->r, event->task));
	add_event(p, event->cpu, event->time, event->task, 0, FTRACE_TASK_RENAME);
}

static void see_exec(struct perfetto *p, const struct recording_event *event)
{
	const struct recording_field *name = recording_field(event, KNOWN_F_FILENAME);
	size_t len = 0;
	const char *text = name ? recording_chars(p->r, event, name, &len) : NULL;

	see_rename(p, event);
	perfetto_describe_task(p, event->task, event->time);
	if (text)
		perfetto_add_text(&p->message, 1, text, len);
	protobuf_add_number(&p->message, 2, (int64_t)event->task);
	protobuf_add_number(&p->message, 3, recording_known(event, KNOWN_F_OLD_TASK, event->task));
	add_event(p, event->cpu, event->time, event->task, 0, FTRACE_SCHED_PROCESS_EXEC);
}

static void see_exit(struct perfetto *p, const struct recording_event *event)
{
	const struct recording_task *task = recording_task(p->r, event->task);

	add_comm(p, 1, recording_comm(p->r, event->task));
	protobuf_add_number(&p->message, 2, (int64_t)event->task);
	protobuf_add_number(&p->message, 3, task ? task->tgid : 0);
	add_event(p, event->cpu, event->time, event->task, 0, FTRACE_SCHED_PROCESS_EXIT);
}

void perfetto_ftrace_event(struct perfetto *p, const struct recording_event *event)
{
	static void (*const see[KNOWN_KINDS_N])(struct perfetto *, const struct recording_event *) = {
		[KNOWN_SWITCH] = see_switch,
		[KNOWN_WAKING] = see_waking,
		[KNOWN_FORK] = see_fork,
		[KNOWN_EXEC] = see_exec,
		[KNOWN_COMM] = see_rename,
		[KNOWN_EXIT] = see_exit,
		[KNOWN_WAIT] = see_wait,
	};
	int known = event->kind->known;

	if (known < 0 || !see[known])
		return;
	perfetto_find_cpu(p, event->cpu);
	see[known](p, event);
}

void perfetto_ftrace_loss(struct perfetto *p, const struct recording_event *loss)
{
	struct perfetto_cpu *cpu = perfetto_find_cpu(p, loss->cpu);

	write_bundle(p, loss->cpu);
	cpu->lost_before = true;
	if (!cpu->lost_since)
		cpu->lost_since = loss->since ? loss->since : 1;
}

void perfetto_ftrace_end(struct perfetto *p)
{
	for (uint32_t cpu = 0; cpu < p->cpus.n; cpu++) {
		write_held(p, cpu);
		write_bundle(p, cpu);
	}
}
