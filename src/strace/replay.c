// SPDX-License-Identifier: BSD-2-Clause
/* From a recording to lines. Recordings are foreign: lines.c and the types trust no length in a record. */
#include <elf.h>

#include "base/set.h"
#include "bpf/record.h"
#include "replay.h"
#include "replay_part.h"
#include "strace.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* Records between two writes, and the most that wait for an end: times that do not go on would hold all of them. */
#define BATCH	 64
#define HELD_MAX 65536
/* The most of each text: as in the option of `sonde strace`. */
#define TEXT_MOST 4000

/* Of a thread: the call that has begun. */
struct open_call {
	bool is_open, has_ended; /* has_ended: the thread */
	uint32_t nr, flags;
};

struct replay {
	struct recording *r;
	struct output *out;
	struct strace_settings settings;
	struct strace_lines *lines;
	struct set tids;	    /* of all records */
	vec(struct open_call) open; /* by the number of the tid */
	size_t ended;		    /* threads that have */
	uint64_t n, lost;	    /* records */
};

/* Threads that have ended make room for others. */
static void forget_ended(struct replay *replay)
{
	struct set tids = {};
	size_t n = 0;

	for (size_t i = 0; i < replay->tids.n; i++) {
		if (replay->open.v[i].has_ended)
			continue;
		set_add(&tids, replay->tids.v[i].bytes, replay->tids.v[i].len);
		replay->open.v[n++] = replay->open.v[i];
	}
	set_release(&replay->tids);
	replay->tids = tids;
	replay->open.n = n;
	replay->ended = 0;
}

static void end_thread(struct replay *replay, uint32_t number, bool has_ended)
{
	struct open_call *open = &replay->open.v[number];

	replay->ended += has_ended - open->has_ended;
	open->has_ended = has_ended;
}

/* Returns the number of a thread; SET_NONE: there are too many, and its record is lost. */
static uint32_t number_of(struct replay *replay, uint32_t tid)
{
	uint32_t number = set_find(&replay->tids, &tid, sizeof(tid));

	if (number != SET_NONE)
		return number;
	if (replay->tids.n >= RECORDING_TASKS_MAX && replay->ended >= RECORDING_TASKS_MAX / 4)
		forget_ended(replay);
	if (replay->tids.n >= RECORDING_TASKS_MAX)
		return SET_NONE;
	*vec_push(&replay->open) = (struct open_call){};
	return set_add(&replay->tids, &tid, sizeof(tid));
}

static void lose(struct replay *replay, uint64_t n)
{
	replay->lost = n > UINT64_MAX - replay->lost ? UINT64_MAX : replay->lost + n;
	strace_lines_lost(replay->lines, replay->lost);
}

static void add(struct replay *replay, const struct strace_record *record, size_t size)
{
	uint32_t number = number_of(replay, record->tid);

	if (number == SET_NONE) {
		lose(replay, 1);
		return;
	}
	end_thread(replay, number, record->kind == STRACE_ENDED);
	/* what has waited long enough is printed as if this record had not come yet */
	strace_lines_print(replay->lines, record->time, false);
	strace_lines_add(replay->lines, record, size);
	if (++replay->n % BATCH == 0)
		output_flush(replay->out);
}

/* --- records of calls --- */

static int replay_calls(struct replay *replay)
{
	struct recording_call call;
	int ret;

	while ((ret = recording_next_call(replay->r, &call)) > 0 && !output_error(replay->out)) {
		if (call.lost)
			lose(replay, call.lost);
		else if (call.n >= sizeof(struct strace_record))
			add(replay, call.bytes, call.n);
		else
			recording_note_damage(replay->r);
	}
	return ret < 0 ? ret : 0;
}

/* --- calls without what they point to --- */

static void fill_head(struct replay *replay, const struct recording_event *event, struct strace_record *record)
{
	const struct recording_task *task = recording_task(replay->r, event->task);

	record->time = event->time;
	record->tid = event->task;
	record->pid = task && task->tgid ? task->tgid : event->task;
	snprintf(record->comm, sizeof(record->comm), "%s", recording_comm(replay->r, event->task));
}

static void fill_number(const struct recording_event *event, struct strace_record *record)
{
	int64_t number = recording_known(event, KNOWN_F_SYSCALL, -1);

	if (number >= RECORD_CALL_32) {
		number -= RECORD_CALL_32;
		record->flags = STRACE_COMPAT;
	}
	record->nr = number;
}

static void replay_begin(struct replay *replay, const struct recording_event *event, struct strace_record *record)
{
	const struct recording_field *field = recording_field(event, KNOWN_F_ARGS);
	size_t n = 0;
	const uint64_t *words = field ? recording_words(event, field, &n) : NULL;

	fill_number(event, record);
	record->kind = STRACE_ENTER;
	record->began = record->time;
	for (size_t i = 0; words && i < n && i < STRACE_ARGS; i++)
		record->args[i] = words[i];
	add(replay, record, sizeof(*record));
}

static void replay_event(struct replay *replay, const struct recording_event *event)
{
	struct strace_record record = {};
	struct open_call *open;
	uint32_t number;

	if (event->task <= 0)
		return;
	fill_head(replay, event, &record);
	number = number_of(replay, record.tid);
	if (number == SET_NONE) {
		lose(replay, 1);
		return;
	}
	open = &replay->open.v[number];
	if (event->kind->known == KNOWN_SYS_ENTER) {
		replay_begin(replay, event, &record);
		*open = (struct open_call){ .is_open = true, .nr = record.nr, .flags = record.flags };
	} else if (event->kind->known == KNOWN_SYS_EXIT && open->is_open) {
		/*
		 * Without its begin, nothing is known of its arguments. A return from a signal has lost its number, and
		 * an exec may be of a program of the other kind.
		 */
		record.nr = open->nr;
		record.flags = open->flags;
		record.kind = STRACE_EXIT;
		record.ret = recording_known(event, KNOWN_F_RET, 0);
		add(replay, &record, sizeof(record));
		open->is_open = false;
	} else if (event->kind->known == KNOWN_EXIT) {
		record.kind = STRACE_ENDED;
		record.ret = recording_known(event, KNOWN_F_CODE, 0);
		record.flags = recording_known(event, KNOWN_F_LAST, 0) ? STRACE_LAST : 0;
		add(replay, &record, sizeof(record));
	}
}

static int replay_events(struct replay *replay)
{
	struct recording_event event;
	int ret;

	while ((ret = recording_next(replay->r, &event)) > 0 && !output_error(replay->out)) {
		if (event.kind)
			replay_event(replay, &event);
		else
			lose(replay, event.lost);
	}
	return ret < 0 ? ret : 0;
}

/* --- all of it --- */

static bool has_kind(const struct recording *r, int known)
{
	const struct recording_info *info = recording_info(r);

	for (size_t i = 0; i < info->n_kinds; i++)
		if (info->kinds[i]->known == known)
			return true;
	return false;
}

/* Whether the recording has calls, and this sonde knows what they mean. */
static int check(const struct recording *r, struct err *err)
{
	const struct recording_info *info = recording_info(r);

	if (!info->has_calls && !has_kind(r, KNOWN_SYS_ENTER))
		return err_set(err, -ENODATA,
			       "there are no system calls in the recording: sonde record strace has them");
	if (info->machine != MACHINE)
		return err_set(err, -ENOEXEC, "calls of %s are printed by the sonde of that architecture",
			       *info->host.machine ? info->host.machine : "another machine");
	if (info->has_calls && info->calls_form != strace_replay_fingerprint())
		return err_set(err, -ENOEXEC,
			       "sonde %s has recorded the calls, by another table of calls: that version prints them",
			       info->host.version);
	return 0;
}

int strace_replay(struct recording *r, struct output *out, uint64_t *lost, struct err *err)
{
	const struct recording_info *info = recording_info(r);
	uint32_t command = info->host.command_pid > 0 ? info->host.command_pid : 0;
	struct replay replay = { .r = r, .out = out };
	int ret = check(r, err);

	*lost = 0;
	if (ret)
		return ret;
	strace_replay_settings(&replay.settings);
	/* lines as in a file of -f */
	replay.settings.output = "";
	if (info->has_calls && info->calls_text <= TEXT_MOST)
		replay.settings.size = info->calls_text;
	replay.lines = strace_lines_new(&replay.settings, out, command);
	strace_lines_set_most(replay.lines, HELD_MAX);
	if (!output_is_text(out))
		output_table_begin(out, &strace_schema, NULL, true);
	ret = info->has_calls ? replay_calls(&replay) : replay_events(&replay);
	strace_lines_print(replay.lines, UINT64_MAX, true);
	output_flush(out);
	if (ret)
		*err = *recording_error(r);
	strace_lines_say_unended(replay.lines);
	*lost = replay.lost;
	strace_lines_free(replay.lines);
	set_release(&replay.tids);
	free(replay.open.v);
	return ret;
}
