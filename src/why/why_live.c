// SPDX-License-Identifier: BSD-2-Clause
/* The end of a run: threads that live still have their cells in the kernel, with a state that lasts. */
#include <stdio.h>

#include "base/clock.h"
#include "engine/batch.h"
#include "waits.h"
#include "why_part.h"

/* How often a copy of cells is made until nobody has written to them meanwhile. */
#define COPIES 16

/* The programs go on. A copy is good if a second one is the same. */
static bool copy(struct why_thread *to, const struct why_thread *from)
{
	struct why_thread again = {};

	for (int i = 0; i < COPIES; i++) {
		for (size_t w = 0; w < sizeof(*to) / 8; w++)
			((uint64_t *)to)[w] = __atomic_load_n((const uint64_t *)from + w, __ATOMIC_ACQUIRE);
		for (size_t w = 0; w < sizeof(*to) / 8; w++)
			((uint64_t *)&again)[w] = __atomic_load_n((const uint64_t *)from + w, __ATOMIC_ACQUIRE);
		if (!memcmp(to, &again, sizeof(again)))
			return true;
	}
	return false;
}

static uint64_t since(uint64_t ticks, uint64_t before)
{
	uint64_t now = ticks * (NS_PER_SEC / sysconf(_SC_CLK_TCK));

	return now > before ? now - before : 0;
}

/* What the kernel's account says now, less what it said when the thread was first seen. */
static void read_account(struct why_thread *thread)
{
	unsigned long long ran, user = 0, system = 0;
	char line[1024];
	const char *behind;

	if (base_read_line(line, sizeof(line), "/proc/%u/task/%u/schedstat", thread->tgid, thread->tid) &&
	    sscanf(line, "%llu", &ran) == 1)
		thread->ran = ran - thread->ran;
	else
		thread->ran = thread->ns[WHY_RUNNING];
	if (base_read_line(line, sizeof(line), "/proc/%u/task/%u/stat", thread->tgid, thread->tid) &&
	    (behind = strrchr(line, ')')) != NULL)
		sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system);
	thread->user = since(user, thread->user);
	thread->system = since(system, thread->system);
}

/* Whether the thread was woken, and has not come to a processor yet. */
static bool is_woken(const struct why_thread *thread, uint64_t now)
{
	return thread->woken >= thread->since && thread->woken < now;
}

/* Programs name a waker when the sleeper comes. */
static void name_waker(struct why_thread *thread, uint64_t now)
{
	if (thread->state != WHY_IS_ASLEEP || waits_of(thread->key.class)->object != WAITS_FOR_WAKER)
		return;
	if (is_woken(thread, now))
		memcpy(&thread->key.a, thread->waker, sizeof(thread->waker));
	else
		thread->key.a = WHY_NOBODY;
}

/* What the thread does at the end, it has done since `since`. Once it is woken, it sleeps no more. */
static void add_last(struct why *why, struct why_thread *thread, uint64_t now)
{
	bool queued = is_woken(thread, now);
	uint64_t until = queued ? thread->woken : now, ns = until - thread->since;

	if (thread->state == WHY_IS_RUNNING) {
		why_sums_state(thread, WHY_RUNNING, now);
	} else if (thread->state == WHY_IS_READY) {
		why_sums_state(thread, thread->throttled ? WHY_THROTTLED : WHY_PROCESSOR, now);
	} else {
		why_sums_state(thread, thread->key.class, until);
		if (queued)
			why_sums_state(thread, thread->throttled ? WHY_THROTTLED : WHY_PROCESSOR, now);
		if (thread->key.class == WHY_BEFORE)
			return;
		objects_add(why, &thread->key, ns, 1, ns);
		why_flame_sleeps(why, thread, ns);
	}
}

/* A thread that ends is in a record, or will be: then it is not read. */
static bool read_one(struct why *why, const struct why_thread *from)
{
	struct why_thread thread;

	if (!copy(&thread, from))
		return false;
	if (!thread.task || !thread.began)
		return true;
	if (thread.record)
		return false;
	*vec_push(&why->live) = thread;
	return true;
}

void why_live_last(struct why *why, struct why_thread *thread, uint64_t now)
{
	name_waker(thread, now);
	why_path_add_wait(why, thread, now);
	why_record_sleeps(why, thread);
	add_last(why, thread, now);
	if (thread->held_count)
		objects_add(why, &thread->held, thread->held_ns, thread->held_count, thread->held_max);
}

static void add_one(struct why *why, struct why_thread thread, uint64_t now)
{
	/* what a command leaves behind goes on after its end */
	if (thread.since > now)
		now = thread.since;
	if (thread.adopted && !why->command && why->instance->ctx->command.pid)
		why->command = thread.tid;
	why_live_last(why, &thread, now);
	read_account(&thread);
	why_before_replace(why, &thread);
	why_sums_add(&why->sums, &thread);
	why_path_add_thread(why, &thread);
}

struct more {
	struct why *why;
	bool whole;
};

static void read_more(const void *key, const void *value, void *ctx)
{
	struct more *more = ctx;

	more->whole &= read_one(more->why, value);
}

/* Threads that the programs have never seen did one thing all the time. */
static void add_sleepers(struct why *why)
{
	vec_each(before, &why->before) {
		struct why_thread thread;

		if (before->seen || !why_before_last(why, before, why->ended - why->began, &thread))
			continue;
		thread.began = why->began;
		thread.since = why->ended;
		thread.ns[thread.class] = why->ended - why->began;
		thread.count[thread.class] = 1;
		if (thread.class == WHY_RUNNING)
			read_account(&thread);
		why_sums_add(&why->sums, &thread);
	}
}

bool why_live_read(struct why *why)
{
	const struct object *object = &why->progs.object;
	const struct why_thread *threads = object_memory(object, ".data.why_threads", WHY_THREADS * sizeof(*threads));
	const struct batch_map more = {
		.fd = object_map_fd(object, "why_more"),
		.max = WHY_MORE,
		.key_size = sizeof(uint64_t),
		.value_size = sizeof(struct why_thread),
	};

	struct more read = { why, true };

	why->live.n = 0;
	for (size_t i = 0; i < WHY_THREADS; i++)
		if (threads[i].task)
			read.whole &= read_one(why, &threads[i]);
	if (why->shared->hashed)
		batch_read(&more, read_more, &read);
	return read.whole;
}

void why_live_add(struct why *why)
{
	vec_each(thread, &why->live)
		add_one(why, *thread, why->ended);
	add_sleepers(why);
}
