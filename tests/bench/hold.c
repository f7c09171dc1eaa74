// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-hold [-n] [-f FILE] [-w WORKLOAD] TRACER ARG...
 *
 * Starts a tracer and watches it from outside. Once a line of its stderr begins with "Tracing" it is
 * armed; then the workload runs to its end and SIGINT ends the tracer. -n sends no signal: the tracer
 * ends by itself. An argument %p is the workload's process id, for it exists before the tracer. Prints
 *	TARGETS ARMED CPU DETACH MEMORY TOTAL
 * the number in the armed line; ns from exec to armed and what of it the tracer had a processor; ns from
 * its last output to its end; KB at most; ns it had a processor in all. -f: its results go to FILE. A tracer that fails has its first line repeated, exit 1.
 */
#include <err.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct workload {
	pid_t pid;
	int go;
};

struct tracer {
	pid_t pid;
	int out, err;
	uint64_t *executed; /* shared with the child that executes it */
	uint64_t armed, cpu, last, ended, total;
	long targets, memory;
	char text[64 * 1024]; /* of stderr */
	size_t len;
};

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Before every other process: output is stamped when it is written and not when we get our turn. */
static void be_first(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		warn("not a real-time process, stamps may come late");
}

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

static void tracer_start(struct tracer *tracer, char **argv, const char *file)
{
	int out[2], errs[2];

	tracer->executed = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tracer->executed == MAP_FAILED || pipe(out) || pipe(errs) || (tracer->pid = fork()) < 0)
		err(2, "cannot start %s", argv[0]);
	if (!tracer->pid) {
		dup2(out[1], STDOUT_FILENO);
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
	tracer->out = out[0];
	tracer->err = errs[0];
}

/* The line must be whole: its number counts. */
static bool says_armed(struct tracer *tracer)
{
	for (char *line = tracer->text, *end; (end = strchr(line, '\n')); line = end + 1)
		if (sscanf(line, "Tracing %ld", &tracer->targets) == 1 || !strncmp(line, "Tracing", 7))
			return true;
	return false;
}

/* One read of each that has something; false when both are closed. */
static bool tracer_listen(struct tracer *tracer)
{
	struct pollfd fds[] = { { tracer->out, POLLIN, 0 }, { tracer->err, POLLIN, 0 } };
	char rest[4096];
	ssize_t n;

	poll(fds, 2, -1);
	if (fds[0].revents) {
		n = read(tracer->out, rest, sizeof(rest));
		tracer->last = n > 0 ? now(CLOCK_MONOTONIC) : tracer->last;
		tracer->out = n > 0 ? tracer->out : -1;
	}
	if (fds[1].revents) {
		size_t room = sizeof(tracer->text) - 1 - tracer->len;

		n = read(tracer->err, room ? tracer->text + tracer->len : rest, room ? room : sizeof(rest));
		tracer->last = n > 0 ? now(CLOCK_MONOTONIC) : tracer->last;
		tracer->err = n > 0 ? tracer->err : -1;
		tracer->len += room && n > 0 ? n : 0;
	}
	return tracer->out >= 0 || tracer->err >= 0;
}

static void watch(struct tracer *tracer, const struct workload *workload, bool signals)
{
	struct rusage usage;
	clockid_t clock;
	int status;

	while (tracer_listen(tracer)) {
		if (tracer->armed || !says_armed(tracer))
			continue;
		tracer->armed = tracer->last;
		if (!clock_getcpuclockid(tracer->pid, &clock))
			tracer->cpu = now(clock);
		workload_run(workload);
		if (signals)
			kill(tracer->pid, SIGINT);
	}
	wait4(tracer->pid, &status, 0, &usage);
	tracer->ended = now(CLOCK_MONOTONIC);
	tracer->memory = usage.ru_maxrss;
	tracer->total = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ULL +
			(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ULL;
	if (!tracer->armed || !WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "%.*s", (int)strcspn(tracer->text, "\n"), tracer->text);
}

/* Of what is shown to the tracer, "%p" becomes the workload's id. */
static void name_workload(char **argv, pid_t pid)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, "%p") && asprintf(argv, "%d", pid) < 0)
			err(2, "no memory");
}

int main(int argc, char **argv)
{
	static struct tracer tracer;
	struct workload workload = {};
	const char *file = NULL;
	bool signals = true;
	int c;

	while ((c = getopt(argc, argv, "+nf:w:")) != -1) {
		if (c == 'n')
			signals = false;
		else if (c == 'f')
			file = optarg;
		else if (c == 'w')
			workload = workload_start(optarg);
		else
			return 2;
	}
	if (!argv[optind])
		errx(2, "no tracer is named");
	name_workload(argv + optind, workload.pid);
	be_first();
	tracer_start(&tracer, argv + optind, file);
	watch(&tracer, &workload, signals);
	printf("%ld %lu %lu %lu %ld %lu\n", tracer.targets, tracer.armed - *tracer.executed, tracer.cpu,
	       tracer.ended - tracer.last, tracer.memory, tracer.total);
	return 0;
}
