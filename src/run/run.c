// SPDX-License-Identifier: BSD-2-Clause
/* One run of a tool: arguments, filter, command, engine, loop, end. */
#include <poll.h>
#include <sys/wait.h>

#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/report.h"
#include "base/write.h"
#include "caps.h"
#include "command.h"
#include "filter_parse.h"
#include "keyboard.h"
#include "signals.h"
#include "stop.h"
#include "engine/filter.h"
#include "engine/intake.h"
#include "engine/unhit.h"

#define NEVER UINT64_MAX

/* After a request to stop, how long to wait for a reader of stdout that does not read. */
#define READER_PATIENCE_MS 2000

#define EARLY_END "ended before tracing began"

/* Rounds up: poll(2) would otherwise return too early and be called again. */
int run_ms_until(uint64_t ns)
{
	uint64_t now = clock_monotonic_ns(), left = ns > now ? ns - now : 0;

	if (ns == NEVER)
		return -1;
	return left > 3600 * NS_PER_SEC ? 3600 * 1000 : (int)((left + NS_PER_MS - 1) / NS_PER_MS);
}

/* Waits for a reader of stdout that does not read, until a request to stop; then for READER_PATIENCE_MS more, once. */
static int wait_for_reader(void *ctx, int fd)
{
	struct run *run = ctx;
	struct pollfd fds[] = { { .fd = fd, .events = POLLOUT }, { .fd = run->signals, .events = POLLIN } };

	for (;;) {
		int n = poll(fds, ARRAY_SIZE(fds), run->interrupted ? run->patience : -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[0].revents)
			return 0;
		if (n == 0) {
			run->patience = 0;
			return -ETIMEDOUT;
		}
		stop_take(run);
	}
}

bool run_should_stop(struct run *run)
{
	int status;

	/* called while attaching: from now on stop_take() reads the signals */
	if (!stop_watch(run))
		stop_take(run);
	if (run->command && command_ended(run->command, &status)) {
		run->ctx.command.ended = run->stopping = true;
		run->ctx.command.status = status;
	}
	return run->stopping;
}

static void say_write_error(struct run *run, int error)
{
	const char *reason = error == -ETIMEDOUT ? "nobody reads them" : strerror(-error);
	uint64_t lost = output_rows_lost(run->ctx.out);

	run->ctx.failed = true;
	/* none if not even the headings could be written: the run ended there */
	if (lost)
		report_error("cannot write the results: %s (%llu row%s lost)", reason, (unsigned long long)lost,
			     str_plural(lost));
	else
		report_error("cannot write the results: %s", reason);
}

/* Stops the run after a write error. If the reader closed the pipe, that is not a failure. */
static void check_output(struct run *run)
{
	if (output_error(run->ctx.out))
		run->stopping = true;
}

/* Returns on a signal, an event, a key (fd keys, -1: none) or when stdout is closed, at the latest at deadline. */
static void wait_until(struct run *run, uint64_t deadline, int keys)
{
	struct pollfd fds[] = {
		{ .fd = run->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
		{ .fd = intake_fd(run->instance.intake), .events = POLLIN },
		{ .fd = keys, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), run_ms_until(deadline)) > 0 && fds[1].revents)
		run->stopping = true;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* If the last interval and the end coincide, the final table serves both. */
static void loop(struct run *run)
{
	const struct engine *engine = run->instance.engine;
	const struct engine_context *ctx = &run->ctx;
	uint64_t start = clock_monotonic_ns(), end = NEVER, tick = NEVER;

	if (ctx->duration && ctx->duration < NEVER - start)
		end = start + ctx->duration;
	if (ctx->interval && ctx->interval < NEVER - start)
		tick = start + ctx->interval;
	while (!ctx->done && !run_should_stop(run)) {
		uint64_t now = clock_monotonic_ns(), wake;

		if (now >= end)
			break;
		if (now >= tick && tick < end) {
			engine->emit(&run->instance, false);
			check_output(run);
			/* skip intervals that were missed */
			tick += ctx->interval * ((now - tick) / ctx->interval + 1);
			continue;
		}
		wake = earliest(earliest(tick, end), stop_say_waiting(run));
		if (engine->take) {
			wake = earliest(wake, now + engine->take(&run->instance) * NS_PER_MS);
			check_output(run);
		}
		if (!run->stopping && !ctx->done)
			wait_until(run, wake, -1);
	}
	run->stopping = true;
}

bool run_pause(struct run *run, uint64_t ns, bool keys)
{
	struct keyboard keyboard = { .fd = -1 };
	uint64_t end = clock_monotonic_ns() + ns;

	if (stop_watch(run))
		return false;
	check_output(run);
	if (keys)
		keyboard_take(&keyboard);
	while (!run->stopping && clock_monotonic_ns() < end) {
		wait_until(run, end, keyboard.fd);
		stop_take(run);
		run->stopping |= keyboard_quits(&keyboard);
	}
	keyboard_give_back(&keyboard);
	return !run->stopping;
}

static int start_command(struct run *run, char *const *argv, struct err *err)
{
	if (run->options.command)
		return command_hold_string(&run->command, run->options.command, err);
	return argv ? command_hold(&run->command, argv, err) : 0;
}

/* Returns the signal that ended the command, also if a shell reports it as 128 + N; 0: none. */
static int ended_by(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

/*
 * A breakpoint in a user function, or an address of the kernel in place of a return address, can break a program that
 * looks at its own code or stack.
 */
static bool may_be_of_probes(int signal)
{
	return signal == SIGILL || signal == SIGABRT || signal == SIGTRAP || signal == SIGSEGV;
}

static void say_death(int status, size_t probes)
{
	int signal = ended_by(status);
	__free char *how = WIFSIGNALED(status) ? base_printf("died of SIG%s", sigabbrev_np(signal))
					       : base_printf("exited with %d, as a shell does after SIG%s",
							     WEXITSTATUS(status), sigabbrev_np(signal));

	report_note("the command %s, while sonde had %zu user probe%s: run it without sonde to compare", how, probes,
		    str_plural(probes));
}

/* Reports how the command ended, unless we ended it: that was reported, or needs no report. */
static void say_command(struct run *run)
{
	int status;

	if (!run->command || !command_ended(run->command, &status))
		return;
	if (run->killed || (run->asked && ended_by(status) == run->asked))
		return;
	if (may_be_of_probes(ended_by(status)) && attach_user_probes())
		say_death(status, attach_user_probes());
	else if (WIFSIGNALED(status))
		report_note("the command was killed by signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		report_note("the command exited with %d", WEXITSTATUS(status));
}

/* Nothing was traced: a signal ended us, or killed the command while it was held. */
static void say_early_end(struct run *run)
{
	report_error(run->interrupted ? EARLY_END : "the command was killed before it started");
	run->ctx.failed = true;
}

/* The probes are armed. Whatever happens from here on, print what was counted. */
static void trace(struct run *run)
{
	const struct engine *engine = run->instance.engine;
	struct err err = {};
	int error;

	run->ctx.began = clock_monotonic_ns();
	engine->armed(&run->instance);
	systemd_notify(&run->manager, "READY=1");
	report_verbose("armed");
	check_output(run);
	if (run->command && command_release(run->command, &err)) {
		report_err(&err, NULL);
		run->ctx.failed = true;
		return;
	}
	if (run->command)
		unhit_note_command(&run->ctx);
	loop(run);
	systemd_notify(&run->manager, "STOPPING=1");
	engine->emit(&run->instance, true);
	error = output_error(run->ctx.out);
	if (error == -EPIPE)
		report_verbose("%llu rows were not written: the reader has closed the pipe",
			       (unsigned long long)output_rows_lost(run->ctx.out));
	else if (error)
		say_write_error(run, error);
	/* before stop_command(): what the command does from now on is not read, and not a loss */
	engine_losses(&run->instance);
	stop_command(run);
	say_command(run);
}

/* Copies the options that engines may see. */
static void fill_context(struct run *run)
{
	struct engine_context *ctx = &run->ctx;
	const struct run_options *options = &run->options;

	ctx->pid = ctx->service ? 0 : run_pid(options);
	ctx->pids.v = options->pids.v;
	ctx->pids.n = options->pids.n;
	ctx->tid = options->tid;
	ctx->time = options->time;
	ctx->timestamp = options->timestamp;
	ctx->verbose = options->verbose;
	ctx->quiet = options->quiet;
	ctx->interval = options->interval;
	ctx->duration = options->duration;
	run->instance.args = run->args;
}

/* -p of a thread is that thread, for engines that take it. */
static void name_thread(struct run_options *options)
{
	uint32_t id = options->pids.n == 1 && !options->tid ? options->pids.v[0] : 0, process;

	process = id ? process_of(id) : 0;
	if (process && process != id)
		options->tid = id;
}

static int set_filter(struct run *run, char *const *argv, struct err *err)
{
	bool command = (run->options.command || argv) && !run->ctx.as_peer && !run->tool->all_tasks;
	int ret;

	if (run->tool->engine->several_processes)
		name_thread(&run->options);
	ret = filter_parse(&run->ctx.filter, &run->options, command, &run->ctx.cgroup, err);
	if (ret || !run->tool->engine->names_service)
		return ret;
	if (run->args.n != 1) {
		if (filter_parse_family(&run->ctx.filter, &run->options, &run->service))
			run->ctx.service = &run->service;
		return 0;
	}
	run->ctx.service = &run->service;
	return filter_parse_service(&run->ctx.filter, &run->options, run->args.v[0], &run->service, &run->ctx.cgroup,
				    err);
}

static int set_up(struct run *run, char *const *argv, struct err *err)
{
	int ret = caps_check(err);

	if (!ret)
		ret = set_filter(run, argv, err);
	if (ret) {
		run->ctx.usage = ret == -EINVAL;
		return ret;
	}
	write_set_waiter(wait_for_reader, run);
	fill_context(run);
	/* the environment of a command is its own: it may be the one that the manager waits for */
	if (!run->options.command && !argv && systemd_begin(&run->manager))
		report_note("the service manager's variables are wrong: it does not learn when the probes are armed");
	ret = start_command(run, argv, err);
	if (run->command) {
		run->ctx.command.pid = command_pid(run->command);
		run->ctx.command.name = command_name(run->command);
		run->ctx.command.text = command_text(run->command);
	}
	if (!ret)
		ret = engine_open(&run->instance, err);
	if (ret)
		return ret;
	ret = stop_watch(run);
	if (ret)
		return err_set(err, ret, "cannot watch for signals: %s", strerror(-ret));
	return run_should_stop(run) ? -EINTR : 0;
}

/* With what the options have allocated. The second call has nothing to do. */
static void release_instance(struct run *run)
{
	struct opt_table tables[TOOL_TABLES];

	opt_release(tables, run_tables(run->tool, &run->options, &run->instance, tables));
	engine_release(&run->instance);
}

/* The results are printed. Detaching thousands of probes takes long: from here on a signal ends us at once. */
static void tear_down(struct run *run)
{
	if (run->signals >= 0) {
		stop_take(run);
		signals_let_end();
	}
	command_free(run->command);
	report_verbose("detaching");
	release_instance(run);
	report_verbose("detached");
	output_free(run->ctx.out);
	free(run->ctx.command.path);
	service_release(&run->service);
	systemd_release(&run->manager);
	write_set_waiter(NULL, NULL);
	if (run->signals >= 0)
		close(run->signals);
	if (run->ctx.cgroup >= 0)
		close(run->ctx.cgroup);
}

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	__str struct str text = {};

	if (level == LIBBPF_DEBUG || !report_is_verbose())
		return 0;
	/* scripts/slim-object has taken them out */
	if (strstr(fmt, "missing .BTF.ext line info"))
		return 0;
	str_addv(&text, fmt, ap);
	report_verbose_lines("libbpf", text.len ? text.data : "");
	return 0;
}

int run_printed(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	report_error("cannot write: %s", strerror(errno));
	return 1;
}

/* What bpftrace exits with, whatever went wrong. */
static int usage_status(const struct run *run)
{
	return run->ctx.as_peer ? 1 : 2;
}

static int usage(const struct run *run, const struct err *err)
{
	report_err(err, NULL);
	report_line("try '%s --help'", report_name());
	return usage_status(run);
}

static int print_help(const struct tool *tool)
{
	struct opt_table tables[TOOL_TABLES];
	struct doc doc = tool_doc(tool, tables);

	doc_help(stdout, &doc);
	return run_printed();
}

static enum output_format chosen_format(const struct run_options *options)
{
	return options->json ? OUTPUT_JSON : options->csv ? OUTPUT_CSV
							  : OUTPUT_TEXT;
}

/* Runs a tool without an engine. Signals have their default actions. */
static int act(struct run *run, char *const *argv)
{
	struct err err = {};
	int ret, error;

	if (argv || (run->args.n && (run->tool->engine || !*run->tool->args))) {
		err_set(&err, -EINVAL, "unexpected argument '%s': %s", argv ? argv[0] : run->args.v[0],
			argv ? "no command is run here" : "only options are used here");
		return usage(run, &err);
	}
	run->ctx.out = output_new(STDOUT_FILENO, chosen_format(&run->options));
	ret = run->tool->act(run, &err);
	if (ret < 0 && run->ctx.usage)
		ret = usage(run, &err);
	else if (ret < 0)
		report_err(&err, NULL);
	output_flush(run->ctx.out);
	error = output_error(run->ctx.out);
	if (error && error != -EPIPE)
		say_write_error(run, error);
	output_free(run->ctx.out);
	if (run->signals >= 0)
		close(run->signals);
	return ret < 0 || run->ctx.failed ? 1 : ret;
}

/* Returns the command, NULL-terminated, in memory of its own; removes it, from `first` on, from the arguments. */
static char **split_command(struct opt_list *args, size_t first)
{
	size_t n = args->n - first;
	char **argv = base_alloc((n + 1) * sizeof(*argv));

	memcpy(argv, args->v + first, n * sizeof(*argv));
	args->n = first;
	return argv;
}

static int execute(struct run *run, char *const *argv)
{
	struct err err = {};
	int ret;

	signals_say(report_name(), EARLY_END);
	run->ctx.out = output_new(STDOUT_FILENO, chosen_format(&run->options));
	ret = set_up(run, argv, &err);
	if (!ret && !run->ctx.answered)
		trace(run);
	else if (ret == -EINTR)
		say_early_end(run);
	else if (ret && !run->ctx.said)
		report_err(&err, run->ctx.fault);
	tear_down(run);
	if (ret == -EINTR && run->ended_by)
		signals_end_by(run->ended_by);
	if (run->ctx.usage)
		return usage_status(run);
	return ret || run->ctx.failed ? 1 : run->ctx.status;
}

/* Takes the command after "--", if there is one. It is an error if it is empty, or if --command names one too. */
static int find_command(struct run *run, size_t dashdash, char ***argv, struct err *err)
{
	size_t first = tool_command_at(run->tool, &run->args, dashdash);

	if (dashdash == OPT_NO_DASHDASH || (run->tool->own_dashes && run->ctx.as_peer))
		return 0;
	if (first == run->args.n)
		return first > dashdash ? 0 : err_set(err, -EINVAL, "no command after --: name one, or leave out --");
	if (run->options.command)
		return err_set(err, -EINVAL, "two commands are given: one by --command, one after --");
	*argv = split_command(&run->args, first);
	return 0;
}

static int run_parsed(struct run *run, int argc, char **argv)
{
	struct opt_table tables[TOOL_TABLES];
	size_t n = run_tables(run->tool, &run->options, &run->instance, tables), dashdash = 0;
	__free char **command = NULL;
	struct err err = {};

	if ((run->tool->command_first ? opt_parse_command : opt_parse)(argc, argv, tables, n, &run->args, &dashdash, &err))
		return usage(run, &err);
	if (run->options.help)
		return print_help(run->tool);
	report_set_quiet(run->options.quiet);
	report_set_verbose(run->options.verbose);
	libbpf_set_print(print_libbpf);
	if (run->options.json && run->options.csv) {
		err_set(&err, -EINVAL, "--json or --csv, not both");
		return usage(run, &err);
	}
	if (find_command(run, dashdash, &command, &err))
		return usage(run, &err);
	if (run->tool->act && setting_is(run->instance.tool_settings, run->tool->act_instead, true))
		return act(run, command);
	return execute(run, command);
}

static bool should_stop(void *run)
{
	return run_should_stop(run);
}

static bool should_hurry(void *ctx)
{
	struct run *run = ctx;

	if (run->signals >= 0)
		stop_take(run);
	return run->hurry;
}

static void add_title(struct str *title, int argc, char **argv)
{
	str_add(title, report_name());
	for (int i = 1; i < argc; i++) {
		str_addc(title, ' ');
		str_add_shell(title, argv[i], strlen(argv[i]));
	}
}

/* Whether the tool was called by the name of its peer. */
static bool is_peer(const struct tool *tool, const char *name)
{
	const char *slash = strrchr(name, '/');

	return tool->peer && !strcmp(slash ? slash + 1 : name, tool->peer);
}

int run_tool(const struct tool *tool, int argc, char **argv)
{
	struct run run = { .tool = tool, .signals = -1, .patience = READER_PATIENCE_MS };
	__str struct str title = {};
	int ret;

	add_title(&title, argc, argv);
	run.ctx.title = title.data;
	run.ctx.cgroup = -1;
	run.ctx.as_peer = argc && is_peer(tool, argv[0]);
	run.ctx.should_stop = should_stop;
	run.ctx.should_hurry = should_hurry;
	run.ctx.should_stop_ctx = &run;
	tool_init_instance(tool, &run.instance, &run.ctx);
	ret = run_parsed(&run, argc, argv);
	release_instance(&run);
	free(run.args.v);
	return ret;
}
