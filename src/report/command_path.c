// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes links of the switches, wake-ups and forks of a recording. A recording names whoever ran when a thread was
 * woken; an interrupt may only have come upon it. So it counts if it was in a system call, where the recording has
 * calls, and if the thread did not wait for a disk or a timer.
 */
#include "base/clock.h"
#include "base/set.h"
#include "command_path.h"
#include "summary.h"
#include "why/path.h"
#include "why/waits.h"

#define LINKS (4 * 1024 * 1024)

struct follower {
	uint32_t tid, waker;
	uint64_t off_at, woken_at, named; /* 0: it is not off a processor, not woken, has no name yet */
	const char *comm;
	int64_t in; /* the call that it is in; -1: none */
	bool sleeps;
	struct slept {
		int64_t call; /* -1: none */
		enum why_class class;
	} slept;
};

/* Of the path: what the thread did, or what it slept for. */
struct spent {
	enum path_what what;
	struct slept slept;
	const char *comm;
	uint64_t ns, count;
	uint64_t wall; /* of the path */
};

struct reader {
	struct recording *r;
	struct path *path;
	struct set tids; /* numbers index all */
	struct {
		struct follower *v;
		size_t n, cap;
	} all;
	struct set sleeps;  /* of struct slept: an object of the path is a number in it */
	struct set numbers; /* of calls; their own numbers index classes */
	struct {
		enum why_class *v;
		size_t n, cap;
	} classes;
	struct {
		const char **v;
		size_t n, cap;
	} names;
	bool has_calls;
	uint32_t command;
	uint64_t began, ended, last, lost;
	struct set keys; /* of struct spent up to comm; numbers index rows */
	struct {
		struct spent *v;
		size_t n, cap;
	} rows;
};

static struct follower *follow(struct reader *reader, int32_t tid, uint64_t now)
{
	uint32_t number = set_add(&reader->tids, &tid, sizeof(tid));
	struct follower *it;

	if (number < reader->all.n)
		return &reader->all.v[number];
	it = vec_push(&reader->all);
	it->tid = tid;
	it->in = -1;
	it->comm = recording_comm(reader->r, tid);
	it->named = now;
	return it;
}

static void end_name(struct reader *reader, struct follower *it, uint64_t now)
{
	const char **name;

	if (now <= it->named)
		return;
	name = vec_push(&reader->names);
	*name = it->comm;
	path_add_span(reader->path, it->tid, it->named, now, reader->names.n - 1);
	it->named = now;
}

static void comes(struct reader *reader, const struct recording_event *event, int32_t tid, int32_t prev)
{
	struct follower *it = follow(reader, tid, event->time);
	struct path_link link = {
		.kind = it->sleeps ? PATH_WOKEN : PATH_PREEMPTED,
		.tid = tid,
		.off_at = it->off_at,
		.woken_at = it->sleeps && it->woken_at ? it->woken_at : it->off_at,
		.ran_at = event->time,
		.waker = it->waker,
		.prev = prev,
		.cpu = event->cpu,
		.object = PATH_NONE,
		.behind = PATH_NONE,
	};

	if (it->sleeps && !it->woken_at) /* the wake-up is not in the recording */
		link.woken_at = event->time;
	if (it->sleeps)
		link.object = set_add(&reader->sleeps, &it->slept, sizeof(it->slept));
	if (it->off_at)
		path_add(reader->path, &link);
	it->off_at = it->woken_at = 0;
	it->waker = 0;
	it->sleeps = false;
}

/* The class of a call, by its name: it is looked up once. */
static enum why_class class_of(struct reader *reader, int64_t call)
{
	uint32_t number = set_add(&reader->numbers, &call, sizeof(call));
	__str struct str name = {};

	if (number == reader->classes.n) {
		summary_add_call(&name, reader->r, call);
		*vec_push(&reader->classes) = waits_class(str_or_empty(name.data));
	}
	return reader->classes.v[number];
}

#define STOPPED 0x0c /* T, t */

/* What somebody who leaves the processor sleeps for; without a call, it is a page of memory. */
static struct slept read_sleep(struct reader *reader, const struct recording_event *event, int64_t state)
{
	struct slept slept;

	memset(&slept, 0, sizeof(slept)); /* a key of a set, with its padding */
	slept.call = recording_known(event, KNOWN_F_SYSCALL, -1);
	if (state & STOPPED)
		slept.class = WHY_STOPPED;
	else if (recording_known(event, KNOWN_F_IOWAIT, 0))
		slept.class = WHY_DISK;
	else
		slept.class = slept.call < 0 ? WHY_FAULT : class_of(reader, slept.call);
	return slept;
}

static void leaves(struct reader *reader, const struct recording_event *event, int32_t tid)
{
	struct follower *it = follow(reader, tid, event->time);
	int64_t state = recording_known(event, KNOWN_F_PREV_STATE, 0);

	/* that it came is not in the recording */
	if (it->off_at)
		comes(reader, event, tid, 0);
	it->off_at = event->time;
	it->sleeps = state != 0 && state != 0x100; /* R, R+ */
	it->slept = read_sleep(reader, event, state);
}

static void read_switch(struct reader *reader, const struct recording_event *event)
{
	int64_t prev = recording_known(event, KNOWN_F_PREV, 0), next = recording_known(event, KNOWN_F_NEXT, 0);

	if (prev > 0)
		leaves(reader, event, prev);
	if (next > 0)
		comes(reader, event, next, prev > 0 ? prev : 0);
}

static void read_waking(struct reader *reader, const struct recording_event *event)
{
	int64_t waker = recording_known(event, KNOWN_F_WAKER, event->task);
	int64_t tid = recording_known(event, KNOWN_F_TASK, 0);
	struct follower *it;

	if (tid <= 0)
		return;
	/* each call may move the others */
	if (waker > 0 && reader->has_calls && follow(reader, waker, event->time)->in < 0)
		waker = 0;
	it = follow(reader, tid, event->time);
	it->woken_at = event->time;
	if (waker < 0 || (it->sleeps && (it->slept.class == WHY_DISK || it->slept.class == WHY_SLEEP)))
		waker = 0;
	it->waker = waker;
}

static void read_fork(struct reader *reader, const struct recording_event *event)
{
	int64_t child = recording_known(event, KNOWN_F_CHILD, 0);
	struct path_link link = { .kind = PATH_BORN, .tid = child, .waker = event->task, .ran_at = event->time };
	struct follower *it;

	if (child <= 0 || event->task <= 0)
		return;
	it = follow(reader, child, event->time);
	end_name(reader, it, event->time);
	*it = (struct follower){ .tid = child, .in = -1, .off_at = event->time, .named = event->time };
	it->comm = recording_comm(reader->r, child);
	path_add(reader->path, &link);
}

static void read_name(struct reader *reader, const struct recording_event *event)
{
	struct follower *it = event->task > 0 ? follow(reader, event->task, event->time) : NULL;

	if (!it)
		return;
	end_name(reader, it, event->time);
	it->comm = recording_comm(reader->r, event->task);
}

static void read_call(struct reader *reader, const struct recording_event *event, bool begins)
{
	reader->has_calls = true;
	if (event->task > 0)
		follow(reader, event->task, event->time)->in =
			begins ? recording_known(event, KNOWN_F_SYSCALL, -1) : -1;
}

static void read_event(struct reader *reader, const struct recording_event *event)
{
	if (event->task == (int32_t)reader->command && !reader->began)
		reader->began = event->time;
	switch (event->kind->known) {
	case KNOWN_SWITCH:
		read_switch(reader, event);
		break;
	case KNOWN_WAKING:
		read_waking(reader, event);
		break;
	case KNOWN_FORK:
		read_fork(reader, event);
		break;
	case KNOWN_EXEC:
	case KNOWN_COMM:
		read_name(reader, event);
		break;
	case KNOWN_SYS_ENTER:
	case KNOWN_SYS_EXIT:
		read_call(reader, event, event->kind->known == KNOWN_SYS_ENTER);
		break;
	case KNOWN_EXIT:
		if (event->task == (int32_t)reader->command)
			reader->ended = event->time;
		break;
	default:
		break;
	}
}

static int read_all(struct reader *reader, struct err *err)
{
	struct recording_event event;
	int ret;

	while ((ret = recording_next(reader->r, &event)) > 0) {
		reader->last = event.time;
		reader->lost += event.lost;
		if (event.kind)
			read_event(reader, &event);
	}
	if (ret)
		*err = *recording_error(reader->r);
	vec_each(it, &reader->all)
		end_name(reader, it, reader->last + 1);
	if (!reader->ended)
		reader->ended = reader->last;
	return ret;
}

/* --- the table --- */

static void add_step(const struct path_step *step, void *ctx)
{
	struct reader *reader = ctx;
	struct spent spent = { .what = step->what, .slept.call = -1, .comm = "?" }, *row;
	uint32_t number;

	if (step->span != PATH_NONE)
		spent.comm = reader->names.v[step->span];
	if (step->what == PATH_WAITS && step->link->object != PATH_NONE)
		memcpy(&spent.slept, reader->sleeps.v[step->link->object].bytes, sizeof(spent.slept));
	{
		__str struct str key = {};

		str_addf(&key, "%d %d %lld %s", spent.what, spent.slept.class, (long long)spent.slept.call, spent.comm);
		number = set_add(&reader->keys, key.data, key.len);
	}
	if (number == reader->rows.n)
		*vec_push(&reader->rows) = spent;
	row = &reader->rows.v[number];
	row->ns += step->to - step->from;
	row->count++;
	row->wall = reader->ended - reader->began;
}

static void get_what(struct value *to, const void *row, const void *ctx)
{
	static const char *const names[] = { "unknown", "running", "processor" };
	const struct spent *spent = row;

	if (spent->what != PATH_WAITS)
		value_set_text(to, names[spent->what]);
	else /* which kind of file a descriptor stands for is not in the recording */
		value_set_text(to, spent->slept.class == WHY_UNKNOWN ? "descriptor" : waits_of(spent->slept.class)->name);
}

static void get_call(struct value *to, const void *row, const void *ctx)
{
	const struct spent *spent = row;

	if (spent->slept.call < 0)
		return;
	summary_add_call(to->room, ctx, spent->slept.call);
	value_set_made(to);
}

static void get_table(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, "path");
}

static void get_share(struct value *to, const void *row, const void *ctx)
{
	const struct spent *spent = row;

	value_set_u64(to, spent->wall ? (100 * spent->ns + spent->wall / 2) / spent->wall : 0);
}

static const struct field fields[] = {
	DATA_GET(FIELD_STR, get_table, "table", .role = ROLE_LABEL),
	FIELD_GET(FIELD_STR, get_what, "what", "WHAT", -11, .role = ROLE_LABEL),
	FIELD_GET(FIELD_STR, get_call, "syscall", "SYSCALL", -18, .role = ROLE_LABEL, .may_cut = true),
	FIELD(FIELD_STR, struct spent, comm, "comm", "COMM", -15, .role = ROLE_TASK, .may_cut = true),
	FIELD(FIELD_DURATION, struct spent, ns, "ns", "TIME(ms)", 12, .unit = UNIT_MS, .decimals = 3),
	FIELD_GET(FIELD_U64, get_share, "percent", "%", 4, .role = ROLE_VALUE),
	FIELD(FIELD_U64, struct spent, count, "count", "COUNT", 8, .role = ROLE_COUNTER),
	DATA(FIELD_DURATION, struct spent, wall, "wall_ns"),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static int by_time(const void *pa, const void *pb)
{
	const struct spent *a = pa, *b = pb;

	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static void print_rows(struct reader *reader, struct output *out, uint32_t top)
{
	if (reader->rows.n)
		qsort(reader->rows.v, reader->rows.n, sizeof(*reader->rows.v), by_time);
	output_set_context(out, reader->r);
	if (output_is_text(out))
		output_line(out, "The path of the command: %.3f s of %s",
			    (double)(reader->ended - reader->began) / NS_PER_SEC, recording_info(reader->r)->host.line);
	output_table_begin(out, &schema, NULL, true);
	for (size_t i = 0; i < reader->rows.n && (!top || i < top); i++)
		output_row(out, &reader->rows.v[i]);
	output_table_end(out);
	if (top && reader->rows.n > top && output_is_text(out))
		output_line(out, "%zu more", reader->rows.n - top);
}

static void release(struct reader *reader)
{
	path_free(reader->path);
	set_release(&reader->tids);
	set_release(&reader->sleeps);
	set_release(&reader->numbers);
	free(reader->classes.v);
	set_release(&reader->keys);
	free(reader->all.v);
	free(reader->names.v);
	free(reader->rows.v);
}

int command_path_print(struct recording *r, struct output *out, uint32_t top, uint64_t *lost, struct err *err)
{
	struct reader reader = { .r = r };
	int32_t command = recording_info(r)->host.command_pid;
	int ret;

	if (command <= 0)
		return err_set(err, -ENODATA, "the recording is not of a command: sonde record -- COMMAND makes one");
	reader.command = command;
	reader.path = path_new(LINKS);
	ret = read_all(&reader, err);
	if (!ret && reader.began && reader.ended > reader.began) {
		path_walk(reader.path, command, reader.began, reader.ended, add_step, &reader);
		print_rows(&reader, out, top);
	} else if (!ret) {
		ret = err_set(err, -ENODATA, "the recording has no switches of its command");
	}
	*lost = reader.lost;
	release(&reader);
	return ret;
}
