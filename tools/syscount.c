// SPDX-License-Identifier: BSD-2-Clause
/* syscount: system calls by count or by time, by process, and strace -c's table. */
#include "base/nearest.h"
#include "base/report.h"
#include "output/words.h"
#include "run/filter_parse.h"
#include "engine/syscalls.h"
#include "kernel/syscalls.h"

#define TOP_DEFAULT 10

#define NAME_WIDTH   22
#define NAMES_A_LINE 4 /* of -l */

static struct {
	bool list, failed, latency, milliseconds, by_process, summary;
	uint32_t error, top, keys, calls, ppid;
	int number; /* of --syscall */
} settings = { .keys = SYSCALLS_KEYS_DEFAULT, .number = -1 };

static int set_error(void *dest, const char *text, struct err *err)
{
	int error = words_find_error(text, err);

	if (error < 0)
		return error;
	*(uint32_t *)dest = error;
	return 0;
}

static int set_syscall(void *dest, const char *name, struct err *err)
{
	int number = syscall_number(name);
	struct nearest nearest;

	if (number >= 0 && number < SYSCALLS_NUMBERS) {
		*(int *)dest = number;
		return 0;
	}
	nearest_init(&nearest, name);
	for (number = 0; number < SYSCALLS_NUMBERS; number++)
		if (syscall_name(number))
			nearest_offer(&nearest, syscall_name(number));
	if (nearest_name(&nearest))
		return err_set(err, -EINVAL, "no system call is called so (did you mean %s?)", nearest_name(&nearest));
	return err_set(err, -EINVAL, "no system call is called so (-l lists them)");
}

static void offer_syscalls(const char *word, opt_offer_fn fn, void *ctx)
{
	for (int number = 0; number < SYSCALLS_NUMBERS; number++)
		if (syscall_name(number))
			fn(syscall_name(number), ctx);
}

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), list, 'l', "list", NULL, "print the names of all system calls"),
	OPT(OPT_U32, typeof(settings), top, 'T', "top", "N", "only the N largest of a table: 10, with --summary all", .min = 1),
	OPT(OPT_BOOL, typeof(settings), failed, 'x', "failures", NULL, "only calls that failed"),
	OPT(OPT_CALL, typeof(settings), error, 'e', "errno", "ERROR", "only calls that failed with this: ENOENT, or 2",
	    .call = set_error, .offers = words_offer_errors),
	OPT(OPT_CALL, typeof(settings), number, 0, "syscall", "SYSCALL", "only this system call, by name", .call = set_syscall,
	    .offers = offer_syscalls),
	OPT(OPT_U32, typeof(settings), ppid, 0, "ppid", "PPID", "only calls of this process's children", .min = 1),
	OPT(OPT_BOOL, typeof(settings), latency, 'L', "latency", NULL, "with the time that calls took, and in its order"),
	OPT(OPT_BOOL, typeof(settings), milliseconds, 'm', "milliseconds", NULL, "the same in milliseconds"),
	OPT(OPT_BOOL, typeof(settings), by_process, 'P', "process", NULL, "by process, not by system call"),
	OPT(OPT_BOOL, typeof(settings), summary, 0, "summary", NULL, "the table of strace -c"),
	OPT(OPT_U32, typeof(settings), keys, 0, "max-keys", "N", "room for so many processes, with -P: 10240", .min = 1,
	    .max = 4 * 1024 * 1024),
	OPT(OPT_U32, typeof(settings), calls, 0, "max-calls", "N",
	    "room for so many calls at a time, when they are timed: twice the number of threads", .min = 1, .max = 1000000),
};

static bool is_timed(void)
{
	return settings.latency || settings.milliseconds || settings.summary;
}

/* --- rows --- */

struct row {
	const struct syscalls_row *counted;
	/* strace's table */
	uint64_t total;
	bool is_first, is_total;
};

static const struct syscalls_row *counted(const void *row)
{
	return ((const struct row *)row)->counted;
}

static void add_word(struct str *s, const char *word, enum output_format format)
{
	if (format == OUTPUT_JSON)
		str_add_json(s, word, strlen(word));
	else
		str_add_shown(s, word, strlen(word));
}

static void add_name(struct str *s, const void *row, enum output_format format)
{
	const struct syscalls_row *r = counted(row);
	__free char *unknown = NULL;

	if (!r->name)
		unknown = r->key < SYSCALLS_OTHER ? base_printf("[unknown: %u]", r->key) : base_strdup("[unknown]");
	add_word(s, r->name ? r->name : unknown, format);
}

static void add_pid(struct str *s, const void *row, enum output_format format)
{
	str_add_u64(s, counted(row)->key);
}

static void add_comm(struct str *s, const void *row, enum output_format format)
{
	char comm[SYSCALLS_COMM_LEN + 1] = "";

	memcpy(comm, counted(row)->comm, SYSCALLS_COMM_LEN);
	add_word(s, comm, format);
}

static void add_count(struct str *s, const void *row, enum output_format format)
{
	str_add_u64(s, counted(row)->calls);
}

static void add_errors(struct str *s, const void *row, enum output_format format)
{
	str_add_u64(s, counted(row)->errors);
}

static void add_ns(struct str *s, uint64_t ns)
{
	if (is_timed())
		str_add_u64(s, ns);
	else
		str_add(s, "null");
}

/* In JSON always the same unit. */
static void add_time(struct str *s, const void *row, enum output_format format)
{
	uint64_t ns = counted(row)->ns;

	if (format == OUTPUT_JSON)
		add_ns(s, ns);
	else if (settings.milliseconds)
		str_addf(s, "%.6f", ns / 1e6);
	else
		str_addf(s, "%.3f", ns / 1e3);
}

static void add_max(struct str *s, const void *row, enum output_format format)
{
	add_ns(s, counted(row)->max);
}

static bool time_shown;

#define VALUES(TITLE) \
	FIELD_BY(add_count, "count", "COUNT", 8), FIELD_BY(add_errors, "errors", NULL, 0, .data_only = true), \
		FIELD_BY(add_time, "time_ns", TITLE, 16, .shown = &time_shown), \
		FIELD_BY(add_max, "max_ns", NULL, 0, .data_only = true)

/* The units differ in the heading only. */
static const struct field by_syscall[][5] = {
	{ FIELD_BY(add_name, "syscall", "SYSCALL", -NAME_WIDTH), VALUES("TIME (us)") },
	{ FIELD_BY(add_name, "syscall", "SYSCALL", -NAME_WIDTH), VALUES("TIME (ms)") },
};
static const struct field by_process[][6] = {
	{ FIELD_BY(add_pid, "pid", "PID", -6), FIELD_BY(add_comm, "comm", "COMM", -15), VALUES("TIME (us)") },
	{ FIELD_BY(add_pid, "pid", "PID", -6), FIELD_BY(add_comm, "comm", "COMM", -15), VALUES("TIME (ms)") },
};

#define RULE "------ ----------- ----------- --------- --------- ----------------\n"

static void draw_summary(struct str *s, const void *p)
{
	const struct row *row = p;
	const struct syscalls_row *r = row->counted;
	__free char *errors = r->errors ? base_printf("%llu", (unsigned long long)r->errors) : base_strdup("");

	if (row->is_first)
		str_add(s, "% time     seconds  usecs/call     calls    errors syscall\n" RULE);
	if (row->is_total)
		str_add(s, RULE);
	str_addf(s, "%6.2f %11.6f %11llu %9llu %9s ",
		 row->is_total ? 100.0
		 : row->total  ? 100.0 * r->ns / row->total
			       : 0.0,
		 r->ns / 1e9, (unsigned long long)(r->calls ? r->ns / r->calls / 1000 : 0), (unsigned long long)r->calls, errors);
	if (row->is_total)
		str_add(s, "total");
	else
		add_name(s, row, OUTPUT_TEXT);
	str_addc(s, '\n');
}

static struct schema schema = { by_syscall[0], ARRAY_SIZE(by_syscall[0]) };

static void choose_schema(void)
{
	time_shown = is_timed();
	if (settings.by_process)
		schema = (struct schema){ by_process[settings.milliseconds], ARRAY_SIZE(by_process[0]) };
	else
		schema.fields = by_syscall[settings.milliseconds];
	if (settings.summary)
		schema.draw = draw_summary;
}

static int larger_first(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* As they stand in a table: of equal ones those that are called more often, then by name. */
static int by_size(const void *pa, const void *pb)
{
	const struct syscalls_row *a = pa, *b = pb;
	int ret = larger_first(a->ns, b->ns);

	if (!ret)
		ret = larger_first(a->calls, b->calls);
	if (!ret && a->name && b->name)
		ret = strcmp(a->name, b->name);
	return ret ? ret : larger_first(b->key, a->key);
}

/* --- the engine's --- */

struct syscount {
	struct syscalls *syscalls;
};

static int check(struct engine_instance *instance, struct err *err)
{
	instance->ctx->usage = true;
	if (instance->args.n)
		return err_set(err, -EINVAL, "unexpected argument '%s'", instance->args.v[0]);
	if (settings.summary && (settings.by_process || settings.milliseconds))
		return err_set(err, -EINVAL, "--summary has columns of its own: without -%c", settings.by_process ? 'P' : 'm');
	instance->ctx->usage = false;
	return 0;
}

static int syscount_open(struct engine_instance *instance, struct err *err)
{
	struct syscount *syscount = base_alloc(sizeof(*syscount));
	const struct syscalls_settings wanted = {
		.timed = is_timed(),
		.by_process = settings.by_process,
		.failed = settings.failed || settings.error,
		.error = settings.error,
		.number = settings.number,
		.ppid = settings.ppid,
		.keys = settings.keys,
		.calls = settings.calls,
	};
	int ret;

	instance->state = syscount;
	ret = check(instance, err);
	if (!ret)
		ret = filter_check_parent(settings.ppid, err);
	if (ret)
		return ret;
	/* as in bcc */
	instance->ctx->time |= instance->ctx->interval > 0;
	choose_schema();
	if (!settings.top)
		settings.top = settings.summary ? UINT32_MAX : TOP_DEFAULT;
	return syscalls_open(&syscount->syscalls, instance, &wanted, err);
}

static void syscount_armed(struct engine_instance *instance)
{
	__free char *top = settings.summary ? base_strdup("") : base_printf(", printing top %u", settings.top);

	report_line("Tracing %ssyscalls%s... Hit Ctrl-C to end.", settings.failed || settings.error ? "failed " : "", top);
}

/* The sum of all, also of those that -T leaves out. */
static struct syscalls_row sum_of(const struct syscalls_row *rows, size_t n)
{
	struct syscalls_row sum = {};

	for (size_t i = 0; i < n; i++) {
		sum.calls += rows[i].calls;
		sum.errors += rows[i].errors;
		sum.ns += rows[i].ns;
	}
	return sum;
}

static void emit_total(struct engine_instance *instance, const struct syscalls_row *sum, bool first)
{
	struct row row = { .counted = sum, .total = sum->ns, .is_first = first, .is_total = true };

	/* JSON has rows that can be added up */
	if (settings.summary && output_is_text(instance->ctx->out))
		output_row(instance->ctx->out, &row);
}

static void syscount_emit(struct engine_instance *instance, bool last)
{
	struct syscount *syscount = instance->state;
	size_t n;
	struct syscalls_row *rows = syscalls_take(syscount->syscalls, &n);
	const struct syscalls_row sum = sum_of(rows, n);

	qsort(rows, n, sizeof(*rows), by_size);
	engine_table_begin(instance);
	for (size_t i = 0; i < n && i < settings.top; i++) {
		struct row row = { .counted = &rows[i], .total = sum.ns, .is_first = !i };

		output_row(instance->ctx->out, &row);
	}
	emit_total(instance, &sum, !n);
	output_table_end(instance->ctx->out);
}

static void syscount_losses(struct engine_instance *instance)
{
	struct syscount *syscount = instance->state;

	syscalls_losses(syscount->syscalls, instance);
}

static void syscount_close(struct engine_instance *instance)
{
	struct syscount *syscount = instance->state;

	if (syscount)
		syscalls_close(syscount->syscalls);
	free(syscount);
}

static const struct engine engine = {
	.open = syscount_open,
	.armed = syscount_armed,
	.emit = syscount_emit,
	.losses = syscount_losses,
	.close = syscount_close,
};

/* --- -l --- */

static const struct field listed[] = {
	FIELD(FIELD_STR, struct syscalls_row, name, "syscall", NULL, 0),
	FIELD(FIELD_U32, struct syscalls_row, key, "number", NULL, 0),
};

static const struct schema list_schema = { listed, ARRAY_SIZE(listed) };

static size_t all_names(struct syscalls_row *rows)
{
	size_t n = 0;

	for (int number = 0; number < SYSCALLS_NUMBERS; number++) {
		const char *name = syscall_name(number);

		if (name)
			rows[n++] = (struct syscalls_row){ .key = number, .name = name };
	}
	qsort(rows, n, sizeof(*rows), by_size);
	return n;
}

static int list(struct run *run, struct err *err)
{
	struct syscalls_row rows[SYSCALLS_NUMBERS] = {};
	size_t n = all_names(rows);

	if (run->options.json) {
		output_table_begin(run->ctx.out, &list_schema, NULL, true);
		for (size_t i = 0; i < n; i++)
			output_row(run->ctx.out, &rows[i]);
		return 0;
	}
	for (size_t i = 0; i < n; i += NAMES_A_LINE) {
		__str struct str line = {};

		for (size_t j = i; j < n && j < i + NAMES_A_LINE; j++)
			str_addf(&line, "%s%-*s", j > i ? "   " : "", j + 1 < n && j + 1 < i + NAMES_A_LINE ? NAME_WIDTH : 0,
				 rows[j].name);
		output_line(run->ctx.out, "%s", line.data);
	}
	return 0;
}

TOOL(syscount, .brief = "count and time system calls, by call or by process", .args = "[-- COMMAND [ARG]...]",
     OPTIONS(options), .settings = &settings, .schema = &schema, .engine = &engine, .act = list,
     .act_instead = &settings.list, .letters = "t:tid",
     .description =
	     "Counts system calls in the kernel as they return, and prints those that were made most often, or with -L took "
	     "longest, at the end or at each interval. The time is that from the call to its return, waiting included. A call "
	     "that was under way when tracing began counts without it. What does not return, exit and exit_group, "
	     "does not count; fork and its like count once, in the parent.\n\n"
	     "--summary prints the table of strace -c, with the calls and errors that this would count: of a "
	     "command and its children (-c), from the execve with which it begins, of a process (-p) or of the whole system. "
	     "Its seconds are those of strace -c -w. "
	     "A call that a signal interrupts, to be restarted, has failed (ERESTARTSYS), as there.\n\n"
	     "Calls of 32-bit programs have other numbers: they are counted by process, and where rows are system calls their "
	     "number is told at the end. Without -L an execveat that succeeds counts as the execve that the kernel makes of "
	     "it.",
     EXAMPLES({ "sonde syscount -d 5", "the ten most frequent system calls of 5 seconds" },
	      { "sonde syscount -i 1 -L -T 5", "each second the five that took most time" },
	      { "sonde syscount -P -e EAGAIN", "which processes try again, until Ctrl-C" },
	      { "sonde syscount -p 181 -L -m", "one process, in milliseconds" },
	      { "sonde syscount --summary -c 'tar cf /dev/null /usr/share'", "in the place of strace -c -f" }));
