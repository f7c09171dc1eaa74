// SPDX-License-Identifier: BSD-2-Clause
/* Keeps the calls of each thread until their tree is complete, and prints it. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/lookup.h"
#include "base/report.h"
#include "engine/stacks.h"
#include "graph.h"
#include "graph_flat.h"
#include "graph_if.h"
#include "graph_open.h"
#include "graph_paths.h"
#include "graph_record.h"
#include "graph_roots.h"
#include "graph_threads.h"
#include "graph_tree.h"
#include "probe/target.h"
#include "prototype.h"

/* So many calls of a thread are kept at most: then they are printed without their callers, which go on. */
#define CALLS_MAX 65536
/* And of all threads together: 32 MB. */
#define CALLS_ALL_MAX 262144
/* Threads without a call stay in the table until there are so many. */
#define IDLE_MAX 1024

struct call {
	uint64_t start, ns;
	int64_t ret;
	uint32_t function, depth, order;
	bool ended, returned;
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
};

struct thread {
	uint64_t key;
	struct event who;				  /* time 0: no record has said it yet */
	char recorded[sizeof(((struct event *)0)->comm)]; /* its name in the recording; "": none yet */
	uint32_t track;					  /* as of record_function; 0: of its own, or none yet */
	vec(struct call);				  /* in the order of their ends */
	uint64_t stack;					  /* of its outermost call; 0: none */
	bool has_root;					  /* the tree that is printed is complete */
	bool named;					  /* its last record has said who it is */
	uint64_t shown;					  /* when the last call that was shown began; 0: none was */
	struct graph_paths paths;			  /* for files */
};

struct graph {
	const struct graph_settings *settings;
	const struct target_set *set;
	struct output *out;
	struct prototypes *prototypes;
	const struct target **functions; /* by slot */
	vec(struct thread);
	struct lookup lookup; /* finds threads */
	size_t idle, n_calls;
	uint64_t lost; /* when records were last known to be lost; what was said before may have been replaced; 0: never */
	bool said_partial, knows_command;
	struct graph_shared shared;
	struct graph_opens open; /* since graph_stop() */
	uint64_t stopped;
	uint64_t suspended; /* the times of records, with this, are ns since boot */
	struct graph_files files;
	struct graph_record record;
	struct graph_flat flat;
	struct graph_if only_if;
	struct graph_tree tree;
	/* what the row that is printed points to */
	struct str args, result;
};

/* --- begin and end --- */

/* Several targets may share a slot: the first stands for all. A slot without a probe has none. */
static void find_functions(struct graph *graph)
{
	graph->functions = base_alloc((graph->set->n_slots + 1) * sizeof(*graph->functions));
	for (size_t i = 0; i < graph->set->n; i++)
		if (!graph->functions[graph->set->v[i].slot])
			graph->functions[graph->set->v[i].slot] = &graph->set->v[i];
}

static int begin_record(struct graph *graph, struct err *err)
{
	const struct file *file = graph_files_recorded(&graph->files, NULL);
	int ret = file ? graph_record_open(&graph->record, file, graph->settings, err) : 0;

	while (file && (file = graph_files_recorded(&graph->files, file)))
		record_temporary_also(&graph->record.recording, file);
	for (size_t i = 0; i < graph->set->n_slots; i++)
		graph_record_function(&graph->record, i, graph->set->slots[i]);
	return ret;
}

struct graph *graph_new(const struct graph_settings *settings, const struct target_set *set, struct output *out,
			uint8_t *about, struct err *err)
{
	struct graph *graph;

	if (set->n_slots > GRAPH_SLOTS) {
		err_set(err, -E2BIG, "%zu functions match, and a graph has at most %u: name fewer, such as 'vfs_*'", set->n_slots, GRAPH_SLOTS);
		return NULL;
	}
	graph = base_alloc(sizeof(*graph));
	graph->settings = settings;
	graph->set = set;
	graph->out = out;
	graph->tree.out = out;
	graph->prototypes = prototypes_new(set->n_slots);
	find_functions(graph);
	if ((settings->flat && graph_flat_check(set, err)) || graph_files_add(&graph->files, settings, out, err) ||
	    (settings->n_under && graph_roots_mark(settings, graph->functions, set->n_slots, about, err)) ||
	    graph_if_bind(&graph->only_if, settings->only_if, graph->prototypes, graph->functions, set->n_slots, err) ||
	    begin_record(graph, err)) {
		graph_free(graph);
		return NULL;
	}
	for (size_t i = 0; settings->reads_args && i < set->n_slots; i++)
		if (graph->functions[i])
			about[i] |= prototypes_text(graph->prototypes, graph->functions[i]);
	return graph;
}

void graph_begin(struct graph *graph, const struct schema *schema, const struct graph_shared *shared)
{
	graph->shared = *shared;
	graph_record_begin(&graph->record, graph->settings);
	if (!files_use_stdout(&graph->files.files))
		output_table_begin(graph->out, schema, NULL, true);
}

static void release_thread(struct thread *thread)
{
	free(thread->v);
	graph_paths_release(&thread->paths);
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	vec_each(thread, graph)
		release_thread(thread);
	free(graph->v);
	free(graph->open.v);
	lookup_release(&graph->lookup);
	prototypes_free(graph->prototypes);
	graph_record_release(&graph->record);
	graph_flat_release(&graph->flat);
	graph_if_release(&graph->only_if);
	condition_free(graph->settings->only_if);
	graph_files_release(&graph->files);
	free(graph->functions);
	str_release(&graph->args);
	str_release(&graph->result);
	graph_tree_release(&graph->tree);
	free(graph);
}

/* --- threads --- */

static uint32_t hash_of(uint64_t key)
{
	return hash_pair(key, 0);
}

void graph_lost(struct graph *graph)
{
	graph->lost = clock_monotonic_ns();
	graph_threads_ask_all(&graph->shared);
}

/* Forgets the threads that have no call now, and none that waits for its callers. */
static void forget_idle(struct graph *graph)
{
	size_t n = 0, idle = 0;

	lookup_reset(&graph->lookup);
	for (size_t i = 0; i < graph->n; i++) {
		if (!graph->v[i].n && !graph_paths_wait(&graph->v[i].paths)) {
			graph_threads_ask(&graph->shared, graph->v[i].key);
			release_thread(&graph->v[i]);
			continue;
		}
		graph->v[n] = graph->v[i];
		lookup_add(&graph->lookup, hash_of(graph->v[n].key), n);
		idle += !graph->v[n].n;
		n++;
	}
	graph->n = n;
	graph->idle = idle;
}

/* Valid until the next call. */
static struct thread *thread_of(struct graph *graph, uint64_t key)
{
	uint32_t hash = hash_of(key);
	struct thread *thread;

	lookup_each(it, &graph->lookup, hash)
		if (graph->v[it.number].key == key)
			return &graph->v[it.number];
	if (graph->idle > IDLE_MAX && graph->idle > graph->n / 2)
		forget_idle(graph);
	thread = vec_push(graph);
	thread->key = key;
	lookup_add(&graph->lookup, hash, graph->n - 1);
	graph->idle++;
	return thread;
}

/*
 * Who it is, if no record has said it, and what only the record of its outermost call would say: the programs know it as
 * long as no other thread has taken its entry.
 */
static void find_who(const struct graph *graph, struct thread *thread)
{
	struct graph_thread known;

	if (thread->has_root && (thread->named || thread->who.time > graph->lost))
		return;
	thread->stack = 0;
	thread->who.tid = GRAPH_KEY_TID(thread->key);
	if (!graph_threads_find(&graph->shared, thread->key, &known))
		return;
	thread->stack = graph->shared.stacks ? known.stack : 0;
	thread->who.pid = known.pid;
	thread->who.tid = known.tid;
	thread->who.ppid = known.ppid;
	thread->who.uid = known.uid;
	memcpy(thread->who.comm, known.comm, sizeof(thread->who.comm));
}

/* The programs read a clock that stands still while the machine is suspended. All calls of a tree have the same. */
static void look_at_clock(struct graph *graph)
{
	uint64_t now = clock_boot_offset();

	if (now - graph->suspended + NS_PER_MS > 2 * NS_PER_MS)
		graph->suspended = now;
}

/* --- rows --- */

static void describe(struct graph *graph, const struct thread *thread, const struct call *call, struct graph_row *row)
{
	const struct target *function = graph->functions[call->function];

	*row = (struct graph_row){
		.event = thread->who,
		.ns = call->ns,
		.ended = call->ended,
		.returned = call->returned,
		.depth = call->depth,
		.ret = call->ret,
		.function = graph->set->slots[call->function],
	};
	row->event.time = call->start + graph->suspended;
	str_reset(&graph->args);
	if (graph->settings->args) {
		prototypes_add_args(graph->prototypes, function, call->args, call->text, &graph->args);
		row->args = str_or_empty(graph->args.data);
	}
	str_reset(&graph->result);
	if (graph->settings->results && call->returned &&
	    prototypes_add_result(graph->prototypes, function, call->ret, &graph->result))
		row->result = graph->result.data;
}

static void print_flat(struct graph *graph, const struct graph_entry *event)
{
	const struct thread thread = { .who = event->event };
	struct call call = { .start = event->event.time, .function = event->function };
	struct graph_row row;

	if (graph->settings->args) {
		memcpy(call.args, event->args, sizeof(call.args));
		memcpy(call.text, event->text, sizeof(call.text));
	}
	describe(graph, &thread, &call, &row);
	row.caller = graph_flat_caller(&graph->flat, event->caller);
	if (row.args)
		graph_tree_line(&graph->tree, &row, "%s(%s) <- %s", row.function, row.args, row.caller);
	else
		graph_tree_line(&graph->tree, &row, "%s <- %s", row.function, row.caller);
}

static void add_stack(const struct graph *graph, const struct thread *thread, struct graph_row *row)
{
	struct stacks_named named = {};

	if (row->depth || !graph->shared.stacks || !thread->stack)
		return;
	stacks_find(graph->shared.stacks, thread->stack, &named);
	row->stack = named.kernel;
}

/* --- trees --- */

/* A caller before its calls: it began before them or, as far as the clock can tell, with them. */
static int by_begin(const void *pa, const void *pb)
{
	const struct call *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* What graph_tree_print() asks for. */
struct printed {
	struct graph *graph;
	const struct thread *thread;
};

static uint32_t depth_of(void *ctx, size_t i)
{
	const struct printed *printed = ctx;

	return printed->thread->v[i].depth;
}

static void describe_row(void *ctx, size_t i, struct graph_row *row)
{
	const struct printed *printed = ctx;

	describe(printed->graph, printed->thread, &printed->thread->v[i], row);
	add_stack(printed->graph, printed->thread, row);
}

static void print_tree(struct graph *graph, const struct thread *thread)
{
	struct printed printed = { graph, thread };

	graph->tree.depth = depth_of;
	graph->tree.describe = describe_row;
	graph->tree.ctx = &printed;
	graph_tree_print(&graph->tree, thread->n);
}

/* --- files --- */

static const char *comm_of(const struct thread *thread)
{
	return *thread->who.comm ? thread->who.comm : "[unknown]";
}

static bool is_user(const struct graph *graph, uint32_t function)
{
	return graph->functions[function]->kind != TARGET_KERNEL;
}

/* The calls in the order of their begins, as paths for the files. */
static void add_paths(struct graph *graph, struct thread *thread)
{
	__free struct graph_step *steps = base_alloc(thread->n * sizeof(*steps));

	for (size_t i = 0; i < thread->n; i++) {
		const struct call *call = &thread->v[i];

		steps[i] = (struct graph_step){
			.function = graph->set->slots[call->function],
			.kernel = !is_user(graph, call->function),
			.depth = call->depth,
			.start = call->start,
			.ns = call->ns,
		};
	}
	graph_paths_add(&thread->paths, &graph->files, comm_of(thread), steps, thread->n);
}

/* What is no thread has a track by itself: its calls would not nest in those of the thread that runs it. */
static void name_track(struct graph *graph, struct thread *thread)
{
	const struct target *function = graph->functions[thread->v[0].function];
	__str struct str name = {};

	if (GRAPH_KEY_TID(thread->key) || thread->track)
		return;
	if (function->kind == TARGET_USER)
		str_addf(&name, "%s %u, goroutine %u", comm_of(thread), thread->who.pid, graph->record.tracks + 1);
	else
		str_addf(&name, "%s, idle task %u", comm_of(thread), graph->record.tracks + 1);
	thread->track = graph_record_track(&graph->record, name.data);
}

/* The command's process was sonde's until it executed. */
static void record_command(struct graph *graph, const struct event *who, uint64_t since)
{
	struct event command = *who;

	if (graph->knows_command || !who->pid || (pid_t)who->pid != graph->settings->command)
		return;
	graph->knows_command = true;
	command.tid = who->pid;
	graph_record_thread(&graph->record, &command, since, true);
}

/* Who it is comes before its calls. */
static void record_thread(struct graph *graph, struct thread *thread)
{
	const struct event *who = &thread->who;
	uint64_t since = thread->v[0].start + graph->suspended;

	name_track(graph, thread);
	record_command(graph, who, since);
	if (!who->pid || !who->tid || !strncmp(thread->recorded, who->comm, sizeof(who->comm)))
		return;
	memcpy(thread->recorded, who->comm, sizeof(who->comm));
	graph_record_thread(&graph->record, who, since, false);
}

static void record_calls(struct graph *graph, struct thread *thread)
{
	if (!graph_files_recorded(&graph->files, NULL))
		return;
	record_thread(graph, thread);
	for (size_t i = 0; i < thread->n; i++) {
		struct graph_row row;

		describe(graph, thread, &thread->v[i], &row);
		graph_record_call(&graph->record, &row, thread->v[i].function,
				  is_user(graph, thread->v[i].function), thread->track);
	}
}

static bool matches(const struct graph *graph, const struct call *call)
{
	const struct graph_if_call one = { graph->functions[call->function], call->args, call->text, call->returned,
					   call->ret };

	return graph_if_matches(&graph->only_if, &one);
}

/*
 * Keeps the calls that match, and their callers, of those in the order of their begins: seen from the end, a caller is
 * the next call that is less deep. A call that began before one that was printed early, and has returned since, is a
 * caller of that one.
 */
static void keep_matching(const struct graph *graph, struct thread *thread)
{
	size_t first = thread->n;
	uint32_t depth = 0;

	for (size_t i = thread->n; i--;) {
		const struct call *call = &thread->v[i];

		if (call->depth >= depth && call->start >= thread->shown && !matches(graph, call))
			continue;
		depth = call->depth;
		thread->v[--first] = *call;
	}
	thread->n -= first;
	memmove(thread->v, thread->v + first, thread->n * sizeof(*thread->v));
	if (thread->n && thread->v[thread->n - 1].start > thread->shown)
		thread->shown = thread->v[thread->n - 1].start;
}

static void show_calls(struct graph *graph, struct thread *thread)
{
	record_calls(graph, thread);
	if (graph->files.stacks)
		add_paths(graph, thread);
	if (!files_use_stdout(&graph->files.files))
		print_tree(graph, thread);
}

/* Prints the thread's calls, and forgets them. */
static void print_calls(struct graph *graph, struct thread *thread)
{
	if (!thread->n)
		return;
	graph->n_calls -= thread->n;
	look_at_clock(graph);
	find_who(graph, thread);
	for (size_t i = 0; i < thread->n; i++)
		thread->v[i].order = i;
	qsort(thread->v, thread->n, sizeof(*thread->v), by_begin);
	if (graph->settings->only_if)
		keep_matching(graph, thread);
	if (thread->n)
		show_calls(graph, thread);
	thread->n = 0;
	graph->idle++;
}

static struct call *add_call(struct graph *graph, struct thread *thread)
{
	graph->idle -= !thread->n;
	graph->n_calls++;
	return vec_push(thread);
}

/* The calls of one thread, or of all, take too much memory. */
static void print_early(struct graph *graph, struct thread *thread)
{
	if (!graph->said_partial && !files_use_stdout(&graph->files.files))
		report_error("a call has too many others in it (%u, or %u of all threads): they are shown without it, before it has returned",
			     CALLS_MAX, CALLS_ALL_MAX);
	graph->said_partial = true;
	if (thread->n >= CALLS_MAX) {
		print_calls(graph, thread);
		return;
	}
	for (size_t i = 0; i < graph->n; i++)
		print_calls(graph, &graph->v[i]);
}

/* A call that had not returned when tracing ended has done so since. */
static void close_open(struct graph *graph, const struct graph_event *event, uint64_t start)
{
	vec_each(open, &graph->open)
		if (open->call.thread == event->thread && open->call.pending.start == start &&
		    GRAPH_CALL_SLOT(open->call.what) == GRAPH_CALL_SLOT(event->what))
			open->call.thread = 0;
}

/* Its name may change, and it is in the first record of each. */
static void learn_who(struct thread *thread, const struct graph_event *event, const struct graph_who *who)
{
	thread->who = (struct event){
		.time = event->time, .pid = who->pid, .tid = who->tid, .ppid = who->ppid, .uid = who->uid
	};
	memcpy(thread->who.comm, who->comm, sizeof(thread->who.comm));
	thread->stack = who->stack;
}

static void add_ended(struct graph *graph, struct thread *thread, const struct graph_event *event)
{
	struct call *call = add_call(graph, thread);

	call->start = event->time - event->ns;
	call->ns = event->ns;
	call->ret = event->ret;
	call->function = GRAPH_CALL_SLOT(event->what);
	call->depth = GRAPH_CALL_DEPTH(event->what);
	call->ended = true;
	call->returned = !(event->what >> 32 & GRAPH_LEFT);
	if (graph->settings->reads_args) {
		memcpy(call->args, event->args, sizeof(call->args));
		memcpy(call->text, event->text, sizeof(call->text));
	}
	close_open(graph, event, call->start);
}

static void add_open(struct graph *graph, const struct graph_call *open)
{
	struct call *call = add_call(graph, thread_of(graph, open->thread));

	call->start = open->pending.start;
	call->function = GRAPH_CALL_SLOT(open->what);
	call->depth = GRAPH_CALL_DEPTH(open->what);
	memcpy(call->args, open->args, sizeof(call->args));
	memcpy(call->text, open->text, sizeof(call->text));
}

/* Whether an entry of the pending table, of which this is a copy, is in use. */
static bool is_pending(const struct graph *graph, const struct graph_call *call)
{
	const uint32_t function = GRAPH_CALL_SLOT(call->what);

	return call->pending.key && call->thread && function < graph->set->n_slots && graph->functions[function];
}

/*
 * Adds the calls that a thread has ended in. Those that it had left before are in the table still. Nobody else uses their
 * entries but one whose own are all in use.
 */
static void take_open(struct graph *graph, const struct graph_event *gone)
{
	struct graph_opens opens = {};

	for (size_t i = 0; i < graph->shared.n; i++) {
		struct graph_call *entry = &graph->shared.pending[i], copy;
		unsigned long long key, thread = gone->thread;

		if (entry->thread != gone->thread)
			continue;
		copy = *entry;
		if (copy.thread != gone->thread || !is_pending(graph, &copy))
			continue;
		key = copy.pending.key;
		/* else another processor has just taken it */
		if (!__atomic_compare_exchange_n(&entry->thread, &thread, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		__atomic_compare_exchange_n(&entry->pending.key, &key, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
		*vec_push(&opens) = (struct graph_open){ copy, GRAPH_CALL_DEPTH(copy.what) >= GRAPH_CALL_DEPTH(gone->what) };
	}
	graph_open_mark_left(&opens);
	vec_each(open, &opens) {
		if (open->left)
			__atomic_fetch_add(graph->shared.no_end, 1, __ATOMIC_RELAXED);
		else if (gone->time - open->call.pending.start >= graph->settings->least)
			add_open(graph, &open->call);
	}
	free(opens.v);
}

/* A thread has ended in calls, which never return: its tree is complete. */
static void add_gone(struct graph *graph, const struct graph_event *gone)
{
	struct thread *thread;

	if (!graph->stopped)
		take_open(graph, gone);
	thread = thread_of(graph, gone->thread);
	learn_who(thread, gone, (const struct graph_who *)gone->args);
	thread->has_root = thread->named = true;
	/* else they are known to be open already */
	if (graph->stopped) {
		vec_each(open, &graph->open)
			if (open->call.thread == gone->thread &&
			    GRAPH_CALL_DEPTH(open->call.what) < GRAPH_CALL_DEPTH(gone->what))
				open->left = false;
		graph_open_mark_left(&graph->open);
		return;
	}
	print_calls(graph, thread);
	thread->has_root = false;
}

void graph_add(struct graph *graph, const void *record)
{
	const struct graph_event *event = record;
	const size_t size = graph->settings->reads_args ? sizeof(*event) : offsetof(struct graph_event, args);
	struct thread *thread;

	if (graph->settings->flat) {
		print_flat(graph, record);
		return;
	}
	if (event->what >> 32 & GRAPH_GONE) {
		add_gone(graph, event);
		return;
	}
	/* one that has begun after the end: calls that it is in may be missing */
	if (graph->stopped && event->time - event->ns > graph->stopped)
		return;
	thread = thread_of(graph, event->thread);
	thread->named = event->what >> 32 & GRAPH_NAMED;
	if (thread->named)
		learn_who(thread, event, (const struct graph_who *)((const char *)event + size));
	add_ended(graph, thread, event);
	if (!GRAPH_CALL_DEPTH(event->what)) {
		thread->has_root = true;
		print_calls(graph, thread);
		thread->has_root = false;
	} else if (thread->n >= CALLS_MAX || graph->n_calls >= CALLS_ALL_MAX) {
		print_early(graph, thread);
	}
}

void graph_stop(struct graph *graph)
{
	graph->stopped = clock_monotonic_ns();
	for (size_t i = 0; i < graph->shared.n; i++) {
		const struct graph_call copy = graph->shared.pending[i];

		/* one that is being written has no start yet */
		if (is_pending(graph, &copy) && copy.pending.start && copy.pending.start < graph->stopped)
			*vec_push(&graph->open) = (struct graph_open){ copy, graph_open_has_left(&graph->shared, &copy) };
	}
	graph_open_mark_left(&graph->open);
}

bool graph_end(struct graph *graph)
{
	struct err err = {};
	bool written = true;

	vec_each(open, &graph->open) {
		if (!open->call.thread)
			continue;
		if (open->left)
			__atomic_fetch_add(graph->shared.no_end, 1, __ATOMIC_RELAXED);
		else if (graph->stopped - open->call.pending.start >= graph->settings->least)
			add_open(graph, &open->call);
	}
	vec_each(thread, graph) {
		print_calls(graph, thread);
		graph_paths_end(&thread->paths, &graph->files, comm_of(thread));
	}
	if (graph_record_write(&graph->record, &err)) {
		report_err(&err, NULL);
		written = false;
	}
	if (graph->files.stacks && graph_files_write(&graph->files, graph->settings->title, &err)) {
		report_err(&err, NULL);
		written = false;
	}
	return written;
}
