// SPDX-License-Identifier: BSD-2-Clause
/* Sums by thread, by name and by cause. */
#include "base/base.h"
#include "waits.h"
#include "why_sums.h"

/* Behind the classes. */
static const char *const causes[WHY_CAUSES] = {
	[WHY_USER] = "running, user",
	[WHY_SYSTEM] = "running, kernel",
	[WHY_STOLEN] = "interrupts",
};

const char *why_sums_cause(uint32_t cause)
{
	return cause < WHY_CLASSES || cause >= WHY_CAUSES ? waits_of(cause)->name : causes[cause];
}

static struct why_task *new_task(struct why_sums *sums, uint32_t *latest, const struct why_thread *thread)
{
	struct why_task *task = vec_push(&sums->tasks);

	*latest = sums->tasks.n - 1;
	task->tid = thread->tid;
	task->tgid = thread->tgid;
	task->began = thread->began;
	task->adopted = thread->adopted;
	sums->processes += thread->tid == thread->tgid;
	return task;
}

/* The thread of this id, which is a new one once the last one has ended. */
static struct why_task *task_of(struct why_sums *sums, const struct why_thread *thread)
{
	uint32_t number = set_add(&sums->tids, &thread->tid, sizeof(thread->tid));
	uint32_t *latest;

	if (number == sums->latest.n)
		return new_task(sums, vec_push(&sums->latest), thread);
	latest = &sums->latest.v[number];
	if (sums->tasks.v[*latest].has_ended)
		return new_task(sums, latest, thread);
	return &sums->tasks.v[*latest];
}

struct why_name *why_sums_name(struct why_sums *sums, const char comm[16])
{
	uint32_t number = set_add(&sums->comms, comm, strnlen(comm, 16));
	struct why_name *name;

	if (number < sums->names.n)
		return &sums->names.v[number];
	name = vec_push(&sums->names);
	memcpy(name->comm, comm, strnlen(comm, 16));
	return name;
}

static void add(struct why_split *to, const struct why_thread *thread)
{
	for (size_t i = 0; i < WHY_CLASSES; i++) {
		to->ns[i] += thread->ns[i];
		to->count[i] += thread->count[i];
	}
	to->ran += thread->ran;
	to->user += thread->user;
	to->system += thread->system;
}

void why_sums_state(struct why_thread *thread, uint32_t class, uint64_t until)
{
	if (class >= WHY_CLASSES)
		class = WHY_UNKNOWN;
	thread->count[class]++;
	if (until <= thread->since)
		return;
	thread->ns[class] += until - thread->since;
	thread->since = until;
}

void why_sums_add(struct why_sums *sums, const struct why_thread *thread)
{
	struct why_task *task = task_of(sums, thread);

	memcpy(task->comm, thread->comm, sizeof(task->comm));
	task->ended = thread->since;
	task->has_ended = thread->record == WHY_END;
	add(&task->split, thread);
	add(&why_sums_name(sums, thread->comm)->split, thread);
}

/*
 * The kernel's account has no interrupts (where it measures them), and nothing that a hypervisor took. User and kernel
 * time are in the proportion that the ticks found, as in the kernel's own times.
 */
void why_sums_divide(struct why_split *split)
{
	uint64_t wall = split->ns[WHY_RUNNING], ticks = split->user + split->system;
	uint64_t ran = split->ran < 0 ? 0 : (uint64_t)split->ran < wall ? (uint64_t)split->ran
									: wall;

	split->ns[WHY_STOLEN] = wall - ran;
	split->ns[WHY_SYSTEM] = ticks ? (uint64_t)((double)ran * split->system / ticks) : 0;
	split->ns[WHY_USER] = ran - split->ns[WHY_SYSTEM];
	split->count[WHY_USER] = split->count[WHY_RUNNING];
	split->ns[WHY_RUNNING] = split->count[WHY_RUNNING] = 0;
}

void why_sums_finish(struct why_sums *sums)
{
	vec_each(task, &sums->tasks)
		if (!sums->whole)
			why_sums_divide(&task->split);
	vec_each(name, &sums->names) {
		if (!sums->whole)
			why_sums_divide(&name->split);
		for (size_t i = 0; i < WHY_CAUSES; i++) {
			sums->all.ns[i] += name->split.ns[i];
			sums->all.count[i] += name->split.count[i];
		}
	}
}

uint64_t why_sums_life(const struct why_split *split)
{
	uint64_t life = 0;

	for (size_t i = 0; i < WHY_CAUSES; i++)
		life += split->ns[i];
	return life;
}

void why_sums_release(struct why_sums *sums)
{
	set_release(&sums->tids);
	set_release(&sums->comms);
	free(sums->latest.v);
	free(sums->tasks.v);
	free(sums->names.v);
}
