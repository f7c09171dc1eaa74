// SPDX-License-Identifier: BSD-2-Clause
/* One run: arguments, filter, command, engine, the loop, the end. What tools have in common is here once. */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "base/report.h"
#include "base/write.h"
#include "caps.h"
#include "command.h"
#include "filter.h"
#include "follow.h"

#define NS_PER_SEC 1000000000ULL
#define NS_PER_MS  1000000ULL
#define NEVER	   UINT64_MAX

/* Asked to stop, we wait for a reader that takes nothing no longer than this. */
#define READER_PATIENCE_MS 2000

uint64_t run_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

static uint64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

void run_table_begin(struct run *run, const struct schema *schema, bool first)
{
	const struct output_stamp stamp = {
		.wall_ns = wall_ns(),
		.since_ns = run_now_ns() - run->began,
		.show_wall = run->options.time,
		.show_since = run->options.timestamp,
	};

	output_table_begin(run->out, schema, &stamp, first);
}

/* nohup(1) ignores it for us, and means it. */
static bool hangup_is_ignored(void)
{
	struct sigaction action;

	return !sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* SIGPIPE is ignored for the whole program: a closed pipe is a write error like another. */
static int signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!hangup_is_ignored())
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* From the first request to stop on, a second one ends us at once: the kernel detaches what we hold. */
static void signals_back_to_default(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		run->stopping = run->interrupted = true;
		signals_back_to_default();
		/* the terminal has echoed ^C: what follows begins a new line */
		if (info.ssi_signo == SIGINT && isatty(STDERR_FILENO))
			report_line("%s", "");
		return;
	}
}

/* A reader that takes nothing is waited for until somebody asks us to stop, and then a little longer, once. */
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
		take_signals(run);
	}
}

bool run_should_stop(struct run *run)
{
	int status;

	take_signals(run);
	if (run->command && command_ended(run->command, &status))
		run->stopping = true;
	return run->stopping;
}

int run_filter_before(struct run *run, struct bpf_object *object, struct err *err)
{
	return filter_before(&run->filter, object, err);
}

int run_filter_after(struct run *run, struct bpf_object *object, struct err *err)
{
	int ret = filter_after(object, run->cgroup, err);

	if (ret || !run->command)
		return ret;
	return follow_start(&run->follow, command_pid(run->command),
			    bpf_object__find_map_fd_by_name(object, "members"), err);
}

static void say_write_error(struct run *run, int error)
{
	uint64_t lost = output_rows_lost(run->out);

	run->failed = true;
	report_error("cannot write the results: %s (%llu row%s lost)",
		     error == -ETIMEDOUT ? "the reader takes nothing" : strerror(-error),
		     (unsigned long long)lost, lost == 1 ? "" : "s");
}

/* A reader that went away has seen enough; any other error is one. */
static void check_output(struct run *run)
{
	if (output_error(run->out))
		run->stopping = true;
}

/* Wakes for a signal, a lost reader (which poll(2) tells unasked), events, or at the deadline. */
static void wait_until(struct run *run, uint64_t deadline)
{
	const struct engine *engine = run->tool->engine;
	bool streams = engine && engine->fd;
	uint64_t now = run_now_ns(), left = deadline > now ? deadline - now : 0;
	struct pollfd fds[] = {
		{ .fd = run->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
		{ .fd = streams ? engine->fd(run) : -1, .events = POLLIN },
	};
	int ms = -1;

	/* rounded up: woken too early, it would only wait again */
	if (deadline != NEVER)
		ms = left > 3600 * NS_PER_SEC ? 3600 * 1000 : (int)((left + 999999) / 1000000);
	if (poll(fds, ARRAY_SIZE(fds), ms) > 0 && fds[1].revents)
		run->stopping = true;
}

/* The last interval and the end often fall together: then one table serves both. */
static void loop(struct run *run)
{
	const struct engine *engine = run->tool->engine;
	const struct run_options *options = &run->options;
	uint64_t start = run_now_ns(), end = NEVER, tick = NEVER;

	if (options->duration && options->duration < NEVER - start)
		end = start + options->duration;
	if (options->interval && options->interval < NEVER - start)
		tick = start + options->interval;
	while (!run_should_stop(run)) {
		uint64_t now = run_now_ns(), wake;

		if (now >= end)
			break;
		if (now >= tick && tick < end) {
			engine->emit(run, false);
			check_output(run);
			/* an interval that was missed is not made up for */
			tick += options->interval * ((now - tick) / options->interval + 1);
			continue;
		}
		wake = tick < end ? tick : end;
		if (engine->take) {
			uint64_t next = now + engine->take(run) * NS_PER_MS;

			wake = next < wake ? next : wake;
			check_output(run);
		}
		if (!run->stopping)
			wait_until(run, wake);
	}
	run->stopping = true;
}

bool run_pause(struct run *run, uint64_t ns)
{
	uint64_t end = run_now_ns() + ns;

	if (run->signals < 0)
		run->signals = signals_open();
	check_output(run);
	while (!run->stopping && run_now_ns() < end) {
		wait_until(run, end);
		take_signals(run);
	}
	return !run->stopping;
}

static int start_command(struct run *run, char *const *argv, struct err *err)
{
	if (run->options.command)
		return command_hold_string(&run->command, run->options.command, err);
	return argv ? command_hold(&run->command, argv, err) : 0;
}

static void say_command(struct run *run)
{
	int status;

	if (!run->command || !command_ended(run->command, &status))
		return;
	if (WIFSIGNALED(status))
		report_note("the command was ended by signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		report_note("the command exited with %d", WEXITSTATUS(status));
}

/* Somebody ended the command while it was held: there was nothing to trace. */
static void say_early_end(struct run *run)
{
	report_error("the command was ended before it began");
	run->failed = true;
}

/* From here on probes are armed; whatever happens, what was counted is printed. */
static void trace(struct run *run)
{
	const struct engine *engine = run->tool->engine;
	struct err err = {};
	int error;

	run->began = run_now_ns();
	engine->armed(run);
	report_verbose("armed");
	check_output(run);
	if (run->command && command_release(run->command, &err)) {
		report_err(&err, NULL);
		run->failed = true;
		return;
	}
	loop(run);
	engine->emit(run, true);
	error = output_error(run->out);
	if (error && error != -EPIPE)
		say_write_error(run, error);
	say_command(run);
	engine->losses(run);
}

static int set_up(struct run *run, char *const *argv, struct err *err)
{
	bool command = run->options.command || argv;
	int ret = caps_check(err);

	if (!ret)
		ret = filter_parse(&run->filter, &run->options, command, &run->cgroup, err);
	if (ret) {
		run->usage = ret == -EINVAL;
		return ret;
	}
	run->signals = signals_open();
	if (run->signals < 0)
		return err_set(err, -errno, "cannot watch for signals: %s", strerror(errno));
	write_set_waiter(wait_for_reader, run);
	ret = start_command(run, argv, err);
	return ret ? ret : run->tool->engine->open(run, err);
}

/* Results are out. Detaching thousands takes long, and whoever does not want to wait for it need not. */
static void tear_down(struct run *run)
{
	if (run->signals >= 0) {
		take_signals(run);
		signals_back_to_default();
	}
	command_free(run->command);
	report_verbose("detaching");
	run->tool->engine->close(run);
	follow_free(run->follow);
	report_verbose("detached");
	output_free(run->out);
	free(run->args.v);
	write_set_waiter(NULL, NULL);
	if (run->signals >= 0)
		close(run->signals);
	if (run->cgroup >= 0)
		close(run->cgroup);
}

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	__str struct str text = {};

	if (level == LIBBPF_DEBUG || !report_is_verbose())
		return 0;
	str_addv(&text, fmt, ap);
	report_verbose_lines("libbpf", text.len ? text.data : "");
	return 0;
}

static int usage(const struct err *err)
{
	report_err(err, NULL);
	report_line("try '%s --help'", report_name());
	return 2;
}

static int print_help(const struct tool *tool)
{
	struct opt_table tables[TOOL_TABLES];
	struct doc doc = tool_doc(tool, tables);

	doc_help(stdout, &doc);
	return fflush(stdout) ? 1 : 0;
}

/* A tool that traces nothing: it waits for nothing either, and a signal ends it as it ends others. */
static int act(struct run *run)
{
	struct err err = {};
	int ret, error;

	if (run->args.n) {
		err_set(&err, -EINVAL, "'%s' is too much: this takes options only", run->args.v[0]);
		return usage(&err);
	}
	signal(SIGPIPE, SIG_IGN);
	run->out = output_new(STDOUT_FILENO, run->options.json ? OUTPUT_JSON : OUTPUT_TEXT);
	ret = run->tool->act(run, &err);
	if (ret < 0 && run->usage)
		ret = usage(&err);
	else if (ret < 0)
		report_err(&err, NULL);
	output_flush(run->out);
	error = output_error(run->out);
	if (error && error != -EPIPE)
		say_write_error(run, error);
	output_free(run->out);
	if (run->signals >= 0)
		close(run->signals);
	return ret < 0 || run->failed ? 1 : ret;
}

/* What follows "--" is a command; NULL-terminated, in memory of its own. */
static char **split_command(struct opt_list *args, size_t dashdash)
{
	size_t n = args->n - dashdash;
	char **argv;

	if (!n)
		return NULL;
	argv = base_alloc((n + 1) * sizeof(*argv));
	memcpy(argv, args->v + dashdash, n * sizeof(*argv));
	args->n = dashdash;
	return argv;
}

static int execute(struct run *run, char *const *argv)
{
	struct err err = {};
	int ret;

	run->out = output_new(STDOUT_FILENO, run->options.json ? OUTPUT_JSON : OUTPUT_TEXT);
	ret = set_up(run, argv, &err);
	if (!ret)
		trace(run);
	else if (ret != -EINTR)
		report_err(&err, run->fault);
	else if (!run->interrupted)
		say_early_end(run);
	tear_down(run);
	if (run->usage)
		return 2;
	return (ret && ret != -EINTR) || run->failed;
}

int run_tool(const struct tool *tool, int argc, char **argv)
{
	struct run run = { .tool = tool, .signals = -1, .cgroup = -1, .patience = READER_PATIENCE_MS };
	struct opt_table tables[TOOL_TABLES];
	size_t n = run_tables(tool, &run.options, tables), dashdash;
	__free char **command = NULL;
	struct err err = {};

	if (opt_parse(argc, argv, tables, n, &run.args, &dashdash, &err))
		return usage(&err);
	if (run.options.help)
		return print_help(tool);
	report_set_quiet(run.options.quiet);
	report_set_verbose(run.options.verbose);
	libbpf_set_print(print_libbpf);
	if (tool->act && (!tool->act_instead || *tool->act_instead)) {
		int ret = act(&run);

		free(run.args.v);
		return ret;
	}
	command = split_command(&run.args, dashdash);
	if (command && run.options.command) {
		err_set(&err, -EINVAL, "a command is given twice: by --command and after --");
		return usage(&err);
	}
	return execute(&run, command);
}
