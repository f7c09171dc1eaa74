// SPDX-License-Identifier: BSD-2-Clause
/* bcc's trace: its probes become a program, and each record of that program a row. */
#include "base/clock.h"
#include "base/cpus.h"
#include "base/report.h"
#include "base/set.h"
#include "lang/bcc/bcc.h"
#include "script_format.h"
#include "script_part.h"

/* Stands in the format where the record's own values begin. */
#define COLUMNS_LEN (sizeof(BCC_COLUMNS) - 1)

struct row {
	uint64_t time; /* ns since boot */
	double unix_time;
	uint32_t pid, tid, cpu;
	const char *comm, *function, *message;
	struct frame_stack kernel, user;
	uint64_t count; /* of equal rows; 0: it is not counted */
};

struct trace {
	struct bcc_request request;
	struct output_clock clock;
	uint64_t n; /* rows that were printed or counted */
	struct set seen;
	struct {
		struct row *v;
		size_t n, cap;
	} totals; /* of -A, as `seen` numbers them */
	struct pool pool;
};

enum {
	COLUMN_TIME,
	COLUMN_ELAPSED,
	COLUMN_UNIX,
	COLUMN_CPU,
	COLUMN_MESSAGE = COLUMN_CPU + 5,
};

static const struct field fields[] = {
	[COLUMN_TIME] = FIELD(FIELD_TIME, struct row, time, "time", "TIME", -8),
	[COLUMN_ELAPSED] = TEXT(FIELD_ELAPSED, struct row, time, "TIME", -8),
	[COLUMN_UNIX] = TEXT(FIELD_REAL, struct row, unix_time, "TIME", -17, .decimals = 6),
	[COLUMN_CPU] = FIELD(FIELD_U32, struct row, cpu, "cpu", "CPU", -3),
	FIELD(FIELD_U32, struct row, pid, "pid", "PID", -7, .role = ROLE_TASK),
	FIELD(FIELD_U32, struct row, tid, "tid", "TID", -7, .role = ROLE_TASK),
	FIELD(FIELD_STR, struct row, comm, "comm", "COMM", -15, .role = ROLE_TASK),
	FIELD(FIELD_STR, struct row, function, "func", "FUNC", -16),
	[COLUMN_MESSAGE] = FIELD(FIELD_STR, struct row, message, "message", "-", 0),
	FIELD(FIELD_STACK, struct row, kernel, "kernel_stack", "        ", 0),
	FIELD(FIELD_STACK, struct row, user, "user_stack", "        ", 0),
	DATA(FIELD_U64, struct row, count, "count", .null = NULL_ZERO, .role = ROLE_COUNTER),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

/* A file, or what can only be one. */
static bool is_file(const char *arg)
{
	size_t len = strlen(arg), name = strcspn(arg, " (\"");

	return !strcmp(arg, "-") || !access(arg, F_OK) || (len > 3 && !strcmp(arg + len - 3, ".bt")) ||
	       (memchr(arg, '/', name) && !memchr(arg, ':', name));
}

bool script_is_bcc(const struct engine_instance *instance)
{
	const struct script_settings *settings = instance->settings;

	if (!instance->args.n || instance->source || instance->ctx->as_peer)
		return false;
	return !settings->program && !settings->list && !settings->info && !is_file(instance->args.v[0]);
}

/* --- the program --- */

static void choose_columns(struct script *script)
{
	const struct engine_context *ctx = script->instance->ctx;
	const struct script_bcc_settings *settings = &script->settings->bcc;
	const struct bcc_request *request = &((struct trace *)script->front_state)->request;
	bool hidden[] = {
		/* -t takes the place of -T */
		[COLUMN_TIME] = !ctx->time || ctx->timestamp,
		[COLUMN_ELAPSED] = !ctx->timestamp || settings->unix_time,
		[COLUMN_UNIX] = !ctx->timestamp || !settings->unix_time,
		[COLUMN_CPU] = !settings->cpu,
	};
	struct field *own;

	script->instance->schema = &schema;
	own = engine_own_fields(script->instance);
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		own[i].data_only |= hidden[i];
	own[COLUMN_MESSAGE].title = "";
	for (size_t i = 0; i < request->n; i++)
		if (request->probes[i].has_format)
			own[COLUMN_MESSAGE].title = "-";
	script->stacks_settings.offsets = script->stacks_settings.modules = true;
	script->stacks_settings.addresses = settings->addresses;
}

static struct lang_program *compile(struct script *script, struct lang_options *options, struct err *err)
{
	const struct opt_list *args = &script->instance->args;
	const struct script_bcc_settings *settings = &script->settings->bcc;
	struct trace *trace = base_alloc(sizeof(*trace));
	struct lang_program *program;

	script->front_state = trace;
	if (settings->pages && !script->settings->buffer_size)
		script->settings->buffer_size = (uint64_t)settings->pages * sysconf(_SC_PAGESIZE) * cpus_ids();
	trace->request = (struct bcc_request){
		.probes = base_alloc(args->n * sizeof(*trace->request.probes)),
		.n = args->n,
		.traces = true,
		.string_size = settings->string_size,
		.without = settings->with_self ? 0 : getpid(),
		.comm = settings->name,
		.binary = settings->binary,
		.kernel_stack = settings->kernel,
		.user_stack = settings->user,
	};
	for (size_t i = 0; i < args->n; i++)
		trace->request.probes[i].text = args->v[i];
	program = bcc_compile(&trace->request, options);
	choose_columns(script);
	if (trace->request.program)
		report_verbose_lines("program", trace->request.program);
	return program;
}

/* --- rows --- */

static void armed(struct script *script)
{
	struct trace *trace = script->front_state;
	struct output *out = script->instance->ctx->out;

	trace->clock = (struct output_clock){ .wall_offset = clock_wall_offset(), .began = script->loaded.state->began };
	output_set_clock(out, &trace->clock);
	output_table_begin(out, script->instance->schema, NULL, true);
}

static const char *text_of(struct pool *pool, const char *text, size_t n)
{
	return pool_addf(pool, "%.*s", (int)n, text);
}

static struct frame_stack stack_of(struct script *script, const struct script_value *value)
{
	struct stacks_named named = {};
	uint64_t id;

	memcpy(&id, value->data, sizeof(id)); /* also of struct lang_ustack */
	if (!id || !script->loaded.stacks || !stacks_find(script->loaded.stacks, id, &named))
		return (struct frame_stack){};
	return value->type->kind == TYPE_KSTACK ? named.kernel : named.user;
}

/* Takes a record apart, as bcc.h describes it. */
static struct row row_of(struct script *script, const char *format, const struct script_value *values, uint32_t n,
			 uint64_t time, struct pool *pool)
{
	const char *mark = strchr(format, BCC_MARK), *end = strrchr(format, BCC_MARK);
	const struct trace *trace = script->front_state;
	struct row row = {
		.time = time,
		.unix_time = (double)(time + trace->clock.wall_offset) / NS_PER_SEC,
		.pid = script_value_number(&values[0]),
		.tid = script_value_number(&values[1]),
		.cpu = script_value_number(&values[2]),
		.comm = text_of(pool, values[3].data, values[3].len),
		.function = text_of(pool, format + COLUMNS_LEN, mark - format - COLUMNS_LEN),
	};
	__str struct str message = {};

	if (script->settings->bcc.user)
		row.user = stack_of(script, &values[--n]);
	if (script->settings->bcc.kernel)
		row.kernel = stack_of(script, &values[--n]);
	script_format_add(&message, &script->names, text_of(pool, mark + 1, end - mark - 1), values + BCC_N_COLUMNS,
			  n - BCC_N_COLUMNS);
	row.message = pool_add(pool, str_or_empty(message.data));
	return row;
}

static void count_row(struct trace *trace, const struct row *row, uint32_t n_stacks, const struct script_value *stacks)
{
	__free char *text = base_printf("%u %u %s %s\n%s", row->pid, row->tid, row->comm, row->function, row->message);
	__str struct str key = {};
	uint32_t number;

	str_addn(&key, text, strlen(text) + 1);
	for (uint32_t i = 0; i < n_stacks; i++)
		str_addn(&key, stacks[i].data, sizeof(uint64_t));
	number = set_add(&trace->seen, key.data, key.len);
	if (number == trace->totals.n) {
		struct row *total = vec_push(&trace->totals);

		*total = *row;
		total->count = 0;
		total->comm = pool_add(&trace->pool, row->comm);
		total->function = pool_add(&trace->pool, row->function);
		total->message = pool_add(&trace->pool, row->message);
	}
	trace->totals.v[number].count++;
}

static void print_row(struct script *script, const struct row *row)
{
	struct output *out = script->instance->ctx->out;

	output_row(out, row);
	if (script->form == SCRIPT_TEXT && (script->settings->bcc.kernel || script->settings->bcc.user))
		output_line(out, "%s", "");
}

static void print(struct script *script, const struct lang_site *site, const struct script_value *values, uint32_t n,
		  uint64_t time)
{
	const struct script_settings *settings = script->settings;
	const char *contains = settings->bcc.contains ? settings->bcc.contains : settings->format;
	struct trace *trace = script->front_state;
	uint32_t n_stacks = settings->bcc.kernel + settings->bcc.user;
	__cleanup(pool_release) struct pool pool = {};
	struct row row;

	if (n < BCC_N_COLUMNS + n_stacks || (settings->bcc.max_events && trace->n >= settings->bcc.max_events))
		return;
	row = row_of(script, site->format, values, n, time, &pool);
	if (contains && !strstr(row.message, contains))
		return;
	trace->n++;
	if (settings->bcc.totals)
		count_row(trace, &row, n_stacks, values + n - n_stacks);
	else
		print_row(script, &row);
	if (trace->n == settings->bcc.max_events)
		script->instance->ctx->done = true;
}

static int by_count(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	return a->count < b->count ? 1 : a->count > b->count ? -1
							     : 0;
}

/* The rows of -A, those that came most first. */
static void ended(struct script *script)
{
	struct output *out = script->instance->ctx->out;
	struct trace *trace = script->front_state;

	qsort(trace->totals.v, trace->totals.n, sizeof(*trace->totals.v), by_count);
	vec_each(row, &trace->totals) {
		output_row(out, row);
		if (script->form != SCRIPT_TEXT)
			continue;
		output_line(out, "-->COUNT %llu", (unsigned long long)row->count);
		output_line(out, "%s", "");
	}
	output_table_end(out);
}

static void release(struct script *script)
{
	struct trace *trace = script->front_state;

	if (!trace)
		return;
	free(trace->request.probes);
	set_release(&trace->seen);
	free(trace->totals.v);
	pool_release(&trace->pool);
	free(trace);
}

const struct script_front script_bcc = {
	.makes_room = BCC_MAKES_ROOM,
	.compile = compile,
	.armed = armed,
	.print = print,
	.ended = ended,
	.release = release,
};
