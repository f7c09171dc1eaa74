// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of a recording come in the order of their begins, those of all threads among each other. Those of a thread are
 * kept until nothing of their tree can come any more. Recordings are foreign: nothing in them is trusted.
 */
#include "base/set.h"
#include "engines/event.h"
#include "graph_paths.h"
#include "graph_replay.h"
#include "graph_tree.h"

/* Records come roughly in the order in which trees ended: by so many ns their times may be apart. */
#define SLACK 10000000
/* The most calls that are kept, of all threads; then they are printed, though more of their trees may come. */
#define CALLS_MAX 262144
/* Files have no deeper stacks. What a recording says to be deeper than that is in the last of them. */
#define DEPTH_MAX 65536

struct call {
	uint64_t start, ns;
	int64_t ret, function;
	uint32_t depth;
	bool ended, returned, user;
	char *args, *result; /* NULL: none */
};

/* A thread, or what else has calls of its own. */
struct track {
	int32_t tid, tgid;
	const char *comm; /* when the tree began */
	uint64_t end;	  /* of the outermost call that is kept */
	vec(struct call);
	struct {
		vec(uint32_t);
	} within;		  /* the last call and those that it is in, the outermost first: their numbers */
	struct graph_paths paths; /* for files */
};

struct replay {
	struct recording *r;
	struct graph_tree tree;
	struct set ids; /* tid and track */
	vec(struct track) tracks;
	struct {
		vec(uint32_t);
	} busy;		    /* tracks that have calls, by their numbers */
	uint64_t suspended; /* the times of records, with this, are ns since boot: as graph prints them live */
	uint64_t due;	    /* when the next tree is complete */
	size_t n_calls;
	struct set names; /* of functions that have none */
	struct graph_files files;
	const struct track *printed;
};

static const struct field fields[] = {
	DATA(FIELD_TIME, struct event, time, "time"),
	DATA(FIELD_ELAPSED, struct event, time, "boot_ns"),
	GRAPH_COLUMNS,
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

/* --- rows --- */

static uint32_t depth_of(void *ctx, size_t i)
{
	const struct replay *replay = ctx;

	return replay->printed->v[i].depth;
}

static const char *name_of(struct replay *replay, int64_t function)
{
	const char *name = recording_text(replay->r, LAYOUT_SPACE_PROBES, function);
	char unnamed[40];

	if (name)
		return name;
	snprintf(unnamed, sizeof(unnamed), "function %lld", (long long)function);
	return replay->names.v[set_add(&replay->names, unnamed, strlen(unnamed) + 1)].bytes;
}

static void describe(void *ctx, size_t i, struct graph_row *row)
{
	struct replay *replay = ctx;
	const struct track *track = replay->printed;
	const struct call *call = &track->v[i];

	*row = (struct graph_row){
		.event = { .time = call->start + replay->suspended, .tid = track->tid, .pid = track->tgid },
		.ns = call->ns,
		.ended = call->ended,
		.returned = call->returned,
		.depth = call->depth,
		.ret = call->ret,
		.function = name_of(replay, call->function),
		.args = call->args,
		.result = call->result,
	};
	memcpy(row->event.comm, track->comm, strnlen(track->comm, sizeof(row->event.comm)));
}

/* --- trees --- */

static void forget_calls(struct replay *replay, struct track *track)
{
	for (size_t i = 0; i < track->n; i++) {
		free(track->v[i].args);
		free(track->v[i].result);
	}
	replay->n_calls -= track->n;
	track->n = 0;
	track->within.n = 0;
}

static const char *comm_of(const struct track *track)
{
	return *track->comm ? track->comm : "[unknown]";
}

/* The same as paths for the files. */
static void add_paths(struct replay *replay, struct track *track)
{
	__free struct graph_step *steps = base_alloc(track->n * sizeof(*steps));

	for (size_t i = 0; i < track->n; i++) {
		const struct call *call = &track->v[i];

		steps[i] = (struct graph_step){
			.function = name_of(replay, call->function),
			.kernel = !call->user,
			.depth = call->depth < DEPTH_MAX ? call->depth : DEPTH_MAX,
			.start = call->start,
			.ns = call->ns,
		};
	}
	graph_paths_add(&track->paths, &replay->files, comm_of(track), steps, track->n);
}

static void print_track(struct replay *replay, struct track *track)
{
	replay->printed = track;
	if (!files_use_stdout(&replay->files.files))
		graph_tree_print(&replay->tree, track->n);
	if (replay->files.stacks)
		add_paths(replay, track);
	forget_calls(replay, track);
}

/* Prints the trees that ended until then, the earliest first. */
static void print_ended(struct replay *replay, uint64_t until)
{
	for (;;) {
		size_t first = SIZE_MAX;

		replay->due = UINT64_MAX;
		for (size_t i = 0; i < replay->busy.n; i++) {
			uint64_t end = replay->tracks.v[replay->busy.v[i]].end;

			if (end > replay->due || (end == replay->due && first != SIZE_MAX))
				continue;
			replay->due = end;
			first = i;
		}
		if (first == SIZE_MAX || replay->due > until)
			return;
		print_track(replay, &replay->tracks.v[replay->busy.v[first]]);
		memmove(&replay->busy.v[first], &replay->busy.v[first + 1],
			(--replay->busy.n - first) * sizeof(*replay->busy.v));
	}
}

static struct track *track_of(struct replay *replay, const struct recording_event *event)
{
	int64_t key[] = { event->task, recording_known(event, KNOWN_F_TRACK, 0) };
	uint32_t number = set_find(&replay->ids, key, sizeof(key));

	if (number == SET_NONE) {
		if (replay->ids.n >= RECORDING_TASKS_MAX)
			return NULL;
		number = set_add(&replay->ids, key, sizeof(key));
		vec_push(&replay->tracks)->tid = event->task;
	}
	return &replay->tracks.v[number];
}

/* A call that is in none of those that are kept begins another tree: also one whose callers were written later. */
static bool is_within(struct track *track, const struct call *call)
{
	const struct call *caller;

	while (track->within.n && track->v[track->within.v[track->within.n - 1]].depth >= call->depth)
		track->within.n--;
	if (!track->within.n)
		return false;
	caller = &track->v[track->within.v[track->within.n - 1]];
	return !caller->ended || caller->start + caller->ns >= call->start;
}

static char *text_of(const struct replay *replay, const struct recording_event *event, enum known_field known)
{
	const struct recording_field *field = recording_field(event, known);
	size_t n = 0;
	const char *text = field ? recording_chars(replay->r, event, field, &n) : NULL;

	n = text ? strnlen(text, n) : 0;
	return n ? base_strndup(text, n) : NULL;
}

static void begin_tree(const struct replay *replay, struct track *track, uint64_t end)
{
	const struct recording_task *task = recording_task(replay->r, track->tid);

	track->tgid = task ? task->tgid : 0;
	track->comm = recording_comm(replay->r, track->tid);
	track->end = end;
}

/* Returns false if there is no room for one more thread. */
static bool add_call(struct replay *replay, const struct recording_event *event)
{
	struct track *track = track_of(replay, event);
	struct call call = {
		.start = event->time,
		.ns = recording_known(event, KNOWN_F_TOOK, 0),
		.ret = recording_known(event, KNOWN_F_RET, 0),
		.function = recording_known(event, KNOWN_F_PROBE, 0),
		.depth = recording_known(event, KNOWN_F_DEPTH, 0),
		.ended = recording_known(event, KNOWN_F_ENDED, 1),
		.returned = recording_known(event, KNOWN_F_RETURNED, 0),
		.user = recording_known(event, KNOWN_F_USER, 0),
	};
	uint64_t end;

	if (!track)
		return false;
	if (track->n && !is_within(track, &call))
		print_track(replay, track);
	else if (!track->n)
		*vec_push(&replay->busy) = track - replay->tracks.v;
	call.args = text_of(replay, event, KNOWN_F_TEXT);
	call.result = call.returned ? text_of(replay, event, KNOWN_F_RESULT) : NULL;
	end = !call.ended || call.ns > UINT64_MAX - call.start ? UINT64_MAX : call.start + call.ns;
	if (!track->n)
		begin_tree(replay, track, end);
	*vec_push(&track->within) = track->n;
	*vec_push(track) = call;
	if (track->end < replay->due)
		replay->due = track->end;
	if (++replay->n_calls >= CALLS_MAX)
		print_ended(replay, UINT64_MAX);
	return true;
}

static int read_all(struct replay *replay, uint64_t *lost, uint64_t *calls)
{
	struct recording_event event;
	int ret;

	replay->due = UINT64_MAX;
	while ((ret = recording_next(replay->r, &event)) > 0 && !output_error(replay->tree.out)) {
		if (replay->due < event.time && event.time - replay->due > SLACK)
			print_ended(replay, event.time - SLACK);
		if (!event.kind)
			*lost += event.lost;
		else if (event.kind->known == KNOWN_CALL)
			*(add_call(replay, &event) ? calls : lost) += 1;
	}
	return ret < 0 ? ret : 0;
}

static void release(struct replay *replay)
{
	vec_each(track, &replay->tracks) {
		forget_calls(replay, track);
		free(track->v);
		free(track->within.v);
		graph_paths_release(&track->paths);
	}
	free(replay->tracks.v);
	free(replay->busy.v);
	set_release(&replay->ids);
	set_release(&replay->names);
	graph_files_release(&replay->files);
	graph_tree_release(&replay->tree);
}

static int print_all(struct replay *replay, uint64_t *lost, struct err *err)
{
	const struct layout_clocks *start = &recording_info(replay->r)->start;
	const struct output_clock clock = { start->wall - start->boot, start->boot };
	struct output *out = replay->tree.out;
	const bool has_table = !files_use_stdout(&replay->files.files);
	uint64_t calls = 0;
	int ret;

	output_set_clock(out, &clock);
	if (has_table)
		output_table_begin(out, &schema, NULL, true);
	ret = read_all(replay, lost, &calls);
	if (ret)
		*err = *recording_error(replay->r);
	else
		print_ended(replay, UINT64_MAX);
	if (has_table)
		output_table_end(out);
	if (!ret && !calls && !*lost)
		return err_set(err, -ENODATA,
			       "the recording has no calls of functions: sonde graph --record FILE writes them");
	return ret;
}

static int write_files(struct replay *replay, const char *title, struct err *err)
{
	vec_each(track, &replay->tracks)
		if (track->comm)
			graph_paths_end(&track->paths, &replay->files, comm_of(track));
	return graph_files_write(&replay->files, title, err);
}

int graph_replay(struct recording *r, const struct graph_settings *settings, struct output *out, uint64_t *lost,
		 struct err *err)
{
	const struct layout_clocks *start = &recording_info(r)->start;
	struct replay replay = {
		.r = r,
		.suspended = start->boot - start->monotonic,
		.tree = { .out = out, .depth = depth_of, .describe = describe },
	};
	int ret = graph_files_add(&replay.files, settings, out, err);

	replay.tree.ctx = &replay;
	if (!ret)
		ret = print_all(&replay, lost, err);
	if (!ret && replay.files.stacks)
		ret = write_files(&replay, settings->title, err);
	release(&replay);
	return ret;
}
