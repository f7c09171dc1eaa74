// SPDX-License-Identifier: BSD-2-Clause
/* The page of `sonde why`, and its rows as data. */
#include "locks.h"
#include "titles.h"
#include "waits.h"
#include "why_page.h"
#include "why_part.h"

/* The frames of a wait: where they begin, and how many lines of a terminal they may have. */
#define STACK_INDENT 10
#define STACK_LINES  2
/* How many functions of running threads are printed. */
#define FUNCTIONS 5

#define SECONDS(ns) ((double)(ns) / 1e9)

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* --- text --- */

static bool has_names(const struct frame_stack *part)
{
	for (size_t i = 0; i < part->n; i++)
		if (part->frames[i]->kind != FRAME_MARK && *part->frames[i]->name)
			return true;
	return false;
}

/* The frames from..to, the innermost first, are printed; at least one is. */
struct stack_range {
	size_t from, to;
};

/* Lines of `room` columns until that frame. */
static size_t count_lines(const struct frame_stack *part, struct stack_range range, size_t room)
{
	size_t lines = 1, width = range.to < part->n ? strlen("... > ") : 0;

	for (size_t i = range.to; i-- > range.from;) {
		size_t len = strlen(frame_name(part->frames[i])) + strlen(" >");

		if (width && width + len > room) {
			lines++;
			width = 0;
		}
		width += len + 1;
	}
	return lines;
}

/* What is too long loses wrappers of the C library, then its outermost frames. */
static struct stack_range fit(const struct frame_stack *part, size_t room)
{
	struct stack_range range = { 0, part->n };

	if (!room || count_lines(part, range, room) <= STACK_LINES)
		return range;
	while (range.from + 1 < part->n && objects_is_wrapper(part->frames[range.from]))
		range.from++;
	while (range.to > range.from + 1 && count_lines(part, range, room) > STACK_LINES)
		range.to--;
	return range;
}

/* Towards the innermost, the user part if it is known: in two lines of a terminal, else whole in one. */
void why_page_stack(struct output *out, const struct stacks_named *named)
{
	const struct frame_stack *part = has_names(&named->user) ? &named->user : &named->kernel;
	size_t width = output_width(out), room = width > 2 * STACK_INDENT ? width - STACK_INDENT : width ? STACK_INDENT
													 : 0;
	struct stack_range range = fit(part, room);
	struct str line __str = {};

	if (range.to < part->n)
		str_add(&line, "... > ");
	for (size_t i = range.to; i-- > range.from;) {
		const char *name = frame_name(part->frames[i]);

		if (room && line.len && line.len + strlen(name) + strlen(" >") > room) {
			output_line(out, "%*s%s", STACK_INDENT, "", line.data);
			str_reset(&line);
		}
		str_addf(&line, "%s%s", name, i > range.from ? " > " : "");
	}
	if (line.len)
		output_line(out, "%*s%s", STACK_INDENT, "", line.data);
}

/* Who has ended a wait; of the same process, which thread. */
static void add_waker(struct str *s, const struct why_wait *wait)
{
	if (wait->waker_tgid == wait->tgid) {
		str_addf(s, "%.16s %u", wait->waker, wait->waker_tid);
		return;
	}
	str_addf(s, "%.16s %u", wait->waker, wait->waker_tgid);
	titles_add(s, wait->waker_tgid);
}

/* What the thread waited for. held: whoever ended the wait had it. */
static void add_object(struct why *why, struct str *s, const struct why_wait *wait, bool held)
{
	const struct why_found *object = objects_find(why, &wait->key);
	const bool by_waker = waits_of(wait->key.class)->object == WAITS_FOR_WAKER;
	struct stacks_named named = {};
	const char *function;

	str_add(s, wait->key.class == WHY_PROCESSOR ? "behind " : "");
	if (by_waker && wait->waker_tgid && (unsigned char)wait->waker[0] > WHY_NOBODY) {
		str_add(s, held ? "held by " : "");
		add_waker(s, wait);
	} else if (object) {
		objects_name(why, s, &wait->key, &object->object);
	}
	function = objects_function(why, wait->waker_stack, &named);
	if (function)
		str_addf(s, "%s in %s", by_waker || wait->key.class == WHY_LOCK ? "" : ", ended", function);
}

static void print_wait(struct why *why, struct output *out, size_t i)
{
	const struct why_wait *wait = &why->waits[i];
	struct str name __str = {};
	struct stacks_named named = {};
	const char *call = wait->key.class == WHY_PROCESSOR ? NULL : waits_call(wait->call);
	const char *cause = why_sums_cause(wait->key.class), *lock = objects_lock(why, wait->key.class, wait->stack, &named);
	const bool held = lock && locks_has_holder(why->locks, lock);

	add_object(why, &name, wait, held);
	/* of a call that has no object, the object is the call; and a lock that somebody had needs none */
	if (call && name.len && (held || !strcmp(call, name.data)))
		call = NULL;
	output_line(out, "%3zu. %9.3f  %-10s %.16s %u  %s%s%s%s%s", i + 1, SECONDS(wait->ns), cause, wait->comm, wait->tid,
		    lock ? lock : "", lock && (call || name.len) ? ": " : "", str_or_empty(call),
		    call && name.len ? " " : "", str_or_empty(name.data));
	if (named.user.n || named.kernel.n)
		why_page_stack(out, &named);
}

static int by_life(const void *pa, const void *pb)
{
	uint64_t a = why_sums_life(&(*(const struct why_task *const *)pa)->split);
	uint64_t b = why_sums_life(&(*(const struct why_task *const *)pb)->split);

	return a > b ? -1 : a < b;
}

static const struct why_task **sort_tasks(const struct why *why)
{
	const struct why_task **tasks = base_alloc((why->sums.tasks.n + 1) * sizeof(*tasks));

	for (size_t i = 0; i < why->sums.tasks.n; i++)
		tasks[i] = &why->sums.tasks.v[i];
	if (why->sums.tasks.n)
		qsort(tasks, why->sums.tasks.n, sizeof(*tasks), by_life);
	return tasks;
}

/* The time on a processor and the wait for one; of the rest, the largest causes by name. */
static void print_task(struct output *out, const struct why_task *task)
{
	const struct why_split *split = &task->split;
	struct str line __str = {};
	uint32_t order[WHY_CAUSES];
	size_t n = why_causes_sort(split, order);

	for (size_t i = 0; i < n && line.len < 20; i++) {
		uint32_t cause = order[i];

		if (cause < WHY_CLASSES && cause != WHY_PROCESSOR)
			str_addf(&line, "%s%s %.3g", line.len ? ", " : "", why_sums_cause(cause),
				 SECONDS(split->ns[cause]));
	}
	output_line(out, "%7u %7u %-15.16s %8.3f %7.3f %7.3f %7.3f  %s", task->tgid, task->tid, task->comm,
		    SECONDS(why_sums_life(split)), SECONDS(split->ns[WHY_USER]), SECONDS(split->ns[WHY_SYSTEM]),
		    SECONDS(split->ns[WHY_PROCESSOR]), str_or_empty(line.data));
}

static void print_tasks(struct why *why, struct output *out)
{
	const struct why_task **tasks = sort_tasks(why);

	output_line(out, "THREADS");
	output_line(out, "    PID     TID COMM                LIFE    USER  KERNEL  WAITED  FOR");
	for (size_t i = 0; i < why->sums.tasks.n; i++)
		print_task(out, tasks[i]);
	free(tasks);
}

struct functions {
	struct output *out;
	uint64_t ns; /* of all running threads; 0: the heading is printed */
};

static void print_function(const char *name, const char *module, double self, double total, void *ctx)
{
	struct functions *functions = ctx;

	if (functions->ns)
		output_line(functions->out, "RUNNING, USER       of %.3f s, by samples: in the function itself, and with what it calls",
			    SECONDS(functions->ns));
	functions->ns = 0;
	output_line(functions->out, "  %5.1f %% %5.1f %%  %s%s%s", self, total, name, module ? " of " : "",
		    module ? module : "");
}

/* What threads ran, if there are samples. */
static void print_functions(struct why *why, struct output *out)
{
	struct functions functions = { out, why->sums.all.ns[WHY_USER] };

	if (why->stacks_source.keyed)
		stacks_hottest(why->stacks, WHY_RUNNING, FUNCTIONS, print_function, &functions);
}

static void print_text(struct why *why, struct output *out)
{
	uint64_t life = why_sums_life(&why->sums.all), unknown = why->sums.all.ns[WHY_UNKNOWN];
	size_t threads = why->sums.tasks.n;

	output_line(out, "%.3f s wall, %llu process%s, %zu thread%s, %.3f s of threads' time (explained %.1f %%)",
		    SECONDS(why->ended - why->began), (unsigned long long)why->sums.processes,
		    why->sums.processes == 1 ? "" : "es", threads, str_plural(threads), SECONDS(life),
		    percent(life - unknown, life));
	why_causes_print(why, out);
	print_functions(why, out);
	if (why->settings->by_thread)
		print_tasks(why, out);
	if (why->n_waits)
		output_line(out, "WORST WAITS");
	for (size_t i = 0; i < why->n_waits; i++)
		print_wait(why, out, i);
}

/* --- data --- */

static const struct field fields[] = {
	DATA(FIELD_STR, struct why_row, kind, "kind", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_row, cause, "cause", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_row, object, "object", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_row, call, "call", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_row, lock, "lock", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_row, comm, "comm", .role = ROLE_TASK),
	DATA(FIELD_U32, struct why_row, pid, "pid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_U32, struct why_row, tid, "tid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct why_row, ns, "ns"),
	DATA(FIELD_U64, struct why_row, count, "count", .role = ROLE_COUNTER, .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct why_row, max, "max_ns", .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct why_row, wall, "wall_ns", .null = NULL_ZERO),
	DATA(FIELD_U64, struct why_row, processes, "processes", .role = ROLE_COUNTER,
	     KNOWN_BY(struct why_row, threads)),
	DATA(FIELD_U64, struct why_row, threads, "threads", .role = ROLE_COUNTER, .null = NULL_ZERO),
	DATA(FIELD_STR, struct why_row, waker, "waker", .role = ROLE_TASK),
	DATA(FIELD_U32, struct why_row, waker_pid, "waker_pid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_U32, struct why_row, waker_tid, "waker_tid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_STACK, struct why_row, kernel, "kernel_stack"),
	DATA(FIELD_STACK, struct why_row, user, "user_stack"),
	DATA(FIELD_STR, struct why_row, waker_function, "waker_function", .role = ROLE_LABEL),
	DATA(FIELD_STACK, struct why_row, waker_user, "waker_user_stack"),
};

const struct schema why_schema = { fields, ARRAY_SIZE(fields) };

static void put_causes(struct output *out, struct why_row row, const struct why_split *split)
{
	for (uint32_t i = 0; i < WHY_CAUSES; i++) {
		if (!split->ns[i] && !split->count[i])
			continue;
		row.cause = why_sums_cause(i);
		row.ns = split->ns[i];
		row.count = split->count[i];
		output_row(out, &row);
	}
}

/* Nothing where all threads worked. */
static void put_work(const struct why *why, struct output *out)
{
	if (why->work.threads)
		put_causes(out, (struct why_row){ .kind = "worked" }, &why->work.worked.all);
	vec_each(idle, &why->work.idle) {
		const struct why_row row = {
			.kind = "idle",
			.cause = why_sums_cause(idle->cause),
			.comm = idle->comm,
			.ns = idle->ns,
			.threads = idle->threads,
			.processes = idle->processes,
		};

		output_row(out, &row);
	}
}

static void put_objects(const struct why *why, struct output *out, const char *kind, const struct why_found *found,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct why_found *known = objects_find(why, &found[i].key);
		struct str name __str = {};
		struct why_row row = { .kind = kind, .cause = why_sums_cause(found[i].key.class) };

		if (!found[i].object.count ||
		    !objects_name(why, &name, &found[i].key, known ? &known->object : &found[i].object))
			continue;
		row.object = name.data;
		row.ns = found[i].object.ns;
		row.count = found[i].object.count;
		row.max = found[i].object.max;
		output_row(out, &row);
	}
}

static void put_path(const struct why *why, struct output *out)
{
	if (!why->path.links)
		return;
	put_causes(out, (struct why_row){ .kind = "path", .wall = why->ended - why->began }, &why->path.sums.all);
	vec_each(name, &why->path.sums.names)
		put_causes(out, (struct why_row){ .kind = "path process", .comm = name->comm }, &name->split);
	put_objects(why, out, "path object", why->path.objects.v, why->path.objects.n);
}

static void put_tasks(const struct why *why, struct output *out)
{
	vec_each(task, &why->sums.tasks) {
		char comm[sizeof(task->comm) + 1] = "";
		const struct why_row row = {
			.kind = "thread",
			.comm = comm,
			.pid = task->tgid,
			.tid = task->tid,
			.wall = task->ended - task->began,
		};

		memcpy(comm, task->comm, sizeof(task->comm));
		put_causes(out, row, &task->split);
	}
}

static void put_waits(struct why *why, struct output *out)
{
	for (size_t i = 0; i < why->n_waits; i++) {
		const struct why_wait *wait = &why->waits[i];
		const struct why_found *object = objects_find(why, &wait->key);
		char comm[sizeof(wait->comm) + 1] = "", waker[sizeof(wait->waker) + 1] = "";
		struct str name __str = {};
		struct stacks_named named = {}, of_waker = {};
		struct why_row row = {
			.kind = "wait",
			.cause = why_sums_cause(wait->key.class),
			.comm = comm,
			.pid = wait->tgid,
			.tid = wait->tid,
			.waker_pid = wait->waker_tgid,
			.waker_tid = wait->waker_tid,
			.ns = wait->ns,
		};

		memcpy(comm, wait->comm, sizeof(wait->comm));
		memcpy(waker, wait->waker, sizeof(wait->waker));
		row.waker = waker[0] && waker[0] != WHY_INTERRUPT ? waker : NULL;
		row.call = waits_call(wait->call);
		if (object && objects_name(why, &name, &wait->key, &object->object))
			row.object = name.data;
		row.lock = objects_lock(why, wait->key.class, wait->stack, &named);
		row.kernel = named.kernel;
		row.user = named.user;
		row.waker_function = objects_function(why, wait->waker_stack, &of_waker);
		row.waker_user = of_waker.user;
		output_row(out, &row);
	}
}

static void put_data(struct why *why, struct output *out)
{
	const struct why_row total = {
		.kind = "total",
		.ns = why_sums_life(&why->sums.all),
		.wall = why->ended - why->began,
		.processes = why->sums.processes,
		.threads = why->sums.tasks.n,
	};

	output_row(out, &total);
	put_causes(out, (struct why_row){ .kind = "cause" }, &why->sums.all);
	put_work(why, out);
	put_objects(why, out, "object", why->objects.v, why->objects.n);
	put_path(why, out);
	if (why->settings->by_thread)
		put_tasks(why, out);
	put_waits(why, out);
}

void why_page_print(struct why *why, struct output *out)
{
	why_settle_waits(why);
	if (output_is_text(out)) {
		print_text(why, out);
		output_flush(out);
		return;
	}
	put_data(why, out);
	output_table_end(out);
}
