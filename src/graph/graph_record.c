// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes calls as they are printed, tree by tree: so those of a thread are in the order of their begins. All are in one
 * ring, since nobody knows on which processors they were.
 */
#include "base/clock.h"
#include "bpf/record.h"
#include "graph_record.h"
#include "record/writer.h"

#define CHUNK (128 << 10) /* bytes that are written at a time */

int graph_record_open(struct graph_record *record, const struct file *file, const struct graph_settings *settings,
		      struct err *err)
{
	const struct record_sets sets = { .calls = true };

	record->to_monotonic = -(int64_t)clock_boot_offset();
	return record_temporary_open(&record->recording, file, settings->title, settings->command, &sets, err);
}

void graph_record_begin(struct graph_record *record, const struct graph_settings *settings)
{
	struct err err = {};

	record_temporary_begin(&record->recording, settings->command, settings->filter, &err);
}

static void add_record(struct graph_record *record, enum record_kind kind, const void *data, size_t bytes)
{
	record_temporary_add(&record->recording, kind, data, bytes);
	if (record->recording.words.len >= CHUNK)
		record_temporary_run(&record->recording, 0, 0, 0);
}

void graph_record_function(struct graph_record *record, uint32_t slot, const char *name)
{
	if (record->recording.writer)
		writer_text(record->recording.writer, LAYOUT_SPACE_PROBES, slot, name);
}

void graph_record_thread(struct graph_record *record, const struct event *who, uint64_t since, bool executes)
{
	const uint64_t time = since + record->to_monotonic;
	struct record_exec exec = { .time = time, .pid = who->tid, .old_pid = who->tid };
	struct record_comm comm = { .time = time, .pid = who->tid, .tgid = who->pid };

	if (!record->recording.writer)
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
	if (!record->recording.writer)
		return 0;
	writer_text(record->recording.writer, LAYOUT_SPACE_STRINGS, ++record->tracks, name);
	return record->tracks;
}

/* Copies a text with NULs behind it, cut if it is longer. */
static void copy(char *to, size_t size, const char *text)
{
	memcpy(to, text, strnlen(text, size));
}

void graph_record_call(struct graph_record *record, const struct graph_row *row, uint32_t slot, bool user, uint32_t track)
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
		.user = user,
		.track = track,
	};

	if (!record->recording.writer)
		return;
	copy(call.result, sizeof(call.result), str_or_empty(row->result));
	copy(call.args, sizeof(call.args), args);
	add_record(record, RECORD_FUNCTION, &call, offsetof(struct record_function, args) + words * 8);
}

int graph_record_write(struct graph_record *record, struct err *err)
{
	return record_temporary_write(&record->recording, 0, err);
}

void graph_record_release(struct graph_record *record)
{
	record_temporary_release(&record->recording);
}
