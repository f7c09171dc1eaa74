// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-hold [-n | -k] [-a TEXT | -c | -i] [-f FILE] [-o FILE] [-t SECONDS] [-w WORKLOAD] TRACER ARG...
 * bench-hold -m
 *
 * Starts a tracer and watches it from outside. When it is armed, the workload runs to its end, and then SIGINT ends the
 * tracer. The tracer is armed
 *	by default when a line of its stderr begins with "Tracing";
 *	-a: when a line that it writes to a terminal begins with TEXT;
 *	-c: when its command, "bench-hold -m", runs. It ends when the workload has ended, and no signal is sent;
 *	-i: when it has worked and then used no processor for a second: for tracers that print nothing. SIGINT is
 *	repeated every ten seconds.
 *
 * -n: send no signal; the tracer ends by itself
 * -k: send SIGKILL, also to all processes that it has started
 * -f: its stdout goes to FILE; -o: what it writes to us or to its terminal is stored in FILE
 * -t: kill a tracer that takes longer in all; it has failed then
 * In arguments, %p is the workload's process id: the workload exists before the tracer.
 *
 * Prints TARGETS ARMED CPU DETACH MEMORY TOTAL STOPPED TREE MAPS:
 *	TARGETS	the number in the armed line
 *	ARMED	ns from exec until it is armed; CPU: ns of processor time in that time
 *	DETACH	ns from its last output to its end
 *	MEMORY	KB at most
 *	TOTAL	ns of processor time in all
 *	STOPPED	ns from the signal to stop until it is gone
 *	TREE	KB at most of all its processes together, without its command
 *	MAPS	KB of kernel memory in its BPF maps
 * If the tracer fails, bench-hold prints the tracer's first line and exits with 1.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"

/* FIFOs by which the tracer's command reports that it runs, and is asked to end. In /tmp, which all processes share. */
#define RUNS_FILE "/tmp/bench-hold.runs"
#define ENDS_FILE "/tmp/bench-hold.ends"

enum armed_by {
	BY_TRACING,
	BY_TEXT,
	BY_COMMAND,
	BY_IDLENESS,
};

struct workload {
	pid_t pid;
	int go;
};

enum {
	OUT,
	ERR, /* or a terminal that is both */
	RUNS,
	EXIT,
	FDS,
};

struct tracer {
	enum armed_by by;
	const char *armed_text;
	pid_t pid, command;
	struct pollfd fds[FDS]; /* fd -1: none, or no more */
	int ends;
	int kept;	    /* -1: its output is not stored */
	uint64_t *executed; /* shared with the child that executes it */
	uint64_t limit;	    /* when the time of -t is over, 0: never */
	uint64_t armed, cpu, busy, last, told, ended, total;
	long targets, memory, tree, maps;
	bool killed, failed;
	char text[64 * 1024]; /* of stderr, or of the terminal */
	size_t len;
};

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Run before every other process, so that output gets its time when it is written. */
static void be_first(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		warn("not a real-time process, stamps may come late");
}

/* --- the tracer's command: bench-hold -m --- */

static int be_command(void)
{
	int runs = open(RUNS_FILE, O_WRONLY), ends = open(ENDS_FILE, O_RDONLY);
	pid_t pid = getpid();
	char byte;

	if (runs < 0 || ends < 0 || write(runs, &pid, sizeof(pid)) != sizeof(pid) || read(ends, &byte, 1) != 1)
		err(1, "bench-hold -m");
	return 0;
}

static int fifo(const char *path)
{
	int fd;

	unlink(path);
	if (mkfifo(path, 0666) || (fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
		err(2, "%s", path);
	return fd;
}

/* --- the workload --- */

static struct workload workload_start(const char *command)
{
	int go[2];
	struct workload workload = {};
	char *words[32] = {}, *copy = strdup(command), byte;

	for (size_t n = 0; n < 31 && (words[n] = strtok(n ? NULL : copy, " ")); n++)
		;
	if (pipe(go) || (workload.pid = fork()) < 0)
		err(2, "cannot start %s", command);
	if (!workload.pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(0);
		close(go[0]);
		execvp(words[0], words);
		err(2, "%s", words[0]);
	}
	close(go[0]);
	workload.go = go[1];
	free(copy);
	return workload;
}

static void workload_run(const struct workload *workload)
{
	int status;

	if (!workload->pid)
		return;
	if (write(workload->go, "g", 1) != 1 || waitpid(workload->pid, &status, 0) < 0 || status)
		warnx("the workload failed");
}

/* --- the tracer --- */

/* A program that writes to a terminal writes each line at once. The terminal changes nothing in the output. */
static int terminal(int *theirs)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios raw;

	if (ours < 0 || grantpt(ours) || unlockpt(ours) || (*theirs = open(ptsname(ours), O_RDWR | O_NOCTTY)) < 0 ||
	    tcgetattr(*theirs, &raw))
		err(2, "a terminal");
	cfmakeraw(&raw);
	if (tcsetattr(*theirs, TCSANOW, &raw))
		err(2, "a terminal");
	return ours;
}

static void tracer_start(struct tracer *tracer, char **argv, const char *file)
{
	int out[2], errs[2];

	tracer->executed = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tracer->executed == MAP_FAILED || pipe(out) || (tracer->by != BY_TEXT && pipe(errs)))
		err(2, "cannot start %s", argv[0]);
	if (tracer->by == BY_TEXT)
		errs[0] = terminal(&errs[1]);
	tracer->pid = fork();
	if (tracer->pid < 0)
		err(2, "cannot start %s", argv[0]);
	if (!tracer->pid) {
		dup2(tracer->by == BY_TEXT ? errs[1] : out[1], STDOUT_FILENO);
		dup2(errs[1], STDERR_FILENO);
		if (file && !freopen(file, "w", stdout))
			err(2, "%s", file);
		for (int fd = 3; fd < 16; fd++)
			close(fd);
		*tracer->executed = now(CLOCK_MONOTONIC);
		execvp(argv[0], argv);
		err(2, "%s", argv[0]);
	}
	close(out[1]);
	close(errs[1]);
	tracer->fds[OUT].fd = out[0];
	tracer->fds[ERR].fd = errs[0];
	tracer->fds[EXIT].fd = syscall(SYS_pidfd_open, tracer->pid, 0);
	for (int i = 0; i < FDS; i++)
		tracer->fds[i].events = POLLIN;
}

/* The line must be complete: we need its number. */
static bool says(struct tracer *tracer, const char *text)
{
	size_t size = strlen(text);

	for (char *line = tracer->text, *end; (end = strchr(line, '\n')); line = end + 1)
		if (!strncmp(line, text, size)) {
			tracer->targets = strtol(line + size, NULL, 10);
			return true;
		}
	return false;
}

static int keep(const char *path)
{
	int fd = creat(path, 0644);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

/* Reads what the tracer has written. A terminal that it has closed is the end, too. */
static void hear(struct tracer *tracer, int which)
{
	size_t room = which == ERR ? sizeof(tracer->text) - 1 - tracer->len : 0;
	char rest[4096];
	char *at = room ? tracer->text + tracer->len : rest;
	ssize_t n = read(tracer->fds[which].fd, at, room ? room : sizeof(rest));

	if (n <= 0) {
		tracer->fds[which].fd = -1;
		return;
	}
	tracer->last = now(CLOCK_MONOTONIC);
	tracer->len += room ? n : 0;
	if (tracer->kept >= 0 && write(tracer->kept, at, n) != n)
		err(2, "cannot keep what it writes");
}

/* A second without work, apart from polling now and then and from printing events that our own polling has caused. */
static bool is_idle(struct tracer *tracer)
{
	uint64_t before = tracer->busy;
	bool waits;

	tracer->busy = tree_cpu(tracer->pid, &waits);
	return !waits && tracer->busy - before < 50000000;
}

/* Returns the ms to wait for output, -1: forever. 0 if the time is over. */
static int patience(const struct tracer *tracer)
{
	uint64_t time = now(CLOCK_MONOTONIC);

	if (tracer->limit && time >= tracer->limit) {
		tree_kill(tracer->pid);
		errx(1, tracer->armed ? "does not end" : "does not become ready");
	}
	if (tracer->by == BY_IDLENESS)
		return tracer->armed ? 10000 : 1000;
	return tracer->limit ? (int)((tracer->limit - time) / 1000000) + 1 : -1;
}

/* Waits for any output. Returns true if the tracer is armed by then. */
static bool wait_for_news(struct tracer *tracer)
{
	if (!poll(tracer->fds, FDS, patience(tracer))) {
		if (tracer->by == BY_IDLENESS && tracer->told)
			kill(tracer->pid, SIGINT);
		return tracer->by == BY_IDLENESS && !tracer->armed && is_idle(tracer);
	}
	for (int which = OUT; which <= ERR; which++)
		if (tracer->fds[which].revents)
			hear(tracer, which);
	if (tracer->fds[RUNS].revents)
		return read(tracer->fds[RUNS].fd, &tracer->command, sizeof(pid_t)) == sizeof(pid_t);
	return tracer->by <= BY_TEXT && says(tracer, tracer->armed_text);
}

static void stop(struct tracer *tracer, int signal)
{
	struct tree tree = tree_of(tracer->pid, tracer->command);

	tracer->tree = tree.memory;
	tracer->maps = tree.maps;
	/* let it print first what our polling has caused: Python ignores a signal that comes while a callback runs */
	if (tracer->by == BY_IDLENESS)
		usleep(100000);
	tracer->told = now(CLOCK_MONOTONIC);
	if (tracer->by == BY_COMMAND && signal == SIGINT && write(tracer->ends, "e", 1) != 1)
		warn(ENDS_FILE);
	else if (tracer->by != BY_COMMAND && signal == SIGINT)
		kill(tracer->pid, signal);
	else if (signal == SIGKILL)
		tree_kill(tracer->pid);
}

static bool has_ended(struct tracer *tracer)
{
	struct rusage usage;
	int status;

	if (!tracer->fds[EXIT].revents || tracer->fds[OUT].revents & POLLIN || tracer->fds[ERR].revents & POLLIN)
		return false;
	wait4(tracer->pid, &status, 0, &usage);
	tracer->ended = now(CLOCK_MONOTONIC);
	tracer->memory = usage.ru_maxrss;
	tracer->total = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ULL +
			(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ULL;
	/* a tracer that was asked to end by a signal may report that it died of it */
	tracer->failed = !tracer->armed || (tracer->by == BY_TRACING && !tracer->killed && status);
	return true;
}

static void watch(struct tracer *tracer, const struct workload *workload, int signal)
{
	const char *said;

	do {
		if (!wait_for_news(tracer) || tracer->armed)
			continue;
		tracer->armed = tracer->by <= BY_TEXT ? tracer->last : now(CLOCK_MONOTONIC);
		tracer->cpu = tree_cpu(tracer->pid, NULL);
		workload_run(workload);
		tracer->killed = signal == SIGKILL;
		stop(tracer, signal);
	} while (!has_ended(tracer));
	said = tracer->text + strspn(tracer->text, "\n");
	if (tracer->failed)
		errx(1, "%.*s", (int)strcspn(said, "\n"), said);
}

/* Replaces "%p" in the tracer's arguments by the workload's process id. */
static void name_workload(char **argv, pid_t pid)
{
	for (; *argv; argv++) {
		char *at = strstr(*argv, "%p");

		if (at && asprintf(argv, "%.*s%d%s", (int)(at - *argv), *argv, pid, at + 2) < 0)
			err(2, "no memory");
	}
}

int main(int argc, char **argv)
{
	static struct tracer tracer = { .armed_text = "Tracing",
					.kept = -1,
					.fds = { { -1 }, { -1 }, { -1 }, { -1 } } };
	struct workload workload = {};
	const char *file = NULL;
	int c, signal = SIGINT;

	while ((c = getopt(argc, argv, "+nka:cimf:o:t:w:")) != -1) {
		if (c == 'n')
			signal = 0;
		else if (c == 'k')
			signal = SIGKILL;
		else if (c == 'a')
			tracer.by = BY_TEXT, tracer.armed_text = optarg;
		else if (c == 'c')
			tracer.by = BY_COMMAND;
		else if (c == 'i')
			tracer.by = BY_IDLENESS;
		else if (c == 'm')
			return be_command();
		else if (c == 'f')
			file = optarg;
		else if (c == 'o')
			tracer.kept = keep(optarg);
		else if (c == 't')
			tracer.limit = now(CLOCK_MONOTONIC) + atol(optarg) * 1000000000ULL;
		else if (c == 'w')
			workload = workload_start(optarg);
		else
			return 2;
	}
	if (!argv[optind])
		errx(2, "no tracer is named");
	if (tracer.by == BY_COMMAND) {
		tracer.fds[RUNS].fd = fifo(RUNS_FILE);
		tracer.ends = fifo(ENDS_FILE);
	}
	name_workload(argv + optind, workload.pid);
	be_first();
	tracer_start(&tracer, argv + optind, file);
	watch(&tracer, &workload, signal);
	printf("%ld %lu %lu %lu %ld %lu %lu %ld %ld\n", tracer.targets, tracer.armed - *tracer.executed, tracer.cpu,
	       tracer.ended - tracer.last, tracer.memory, tracer.total, tracer.told ? tracer.ended - tracer.told : 0,
	       tracer.tree > tracer.memory ? tracer.tree : tracer.memory, (tracer.maps + 1023) / 1024);
	return 0;
}
