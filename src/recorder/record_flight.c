// SPDX-License-Identifier: BSD-2-Clause
/*
 * The flight recorder: programs write into rings that nobody reads, over the oldest records. A snapshot of the rings
 * becomes a file when something asks for it: SIGUSR2, a row of another tool of ours, a command that fails.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/report.h"
#include "bpf/ring.h"
#include "engine/intake.h"
#include "record/writer.h"
#include "record_part.h"

/* What happened right behind the moment is of interest, too. */
#define AFTER_NS NS_PER_SEC
/* There is nothing to do until somebody asks. */
#define NEVER_MS (3600 * 1000)

static int open_signals(struct record_flight *flight)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	flight->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return flight->signals < 0 || sigprocmask(SIG_BLOCK, &set, NULL) ? -errno : 0;
}

/* In the child. Rows are lines of JSON, without headings. Our end takes it along. */
static void exec_tool(const char *line, int out)
{
	__free char *script = base_printf("exec \"$0\" %s --json --quiet", line);
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (n <= 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(127);
	path[n] = '\0';
	execl("/bin/sh", "sh", "-c", script, path, NULL);
	_exit(127);
}

static int start_tool(struct record_flight *flight, const char *line)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	flight->tool = fork();
	if (!flight->tool)
		exec_tool(line, ends[1]);
	close(ends[1]);
	flight->rows = ends[0];
	return flight->tool < 0 || fcntl(flight->rows, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

static bool exists(const char *name)
{
	return !faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* What is wrong with the name would else be known when a snapshot is wanted, and that is lost then. */
static int check_output(const struct recorder *recorder, struct err *err)
{
	const struct record_settings *settings = recorder->instance->settings;
	const char *name = record_output(recorder), *slash = strrchr(name, '/');
	__free char *dir = slash ? base_strndup(name, slash - name + 1) : base_strdup(".");

	if (!settings->force && exists(name))
		return err_set(err, -EEXIST, "%s exists: --overwrite replaces it", name);
	if (access(dir, W_OK | X_OK))
		return err_set(err, -errno, "cannot create %s: %s", name, strerror(errno));
	return 0;
}

/*
 * /proc has no names of tasks that have ended, and their forks may be overwritten: the records of their ends have them.
 * A run is whole records.
 */
static int write_ends(struct writer *writer, const struct ring_run *run)
{
	int ret = 0;

	for (size_t at = 0; !ret && at < run->n_words; at += ring_header_words(run->words[at])) {
		const struct record_exit *end = (const void *)(run->words + at + 1);
		char comm[RECORD_COMM_LEN + 1] = {};
		struct layout_task task = { .comm = comm, .line = "" };

		if (ring_header_kind(run->words[at]) != RECORD_EXIT)
			continue;
		task.tid = end->pid;
		task.tgid = end->tgid;
		memcpy(comm, end->comm, RECORD_COMM_LEN);
		ret = writer_task(writer, &task);
	}
	return ret;
}

static int write_run(const struct ring_run *run, void *ctx)
{
	struct recorder *recorder = ctx;
	int ret = write_ends(recorder->writer, run);

	return ret ? ret : record_file_run(run, ctx);
}

/* The first file has the name that the user gave, the next ones a number behind it: without force, a free one. */
static char *next_name(struct recorder *recorder)
{
	const struct record_settings *settings = recorder->instance->settings;
	struct record_flight *flight = &recorder->flight;
	char *name;

	if (!flight->snapshots++)
		return base_strdup(record_output(recorder));
	for (;; free(name), flight->snapshots++) {
		name = base_printf("%s.%u", record_output(recorder), flight->snapshots);
		if (settings->force || !exists(name))
			return name;
	}
}

static void snapshot(struct recorder *recorder, const char *why)
{
	__free char *name = next_name(recorder);
	struct err err = {};
	bool known;
	int ret = record_file_open(recorder, name, &err);

	if (!ret)
		ret = record_file_tasks(recorder, name, &err);
	if (!ret)
		writer_note(recorder->writer, why);
	if (ret)
		report_err(&err, NULL);
	if (!ret)
		ring_snapshot(recorder->ring, write_run, recorder);
	recorder->missed = progs_missed(&recorder->progs, &known) + ring_missed(recorder->ring);
	if (recorder->writer && !ret)
		ret = record_file_close(recorder, name);
	if (ret)
		recorder->instance->ctx->failed = true;
}

static void ask(struct record_flight *flight, const char *why)
{
	if (flight->at)
		return;
	flight->why = why;
	flight->at = clock_monotonic_ns() + AFTER_NS;
}

static void take_signals(struct record_flight *flight)
{
	struct signalfd_siginfo info;

	while (read(flight->signals, &info, sizeof(info)) == sizeof(info))
		ask(flight, "a snapshot by SIGUSR2");
}

/* The first row is the moment. If the tool ends without one, there will be none. */
static void take_rows(struct recorder *recorder)
{
	struct record_flight *flight = &recorder->flight;
	char row[4096];
	ssize_t n = flight->rows < 0 ? -1 : read(flight->rows, row, sizeof(row));

	if (n < 0)
		return;
	close(take_fd(flight->rows));
	flight->rows = -1;
	if (n > 0) {
		flight->last = true;
		ask(flight, "a snapshot by a row of --snapshot-on");
		return;
	}
	report_error("the tool of --snapshot-on has ended without a row");
	recorder->instance->ctx->failed = recorder->instance->ctx->done = true;
}

/* Takes a snapshot if it is time. */
static int take(void *ctx)
{
	struct recorder *recorder = ctx;
	struct record_flight *flight = &recorder->flight;
	uint64_t now = clock_monotonic_ns();

	take_signals(flight);
	take_rows(recorder);
	if (!flight->at)
		return NEVER_MS;
	if (now < flight->at)
		return (flight->at - now) / NS_PER_MS + 1;
	flight->at = 0;
	snapshot(recorder, flight->why);
	recorder->instance->ctx->done |= flight->last;
	return NEVER_MS;
}

int record_flight_start(struct recorder *recorder, struct err *err)
{
	const struct record_settings *settings = recorder->instance->settings;
	struct intake *intake = recorder->instance->intake;
	struct record_flight *flight = &recorder->flight;
	int ret = check_output(recorder, err);

	if (ret)
		return ret;
	ret = open_signals(flight);
	if (!ret && settings->snapshot_on)
		ret = start_tool(flight, settings->snapshot_on);
	if (ret)
		return err_set(err, ret, "cannot wait for a reason to take a snapshot: %s", strerror(-ret));
	intake_add(intake, INTAKE_OWN, take, recorder);
	ret = intake_watch(intake, flight->signals, err);
	return ret ? ret : intake_watch(intake, flight->rows, err);
}

void record_flight_end(struct recorder *recorder)
{
	const struct engine_context *ctx = recorder->instance->ctx;
	struct record_flight *flight = &recorder->flight;

	if (ctx->command.ended && ctx->command.status)
		snapshot(recorder, "a snapshot because the command failed");
	else if (flight->at)
		snapshot(recorder, flight->why);
	else if (!flight->snapshots)
		report_line("No snapshot was taken.");
}

void record_flight_release(struct record_flight *flight)
{
	if (flight->tool > 0) {
		kill(flight->tool, SIGTERM);
		waitpid(flight->tool, NULL, 0);
	}
	base_closep(&flight->rows);
	base_closep(&flight->signals);
}
