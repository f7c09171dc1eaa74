// SPDX-License-Identifier: BSD-2-Clause
/* syscount: system calls by count or by time, by process, and strace -c's table. */
#include "base/nearest.h"
#include "output/words.h"
#include "run/filter_parse.h"
#include "engine/syscalls.h"
#include "kernel/syscalls.h"

#define TOP_DEFAULT 10

#define NAME_WIDTH   22
#define NAMES_A_LINE 4 /* of -l */

static struct {
	bool list, latency, milliseconds;
	struct syscalls_settings calls;
} settings = { .calls = { .keys = SYSCALLS_KEYS_DEFAULT, .number = -1 } };

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
	OPT(OPT_U32, typeof(settings), calls.top, 'T', "top", "N", "print only the N largest rows: 10, with --summary all", .min = 1),
	OPT(OPT_BOOL, typeof(settings), calls.failed, 'x', "failures", NULL, "only calls that failed"),
	OPT(OPT_CALL, typeof(settings), calls.error, 'e', "errno", "ERROR", "only calls that failed with this: ENOENT, or 2",
	    .call = set_error, .offers = words_offer_errors),
	OPT(OPT_CALL, typeof(settings), calls.number, 0, "syscall", "SYSCALL", "only this system call, by name", .call = set_syscall,
	    .offers = offer_syscalls),
	OPT(OPT_U32, typeof(settings), calls.ppid, 0, "ppid", "PPID", "only calls of this process's children", .min = 1),
	OPT(OPT_BOOL, typeof(settings), latency, 'L', "latency", NULL, "with the time that calls took, and in its order"),
	OPT(OPT_BOOL, typeof(settings), milliseconds, 'm', "milliseconds", NULL, "the same in milliseconds"),
	OPT(OPT_BOOL, typeof(settings), calls.by_process, 'P', "process", NULL, "by process, not by system call"),
	OPT(OPT_BOOL, typeof(settings), calls.with_total, 0, "summary", NULL, "the table of strace -c"),
	OPT(OPT_U32, typeof(settings), calls.keys, 0, "max-keys", "N", "room for so many processes, with -P: 10240", .min = 1,
	    .max = 4 * 1024 * 1024),
	OPT(OPT_U32, typeof(settings), calls.calls, 0, "max-calls", "N",
	    "at most N pending calls at a time, if they are timed: twice the number of threads", .min = 1, .max = 1000000),
};

/* --- rows --- */

static const struct syscalls_row *counted(const void *row)
{
	return row;
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
	if (settings.calls.timed)
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

#define VALUES(TITLE) \
	FIELD_BY(add_count, "count", "COUNT", 8), FIELD_BY(add_errors, "errors", NULL, 0, .data_only = true), \
		FIELD_BY(add_time, "time_ns", TITLE, 16, .shown = &settings.calls.timed), \
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
	const struct syscalls_row *r = p;
	__free char *errors = r->errors ? base_printf("%llu", (unsigned long long)r->errors) : base_strdup("");

	if (r->is_first)
		str_add(s, "% time     seconds  usecs/call     calls    errors syscall\n" RULE);
	if (r->is_total)
		str_add(s, RULE);
	str_addf(s, "%6.2f %11.6f %11llu %9llu %9s ",
		 r->is_total   ? 100.0
		 : r->total_ns ? 100.0 * r->ns / r->total_ns
			       : 0.0,
		 r->ns / 1e9, (unsigned long long)(r->calls ? r->ns / r->calls / 1000 : 0), (unsigned long long)r->calls, errors);
	if (r->is_total)
		str_add(s, "total");
	else
		add_name(s, r, OUTPUT_TEXT);
	str_addc(s, '\n');
}

static struct schema schema = { by_syscall[0], ARRAY_SIZE(by_syscall[0]) };

static void choose_schema(void)
{
	if (settings.calls.by_process)
		schema = (struct schema){ by_process[settings.milliseconds], ARRAY_SIZE(by_process[0]) };
	else
		schema.fields = by_syscall[settings.milliseconds];
	if (settings.calls.with_total)
		schema.draw = draw_summary;
}

static int configure(struct engine_instance *instance, struct err *err)
{
	struct syscalls_settings *calls = &settings.calls;

	if (calls->with_total && (calls->by_process || settings.milliseconds))
		return err_set(err, -EINVAL, "--summary has columns of its own: without -%c", calls->by_process ? 'P' : 'm');
	calls->timed = settings.latency || settings.milliseconds || calls->with_total;
	if (!calls->top)
		calls->top = calls->with_total ? UINT32_MAX : TOP_DEFAULT;
	/* as in bcc */
	instance->ctx->time |= instance->ctx->interval > 0;
	choose_schema();
	return filter_check_parent(calls->ppid, err);
}

static const struct syscalls_source source = { .settings = &settings.calls, .configure = configure };

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
	qsort(rows, n, sizeof(*rows), syscalls_by_size);
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
     OPTIONS(options), .settings = &settings, .schema = &schema, SYSCALLS_ENGINE(source), .act = list,
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
