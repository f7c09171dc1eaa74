// SPDX-License-Identifier: BSD-2-Clause
/*
 * --perfetto: the switches, links and names that the page is computed from, as a recording (record/) in a file that has
 * no name. At the end a converter makes a file for Perfetto of it. What a sleep was for is known when it is over, and
 * what that is called, when all objects are known: so the recording has a number until then.
 */
#include <fcntl.h>

#include "base/clock.h"
#include "base/report.h"
#include "bpf/record.h"
#include "bpf/ring.h"
#include "bpf/why_link.h"
#include "convert/convert.h"
#include "engine/filter.h"
#include "engine/stacks.h"
#include "output/files.h"
#include "record/writer.h"
#include "recorder/record_host.h"
#include "recorder/record_kinds.h"
#include "recorder/record_tasks.h"
#include "why_part.h"

static int write_failed(const struct why *why, int ret, struct err *err)
{
	return ret ? err_set(err, ret, "cannot write %s: %s", why->settings->perfetto, strerror(-ret)) : 0;
}

int why_record_open(struct why *why, struct err *err)
{
	const struct record_sets sets = { .sched = true, .waits = true, .requests = why->requests.on };
	const struct engine_context *ctx = why->instance->ctx;
	const char *name = why->settings->perfetto;
	struct writer *writer;
	struct files *files;
	int ret, fd;

	if (!name)
		return 0;
	ret = stacks_add_file(why->stacks, &convert_perfetto.file, name, err);
	if (ret)
		return ret;
	files = stacks_files(why->stacks);
	fd = file_open_temporary(files->v[files->n - 1].dir);
	if (fd < 0)
		return write_failed(why, -errno, err);
	why->recording.fd = fd;
	why->recording.writer = writer = writer_open_fd(fd, name, err);
	if (!writer)
		return err->code;
	ret = record_host_write(writer, ctx->title, ctx->command.pid);
	if (!ret)
		ret = record_kinds_write(writer, &sets);
	return write_failed(why, ret, err);
}

int why_record_begin(struct why *why, struct err *err)
{
	const struct engine_instance *instance = why->instance;

	if (!why->recording.writer)
		return 0;
	return write_failed(
		why, record_tasks_begin(why->recording.writer, instance->ctx->command.pid, &instance->filter), err);
}

/* --- records --- */

void why_record_put(struct why *why, uint32_t kind, const void *record, size_t bytes)
{
	const uint64_t header = RING_HEADER(0, kind, 1 + bytes / sizeof(uint64_t));

	str_addn(&why->recording.words, (const char *)&header, sizeof(header));
	str_addn(&why->recording.words, record, bytes);
	why->recording.fresh++;
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
		.text = objects_key(why, &key),
		.disk = link->class == WHY_DISK,
	};

	if (wait.woken > wait.time)
		wait.woken = wait.time;
	why_record_put(why, RECORD_WAIT, &wait, sizeof(wait));
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
	why_record_put(why, RECORD_FORK, &to, sizeof(to));
}

static void add_exec(struct why *why, const struct why_link *link)
{
	struct record_exec to = { .time = link->ran_at, .pid = link->tid, .old_pid = link->waker };

	memcpy(to.comm, link->comm, sizeof(to.comm));
	why_record_put(why, RECORD_EXEC, &to, offsetof(struct record_exec, file));
}

static void add_name(struct why *why, const struct why_link *link)
{
	struct record_comm to = { .time = link->ran_at, .pid = link->tid, .tgid = link->tgid };

	memcpy(to.comm, link->comm, sizeof(to.comm));
	why_record_put(why, RECORD_COMM, &to, sizeof(to));
}

void why_record_add(struct why *why, uint32_t kind, const void *record)
{
	if (!why->recording.writer)
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
		why_record_put(why, RECORD_SWITCH, record, RECORD_SWITCH_SHORT * sizeof(uint64_t));
		break;
	default: /* a switch says the same */
		break;
	}
}

void why_record_run(struct why *why, uint32_t cpu, uint32_t lane, uint64_t lost)
{
	struct why_recording *recording = &why->recording;
	/* one lane more: that of requests */
	const size_t ring = (size_t)cpu * (RING_LANES + 1) + lane;
	uint64_t first;

	if (!recording->writer || (!recording->fresh && !lost))
		return;
	while (ring >= recording->numbers.n)
		*vec_push(&recording->numbers) = 0;
	first = recording->numbers.v[ring] + lost;
	/* its failure is that of writer_close(), too */
	writer_chunk(recording->writer, cpu, lane, first, lost, recording->words.data, recording->words.len);
	recording->numbers.v[ring] = first + recording->fresh;
	recording->recorded += recording->fresh;
	recording->fresh = 0;
	str_reset(&recording->words);
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
	if (!why->recording.writer || thread->state != WHY_IS_ASLEEP || thread->key.class == WHY_BEFORE)
		return;
	wait.text = objects_key(why, &thread->key);
	why_record_put(why, RECORD_WAIT, &wait, sizeof(wait));
}

/* "pipe: sort" */
static int write_text(struct why *why, uint32_t number, const struct why_key *key)
{
	const struct why_found *found = objects_find(why, key);
	struct str text __str = {}, name __str = {};

	str_add(&text, why_sums_cause(key->class));
	if (found && objects_name(why, &name, key, &found->object))
		str_addf(&text, ": %s", name.data);
	return writer_text(why->recording.writer, LAYOUT_SPACE_STRINGS, number, text.data);
}

static void write_texts(struct why *why)
{
	const struct set *keys = &why->path.keys;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < keys->n; i++)
		ret = write_text(why, i, keys->v[i].bytes);
	if (!ret)
		why_record_texts(why);
}

static int convert(struct why *why, int fd, struct err *err)
{
	struct recording *r = recording_open_fd(fd, why->settings->perfetto, err);
	struct files *files = stacks_files(why->stacks);
	int ret = r ? 0 : err->code;

	vec_each(file, files)
		if (!ret && file->format == &convert_perfetto.file)
			ret = convert_write(&convert_perfetto, r, file, err);
	recording_close(r);
	return ret;
}

void why_record_write(struct why *why)
{
	struct writer *writer = why->recording.writer;
	const struct layout_end end = {
		.recorded = why->recording.recorded + why->recording.fresh,
		.lost = why->path.lost,
		.exit_status = -1,
	};
	struct err err = {};
	int ret, fd;

	if (!writer)
		return;
	why_record_run(why, 0, 0, 0);
	write_texts(why);
	ret = writer_error(writer);
	fd = fcntl(why->recording.fd, F_DUPFD_CLOEXEC, 0);
	why->recording.writer = NULL;
	writer_close(writer, &end, &err);
	if (!ret)
		ret = convert(why, fd, &err);
	else
		write_failed(why, ret, &err);
	if (!ret)
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
	if (filter_pidns())
		report_note("%s", record_tasks_note);
}

void why_record_release(struct why *why)
{
	struct err err = {};

	if (why->recording.writer)
		writer_close(why->recording.writer, NULL, &err);
	str_release(&why->recording.words);
	free(why->recording.numbers.v);
	set_release(&why->recording.states);
	set_release(&why->recording.connections);
}
