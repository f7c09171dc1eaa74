// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes of the switches, wake-ups, forks and calls of a recording what the programs of bpf/why.bpf.c make of the
 * kernel's, so that there is one page. What the programs read beside is not in a recording: files, peers and locks. A
 * wait in a call on a descriptor has a class of its own, and a lock in memory is a condition.
 *
 * A recording names whoever ran when a thread was woken; an interrupt may only have come upon it. So it counts if it
 * was in a system call, where the recording has calls, and if the thread did not wait for a disk or a timer.
 */
#include "base/clock.h"
#include "bpf/why.h"
#include "bpf/why_link.h"
#include "bpf/why_turn.h"
#include "kernel/syscalls.h"
#include "waits.h"
#include "why_part.h"
#include "why_replay.h"

/* Links that are kept, the oldest are forgotten first. */
#define LINKS (4 * 1024 * 1024)

/* States of a switch: R, R+; X, Z; T, t. */
#define STATE_MASK	0xff
#define STATE_PREEMPTED 0x100
#define STATE_DEAD	0x30
#define STATE_STOPPED	0x0c

/* How many calls are known by name; a system has some hundred. */
#define CALLS_MAX 16384

struct played {
	struct why_thread thread; /* user, system: ns that it ran out of calls, and in them */
	uint64_t ran_at;	  /* since when it runs out of calls, or in this one */
	uint64_t exited;	  /* 0: it has not */
	uint64_t moved;		  /* to another processor, last; 0: it was not */
	int64_t call;		  /* in progress; -1: none */
	bool heard;		  /* its state is known */
	bool measured;
};

struct replay {
	struct recording *r;
	struct why_settings settings;
	struct why why;
	struct set tids; /* numbers index threads */
	vec(struct played) threads;
	struct set calls; /* numbers of the recorded machine; their own numbers index known */
	struct {
		struct known {
			uint8_t class;
			uint16_t call; /* on this machine */
		} * v;
		size_t n, cap;
	} known;
	vec(struct why_processor) processors;
	bool has_calls;
	int32_t command; /* 0: none */
	uint64_t last, lost;
};

/* --- threads --- */

static void name_thread(struct replay *replay, struct why_thread *thread)
{
	memset(thread->comm, 0, sizeof(thread->comm));
	strncpy(thread->comm, recording_comm(replay->r, thread->tid), sizeof(thread->comm) - 1);
}

/* Valid until the next call. */
static struct played *find(struct replay *replay, int32_t tid)
{
	uint32_t number = set_add(&replay->tids, &tid, sizeof(tid));
	const struct recording_task *task;
	struct played *it;

	if (number < replay->threads.n)
		return &replay->threads.v[number];
	it = vec_push(&replay->threads);
	*it = (struct played){ .thread.tid = tid, .thread.tgid = tid, .call = -1 };
	task = recording_task(replay->r, tid);
	name_thread(replay, &it->thread);
	if (!task)
		return it;
	if (task->tgid > 0)
		it->thread.tgid = task->tgid;
	it->measured = task->flags & (LAYOUT_TASK_COMMAND | LAYOUT_TASK_PASSES) && !(task->flags & LAYOUT_TASK_KERNEL);
	return it;
}

static void measure(struct replay *replay, struct played *it)
{
	const struct recording_task *task = recording_task(replay->r, it->thread.tid);

	it->measured |= !task || !(task->flags & LAYOUT_TASK_KERNEL);
}

/* The first that is heard of a thread says what it did before; a command begins then. */
static void hear(struct replay *replay, struct played *it, enum why_state state, uint64_t now)
{
	if (it->heard)
		return;
	it->heard = true;
	it->thread.adopted = true;
	it->thread.state = state;
	it->thread.key.class = WHY_BEFORE;
	it->thread.began = it->thread.since = it->ran_at = replay->command ? now : replay->why.began;
}

/* Sends what the thread was. It goes on with empty cells. */
static void send(struct replay *replay, struct played *it, enum why_record record)
{
	struct why_thread *thread = &it->thread;

	thread->record = record;
	thread->ran = thread->ns[WHY_RUNNING];
	if (it->measured) {
		why_sums_add(&replay->why.sums, thread);
		why_path_add_thread(&replay->why, thread);
	}
	thread->ran = thread->user = thread->system = 0;
	memset(thread->ns, 0, sizeof(thread->ns));
	memset(thread->count, 0, sizeof(thread->count));
	thread->began = thread->since;
}

/* A running thread begins or ends a call, or runs no more. */
static void lap(struct replay *replay, struct played *it, uint64_t now)
{
	uint64_t ns = now > it->ran_at ? now - it->ran_at : 0;

	if (it->thread.state != WHY_IS_RUNNING || !replay->has_calls)
		return;
	if (it->call < 0)
		it->thread.user += ns;
	else
		it->thread.system += ns;
	it->ran_at = now;
}

static void ends(struct replay *replay, struct played *it)
{
	if ((int32_t)it->thread.tid == replay->command)
		replay->why.ended = it->thread.since;
	send(replay, it, WHY_END);
	it->heard = false;
	it->measured = false;
}

/* --- sleeps --- */

/* What is known of a call by its name, which is looked up once. */
static struct known known_call(struct replay *replay, int64_t call)
{
	uint32_t number = replay->known.n < CALLS_MAX ? set_add(&replay->calls, &call, sizeof(call))
						      : set_find(&replay->calls, &call, sizeof(call));
	struct str name __str = {};
	int local;

	if (number == SET_NONE)
		return (struct known){ waits_class(""), WHY_NO_CALL };
	if (number == replay->known.n) {
		recording_show_value(&name, replay->r, LAYOUT_SYSCALL, call);
		local = syscall_number(name.data);
		*vec_push(&replay->known) = (struct known){
			.class = waits_class(name.data),
			.call = local >= 0 ? local : WHY_NO_CALL,
		};
	}
	return replay->known.v[number];
}

/* Without a call, it is a page of memory. */
static void fall_asleep(struct replay *replay, struct why_thread *thread, const struct recording_event *event,
			int64_t state)
{
	int64_t call = recording_known(event, KNOWN_F_SYSCALL, -1);
	struct known known = { WHY_FAULT, WHY_NO_CALL };

	if (call >= 0)
		known = known_call(replay, call);
	if (state & STATE_STOPPED)
		known.class = WHY_STOPPED;
	else if (recording_known(event, KNOWN_F_IOWAIT, 0))
		known.class = WHY_DISK;
	memset(&thread->key, 0, sizeof(thread->key));
	thread->key.class = known.class;
	thread->call = known.call;
	if (known.class == WHY_KERNEL || known.class == WHY_DISK)
		thread->key.call = known.call;
	thread->state = WHY_IS_ASLEEP;
	/* a wake-up just before the switch is that of this sleep; an earlier one was in vain */
	if (thread->woken + WHY_BEHIND_NS < thread->since)
		thread->woken = 0;
}

static void add_wait(struct replay *replay, const struct why_thread *thread, const struct why_key *key, uint64_t ns)
{
	struct why_wait wait = {
		.record = WHY_WAIT,
		.tid = thread->tid,
		.tgid = thread->tgid,
		.waker_tid = thread->waker_tid,
		.waker_tgid = thread->waker_tgid,
		.call = thread->call,
		.ns = ns,
		.key = *key,
	};

	objects_add(&replay->why, key, ns, 1, ns);
	memcpy(wait.comm, thread->comm, sizeof(wait.comm));
	memcpy(wait.waker, thread->waker, sizeof(wait.waker));
	if (ns >= WHY_LEAST_NS)
		why_keep_wait(&replay->why, &wait);
}

/* The thread sleeps no more: it has been ready since `until`. */
static void wake(struct replay *replay, struct why_thread *thread, uint64_t until)
{
	uint64_t ns = until > thread->since ? until - thread->since : 0;

	why_sums_state(thread, thread->key.class, until);
	if (thread->key.class == WHY_BEFORE)
		return;
	if (waits_of(thread->key.class)->object == WAITS_FOR_WAKER)
		memcpy(&thread->key.a, thread->waker, sizeof(thread->waker));
	add_wait(replay, thread, &thread->key, ns);
}

/* --- switches --- */

static void add_link(struct replay *replay, const struct why_thread *thread, uint64_t off_at, uint64_t now, uint32_t cpu,
		     const char behind[16])
{
	const bool slept = thread->state == WHY_IS_ASLEEP;
	struct why_link link = {
		.ran_at = now,
		.off_at = off_at,
		.woken_at = !slept ? off_at : thread->woken ? thread->woken
							    : now,
		.tid = thread->tid,
		.waker = slept ? thread->waker_tid : 0,
		.class = slept ? thread->key.class : WHY_PROCESSOR,
		.call = slept ? thread->key.call : 0,
		.a = slept ? thread->key.a : 0,
		.b = slept ? thread->key.b : 0,
	};

	memcpy(link.behind, behind, sizeof(link.behind));
	if (replay->why.path.links)
		why_path_add_link(&replay->why, slept ? WHY_LINK_WOKEN : WHY_LINK_READY, &link, WHY_LINK_WHOLE, cpu);
}

static struct why_processor *processor_of(struct replay *replay, uint32_t cpu)
{
	cpu %= WHY_PROCESSORS;
	while (replay->processors.n <= cpu)
		vec_push(&replay->processors);
	return &replay->processors.v[cpu];
}

/* prev leaves its processor; 0: nobody does. Its name goes to behind. */
static void turn_ends(struct replay *replay, const struct recording_event *event, int32_t prev, char behind[16])
{
	struct why_processor *processor = processor_of(replay, event->cpu);

	if (prev > 0)
		memcpy(behind, find(replay, prev)->thread.comm, 16);
	if (why_turn_ends(processor, prev, event->time, replay->why.began, WHY_BEHIND_NS))
		memcpy(processor->comm, behind, 16);
}

/* As in a struct why_key. */
static const char nobody_knows[16] = "?";

/* The thread has the processor that `behind` had before: "" is nobody. */
static void comes(struct replay *replay, struct played *it, const struct recording_event *event, const char behind[16])
{
	struct why_thread *thread = &it->thread;
	const struct why_processor *processor = processor_of(replay, event->cpu);
	struct why_key key = { .class = WHY_PROCESSOR };
	uint64_t off_at = thread->since, now = event->time, ready;

	if (it->measured && thread->state == WHY_IS_ASLEEP)
		wake(replay, thread, thread->woken && thread->woken < now ? thread->woken : now);
	ready = now > thread->since ? now - thread->since : 0;
	why_sums_state(thread, thread->state == WHY_IS_RUNNING ? WHY_UNKNOWN : WHY_PROCESSOR, now);
	/* it has waited mostly for somebody on another processor */
	if (ready >= WHY_BEHIND_NS && now - it->moved < ready / 2)
		behind = nobody_knows;
	else if (ready >= WHY_BEHIND_NS && why_turn_counts(processor, now - ready))
		behind = processor->comm;
	memcpy(&key.a, behind, 16);
	if (it->measured && thread->state != WHY_IS_RUNNING) {
		if (ready >= WHY_BEHIND_NS)
			add_wait(replay, thread, &key, ready);
		add_link(replay, thread, off_at, now, event->cpu, behind);
	}
	thread->state = WHY_IS_RUNNING;
	thread->woken = thread->waker_tid = thread->waker_tgid = 0;
	memset(thread->waker, 0, sizeof(thread->waker));
	it->ran_at = now;
}

static void leaves(struct replay *replay, const struct recording_event *event, int32_t tid)
{
	int64_t state = recording_known(event, KNOWN_F_PREV_STATE, 0);
	struct played *it = find(replay, tid);

	if (recording_known(event, KNOWN_F_PREV_PASSES, 0))
		measure(replay, it);
	hear(replay, it, WHY_IS_RUNNING, event->time);
	/* that it came is not in the recording */
	if (it->thread.state != WHY_IS_RUNNING)
		comes(replay, it, event, nobody_knows);
	lap(replay, it, event->time);
	why_sums_state(&it->thread, WHY_RUNNING, event->time);
	if (state & STATE_DEAD)
		ends(replay, it);
	else if (!(state & STATE_MASK) || state & STATE_PREEMPTED)
		it->thread.state = WHY_IS_READY;
	else
		fall_asleep(replay, &it->thread, event, state);
}

static void read_switch(struct replay *replay, const struct recording_event *event)
{
	int64_t prev = recording_known(event, KNOWN_F_PREV, 0), next = recording_known(event, KNOWN_F_NEXT, 0);
	char behind[16] = "";
	struct played *it;

	if (prev > 0)
		leaves(replay, event, prev);
	turn_ends(replay, event, prev, behind);
	if (next <= 0)
		return;
	it = find(replay, next);
	if (!recording_known(event, KNOWN_F_PREV_PASSES, 1))
		measure(replay, it);
	hear(replay, it, WHY_IS_READY, event->time);
	comes(replay, it, event, behind);
}

/* --- other events --- */

static void read_waking(struct replay *replay, const struct recording_event *event)
{
	int64_t waker = recording_known(event, KNOWN_F_WAKER, event->task), tgid = 0;
	int64_t tid = recording_known(event, KNOWN_F_TASK, 0);
	struct why_thread *thread;
	struct played *it;

	if (tid <= 0)
		return;
	if (waker > 0) {
		it = find(replay, waker);
		tgid = it->thread.tgid;
		if (replay->has_calls && it->call < 0)
			waker = 0;
	}
	it = find(replay, tid);
	measure(replay, it);
	hear(replay, it, WHY_IS_ASLEEP, event->time);
	thread = &it->thread;
	if (waker < 0 || (thread->state == WHY_IS_ASLEEP &&
			  (thread->key.class == WHY_DISK || thread->key.class == WHY_SLEEP)))
		waker = 0;
	thread->woken = event->time;
	thread->waker_tid = waker;
	thread->waker_tgid = waker ? tgid : 0;
	memset(thread->waker, 0, sizeof(thread->waker));
	thread->waker[0] = WHY_INTERRUPT;
	if (waker)
		memcpy(thread->waker, find(replay, waker)->thread.comm, sizeof(thread->waker));
}

static void read_migrate(struct replay *replay, const struct recording_event *event)
{
	int64_t tid = recording_known(event, KNOWN_F_TASK, 0);

	if (tid > 0)
		find(replay, tid)->moved = event->time;
}

static void link_task(struct replay *replay, enum why_link_kind kind, int32_t tid, int32_t by, uint64_t now)
{
	const struct why_link link = { .ran_at = now, .tid = tid, .waker = by };

	if (replay->why.path.links)
		why_path_add_link(&replay->why, kind, &link, WHY_LINK_BEHIND, 0);
}

static void read_fork(struct replay *replay, const struct recording_event *event)
{
	int64_t child = recording_known(event, KNOWN_F_CHILD, 0);
	int64_t process = recording_known(event, KNOWN_F_CHILD_PROCESS, 0);
	struct played *it;

	if (child <= 0 || event->task <= 0)
		return;
	it = find(replay, child);
	if (it->heard)
		ends(replay, it);
	*it = (struct played){ .call = -1, .heard = true, .thread = { .tid = child, .state = WHY_IS_READY } };
	it->thread.tgid = process > 0 ? process : child;
	it->thread.began = it->thread.since = event->time;
	name_thread(replay, &it->thread);
	measure(replay, it);
	link_task(replay, WHY_LINK_BORN, child, event->task, event->time);
}

/* Another program, or name: what it did until now belongs to the one that it had. Its process's id is its own then. */
static void read_name(struct replay *replay, const struct recording_event *event)
{
	int64_t old = recording_known(event, KNOWN_F_OLD_TASK, event->task);
	struct played *it, moved;

	if (event->task <= 0)
		return;
	it = find(replay, old > 0 ? old : event->task);
	if (it->heard) {
		lap(replay, it, event->time);
		why_sums_state(&it->thread, it->thread.state == WHY_IS_RUNNING ? WHY_RUNNING : WHY_UNKNOWN, event->time);
		send(replay, it, WHY_PART);
	}
	if ((int32_t)it->thread.tid != event->task) {
		moved = *it;
		it->heard = it->measured = false;
		it = find(replay, event->task);
		*it = moved;
		it->thread.tid = event->task;
		link_task(replay, WHY_LINK_EXEC, event->task, old, event->time);
		if (event->task == replay->command)
			replay->why.ended = 0;
	}
	name_thread(replay, &it->thread);
}

static void read_call(struct replay *replay, const struct recording_event *event, bool begins)
{
	struct played *it;

	replay->has_calls = true;
	if (event->task <= 0)
		return;
	it = find(replay, event->task);
	lap(replay, it, event->time);
	it->call = begins ? recording_known(event, KNOWN_F_SYSCALL, -1) : -1;
}

static void read_exit(struct replay *replay, const struct recording_event *event)
{
	if (event->task > 0)
		find(replay, event->task)->exited = event->time;
	if (event->task == replay->command)
		replay->why.ended = event->time;
}

static void read_event(struct replay *replay, const struct recording_event *event)
{
	if (replay->command && event->task == replay->command && !replay->why.began)
		replay->why.began = event->time;
	switch (event->kind->known) {
	case KNOWN_SWITCH:
		read_switch(replay, event);
		break;
	case KNOWN_WAKING:
		read_waking(replay, event);
		break;
	case KNOWN_MIGRATE:
		read_migrate(replay, event);
		break;
	case KNOWN_FORK:
		read_fork(replay, event);
		break;
	case KNOWN_EXEC:
	case KNOWN_COMM:
		read_name(replay, event);
		break;
	case KNOWN_SYS_ENTER:
	case KNOWN_SYS_EXIT:
		read_call(replay, event, event->kind->known == KNOWN_SYS_ENTER);
		break;
	case KNOWN_EXIT:
		read_exit(replay, event);
		break;
	default:
		break;
	}
}

/* --- the end --- */

/* Threads of which nothing was heard have slept all the time. */
static void hear_sleepers(struct replay *replay)
{
	for (size_t i = 0; !replay->command && i < recording_tasks(replay->r); i++) {
		const struct recording_task *task = recording_task_at(replay->r, i);

		if (task->tid > 0 && task->flags & LAYOUT_TASK_EXISTED && task->flags & LAYOUT_TASK_PASSES)
			hear(replay, find(replay, task->tid), WHY_IS_ASLEEP, replay->why.began);
	}
}

static void end_threads(struct replay *replay)
{
	uint64_t ended = replay->why.ended;

	vec_each(it, &replay->threads) {
		uint64_t now = it->exited ? it->exited : ended;

		if (!it->heard || !it->measured)
			continue;
		if (now < it->thread.since)
			now = it->thread.since;
		lap(replay, it, now);
		why_live_last(&replay->why, &it->thread, now);
		send(replay, it, it->exited ? WHY_END : 0);
	}
}

static int read_all(struct replay *replay, struct err *err)
{
	struct recording_event event;
	int ret;

	while ((ret = recording_next(replay->r, &event)) > 0) {
		replay->last = event.time;
		replay->lost += event.lost;
		if (event.kind)
			read_event(replay, &event);
	}
	if (ret)
		*err = *recording_error(replay->r);
	if (!replay->why.ended)
		replay->why.ended = replay->last;
	return ret;
}

static void print(struct replay *replay, struct output *out)
{
	struct why *why = &replay->why;

	hear_sleepers(replay);
	end_threads(replay);
	why->sums.whole = !replay->has_calls;
	why_sums_finish(&why->sums);
	why_idle_find(why);
	why_path_find(why);
	objects_sort(why);
	if (!output_is_text(out))
		output_table_begin(out, &why_schema, NULL, true);
	why_page_print(why, out);
}

static void release(struct replay *replay)
{
	struct why *why = &replay->why;

	why_path_release(why);
	why_sums_release(&why->sums);
	why_idle_release(why);
	set_release(&why->keys);
	free(why->objects.v);
	free(why->waits);
	set_release(&replay->tids);
	set_release(&replay->calls);
	free(replay->threads.v);
	free(replay->known.v);
	free(replay->processors.v);
}

int why_replay(struct recording *r, struct output *out, uint32_t waits, uint64_t *lost, struct err *err)
{
	const struct recording_info *info = recording_info(r);
	struct replay replay = { .r = r, .settings.worst = waits < WHY_REPLAY_WAITS ? waits : WHY_REPLAY_WAITS };
	struct why *why = &replay.why;
	int ret;

	why->settings = &replay.settings;
	why->waits = base_alloc((replay.settings.worst + 1) * sizeof(*why->waits));
	if (info->host.command_pid > 0) {
		replay.command = why->command = info->host.command_pid;
		why->path.links = path_new(LINKS);
	} else {
		why->began = info->start.monotonic;
	}
	ret = read_all(&replay, err);
	if (!ret && why->began && why->ended > why->began && replay.threads.n)
		print(&replay, out);
	else if (!ret)
		ret = err_set(err, -ENODATA, "the recording has no switches%s", replay.command ? " of its command" : "");
	*lost = replay.lost;
	release(&replay);
	return ret;
}
