// SPDX-License-Identifier: BSD-2-Clause
/*
 * --perfetto: the switches, links and names that the page is computed from, as a recording. What a sleep was for is
 * known when it is over, and what that is called, when all objects are known: so the recording has a number until then.
 */
#include "base/clock.h"
#include "base/report.h"
#include "bpf/record.h"
#include "bpf/why_link.h"
#include "convert/convert.h"
#include "engine/filter.h"
#include "engine/stacks.h"
#include "record/writer.h"
#include "recorder/record_tasks.h"
#include "why_part.h"

int why_record_open(struct why *why, struct err *err)
{
	const struct record_sets sets = { .sched = true, .waits = true, .requests = why->requests.on };
	const struct engine_context *ctx = why->instance->ctx;
	const char *name = why->settings->perfetto;
	const struct files *files;
	int ret;

	if (!name)
		return 0;
	ret = stacks_add_file(why->stacks, &convert_perfetto.file, name, err);
	if (ret)
		return ret;
	files = stacks_files(why->stacks);
	return record_temporary_open(&why->recording.file, &files->v[files->n - 1], ctx->title, ctx->command.pid, &sets,
				     err);
}

int why_record_begin(struct why *why, struct err *err)
{
	const struct engine_instance *instance = why->instance;

	return record_temporary_begin(&why->recording.file, instance->ctx->command.pid, &instance->filter, err);
}

/* --- records --- */

/* The number of what a thread waits for; of one that found no room, of its cause alone. */
static uint32_t text_of(struct why *why, const struct why_key *key)
{
	const uint32_t number = objects_key(why, key);
	const struct why_key any = { .class = key->class };

	return number == PATH_NONE ? set_add(&why->path.keys, &any, sizeof(any)) : number;
}

/* By the clocks of two processors, a thread can be woken before it sleeps. */
static void add_wait(struct why *why, const struct why_link *link)
{
	const struct why_key key = { .a = link->a, .b = link->b, .class = link->class, .call = link->call };
	struct record_wait wait = {
		.time = link->ran_at,
		.pid = link->tid,
		.waker = link->waker,
		.woken = link->woken_at > link->off_at ? link->woken_at : link->off_at + 1,
		.text = text_of(why, &key),
		.disk = link->class == WHY_DISK,
	};

	if (wait.woken > wait.time)
		wait.woken = wait.time;
	record_temporary_add(&why->recording.file, RECORD_WAIT, &wait, sizeof(wait));
}

static void add_fork(struct why *why, const struct why_link *link)
{
	struct record_fork to = {
		.time = link->ran_at,
		.parent = link->waker,
		.child = link->tid,
		.child_tgid = link->tgid,
	};

	memcpy(to.comm, link->comm, sizeof(to.comm));
	record_temporary_add(&why->recording.file, RECORD_FORK, &to, sizeof(to));
}

static void add_exec(struct why *why, const struct why_link *link)
{
	struct record_exec to = { .time = link->ran_at, .pid = link->tid, .old_pid = link->waker };

	memcpy(to.comm, link->comm, sizeof(to.comm));
	record_temporary_add(&why->recording.file, RECORD_EXEC, &to, offsetof(struct record_exec, file));
}

static void add_name(struct why *why, const struct why_link *link)
{
	struct record_comm to = { .time = link->ran_at, .pid = link->tid, .tgid = link->tgid };

	memcpy(to.comm, link->comm, sizeof(to.comm));
	record_temporary_add(&why->recording.file, RECORD_COMM, &to, sizeof(to));
}

void why_record_add(struct why *why, uint32_t kind, const void *record)
{
	struct record_temporary *file = &why->recording.file;

	if (!file->writer)
		return;
	switch (kind) {
	case WHY_LINK_WOKEN:
		add_wait(why, record);
		break;
	case WHY_LINK_BORN:
		add_fork(why, record);
		break;
	case WHY_LINK_EXEC:
		add_exec(why, record);
		break;
	case WHY_LINK_END:
		add_name(why, record);
		break;
	case WHY_LINK_SWITCH:
		record_temporary_add(file, RECORD_SWITCH, record, RECORD_SWITCH_SHORT * sizeof(uint64_t));
		break;
	default: /* a switch says the same */
		break;
	}
}

void why_record_run(struct why *why, uint32_t cpu, uint32_t lane, uint64_t lost)
{
	record_temporary_run(&why->recording.file, cpu, lane, lost);
}

/* --- end --- */

void why_record_sleeps(struct why *why, const struct why_thread *thread)
{
	const bool is_woken = thread->woken >= thread->since;
	struct record_wait wait = {
		.time = clock_monotonic_ns(),
		.pid = thread->tid,
		.waker = is_woken ? thread->waker_tid : 0,
		.woken = is_woken ? thread->woken : 0,
		.disk = thread->key.class == WHY_DISK,
	};

	/* what has slept since before has no state in the file: it never ran */
	if (!why->recording.file.writer || thread->state != WHY_IS_ASLEEP || thread->key.class == WHY_BEFORE)
		return;
	wait.text = text_of(why, &thread->key);
	record_temporary_add(&why->recording.file, RECORD_WAIT, &wait, sizeof(wait));
}

/* "pipe: sort" */
static void write_text(struct why *why, uint32_t number, const struct why_key *key)
{
	const struct why_found *found = objects_find(why, key);
	struct str text __str = {}, name __str = {};

	str_add(&text, why_sums_cause(key->class));
	if (found && objects_name(why, &name, key, &found->object))
		str_addf(&text, ": %s", name.data);
	writer_text(why->recording.file.writer, LAYOUT_SPACE_STRINGS, number, text.data);
}

void why_record_write(struct why *why)
{
	struct record_temporary *file = &why->recording.file;
	const struct set *keys = &why->path.keys;
	struct err err = {};

	if (!file->writer)
		return;
	record_temporary_run(file, 0, 0, 0);
	for (uint32_t i = 0; i < keys->n; i++)
		write_text(why, i, keys->v[i].bytes);
	why_record_texts(why);
	if (!record_temporary_write(file, why->path.lost, &err))
		return;
	report_err(&err, NULL);
	why->instance->ctx->failed = true;
}

void why_record_losses(const struct why *why)
{
	if (!why->settings->perfetto)
		return;
	if (why->path.lost)
		report_note("%llu event%s missing from %s: the ring buffers were full",
			    (unsigned long long)why->path.lost, str_plural(why->path.lost), why->settings->perfetto);
	why_record_requests_losses(why);
	if (filter_pidns())
		report_note("%s", record_tasks_note);
}

void why_record_release(struct why *why)
{
	record_temporary_release(&why->recording.file);
	set_release(&why->recording.states);
	set_release(&why->recording.connections);
	set_release(&why->recording.lanes);
	free(why->recording.lanes_ended.v);
}
