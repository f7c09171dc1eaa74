// SPDX-License-Identifier: BSD-2-Clause
/* From options to probes, from the buffer to lines, and what was lost. */
#include <fcntl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/report.h"
#include "bpf/event.h"
#include "bpf/pending.h"
#include "engine/filter.h"
#include "engine/follow.h"
#include "engine/intake.h"
#include "engine/stream.h"
#include "attached.h"
#include "netlink.h"
#include "programs.h"
#include "output/words.h"
#include "strace.h"
#include "strace_part.h"

#define BUFFER_DEFAULT (4 * 1024 * 1024)
#define BUFFER_MAX     (1024 * 1024 * 1024)
#define TEXT_MOST      4000
/* How soon it is asked whether a process has ended that may have, as a record says; and how often at least. */
#define ASK_MS	    50
#define ASK_MOST_MS 1000

struct state {
	struct engine_instance *instance;
	struct strace_programs programs;
	struct strace_table table; /* of -c */
	struct strace_lines *lines;
	void *beside;		/* of the source, if the instance has one */
	uint64_t asked_ns;	/* when it was asked whether what was named has ended; ask_ms: how long it is not again */
	uint64_t ask_ms, hints; /* hints: what there were then */
	int file;		/* of -o; -1: standard error */
	bool knows_missed;
};

/* --- options --- */

static int add_one(void *count, const char *arg, struct err *err)
{
	++*(uint32_t *)count;
	return 0;
}

static int set_detach(void *dest, const char *arg, struct err *err)
{
	*(bool *)dest = !strcmp(arg, "execve");
	return *(bool *)dest ? 0 : err_set(err, -EINVAL, "only execve is possible");
}

#define SET(MEMBER, NAME, ARG, HELP, CALL) \
	OPT(OPT_CALL, struct strace_settings, MEMBER, 0, NAME, ARG, HELP, .call = CALL)

static const struct opt options[] = {
	OPT(OPT_CALL, struct strace_settings, follow, 'f', "follow-forks", NULL,
	    "also trace children and all threads of the command, or of processes of -p (in a "
	    "pid namespace that is not the first only their threads); -ff also --output-separately",
	    .call = add_one),
	OPT(OPT_BOOL, struct strace_settings, separate, 0, "output-separately", NULL,
	    "with -o, write the lines of each thread to FILE.TID"),
	OPT(OPT_LIST, struct strace_settings, events, 'e', "trace", "CALLS",
	    "only these: names, /REGEX, %file, %desc, %process, %network, %signal, %ipc, %memory, %creds, %clock, %%stat, "
	    "separated by commas; "
	    "! before them: all others; and -e WHAT=SET: trace, signal, status, quiet, raw, verbose, abbrev, read, "
	    "write, decode-fds"),
	SET(hidden, "signal", "SIGNALS", "only these signals: INT,CHLD, none, !SIGIO", strace_expr_signals),
	SET(status, "status", "SET", "only calls that are failed, successful or unfinished", strace_expr_status),
	OPT(OPT_CALL, struct strace_settings, hushed, 0, "silent", "SET",
	    "no messages about exit or path-resolution; all",
	    .call = strace_expr_quiet, .also = "silence", .optional_arg = true),
	SET(raw, "raw", "CALLS", "arguments of these as registers, in hex", strace_expr_calls),
	SET(abbrev, "abbrev", "CALLS", "structs of all other calls with all members", strace_expr_calls),
	SET(dump_read, "read", "FDS", "what is read from these descriptors, in hex below the call", strace_expr_fds),
	SET(dump_written, "write", "FDS", "what is written to these descriptors, in hex below the call",
	    strace_expr_fds),
	OPT(OPT_CALL, struct strace_settings, style, 'X', "const-print-style", "STYLE",
	    "constants as raw numbers, by name (abbrev), or both (verbose)", .call = strace_expr_style),
	SET(trace, "inject", "SET", "refused: it changes what a program does", strace_expr_refuse),
	SET(trace, "fault", "SET", "refused, too", strace_expr_refuse),
	OPT(OPT_LIST, struct strace_settings, paths, 'P', "trace-path", "PATH",
	    "only calls that name PATH, or use a descriptor that is open on it; may be repeated"),
	OPT(OPT_STRING, struct strace_settings, output, 'o', "output", "FILE", "write to FILE instead of standard error"),
	OPT(OPT_BOOL, struct strace_settings, append, 'A', "output-append-mode", NULL, "append to the file of -o"),
	OPT(OPT_U32, struct strace_settings, size, 's', "string-limit", "N", "the most bytes of a text that is no path: 32",
	    .max = TEXT_MOST),
	OPT(OPT_U32, struct strace_settings, column, 'a', "columns", "N", "where results stand: 40", .max = 1000),
	OPT(OPT_CALL, struct strace_settings, times, 't', NULL, NULL,
	    "the time of day; -tt with microseconds; -ttt as seconds since 1970", .call = add_one),
	OPT(OPT_CALL, struct strace_settings, clock, 0, "absolute-timestamps", "FORM",
	    "time, unix or none; and s, ms, us, ns",
	    .call = strace_times_clock, .also = "timestamps", .optional_arg = true),
	OPT(OPT_BOOL, struct strace_settings, relative, 'r', NULL, NULL, "the time since the line before"),
	OPT(OPT_CALL, struct strace_settings, relative_digits, 0, "relative-timestamps", "UNIT",
	    "the same, to s, ms, us or ns", .call = strace_times_precision, .optional_arg = true),
	OPT(OPT_BOOL, struct strace_settings, took, 'T', NULL, NULL, "how long each call took"),
	OPT(OPT_CALL, struct strace_settings, took_digits, 0, "syscall-times", "UNIT", "the same, to s, ms, us or ns",
	    .call = strace_times_precision, .optional_arg = true),
	OPT(OPT_CALL, struct strace_settings, hex, 'x', NULL, NULL,
	    "texts that are not printable in hex; -xx all texts",
	    .call = add_one),
	OPT(OPT_CALL, struct strace_settings, hex, 0, "strings-in-hex", "WHICH",
	    "all, non-ascii, non-ascii-chars, none",
	    .call = strace_expr_hex, .optional_arg = true),
	OPT(OPT_CALL, struct strace_settings, files, 'y', NULL, NULL,
	    "what descriptors are open on; -yy also addresses of sockets and numbers of devices", .call = add_one),
	OPT(OPT_CALL, struct strace_settings, details, 0, "decode-fds", "SET",
	    "the same: path, dev, socket, pidfd, all",
	    .call = strace_expr_files, .optional_arg = true),
	OPT(OPT_BOOL, struct strace_settings, names, 'Y', NULL, NULL, "names of processes beside their ids"),
	OPT(OPT_CALL, struct strace_settings, pids, 0, "decode-pids", "SET",
	    "beside ids of processes: comm, their names; pidns, their ids in sonde's pid namespace", .call = strace_expr_pids),
	OPT(OPT_BOOL, struct strace_settings, numbers, 'n', "syscall-number", NULL, "the numbers of calls"),
	OPT(OPT_BOOL, struct strace_settings, ip, 'i', "instruction-pointer", NULL,
	    "the address behind the instruction that makes the call"),
	OPT(OPT_BOOL, struct strace_settings, stack, 'k', "stack-traces", NULL,
	    "the stack of each call, below its line"),
	OPT(OPT_BOOL, struct strace_settings, whole, 'v', "no-abbrev", NULL, "all members of structs"),
	OPT(OPT_BOOL, struct strace_settings, ok, 'z', "successful-only", NULL, "only calls that did not fail"),
	OPT(OPT_BOOL, struct strace_settings, failed, 'Z', "failed-only", NULL, "only calls that failed"),
	OPT(OPT_CALL, struct strace_settings, quiet, 'q', NULL, NULL,
	    "no messages; -qq also no lines about ends of processes", .call = add_one),
	OPT(OPT_BOOL, struct strace_settings, summary, 'c', "summary-only", NULL,
	    "no lines, but a table of calls: how many, how many failed, and their time on a processor"),
	OPT(OPT_BOOL, struct strace_settings, both, 'C', "summary", NULL, "lines, and that table at the end"),
	OPT(OPT_BOOL, struct strace_settings, wall, 'w', "summary-wall-clock", NULL,
	    "in that table, the time that passes between begin and end"),
	OPT(OPT_STRING, struct strace_settings, order, 'S', "summary-sort-by", "ORDER",
	    "sort that table by time, min-time, max-time, avg-time, calls, errors, name, nothing"),
	OPT(OPT_STRING, struct strace_settings, columns, 'U', "summary-columns", "COLUMNS",
	    "columns of that table, joined by commas: time-percent, total-time, min-time, max-time, avg-time, calls, errors, name"),
	OPT(OPT_CALL, struct strace_settings, detach, 'b', "detach-on", "execve",
	    "leave a process, and its children, when it executes another program", .call = set_detach),
	OPT(OPT_STRING, struct strace_settings, interruptible, 'I', "interruptible", "N",
	    "nothing: no signal is blocked"),
	OPT(OPT_CALL, struct strace_settings, apart, 'D', "daemonize", NULL,
	    "nothing: sonde is no parent of what it traces",
	    .call = add_one),
	OPT(OPT_BOOL, struct strace_settings, seccomp, 0, "seccomp-bpf", NULL, "nothing: nothing is stopped"),
	OPT(OPT_STRING, struct strace_settings, overhead, 'O', "summary-syscall-overhead", "TIME",
	    "nothing: no time of sonde's is in that table"),
	OPT(OPT_SECONDS, struct strace_settings, slower, 0, "slower", "TIME", "only calls that took at least TIME: 10ms"),
	OPT(OPT_U64, struct strace_settings, buffer_size, 0, "buffer-size", "BYTES",
	    "size of the event buffer, with k, M or G: 4M", .min = 4096, .max = BUFFER_MAX),
	OPT(OPT_BOOL, struct strace_settings, fail_on_loss, 0, "fail-on-loss", NULL, "exit with 1 if a call was lost"),
};

static const struct strace_settings defaults = {
	.size = 32,
	.column = 40,
	.status = ~0U,
	.buffer_size = BUFFER_DEFAULT,
};

/* Letters that stand for sets of -e. */
static void apply_letters(struct strace_settings *settings)
{
	if (settings->ok || settings->failed)
		settings->status = settings->ok ? STRACE_SUCCESSFUL : STRACE_FAILED;
	if (settings->times)
		settings->clock = (struct strace_clock){
			.form = settings->times > 2 ? STRACE_CLOCK_UNIX : STRACE_CLOCK_TIME,
			.digits = settings->times > 1 ? 6 : 0,
		};
	if (settings->relative)
		settings->relative_digits = 7;
	if (settings->took)
		settings->took_digits = 7;
	if (settings->files)
		settings->details |= settings->files > 1 ? ~0U : STRACE_PATHS;
	if (settings->names)
		settings->pids |= STRACE_PID_NAMES;
	if (settings->quiet > 2)
		settings->hushed = ~0U;
	if (settings->quiet > 1)
		settings->hushed |= STRACE_Q_EXIT;
	if (settings->quiet)
		settings->hushed |= STRACE_Q_ATTACH;
}

/* Options that have no meaning here. */
static void say_ignored(const struct strace_settings *settings)
{
	if (settings->interruptible)
		report_verbose("-I has no meaning: no signal is blocked");
	if (settings->apart)
		report_verbose("-D has no meaning: the command is not stopped, and ends by itself");
	if (settings->seccomp)
		report_verbose("--seccomp-bpf has no meaning: no call is stopped");
	if (settings->overhead)
		report_verbose("-O has no meaning: the table has no time of sonde's own");
}

/* The options of the table of -c. */
static int parse_table(struct state *state, struct strace_settings *settings, struct err *err)
{
	static const char *const usual = "time-percent,total-time,avg-time,calls,errors,name";
	int ret = strace_summary_columns(&state->table, settings->columns ? settings->columns : usual, err);

	if (!ret)
		ret = strace_summary_order(&state->table, settings->order ? settings->order : "time", err);
	if (!ret && !strace_counts(settings) && (settings->wall || settings->order || settings->columns))
		ret = err_set(err, -EINVAL, "-%c is about the table of -c or -C: give one of these, too",
			      settings->wall ? 'w' : settings->order ? 'S'
								     : 'U');
	if (ret || !strace_counts(settings))
		return ret;
	if (settings->summary && settings->both)
		return err_set(err, -EINVAL, "-c prints no lines, -C does: give one of them");
	if (settings->separate || settings->follow > 1)
		return err_set(err, -EINVAL, "-%c counts all processes together: -f, and not -ff",
			       settings->both ? 'C' : 'c');
	if (settings->paths.n)
		return err_set(err, -EINVAL,
			       "-P and -%c: not together, calls are counted before their paths are compared",
			       settings->both ? 'C' : 'c');
	if (!output_is_text(state->instance->ctx->out))
		return err_set(err, -EINVAL, "-%c is text; sonde syscount --summary has the table in JSON and CSV",
			       settings->both ? 'C' : 'c');
	state->programs.counts = STRACE_COUNTS;
	state->programs.opens = STRACE_OPENS;
	state->programs.switches = !settings->wall;
	return 0;
}

/* -k */
static int parse_stacks(struct state *state, const struct strace_settings *settings, struct err *err)
{
	if (settings->stack && (settings->summary || !output_is_text(state->instance->ctx->out)))
		return err_set(err, -EINVAL, "-k prints stacks below lines: without -c, --json and --csv");
	state->programs.has_stacks = settings->stack;
	return 0;
}

static int parse(struct state *state, struct err *err)
{
	struct engine_instance *instance = state->instance;
	struct strace_settings *settings = instance->settings;
	int ret = 0;

	if (instance->args.n)
		ret = engine_unexpected(instance, instance->args.v[0], err);
	for (size_t i = 0; !ret && i < settings->events.n; i++)
		ret = strace_expr_parse(settings, settings->events.v[i], err);
	if (!ret && settings->ok && settings->failed)
		ret = err_set(err, -EINVAL, "-z and -Z together leave nothing");
	if (!ret && settings->detach && !instance->ctx->command.pid && !instance->ctx->pids.n)
		ret = err_set(err, -EINVAL, "-b needs a command or -p");
	if (!ret && settings->append && !settings->output)
		ret = err_set(err, -EINVAL, "-A needs the file of -o");
	if (!ret && strace_is_separate(settings) && !output_is_text(instance->ctx->out))
		ret = err_set(err, -EINVAL, "-ff with -o writes lines to several files: without --json and --csv");
	if (!ret)
		ret = parse_table(state, settings, err);
	if (!ret)
		ret = parse_stacks(state, settings, err);
	apply_letters(settings);
	say_ignored(settings);
	if (ret)
		instance->ctx->usage = true;
	return ret;
}

/* --- programs --- */

static void on_record(const void *record, size_t size, void *ctx)
{
	struct state *state = ctx;

	strace_lines_add(state->lines, record, size);
}

/* Text goes where strace writes it: the output of the command stays apart. */
static int open_output(struct state *state, struct err *err)
{
	const struct strace_settings *settings = state->instance->settings;
	struct output *out = state->instance->ctx->out;

	if (strace_is_separate(settings))
		return 0;
	if (settings->output) {
		state->file = open(settings->output,
				   O_WRONLY | O_CREAT | O_CLOEXEC | (settings->append ? O_APPEND : O_TRUNC), 0666);
		if (state->file < 0)
			return err_set(err, -errno, "cannot write to %s: %s", settings->output, strerror(errno));
	}
	if (settings->output || output_is_text(out))
		output_redirect(out, settings->output ? state->file : STDERR_FILENO);
	return 0;
}

/* Whether lines say when calls began, or it decides which are printed. */
static bool is_timed(const struct strace_settings *settings, const struct output *out)
{
	return settings->took_digits || settings->relative_digits || settings->clock.form != STRACE_CLOCK_NONE ||
	       settings->slower || !output_is_text(out);
}

/* With -f all threads of a process belong to it, also if -p names one of them. */
static void name_process(struct engine_context *ctx, struct filter *filter)
{
	uint32_t process = process_of(ctx->tid);

	if (ctx->pids.n != 1 || ctx->pids.v[0] != ctx->tid || !process)
		return;
	ctx->pid = process;
	ctx->pids.v = &ctx->pid;
	ctx->tid = filter->tid = filter->by_tid = 0;
	filter->tgid = process;
	filter->by_tgid = 1;
}

/* With -f the children of a process belong to it. Where we cannot see its id on the host, only its threads do. */
static void follow_process(struct engine_instance *instance)
{
	const struct strace_settings *settings = instance->settings;
	struct engine_context *ctx = instance->ctx;
	struct filter *filter = &instance->filter;

	ctx->pids.children = settings->follow;
	if (settings->follow && ctx->tid)
		name_process(ctx, filter);
	if (settings->follow && ctx->pids.n == 1 && !ctx->command.pid && !ctx->tid && filter->in_pidns)
		report_note("children are not followed, only threads: that is possible in the first pid namespace only");
	if (!settings->follow || ctx->pids.n != 1 || ctx->command.pid || ctx->tid || filter->in_pidns)
		return;
	filter->by_tgid = 0;
	filter->by_members = filter->members_exist = 1;
}

/* What -p and --tid name. */
static const uint32_t *named_ids(const struct engine_context *ctx)
{
	return ctx->tid ? &ctx->tid : ctx->pids.n ? ctx->pids.v
						  : &ctx->pid;
}

static size_t n_named(const struct engine_context *ctx)
{
	return ctx->tid ? 1 : ctx->pids.n ?
					  : ctx->pid != 0;
}

static int strace_open(struct engine_instance *instance, struct err *err)
{
	struct state *state = base_alloc(sizeof(*state));
	struct strace_settings *settings = instance->settings;
	const struct strace_beside *beside = instance->source;
	struct engine_context *ctx = instance->ctx;
	int ret;

	instance->state = state;
	state->instance = instance;
	state->programs.instance = instance;
	state->programs.settings = settings;
	state->programs.names = !output_is_text(ctx->out);
	state->file = -1;
	ret = parse(state, err);
	if (ret)
		return ret;
	strace_paths_resolve(&settings->paths, &settings->resolved, settings->hushed & STRACE_Q_PATH);
	state->programs.timed = is_timed(settings, ctx->out);
	follow_process(instance);
	strace_programs_init(&state->programs);
	state->lines = strace_lines_new(settings, ctx->out, ctx->command.pid);
	if (ctx->tid)
		strace_lines_set_thread(state->lines, ctx->tid);
	else
		strace_lines_set_processes(state->lines, named_ids(ctx), n_named(ctx));
	strace_lines_set_armed(state->lines, UINT64_MAX);
	ret = open_output(state, err);
	if (!ret)
		ret = strace_programs_load(&state->programs, NULL, on_record, state, err);
	if (ret)
		return ret;
	strace_lines_set_stacks(state->lines, state->programs.stacks);
	engine_hurry();
	if (beside)
		ret = beside->open(&state->beside, instance, &state->programs.progs.object, settings->error, err);
	if (ret)
		return ret;
	if (beside)
		strace_lines_set_beside(state->lines, beside, state->beside);
	/* later the calls of the child that asks would be among those of the machine */
	if (!ctx->command.pid && !ctx->pid && !ctx->pids.n && !settings->summary)
		strace_netlink_ask();
	return progs_attach(&state->programs.progs, err);
}

/* With -f what has been forked may go on. */
static bool has_children(const struct engine_instance *instance)
{
	return instance->follow && instance->ctx->pids.children;
}

/* Whether what was named has ended, and with -f what it has forked. */
static bool is_over(const struct state *state)
{
	const struct engine_instance *instance = state->instance;

	return strace_lines_ended(state->lines) && !(has_children(instance) && follow_has_living(instance->follow));
}

/*
 * Records say that what was named has ended; the end of a command ends the run by itself. They may be lost, skipped, or
 * of a processor that is not wanted, so it is asked, too: soon after a record that says that something may have ended,
 * then less and less often. Returns in how many ms to do that; -1: never.
 */
static int end_run(struct state *state)
{
	struct engine_instance *instance = state->instance;
	uint64_t now = clock_boot_ns(), hints = strace_lines_hints(state->lines), next;
	bool over = strace_lines_ended(state->lines) && !has_children(instance), is_hinted = hints != state->hints;

	if (instance->ctx->command.pid || !n_named(instance->ctx))
		return -1;
	next = state->asked_ns + (is_hinted ? ASK_MS : state->ask_ms) * NS_PER_MS;
	if (!over && now < next)
		return (int)((next - now) / NS_PER_MS) + 1;
	if (!over) {
		state->asked_ns = now;
		state->hints = hints;
		state->ask_ms = is_hinted			  ? ASK_MS
				: state->ask_ms * 2 < ASK_MOST_MS ? state->ask_ms * 2
								  : ASK_MOST_MS;
		if (!strace_lines_ended(state->lines))
			strace_lines_ask(state->lines);
		over = is_over(state);
	}
	instance->ctx->done = instance->ctx->done || over;
	return over ? -1 : (int)state->ask_ms;
}

/* What is named may wait in a call. The threads of a whole process are wanted with -f. */
static void show_waiting(const struct state *state)
{
	const struct engine_instance *instance = state->instance;
	const struct strace_settings *settings = instance->settings;
	const unsigned int how = state->programs.config.how;
	const struct strace_attached attached = {
		.lines = state->lines,
		.stream = state->programs.stream,
		.plans = &state->programs.plans,
		.trace = &settings->trace,
		.ids = named_ids(instance->ctx),
		.n_ids = n_named(instance->ctx),
		.all = settings->follow && !instance->ctx->tid,
		.ip = how & STRACE_HOW_IP,
		.space = how & STRACE_HOW_SPACE,
	};

	/* another filter may leave some of the threads out */
	if (!settings->summary && !instance->ctx->command.pid && !(how & STRACE_HOW_KEEP))
		strace_attached_show(&attached);
}

static void strace_armed(struct engine_instance *instance)
{
	const struct strace_settings *settings = instance->settings;
	struct state *state = instance->state;

	*(uint64_t *)object_memory(&state->programs.progs.object, ".data.armed", sizeof(uint64_t)) = 1;
	strace_lines_set_armed(state->lines, clock_boot_ns());
	show_waiting(state);
	state->ask_ms = ASK_MS;
	strace_lines_ask(state->lines);
	/* lines are text of our own */
	if (!output_is_text(instance->ctx->out))
		output_table_begin(instance->ctx->out, instance->schema, NULL, true);
	if (!instance->ctx->command.pid && is_over(state))
		report_note("it has ended while sonde attached");
	else if (!instance->ctx->command.pid && !(settings->hushed & STRACE_Q_ATTACH))
		report_line("Tracing system calls... Hit Ctrl-C to end.");
}

/* --- output --- */

static int strace_take(struct engine_instance *instance)
{
	struct state *state = instance->state;
	int ms = intake_take(instance->intake), also, ask;

	strace_netlink_reap();
	also = strace_lines_print(state->lines, clock_boot_ns(), false);
	strace_lines_lost(state->lines, strace_programs_lost(&state->programs));
	output_flush(instance->ctx->out);
	if (also >= 0 && also < ms)
		ms = also;
	ask = end_run(state);
	return ask >= 0 && ask < ms ? ask : ms;
}

static void strace_emit(struct engine_instance *instance, bool last)
{
	const struct strace_settings *settings = instance->settings;
	struct state *state = instance->state;
	int status = instance->ctx->command.status;

	if (!last)
		return;
	stream_take_all(state->programs.stream, instance->ctx->should_hurry, instance->ctx->should_stop_ctx);
	strace_lines_print(state->lines, clock_boot_ns(), true);
	strace_lines_lost(state->lines, strace_programs_lost(&state->programs));
	if (state->programs.counts)
		strace_counts_print(instance->ctx->out, object_map_fd(&state->programs.progs.object, "strace_counts"),
				    &state->table,
				    &settings->trace);
	output_flush(instance->ctx->out);
	if (strace_lines_failed(state->lines))
		instance->ctx->failed = true;
	if (instance->ctx->command.pid && instance->ctx->command.ended)
		instance->ctx->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void strace_losses(struct engine_instance *instance)
{
	const struct strace_settings *settings = instance->settings;
	const struct strace_beside *beside = instance->source;
	struct state *state = instance->state;
	const struct stream *stream = state->programs.stream;
	uint64_t dropped = stream_dropped(stream, EVENT_LOSS_BUFFER), unread = stream_unread(stream);
	uint64_t own = stream_dropped(stream, EVENT_LOSS_OWN);
	uint64_t missed = progs_missed(&state->programs.progs, &state->knows_missed);
	uint64_t untimed = object_word(&state->programs.progs.object, ".data.losses", PENDING_NO_ROOM);

	if (dropped)
		report_note("%llu record%s of calls lost: the buffer was full (--buffer-size makes it larger)",
			    (unsigned long long)dropped, str_plural(dropped));
	if (own)
		report_note("%llu record%s of calls lost: too many programs ran on one processor at once",
			    (unsigned long long)own, str_plural(own));
	if (untimed)
		report_note("%llu call%s without a begin: more at a time than there is room for",
			    (unsigned long long)untimed, str_plural(untimed));
	if (missed)
		report_note("%llu hit%s at begins or ends of calls missed: the kernel was busy with another",
			    (unsigned long long)missed, str_plural(missed));
	strace_lines_say_unended(state->lines);
	if (unread)
		report_note("%llu record%s of calls lost: not read at the end", (unsigned long long)unread, str_plural(unread));
	progs_say_losses(&state->programs.progs, missed);
	if (state->programs.stacks)
		stacks_losses(state->programs.stacks);
	if (beside)
		missed += beside->losses(state->beside);
	if ((dropped || own || unread || missed) && settings->fail_on_loss)
		instance->ctx->failed = true;
}

static void strace_close(struct engine_instance *instance)
{
	struct strace_settings *settings = instance->settings;
	struct state *state = instance->state;

	strace_netlink_reap();
	if (!state)
		return;
	if (state->beside)
		((const struct strace_beside *)instance->source)->close(state->beside);
	strace_programs_release(&state->programs);
	strace_lines_free(state->lines);
	strace_paths_release(&settings->resolved);
	if (state->file >= 0)
		close(state->file);
	free(state);
}

static const struct field fields[] = { STRACE_FIELDS };

const struct schema strace_schema = { fields, ARRAY_SIZE(fields) };

const struct engine strace_engine = {
	.several_processes = true,
	.options_title = "lines",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct strace_settings),
	.defaults = &defaults,
	.open = strace_open,
	.armed = strace_armed,
	.emit = strace_emit,
	.take = strace_take,
	.losses = strace_losses,
	.close = strace_close,
};

/* --- calls that failed, and what another room says of them --- */

static const struct opt failed_options[] = {
	OPT(OPT_LIST, struct strace_settings, events, 'e', "trace", "CALLS",
	    "only these system calls: names, %classes, /regex, as of sonde strace -e; repeatable"),
	OPT(OPT_CALL, struct strace_settings, error, 0, "errno", "ERROR",
	    "only calls that fail with this error: EPERM, 1",
	    .call = words_set_error, .offers = words_offer_errors),
	OPT(OPT_U32, struct strace_settings, size, 's', "string-limit", "BYTES", "longest text that is shown: 32",
	    .max = TEXT_MOST),
	OPT(OPT_STRING, struct strace_settings, output, 'o', "output", "FILE",
	    "write lines to FILE instead of standard error"),
	OPT(OPT_U64, struct strace_settings, buffer_size, 0, "buffer-size", "BYTES",
	    "size of the event buffer, with k, M or G: 4M", .min = 4096, .max = BUFFER_MAX),
	OPT(OPT_BOOL, struct strace_settings, fail_on_loss, 0, "fail-on-loss", NULL, "exit with 1 if a call was lost"),
};

static const struct strace_settings failed_defaults = {
	.size = 32,
	.column = 0,
	.status = STRACE_FAILED,
	.quiet = 2,
	.hidden = ~0ULL,
	.follow = 1,
	.buffer_size = BUFFER_DEFAULT,
};

const struct engine strace_failed_engine = {
	.options_title = "calls",
	.options = failed_options,
	.n_options = ARRAY_SIZE(failed_options),
	.settings_size = sizeof(struct strace_settings),
	.defaults = &failed_defaults,
	.open = strace_open,
	.armed = strace_armed,
	.emit = strace_emit,
	.take = strace_take,
	.losses = strace_losses,
	.close = strace_close,
};
