// SPDX-License-Identifier: BSD-2-Clause
/* Tables of sums: threads by the time that they ran, calls and requests by the time that they took. */
#include "base/clock.h"
#include "summary.h"

#define TABLE(TEXT) DATA_GET(FIELD_STR, get_table_##TEXT, "table", .role = ROLE_LABEL)
#define TABLE_GETTER(TEXT) \
	static void get_table_##TEXT(struct value *to, const void *row, const void *ctx) \
	{ \
		value_set_text(to, #TEXT); \
	}
TABLE_GETTER(recording)
TABLE_GETTER(threads)
TABLE_GETTER(syscalls)
TABLE_GETTER(functions)
TABLE_GETTER(disks)
TABLE_GETTER(events)

#define MS(STRUCT, MEMBER, KEY, TITLE, WIDTH, ...) \
	FIELD(FIELD_DURATION, STRUCT, MEMBER, KEY, TITLE, WIDTH, .unit = UNIT_MS, .decimals = 1, ##__VA_ARGS__)

/* --- names, from the recording --- */

void summary_add_call(struct str *s, const struct recording *r, int64_t number)
{
	recording_show_value(s, r, LAYOUT_SYSCALL, number);
}

void summary_add_disk(struct str *s, const struct recording *r, uint64_t device, uint64_t op)
{
	recording_show_value(s, r, LAYOUT_DEVICE, device);
	str_addc(s, ' ');
	recording_show_value(s, r, LAYOUT_OP, op);
}

static void get_call(struct value *to, const void *row, const void *ctx)
{
	summary_add_call(to->room, ctx, ((const struct sums_call *)row)->number);
	value_set_made(to);
}

void summary_add_function(struct str *s, const struct recording *r, int64_t number)
{
	recording_show_value(s, r, LAYOUT_PROBE, number);
}

static void get_function(struct value *to, const void *row, const void *ctx)
{
	summary_add_function(to->room, ctx, ((const struct function_sum *)row)->number);
	value_set_made(to);
}

static void get_device(struct value *to, const void *row, const void *ctx)
{
	recording_show_value(to->room, ctx, LAYOUT_DEVICE, ((const struct sums_disk *)row)->device);
	value_set_made(to);
}

static void get_op(struct value *to, const void *row, const void *ctx)
{
	recording_show_value(to->room, ctx, LAYOUT_OP, ((const struct sums_disk *)row)->op);
	value_set_made(to);
}

static void get_kind(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, ((const struct sums_kind *)row)->kind->name);
}

static void get_call_average(struct value *to, const void *row, const void *ctx)
{
	const struct sums_call *call = row;

	if (call->timed)
		value_set_u64(to, call->total / call->timed);
}

/* Of those that have returned. */
static void get_function_average(struct value *to, const void *row, const void *ctx)
{
	const struct function_sum *function = row;

	if (function->count > function->open)
		value_set_u64(to, function->total / (function->count - function->open));
}

static void get_disk_average(struct value *to, const void *row, const void *ctx)
{
	const struct sums_disk *disk = row;

	if (disk->timed)
		value_set_u64(to, disk->total / disk->timed);
}

/* --- tables --- */

struct recording_row {
	struct layout_host host;
	uint64_t lasted, events, lost, missed;
};

static const struct field recording_fields[] = {
	TABLE(recording),
	DATA(FIELD_STR, struct recording_row, host.line, "command"),
	DATA(FIELD_STR, struct recording_row, host.node, "node"),
	DATA(FIELD_STR, struct recording_row, host.release, "kernel"),
	DATA(FIELD_STR, struct recording_row, host.machine, "machine"),
	DATA(FIELD_U32, struct recording_row, host.cpus, "cpus", .role = ROLE_VALUE),
	DATA(FIELD_DURATION, struct recording_row, lasted, "duration_ns"),
	DATA(FIELD_U64, struct recording_row, events, "events", .role = ROLE_COUNTER),
	DATA(FIELD_U64, struct recording_row, lost, "lost", .role = ROLE_COUNTER),
	DATA(FIELD_U64, struct recording_row, missed, "missed", .role = ROLE_COUNTER),
};

#define SPENT(STATE, KEY, TITLE, WIDTH, ...) MS(struct sums_task, ns[STATE], KEY, TITLE, WIDTH, ##__VA_ARGS__)

static const struct field thread_fields[] = {
	TABLE(threads),
	FIELD(FIELD_STR, struct sums_task, comm, "comm", "COMM", -15, .role = ROLE_TASK, .may_cut = true),
	FIELD(FIELD_S32, struct sums_task, tid, "tid", "TID", 7, .role = ROLE_TASK),
	DATA(FIELD_S32, struct sums_task, tgid, "pid", .role = ROLE_TASK),
	SPENT(SUMS_RUNS, "run_ns", "RUN(ms)", 9),
	SPENT(SUMS_WAITS, "wait_ns", "WAIT(ms)", 9),
	SPENT(SUMS_SLEEPS, "sleep_ns", "SLEEP(ms)", 10),
	SPENT(SUMS_DISK, "disk_ns", "DISK(ms)", 9),
	SPENT(SUMS_STOPPED, "stopped_ns", NULL, 0, .data_only = true),
	SPENT(SUMS_UNKNOWN, "unknown_ns", NULL, 0, .data_only = true),
	FIELD(FIELD_U64, struct sums_task, switches, "switches", "SWITCH", 7, .role = ROLE_COUNTER),
	DATA(FIELD_U64, struct sums_task, wakes, "wakeups", .role = ROLE_COUNTER),
	FIELD(FIELD_U64, struct sums_task, calls, "syscalls", "CALLS", 7, .role = ROLE_COUNTER),
	DATA(FIELD_DURATION, struct sums_task, call_ns, "syscall_ns"),
};

static const struct field call_fields[] = {
	TABLE(syscalls),
	FIELD_GET(FIELD_STR, get_call, "syscall", "SYSCALL", -22, .role = ROLE_LABEL, .may_cut = true),
	FIELD(FIELD_U64, struct sums_call, count, "count", "COUNT", 9, .role = ROLE_COUNTER),
	FIELD(FIELD_U64, struct sums_call, errors, "errors", "ERRORS", 8, .role = ROLE_COUNTER),
	MS(struct sums_call, total, "total_ns", "TOTAL(ms)", 12),
	FIELD_GET(FIELD_DURATION, get_call_average, "avg_ns", "AVG(us)", 12, .unit = UNIT_US, .decimals = 1),
	FIELD(FIELD_DURATION, struct sums_call, most, "max_ns", "MAX(us)", 12, .unit = UNIT_US, .decimals = 1),
};

static const struct field function_fields[] = {
	TABLE(functions),
	FIELD_GET(FIELD_STR, get_function, "func", "FUNCTION", -26, .role = ROLE_LABEL, .may_cut = true),
	FIELD(FIELD_U64, struct function_sum, count, "count", "COUNT", 9, .role = ROLE_COUNTER),
	FIELD(FIELD_DURATION, struct function_sum, self, "self_ns", "SELF(ms)", 11, .unit = UNIT_MS, .decimals = 3),
	FIELD(FIELD_DURATION, struct function_sum, total, "total_ns", "TOTAL(ms)", 11, .unit = UNIT_MS, .decimals = 3),
	FIELD_GET(FIELD_DURATION, get_function_average, "avg_ns", "AVG(us)", 11, .unit = UNIT_US, .decimals = 1),
	FIELD(FIELD_DURATION, struct function_sum, longest, "max_ns", "MAX(us)", 11, .unit = UNIT_US, .decimals = 1),
	DATA(FIELD_U64, struct function_sum, open, "not_returned", .role = ROLE_COUNTER),
};

static const struct field disk_fields[] = {
	TABLE(disks),
	FIELD_GET(FIELD_STR, get_device, "device", "DEVICE", -12, .role = ROLE_LABEL, .may_cut = true),
	FIELD_GET(FIELD_STR, get_op, "op", "OP", -9, .role = ROLE_LABEL),
	FIELD(FIELD_U64, struct sums_disk, count, "count", "COUNT", 9, .role = ROLE_COUNTER),
	FIELD(FIELD_BYTES, struct sums_disk, bytes, "bytes", "KB", 10, .role = ROLE_COUNTER, .unit = UNIT_KB),
	DATA(FIELD_U64, struct sums_disk, errors, "errors", .role = ROLE_COUNTER),
	MS(struct sums_disk, total, "total_ns", "TOTAL(ms)", 12),
	FIELD_GET(FIELD_DURATION, get_disk_average, "avg_ns", "AVG(us)", 11, .unit = UNIT_US, .decimals = 1),
	FIELD(FIELD_DURATION, struct sums_disk, most, "max_ns", "MAX(us)", 11, .unit = UNIT_US, .decimals = 1),
};

static const struct field kind_fields[] = {
	TABLE(events),
	FIELD_GET(FIELD_STR, get_kind, "event", "EVENT", -22, .role = ROLE_LABEL, .may_cut = true),
	FIELD(FIELD_U64, struct sums_kind, count, "count", "COUNT", 9, .role = ROLE_COUNTER),
};

static const struct schema recording_schema = { recording_fields, ARRAY_SIZE(recording_fields) };
static const struct schema thread_schema = { thread_fields, ARRAY_SIZE(thread_fields) };
static const struct schema call_schema = { call_fields, ARRAY_SIZE(call_fields) };
static const struct schema function_schema = { function_fields, ARRAY_SIZE(function_fields) };
static const struct schema disk_schema = { disk_fields, ARRAY_SIZE(disk_fields) };
static const struct schema kind_schema = { kind_fields, ARRAY_SIZE(kind_fields) };

/* Largest first; then by name, so that a table is the same each time. */
#define COMPARE(NAME, TYPE, WHAT, THEN) \
	static int NAME(const void *left, const void *right) \
	{ \
		const TYPE *a = left, *b = right; \
\
		if (a->WHAT != b->WHAT) \
			return a->WHAT > b->WHAT ? -1 : 1; \
		return a->THEN < b->THEN ? -1 : a->THEN > b->THEN; \
	}
COMPARE(compare_threads, struct sums_task, ns[SUMS_RUNS], tid)
COMPARE(compare_calls, struct sums_call, total, number)
COMPARE(compare_functions, struct function_sum, self, number)
COMPARE(compare_disks, struct sums_disk, total, op)
COMPARE(compare_kinds, struct sums_kind, count, kind->id)

static void print_table(struct output *out, const struct schema *schema, void *rows, size_t n, size_t size,
			int (*compare)(const void *, const void *), uint32_t top)
{
	if (!n)
		return;
	qsort(rows, n, size, compare);
	if (output_is_text(out))
		output_line(out, "%s", "");
	output_table_begin(out, schema, NULL, true);
	for (size_t i = 0; i < n && (!top || i < top); i++)
		output_row(out, (char *)rows + i * size);
	output_table_end(out);
	if (top && n > top && output_is_text(out))
		output_line(out, "%zu more", n - top);
}

/* Command lines can have 64 KB. */
#define LINE_MOST 300

/* Of a recording that was cut off nothing but the last event says how long it took. */
static void print_head(const struct sums *sums, const struct recording_info *info, struct output *out)
{
	struct recording_row row = { info->host, sums->ended > sums->begun ? sums->ended - sums->begun : 0, sums->events,
				     sums->lost, info->totals.missed };

	row.host.cpus = info->cpus;
	if (!output_is_text(out)) {
		output_table_begin(out, &recording_schema, NULL, true);
		output_row(out, &row);
		output_table_end(out);
		return;
	}
	if (*info->host.line)
		output_line(out, "%.*s%s", LINE_MOST, info->host.line,
			    strlen(info->host.line) > LINE_MOST ? "..." : "");
	output_line(out, "%.3f s, %u processor%s, %llu event%s%s%s%s%s", (double)row.lasted / NS_PER_SEC,
		    info->cpus, str_plural(info->cpus), (unsigned long long)row.events, str_plural(row.events),
		    *info->host.node ? ", " : "", info->host.node, *info->host.release ? ", Linux " : "",
		    info->host.release);
}

/* Of calls of functions alone, nothing is known of what their threads did otherwise. */
static bool is_known(const struct sums *sums, const struct sums_task *task)
{
	uint64_t ns = 0;

	for (int state = SUMS_UNKNOWN + 1; state < SUMS_STATES; state++)
		ns += task->ns[state];
	return !sums->functions.n || ns || task->switches || task->calls;
}

/* Moves the threads that are shown to the front, and returns how many they are. */
static size_t shown_threads(struct sums *sums)
{
	size_t n = 0;

	vec_each(task, &sums->tasks) {
		if (!task->hidden && is_known(sums, task)) {
			struct sums_task shown = *task;

			*task = sums->tasks.v[n];
			sums->tasks.v[n++] = shown;
		}
	}
	return n;
}

void summary_print(struct sums *sums, const struct recording *r, struct output *out, uint32_t top, bool threads_only)
{
	output_set_context(out, r);
	if (!threads_only)
		print_head(sums, recording_info(r), out);
	print_table(out, &thread_schema, sums->tasks.v, shown_threads(sums), sizeof(*sums->tasks.v), compare_threads, top);
	if (threads_only)
		return;
	print_table(out, &call_schema, sums->calls.v, sums->calls.n, sizeof(*sums->calls.v), compare_calls, top);
	print_table(out, &function_schema, sums->functions.v, sums->functions.n, sizeof(*sums->functions.v),
		    compare_functions, top);
	print_table(out, &disk_schema, sums->disks.v, sums->disks.n, sizeof(*sums->disks.v), compare_disks, top);
	print_table(out, &kind_schema, sums->kinds.v, sums->kinds.n, sizeof(*sums->kinds.v), compare_kinds, top);
}
