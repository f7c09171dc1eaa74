// SPDX-License-Identifier: BSD-2-Clause
/* Who runs, and what tasks are called, as events say it one after the other. */
#include "recording_part.h"

/* Returns the task's place, which is new if it was never heard of. */
static struct recording_task *place(struct recording *r, int32_t tid)
{
	uint32_t at = set_add(&r->tids, &tid, sizeof(tid));

	if (at == r->tasks.n)
		*vec_push(&r->tasks) = (struct recording_task){ .tid = tid, .comm = "", .line = "" };
	return &r->tasks.v[at];
}

/* Ids of Linux are smaller (PID_MAX_LIMIT). */
#define ID_MAX (4 << 20)

/* Those of idle tasks and of none need no room. */
static bool fits(struct recording *r, int32_t id)
{
	if (id < -1 || id > ID_MAX)
		return false;
	if (id <= 0)
		return true;
	if (!r->named)
		r->named = base_alloc(ID_MAX / 8 + 1);
	if (r->named[id / 8] & 1 << id % 8)
		return true;
	if (r->n_named == RECORDING_TASKS_MAX)
		return false;
	r->named[id / 8] |= 1 << id % 8;
	r->n_named++;
	return true;
}

bool recording_tasks_fit(struct recording *r, const struct recording_event *event)
{
	static const enum known_field ids[] = { KNOWN_F_TASK, KNOWN_F_PREV, KNOWN_F_NEXT, KNOWN_F_CURRENT, KNOWN_F_WAKER,
						KNOWN_F_CHILD, KNOWN_F_CHILD_PROCESS, KNOWN_F_PROCESS, KNOWN_F_OLD_TASK };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (!fits(r, recording_known(event, ids[i], 0)))
			return false;
	return true;
}

bool recording_add_task(struct recording *r, const struct recording_task *task)
{
	if (!fits(r, task->tid))
		return false;
	*vec_push(&r->first) = *task;
	return true;
}

/* Of several entries with one id, that of the task which existed at the start counts; else the first. */
void recording_tasks_begin(struct recording *r)
{
	set_release(&r->tids);
	r->tasks.n = 0;
	vec_each(task, &r->first) {
		bool known = set_find(&r->tids, &task->tid, sizeof(task->tid)) != SET_NONE;

		if (!known || task->flags & LAYOUT_TASK_EXISTED)
			*place(r, task->tid) = *task;
	}
	for (uint32_t i = 0; i < r->info.cpus; i++)
		r->current[i] = -1;
}

/* A copy of a text that lasts; the same for the same text. */
static const char *keep(struct recording *r, const char *text, size_t n)
{
	char *copy __free = base_strndup(text, n);
	uint32_t at = set_add(&r->names, copy, strlen(copy) + 1);

	return r->names.v[at].bytes;
}

/* A field that is text, or NULL. */
static const char *field_text(struct recording *r, const struct recording_event *event, enum known_field which)
{
	const struct recording_field *field = recording_field(event, which);
	size_t n = 0;
	const char *text = field ? recording_chars(r, event, field, &n) : NULL;

	return text && n ? keep(r, text, n) : NULL;
}

static void forked(struct recording *r, const struct recording_event *event)
{
	int32_t tid = recording_known(event, KNOWN_F_CHILD, -1);
	const char *comm = field_text(r, event, KNOWN_F_COMM);
	const struct recording_task *parent = recording_task(r, event->task);
	struct recording_task task = { .tid = tid, .began = event->time, .comm = "", .line = "" };

	if (tid <= 0)
		return;
	task.tgid = recording_known(event, KNOWN_F_CHILD_PROCESS, 0);
	if (parent) {
		/* A thread has its process's parent. */
		task.ppid = task.tgid && task.tgid == parent->tgid ? parent->ppid : parent->tgid;
		task.flags = parent->flags & LAYOUT_TASK_KERNEL;
		task.comm = parent->comm;
		task.line = parent->line;
	}
	if (comm)
		task.comm = comm;
	*place(r, tid) = task;
}

static void executed(struct recording *r, const struct recording_event *event)
{
	int32_t old = recording_known(event, KNOWN_F_OLD_TASK, event->task);
	const char *comm = field_text(r, event, KNOWN_F_COMM), *file = field_text(r, event, KNOWN_F_FILENAME);
	struct recording_task *task = place(r, event->task);
	const struct recording_task *before = old == event->task ? NULL : recording_task(r, old);

	if (before) {
		task->comm = before->comm;
		task->line = before->line;
	}
	if (!task->tgid)
		task->tgid = event->task;
	if (comm)
		task->comm = comm;
	/* the line of the program before is not its own */
	task->line = file ? file : "";
}

static void renamed(struct recording *r, const struct recording_event *event)
{
	const char *comm = field_text(r, event, KNOWN_F_COMM);
	struct recording_task *task = place(r, event->task);

	if (comm)
		task->comm = comm;
	if (!task->tgid)
		task->tgid = recording_known(event, KNOWN_F_PROCESS, 0);
}

static int32_t subject(const struct recording *r, const struct recording_event *event)
{
	int32_t current = r->current[event->cpu];

	switch (event->kind->known) {
	case KNOWN_SWITCH:
		return recording_known(event, KNOWN_F_PREV, current);
	case KNOWN_WAKING:
	case KNOWN_MIGRATE:
		return recording_known(event, KNOWN_F_WAKER, current);
	default:
		return recording_known(event, KNOWN_F_TASK, recording_known(event, KNOWN_F_CURRENT, current));
	}
}

void recording_tasks_event(struct recording *r, struct recording_event *event)
{
	int32_t *current = &r->current[event->cpu];

	if (!event->kind) {
		*current = -1;
		return;
	}
	event->task = subject(r, event);
	switch (event->kind->known) {
	case KNOWN_SWITCH:
		*current = recording_known(event, KNOWN_F_NEXT, -1);
		return;
	case KNOWN_WAKING:
	case KNOWN_MIGRATE:
	case KNOWN_WAIT:
	case KNOWN_REQUEST:
		return;
	case KNOWN_FORK:
		forked(r, event);
		break;
	case KNOWN_EXEC:
		executed(r, event);
		break;
	case KNOWN_EXIT:
		renamed(r, event);
		break;
	case KNOWN_COMM:
		renamed(r, event);
		return; /* another task may have done it */
	}
	*current = event->task;
}

bool recording_is_birth(const struct recording *r, const struct recording_event *event)
{
	if (event->kind->known != KNOWN_SYS_EXIT || recording_known(event, KNOWN_F_RET, -1))
		return false;
	for (uint32_t i = 0; i < r->n_forks; i++)
		if (recording_known(event, KNOWN_F_SYSCALL, -1) == r->forks[i])
			return true;
	return false;
}

const struct recording_task *recording_task(const struct recording *r, int32_t tid)
{
	uint32_t at = set_find(&r->tids, &tid, sizeof(tid));

	return at == SET_NONE ? NULL : &r->tasks.v[at];
}

const char *recording_comm(const struct recording *r, int32_t tid)
{
	const struct recording_task *task = tid > 0 ? recording_task(r, tid) : NULL;

	if (!tid)
		return "idle";
	return task && *task->comm ? task->comm : "?";
}

size_t recording_tasks(const struct recording *r)
{
	return r->tasks.n;
}

const struct recording_task *recording_task_at(const struct recording *r, size_t index)
{
	return &r->tasks.v[index];
}
