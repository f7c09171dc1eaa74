// SPDX-License-Identifier: BSD-2-Clause
/* Follows each thread from state to state, as switches and wake-ups say it. */
#include "bpf/block.h"
#include "sums.h"

/* The number of a row. SET_NONE: the table is full. */
static uint32_t find_row(struct sums *sums, struct set *set, const void *key, size_t bytes, size_t most)
{
	uint32_t at = set->n < most ? set_add(set, key, bytes) : set_find(set, key, bytes);

	sums->crowded += at == SET_NONE;
	return at;
}

/* --- threads --- */

static struct sums_task *new_task(struct sums *sums, uint32_t at, int32_t tid, uint64_t since)
{
	struct sums_task *task = vec_push(&sums->tasks);

	*task = (struct sums_task){ .tid = tid, .comm = "?", .since = since, .call = -1, .waits_in = -1 };
	sums->task_at.v[at] = sums->tasks.n - 1;
	return task;
}

/* Of a task that nothing was heard of, only that it existed when the recording began. */
static struct sums_task *find_task(struct sums *sums, const struct recording *r, int32_t tid)
{
	uint32_t at = set_add(&sums->tids, &tid, sizeof(tid));
	const struct recording_task *known;
	struct sums_task *task;

	if (at < sums->task_at.n)
		return &sums->tasks.v[sums->task_at.v[at]];
	vec_push(&sums->task_at);
	task = new_task(sums, at, tid, sums->begun);
	known = recording_task(r, tid);
	if (known) {
		task->tgid = known->tgid;
		task->comm = recording_comm(r, tid);
		task->existed = known->flags & LAYOUT_TASK_EXISTED;
		task->followed = known->flags & (LAYOUT_TASK_COMMAND | LAYOUT_TASK_PASSES);
	}
	return task;
}

static void add_sleep(struct sums *sums, const struct sums_task *task, uint64_t ns)
{
	int64_t key[] = { task - sums->tasks.v, task->state, task->waits_in };
	uint32_t at = find_row(sums, &sums->sleep_ids, key, sizeof(key), SUMS_MAX);

	if (at == SET_NONE)
		return;
	if (at == sums->sleeps.n)
		*vec_push(&sums->sleeps) = (struct sums_sleep){ key[0], task->state, task->waits_in, 0 };
	sums->sleeps.v[at].ns += ns;
}

static void enter_state(struct sums *sums, struct sums_task *task, enum sums_state state, uint64_t now)
{
	/* Records of two processors may be out of order by as much as their clocks differ. */
	if (now > task->since) {
		task->ns[task->state] += now - task->since;
		if (task->state == SUMS_SLEEPS || task->state == SUMS_DISK)
			add_sleep(sums, task, now - task->since);
		task->since = now;
	}
	task->state = state;
}

/* Of the time before the first that is heard of a task. */
static void guess(struct sums_task *task, enum sums_state state, uint64_t now)
{
	if (!task->heard && now > task->since) {
		task->guess = state;
		task->guess_ns = now - task->since;
	}
	task->heard = true;
}

/* Without iowait in the recording, an uninterruptible sleep is taken for one that waits for a disk. */
static enum sums_state state_of(const struct recording_event *event)
{
	int64_t state = recording_known(event, KNOWN_F_PREV_STATE, 0);
	bool waits_for_disk = state & 2 && !(state & 0x80);

	if (!(state & 0xff) || state & 0x100)
		return SUMS_WAITS;
	if (state & 0x30)
		return SUMS_DEAD;
	if (recording_field(event, KNOWN_F_IOWAIT))
		waits_for_disk = recording_known(event, KNOWN_F_IOWAIT, 0);
	if (waits_for_disk)
		return SUMS_DISK;
	return state & 0xc ? SUMS_STOPPED : SUMS_SLEEPS;
}

/* If another runs than the last switch says, switches were not recorded: nobody knows when that one went. */
static void check_running(struct sums *sums, const struct recording *r, const struct recording_event *event,
			  int32_t prev)
{
	int32_t *running = &sums->running[event->cpu];

	if (*running >= 0 && *running != prev) {
		sums->filtered = true;
		if (*running)
			find_task(sums, r, *running)->state = SUMS_UNKNOWN;
	}
	*running = recording_known(event, KNOWN_F_NEXT, -1);
}

static void switched(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	int32_t prev = recording_known(event, KNOWN_F_PREV, 0), next = recording_known(event, KNOWN_F_NEXT, 0);
	struct sums_task *task;

	check_running(sums, r, event, prev);
	if (prev > 0) {
		task = find_task(sums, r, prev);
		guess(task, SUMS_RUNS, event->time);
		if (task->state != SUMS_RUNS)
			task->state = SUMS_UNKNOWN;
		enter_state(sums, task, state_of(event), event->time);
		task->waits_in = recording_known(event, KNOWN_F_SYSCALL, task->call);
		task->followed |= recording_known(event, KNOWN_F_PREV_PASSES, 0);
		task->switches++;
		task->comm = recording_comm(r, prev);
	}
	if (next > 0) {
		task = find_task(sums, r, next);
		/* nobody has woken it since the recording began */
		guess(task, task->existed ? SUMS_WAITS : SUMS_UNKNOWN, event->time);
		task->followed |= !recording_known(event, KNOWN_F_PREV_PASSES, 1);
		if (task->state == SUMS_RUNS)
			task->state = SUMS_UNKNOWN;
		enter_state(sums, task, SUMS_RUNS, event->time);
	}
}

static void woken(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	int32_t tid = recording_known(event, KNOWN_F_TASK, 0);
	struct sums_task *task;

	if (tid <= 0)
		return;
	task = find_task(sums, r, tid);
	task->followed = true;
	guess(task, SUMS_SLEEPS, event->time);
	/* One that is about to sleep can be woken while it still runs. */
	if (task->state == SUMS_RUNS || task->state == SUMS_WAITS)
		return;
	enter_state(sums, task, SUMS_WAITS, event->time);
	task->wakes++;
}

static void forked(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	int32_t tid = recording_known(event, KNOWN_F_CHILD, 0);
	size_t before = sums->tasks.n;
	struct sums_task *task;

	if (tid <= 0)
		return;
	task = find_task(sums, r, tid);
	if (sums->tasks.n > SUMS_MAX)
		sums->crowded++;
	else if (sums->tasks.n == before)
		task = new_task(sums, set_find(&sums->tids, &tid, sizeof(tid)), tid, event->time);
	task->since = event->time;
	task->heard = task->followed = true;
	task->state = SUMS_WAITS;
	task->tgid = recording_known(event, KNOWN_F_CHILD_PROCESS, 0);
	task->comm = recording_comm(r, tid);
}

/* --- calls --- */

static struct sums_call *find_call(struct sums *sums, int64_t number)
{
	uint32_t at = find_row(sums, &sums->numbers, &number, sizeof(number), SUMS_FEW_MAX);

	if (at == SET_NONE)
		return NULL;
	if (at == sums->calls.n)
		vec_push(&sums->calls)->number = number;
	return &sums->calls.v[at];
}

static void add_time(struct sums_call *call, uint64_t ns)
{
	call->timed++;
	call->total += ns;
	call->most = ns > call->most ? ns : call->most;
}

static void entered(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	struct sums_task *task;

	if (event->task <= 0)
		return;
	task = find_task(sums, r, event->task);
	task->followed = true;
	task->call = recording_known(event, KNOWN_F_SYSCALL, -1);
	task->call_since = event->time;
}

static void left(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	int64_t number = recording_known(event, KNOWN_F_SYSCALL, -1), ret = recording_known(event, KNOWN_F_RET, 0);
	struct sums_task *task = event->task > 0 ? find_task(sums, r, event->task) : NULL;
	struct sums_call *call;

	if (recording_is_birth(r, event))
		return;
	/* rt_sigreturn has lost its number */
	if (number < 0 && task)
		number = task->call;
	call = find_call(sums, number);
	if (call) {
		call->count++;
		call->errors += ret < 0 && ret >= -4095;
	}
	if (!task)
		return;
	task->followed = true;
	task->calls++;
	/* A call can end by another number than it began with (execveat). */
	if (task->call >= 0 && event->time >= task->call_since) {
		uint64_t ns = event->time - task->call_since;

		task->call_ns += ns;
		if (call)
			add_time(call, ns);
	}
	task->call = -1;
}

/* --- disks --- */

static struct sums_request *find_request(struct sums *sums, const struct recording_event *event)
{
	uint64_t key[] = { recording_known(event, KNOWN_F_DEVICE, 0),
			   recording_known(event, KNOWN_F_REQUEST, recording_known(event, KNOWN_F_SECTOR, 0)) };
	uint32_t at = find_row(sums, &sums->requests, key, sizeof(key), SUMS_MAX);

	if (at == SET_NONE)
		return NULL;
	if (at == sums->pending.n)
		vec_push(&sums->pending);
	return &sums->pending.v[at];
}

static void issued(struct sums *sums, const struct recording_event *event)
{
	struct sums_request *request = find_request(sums, event);

	if (request)
		request->since = event->time;
}

static void completed(struct sums *sums, const struct recording_event *event)
{
	uint64_t key[] = { recording_known(event, KNOWN_F_DEVICE, 0), recording_known(event, KNOWN_F_OP, 0) & BLOCK_OP_MASK };
	uint32_t at = find_row(sums, &sums->disk_ids, key, sizeof(key), SUMS_FEW_MAX);
	struct sums_request *request = find_request(sums, event);
	struct sums_disk *disk;

	if (at == SET_NONE)
		return;
	if (at == sums->disks.n) {
		disk = vec_push(&sums->disks);
		disk->device = key[0];
		disk->op = key[1];
	}
	disk = &sums->disks.v[at];
	disk->count++;
	disk->bytes += recording_known(event, KNOWN_F_BYTES, 0);
	disk->errors += recording_known(event, KNOWN_F_STATUS, 0) != 0;
	if (!request)
		return;
	if (request->since && event->time >= request->since) {
		uint64_t ns = event->time - request->since;

		disk->timed++;
		disk->total += ns;
		disk->most = ns > disk->most ? ns : disk->most;
	}
	request->since = 0;
}

/* --- all --- */

static void count_kind(struct sums *sums, const struct recording_kind *kind)
{
	uint32_t *at = &sums->kind_at[kind->id];

	if (!*at) {
		vec_push(&sums->kinds)->kind = kind;
		*at = sums->kinds.n;
	}
	sums->kinds.v[*at - 1].count++;
}

static void acted(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	struct sums_task *task = event->task > 0 ? find_task(sums, r, event->task) : NULL;

	if (!task)
		return;
	task->comm = recording_comm(r, event->task);
	task->followed = true;
}

static void add_event(struct sums *sums, const struct recording *r, const struct recording_event *event)
{
	count_kind(sums, event->kind);
	switch (event->kind->known) {
	case KNOWN_SWITCH:
		switched(sums, r, event);
		break;
	case KNOWN_WAKING:
		woken(sums, r, event);
		break;
	case KNOWN_FORK:
		forked(sums, r, event);
		break;
	case KNOWN_SYS_ENTER:
		entered(sums, r, event);
		break;
	case KNOWN_SYS_EXIT:
		left(sums, r, event);
		break;
	case KNOWN_BLOCK_ISSUE:
		issued(sums, event);
		break;
	case KNOWN_BLOCK_COMPLETE:
		completed(sums, event);
		break;
	case KNOWN_EXEC:
	case KNOWN_COMM:
	case KNOWN_EXIT:
		acted(sums, r, event);
		break;
	case KNOWN_CALL:
		acted(sums, r, event);
		sums->crowded += !function_sums_add(&sums->functions, event);
		break;
	}
}

static void apply_guess(struct sums *sums, struct sums_task *task)
{
	enum sums_state state = task->state;
	int64_t waits_in = task->waits_in;

	if (task->guess == SUMS_UNKNOWN || (task->guess == SUMS_WAITS && sums->remembered))
		return;
	task->ns[SUMS_UNKNOWN] -= task->guess_ns;
	task->ns[task->guess] += task->guess_ns;
	if (task->guess != SUMS_SLEEPS)
		return;
	task->state = SUMS_SLEEPS;
	task->waits_in = -1;
	add_sleep(sums, task, task->guess_ns);
	task->state = state;
	task->waits_in = waits_in;
}

/*
 * A thread that ran when the recording began, and that no switch concerns, ran all the time. The filters may have
 * passed switches of others only.
 */
static void add_endless(struct sums *sums, const struct recording *r)
{
	for (size_t i = 0; i < recording_tasks(r); i++) {
		const struct recording_task *known = recording_task_at(r, i);
		struct sums_task *task;

		if (!(known->flags & LAYOUT_TASK_PASSES) || known->state != 'R')
			continue;
		task = find_task(sums, r, known->tid);
		if (!task->heard)
			task->state = SUMS_RUNS;
	}
}

static bool has_switches(const struct recording_info *info)
{
	for (size_t i = 0; i < info->n_kinds; i++)
		if (info->kinds[i]->known == KNOWN_SWITCH)
			return true;
	return false;
}

/* What lasts at the end lasted until then. */
static void finish(struct sums *sums, const struct recording *r)
{
	const struct recording_info *info = recording_info(r);

	sums->remembered = info->start.monotonic > sums->ended;
	if (info->ended && info->end.monotonic > sums->ended)
		sums->ended = info->end.monotonic;
	if (has_switches(info) && !sums->lost)
		add_endless(sums, r);
	vec_each(task, &sums->tasks) {
		enter_state(sums, task, task->state, sums->ended);
		task->hidden = sums->filtered && !task->followed;
		if (!task->hidden)
			apply_guess(sums, task);
	}
	vec_each(request, &sums->pending)
		sums->unfinished += request->since != 0;
}

int sums_read(struct sums *sums, struct recording *r)
{
	const struct recording_info *info = recording_info(r);
	struct recording_event event;
	int ret;

	sums->begun = info->start.monotonic;
	sums->running = base_alloc((info->cpus + 1) * sizeof(*sums->running));
	for (uint32_t i = 0; i < info->cpus; i++)
		sums->running[i] = -1;
	while ((ret = recording_next(r, &event)) > 0) {
		/* A flight recorder's file begins before the clocks were read. */
		if (!sums->events && (!sums->begun || event.time < sums->begun))
			sums->begun = event.time;
		sums->ended = event.time > sums->ended ? event.time : sums->ended;
		sums->lost += event.lost;
		sums->events += !!event.kind;
		if (event.kind)
			add_event(sums, r, &event);
		else
			sums->running[event.cpu] = -1;
	}
	finish(sums, r);
	return ret;
}

void sums_release(struct sums *sums)
{
	function_sums_release(&sums->functions);
	free(sums->running);
	free(sums->tasks.v);
	free(sums->sleeps.v);
	free(sums->calls.v);
	free(sums->disks.v);
	free(sums->kinds.v);
	free(sums->task_at.v);
	free(sums->pending.v);
	set_release(&sums->tids);
	set_release(&sums->sleep_ids);
	set_release(&sums->numbers);
	set_release(&sums->disk_ids);
	set_release(&sums->requests);
	*sums = (struct sums){};
}
