// SPDX-License-Identifier: BSD-2-Clause
/* Keeps the calls of each thread until their tree is complete, and prints it. */
#include "base/hash.h"
#include "base/lookup.h"
#include "base/report.h"
#include "graph.h"
#include "graph_files.h"
#include "probe/target.h"
#include "prototype.h"

/* So many calls of a thread are kept at most: then they are printed without their callers, which go on. */
#define CALLS_MAX 65536
/* Levels of a tree that are indented; a recursion may be deeper than a terminal is wide. */
#define INDENT_MAX 40
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
	uint64_t task;
	uint32_t id;	    /* on the host */
	struct event event; /* who it is; of its outermost call, once that has returned */
	vec(struct call);   /* in the order of their ends */
};

struct graph {
	const struct graph_settings *settings;
	const struct target_set *set;
	struct output *out;
	struct prototypes *prototypes;
	const struct target **functions; /* by slot */
	vec(struct thread);
	struct lookup lookup; /* finds threads */
	size_t idle;
	bool said_partial;
	struct graph_files files;
	/* what the row that is printed points to */
	struct str args, result, line;
};

/* --- begin and end --- */

static void mark_root(const struct graph *graph, const struct target *root, uint8_t *about)
{
	for (size_t i = 0; i < graph->set->n_slots; i++) {
		const struct target *target = graph->functions[i];

		if (target && target->kind == root->kind && !strcmp(target->name, root->name) &&
		    (target->kind == TARGET_USER ? target->addr == root->addr : str_same(target->object, root->object)))
			about[i] |= GRAPH_ROOT;
	}
}

static int mark_roots(const struct graph *graph, uint8_t *about, struct err *err)
{
	const struct target_options options = { .pid = graph->settings->pid, .both = true };
	__cleanup(target_set_release) struct target_set roots = {};
	size_t bad;
	int ret = target_resolve(&graph->settings->under, 1, &options, &roots, &bad, err);

	if (ret)
		return ret;
	vec_each(root, &roots)
		mark_root(graph, root, about);
	return 0;
}

/* Several targets may share a slot: the first stands for all. A slot whose functions cannot be probed at both ends has none. */
static void find_functions(struct graph *graph)
{
	graph->functions = base_alloc((graph->set->n_slots + 1) * sizeof(*graph->functions));
	for (size_t i = 0; i < graph->set->n; i++)
		if (!graph->functions[graph->set->v[i].slot])
			graph->functions[graph->set->v[i].slot] = &graph->set->v[i];
}

static int refuse_both(const struct graph *graph, struct err *err)
{
	if (!files_use_stdout(&graph->files.files) || output_is_text(graph->out))
		return 0;
	return err_set(err, -EINVAL, "stdout gets either rows (--json, --csv) or a file (FILE is -): choose one");
}

struct graph *graph_new(const struct graph_settings *settings, const struct target_set *set, struct output *out,
			uint8_t *about, struct err *err)
{
	struct graph *graph;

	if (set->n_slots > GRAPH_SLOTS) {
		err_set(err, -E2BIG, "%zu functions match, and a graph has at most %u", set->n_slots, GRAPH_SLOTS);
		return NULL;
	}
	graph = base_alloc(sizeof(*graph));
	graph->settings = settings;
	graph->set = set;
	graph->out = out;
	graph->prototypes = prototypes_new();
	find_functions(graph);
	if (graph_files_add(&graph->files, settings->folded, settings->flame, settings->force, err) ||
	    refuse_both(graph, err) || (settings->under && mark_roots(graph, about, err))) {
		graph_free(graph);
		return NULL;
	}
	for (size_t i = 0; settings->args && i < set->n_slots; i++)
		if (graph->functions[i])
			about[i] |= prototypes_text(graph->prototypes, graph->functions[i]);
	return graph;
}

void graph_begin(struct graph *graph, const struct schema *schema)
{
	if (!files_use_stdout(&graph->files.files))
		output_table_begin(graph->out, schema, NULL, true);
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	vec_each(thread, graph)
		free(thread->v);
	free(graph->v);
	lookup_release(&graph->lookup);
	prototypes_free(graph->prototypes);
	graph_files_release(&graph->files);
	free(graph->functions);
	str_release(&graph->args);
	str_release(&graph->result);
	str_release(&graph->line);
	free(graph);
}

/* --- threads --- */

static uint32_t hash_of(uint64_t task, uint32_t id)
{
	return hash_pair(task, id);
}

/* Forgets the threads that have no call now. */
static void forget_idle(struct graph *graph)
{
	size_t n = 0;

	lookup_reset(&graph->lookup);
	for (size_t i = 0; i < graph->n; i++) {
		if (!graph->v[i].n) {
			free(graph->v[i].v);
			continue;
		}
		graph->v[n] = graph->v[i];
		lookup_add(&graph->lookup, hash_of(graph->v[n].task, graph->v[n].id), n);
		n++;
	}
	graph->n = n;
	graph->idle = 0;
}

static struct thread *thread_of(struct graph *graph, uint64_t task, uint32_t id)
{
	uint32_t hash = hash_of(task, id);
	struct thread *thread;

	lookup_each(it, &graph->lookup, hash)
		if (graph->v[it.number].task == task && graph->v[it.number].id == id)
			return &graph->v[it.number];
	if (graph->idle > IDLE_MAX && graph->idle > graph->n / 2)
		forget_idle(graph);
	thread = vec_push(graph);
	thread->task = task;
	thread->id = id;
	thread->event.tid = id;
	lookup_add(&graph->lookup, hash, graph->n - 1);
	graph->idle++;
	return thread;
}

/* --- rows --- */

static void print_line(struct graph *graph, struct graph_row *row, const char *fmt, ...)
{
	va_list ap;

	str_reset(&graph->line);
	str_add_fill(&graph->line, ' ', 2 * (row->depth < INDENT_MAX ? row->depth : INDENT_MAX));
	va_start(ap, fmt);
	str_addv(&graph->line, fmt, ap);
	va_end(ap);
	row->line = graph->line.data;
	output_row(graph->out, row);
}

static void describe(struct graph *graph, const struct thread *thread, const struct call *call, struct graph_row *row)
{
	const struct target *function = graph->functions[call->function];

	*row = (struct graph_row){
		.event = thread->event,
		.ns = call->ns,
		.ended = call->ended,
		.returned = call->returned,
		.depth = call->depth,
		.ret = call->ret,
		.function = graph->set->slots[call->function],
	};
	row->event.time = call->start;
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

static void print_begin(struct graph *graph, const struct thread *thread, const struct call *call)
{
	struct graph_row row;

	describe(graph, thread, call, &row);
	row.ended = false;
	print_line(graph, &row, "%s(%s) {", row.function, str_or_empty(row.args));
}

static void print_end(struct graph *graph, const struct thread *thread, const struct call *call)
{
	struct graph_row row;

	describe(graph, thread, call, &row);
	if (!call->ended)
		print_line(graph, &row, "} /* has not returned */");
	else
		print_line(graph, &row, "}%s%s", row.result ? " = " : "", str_or_empty(row.result));
}

/* A call without others in it. */
static void print_leaf(struct graph *graph, const struct thread *thread, const struct call *call)
{
	struct graph_row row;

	describe(graph, thread, call, &row);
	print_line(graph, &row, "%s(%s)%s%s%s", row.function, str_or_empty(row.args), row.result ? " = " : "",
		   str_or_empty(row.result), call->ended ? "" : " /* has not returned */");
}

static void print_data(struct graph *graph, const struct thread *thread, const struct call *call)
{
	struct graph_row row;

	describe(graph, thread, call, &row);
	output_row(graph->out, &row);
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

/* Ends the open calls that the one at this depth is not in. */
static void close_calls(struct graph *graph, const struct thread *thread, const struct call **open, size_t *n, uint32_t depth)
{
	while (*n && open[*n - 1]->depth >= depth)
		print_end(graph, thread, open[--*n]);
}

static void print_tree(struct graph *graph, const struct thread *thread)
{
	__free const struct call **open = base_alloc((thread->n + 1) * sizeof(*open));
	size_t n = 0;

	for (size_t i = 0; i < thread->n; i++) {
		const struct call *call = &thread->v[i];

		close_calls(graph, thread, open, &n, call->depth);
		if (i + 1 < thread->n && call[1].depth > call->depth) {
			print_begin(graph, thread, call);
			open[n++] = call;
		} else {
			print_leaf(graph, thread, call);
		}
	}
	close_calls(graph, thread, open, &n, 0);
}

/* Ends the calls of a path that the one at this depth is not in. */
static void leave_calls(struct graph *graph, const struct thread *thread, struct graph_path *path, size_t *n,
			const uint32_t *depths, uint32_t depth)
{
	while (*n && depths[*n - 1] >= depth) {
		graph_files_call(&graph->files, thread->event.comm, path, *n);
		if (--*n)
			path[*n - 1].inner += path[*n].ns;
	}
}

/* The calls in the order of their begins, as paths for the files. */
static void add_paths(struct graph *graph, const struct thread *thread)
{
	__free struct graph_path *path = base_alloc((thread->n + 1) * sizeof(*path));
	__free uint32_t *depths = base_alloc((thread->n + 1) * sizeof(*depths));
	size_t n = 0;

	for (size_t i = 0; i < thread->n; i++) {
		const struct call *call = &thread->v[i];

		leave_calls(graph, thread, path, &n, depths, call->depth);
		depths[n] = call->depth;
		path[n++] = (struct graph_path){
			.function = graph->set->slots[call->function],
			.kernel = graph->functions[call->function]->kind == TARGET_KERNEL,
			.ns = call->ns,
		};
	}
	leave_calls(graph, thread, path, &n, depths, 0);
}

/* Prints the thread's calls, and forgets them. */
static void print_calls(struct graph *graph, struct thread *thread)
{
	if (!thread->n)
		return;
	for (size_t i = 0; i < thread->n; i++)
		thread->v[i].order = i;
	qsort(thread->v, thread->n, sizeof(*thread->v), by_begin);
	if (graph_files_wanted(&graph->files))
		add_paths(graph, thread);
	if (files_use_stdout(&graph->files.files))
		;
	else if (output_is_text(graph->out))
		print_tree(graph, thread);
	else
		for (size_t i = 0; i < thread->n; i++)
			print_data(graph, thread, &thread->v[i]);
	thread->n = 0;
	graph->idle++;
}

static struct call *add_call(struct graph *graph, struct thread *thread)
{
	graph->idle -= !thread->n;
	return vec_push(thread);
}

static void say_partial(struct graph *graph)
{
	if (graph->said_partial)
		return;
	report_note("a call has more than %u others in it: those are printed before it has returned", CALLS_MAX);
	graph->said_partial = true;
}

void graph_add(struct graph *graph, const struct graph_event *event)
{
	struct thread *thread = thread_of(graph, event->task, event->thread);
	struct call *call = add_call(graph, thread);

	call->start = event->start;
	call->ns = event->ns;
	call->ret = event->ret;
	call->function = event->function;
	call->depth = event->depth;
	call->ended = true;
	call->returned = event->returned;
	if (graph->settings->args) {
		memcpy(call->args, event->args, sizeof(call->args));
		memcpy(call->text, event->text, sizeof(call->text));
	}
	if (!event->depth) {
		thread->event = event->event;
		print_calls(graph, thread);
	} else if (thread->n >= CALLS_MAX) {
		say_partial(graph);
		print_calls(graph, thread);
	}
}

bool graph_end(struct graph *graph, const struct graph_call *pending, size_t n, const char *title)
{
	for (size_t i = 0; i < n; i++) {
		const struct graph_call copy = pending[i];
		struct thread *thread;
		struct call *call;

		if (!copy.pending.key || !copy.task || copy.function >= graph->set->n_slots)
			continue;
		thread = thread_of(graph, copy.task, copy.tid);
		thread->event.pid = copy.pid;
		call = add_call(graph, thread);
		call->start = copy.pending.start;
		call->function = copy.function;
		call->depth = copy.depth;
		memcpy(call->args, copy.args, sizeof(call->args));
		memcpy(call->text, copy.text, sizeof(call->text));
	}
	for (size_t i = 0; i < graph->n; i++)
		print_calls(graph, &graph->v[i]);
	return !graph_files_wanted(&graph->files) || graph_files_write(&graph->files, title);
}
