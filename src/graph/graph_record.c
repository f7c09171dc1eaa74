// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes calls as they are printed, tree by tree: so those of a thread are in the order of their begins. All are in one
 * ring, since nobody knows on which processors they were.
 */
#include <fcntl.h>

#include "base/clock.h"
#include "bpf/record.h"
#include "bpf/ring.h"
#include "convert/convert.h"
#include "graph_record.h"
#include "record/writer.h"
#include "recorder/record_host.h"
#include "recorder/record_kinds.h"
#include "recorder/record_tasks.h"

#define CHUNK (128 << 10) /* bytes that are written at a time */

static int write_failed(const struct graph_record *record, int ret, struct err *err)
{
	return ret ? err_set(err, ret, "cannot write %s: %s", record->file->name, strerror(-ret)) : 0;
}

int graph_record_open(struct graph_record *record, const struct file *file, const struct graph_settings *settings,
		      struct err *err)
{
	const struct record_sets sets = { .calls = true };
	int ret;

	record->file = file;
	record->fd = file_open_temporary(file->dir);
	if (record->fd < 0)
		return write_failed(record, -errno, err);
	record->writer = writer_open_fd(record->fd, file->name, err);
	if (!record->writer)
		return err->code;
	record->to_monotonic = (int64_t)clock_monotonic_ns() - (int64_t)clock_boot_ns();
	ret = record_host_write(record->writer, settings->title, settings->command);
	if (!ret)
		ret = record_kinds_write(record->writer, &sets);
	return write_failed(record, ret, err);
}

void graph_record_begin(struct graph_record *record, const struct graph_settings *settings)
{
	if (record->writer)
		record_tasks_begin(record->writer, settings->command, settings->filter);
}

static void flush(struct graph_record *record)
{
	if (record->fresh)
		writer_chunk(record->writer, 0, 0, record->recorded, 0, record->words.data, record->words.len);
	record->recorded += record->fresh;
	record->fresh = 0;
	str_reset(&record->words);
}

static void add_record(struct graph_record *record, enum record_kind kind, const void *data, size_t bytes)
{
	const uint64_t header = RING_HEADER(0, kind, 1 + bytes / sizeof(uint64_t));

	str_addn(&record->words, (const char *)&header, sizeof(header));
	str_addn(&record->words, data, bytes);
	record->fresh++;
	if (record->words.len >= CHUNK)
		flush(record);
}

void graph_record_function(struct graph_record *record, uint32_t slot, const char *name)
{
	if (record->writer)
		writer_text(record->writer, LAYOUT_SPACE_PROBES, slot, name);
}

void graph_record_thread(struct graph_record *record, const struct event *who, uint64_t since, bool executes)
{
	const uint64_t time = since + record->to_monotonic;
	struct record_exec exec = { .time = time, .pid = who->tid, .old_pid = who->tid };
	struct record_comm comm = { .time = time, .pid = who->tid, .tgid = who->pid };

	if (!record->writer)
		return;
	memcpy(exec.comm, who->comm, sizeof(exec.comm));
	memcpy(comm.comm, who->comm, sizeof(comm.comm));
	if (executes)
		add_record(record, RECORD_EXEC, &exec, offsetof(struct record_exec, file));
	else
		add_record(record, RECORD_COMM, &comm, sizeof(comm));
}

uint32_t graph_record_track(struct graph_record *record, const char *name)
{
	if (!record->writer)
		return 0;
	writer_text(record->writer, LAYOUT_SPACE_STRINGS, ++record->tracks, name);
	return record->tracks;
}

/* Copies a text with NULs behind it, cut if it is longer. */
static void copy(char *to, size_t size, const char *text)
{
	memcpy(to, text, strnlen(text, size));
}

void graph_record_call(struct graph_record *record, const struct graph_row *row, uint32_t slot, uint32_t track)
{
	const char *args = str_or_empty(row->args);
	const size_t words = (strnlen(args, RECORD_FUNCTION_TEXT) + 7) / 8;
	struct record_function call = {
		.time = row->event.time + record->to_monotonic,
		.pid = row->event.tid,
		.function = slot,
		.took = row->ended ? row->ns : 0,
		.ret = row->returned ? row->ret : 0,
		.depth = row->depth,
		.ended = row->ended,
		.returned = row->returned,
		.track = track,
	};

	if (!record->writer)
		return;
	copy(call.result, sizeof(call.result), str_or_empty(row->result));
	copy(call.args, sizeof(call.args), args);
	add_record(record, RECORD_FUNCTION, &call, offsetof(struct record_function, args) + words * 8);
}

static int convert(const struct graph_record *record, int fd, struct err *err)
{
	struct recording *r = recording_open_fd(fd, record->file->name, err);
	int ret = r ? convert_write(&convert_perfetto, r, record->file, err) : err->code;

	recording_close(r);
	return ret;
}

int graph_record_write(struct graph_record *record, struct err *err)
{
	struct writer *writer = record->writer;
	struct layout_end end = { .exit_status = -1 };
	int ret, fd;

	if (!writer)
		return 0;
	flush(record);
	end.recorded = record->recorded;
	ret = writer_error(writer);
	fd = fcntl(record->fd, F_DUPFD_CLOEXEC, 0);
	if (!ret && fd < 0)
		ret = -errno;
	record->writer = NULL;
	/* its error is that of writer_error() */
	writer_close(writer, &end, err);
	if (!ret)
		return convert(record, fd, err);
	if (fd >= 0)
		close(fd);
	return write_failed(record, ret, err);
}

void graph_record_release(struct graph_record *record)
{
	struct err err = {};

	if (record->writer)
		writer_close(record->writer, NULL, &err);
	str_release(&record->words);
}
