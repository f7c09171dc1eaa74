// SPDX-License-Identifier: BSD-2-Clause
/* Threads that only waited for work. Of a server there are many, and what they waited for says nothing. */
#include "waits.h"
#include "why_part.h"

/* A thread that did something else for more than this part of its life worked: 1 %. */
#define LEAST 100

/* What a command's threads wait for is what it lasts for. */
static bool has_command(const struct why *why)
{
	return why->path.links || (why->instance && why->instance->ctx->command.pid);
}

uint64_t why_idle_classes(const struct why *why)
{
	return has_command(why) ? 0 : waits_for_work() & ~waits_with(WAITS_FOR_PEER);
}

static bool is_idle(const struct why_split *split)
{
	uint64_t life = why_sums_life(split), waited = 0;

	for (uint32_t i = 0; i < WHY_CLASSES; i++)
		if (waits_for_work() >> i & 1)
			waited += split->ns[i];
	return life && life - waited <= life / LEAST;
}

static uint32_t largest_cause(const struct why_split *split)
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i < WHY_CAUSES; i++)
		if (split->ns[i] > split->ns[largest])
			largest = i;
	return largest;
}

static struct why_idle *idle_of(struct why_work *work, const char comm[16], uint32_t cause)
{
	struct why_idle *idle;

	vec_each(it, &work->idle)
		if (it->cause == cause && !strncmp(it->comm, comm, 16))
			return it;
	idle = vec_push(&work->idle);
	memcpy(idle->comm, comm, 16);
	idle->cause = cause;
	return idle;
}

static void subtract(struct why_split *from, const struct why_split *split)
{
	for (size_t i = 0; i < WHY_CAUSES; i++) {
		from->ns[i] -= split->ns[i] < from->ns[i] ? split->ns[i] : from->ns[i];
		from->count[i] -= split->count[i] < from->count[i] ? split->count[i] : from->count[i];
	}
}

static void leave_out(struct why_work *work, const struct why_task *task)
{
	struct why_idle *idle = idle_of(work, task->comm, largest_cause(&task->split));

	work->threads++;
	idle->threads++;
	idle->processes += task->tid == task->tgid;
	idle->ns += why_sums_life(&task->split);
	subtract(&work->worked.all, &task->split);
	subtract(&why_sums_name(&work->worked, task->comm)->split, &task->split);
}

static int by_time(const void *pa, const void *pb)
{
	const struct why_idle *a = pa, *b = pb;

	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

void why_idle_find(struct why *why)
{
	struct why_work *work = &why->work;
	size_t idle = 0;

	vec_each(task, &why->sums.tasks)
		idle += is_idle(&task->split);
	/* where nobody worked, what all waited for is the answer */
	if (has_command(why) || !idle || idle == why->sums.tasks.n)
		return;
	work->worked.all = why->sums.all;
	vec_each(name, &why->sums.names)
		why_sums_name(&work->worked, name->comm)->split = name->split;
	vec_each(task, &why->sums.tasks)
		if (is_idle(&task->split))
			leave_out(work, task);
	if (work->idle.n)
		qsort(work->idle.v, work->idle.n, sizeof(*work->idle.v), by_time);
}

void why_idle_release(struct why *why)
{
	why_sums_release(&why->work.worked);
	free(why->work.idle.v);
}
