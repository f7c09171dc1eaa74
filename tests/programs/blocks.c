// SPDX-License-Identifier: BSD-2-Clause
/*
 * blocks [-w FILE] TIMES MS
 * blocks [-w FILE] stuck
 * blocks [-w FILE] pingpong N
 *
 * Starts processes that block in known ways, all on the first processor, each with a name of its own:
 *	sleeper		sleeps TIMES times for MS, in nap()
 *	taker		reads TIMES bytes from a pipe, in take(); who writes them is
 *	giver		sleeps before each byte for MS, in nap(), and writes it in give()
 *	runner		two of them want the processor at the same time, for MS * TIMES / 4 together
 * The second form becomes a process "stuck" itself, which waits in take() for ever. With the third form, "ping" and
 * "pong" wake each other N times, and each sleeps in take() meanwhile.
 *
 * -w waits until FILE can be opened and read. Prints what the kernel says of each process: how long it was off the
 * processor while it had its name, in ns, at least and at most, by the clock and the time it has run (which is that of
 * /proc/PID/schedstat, up to now); how often it left the processor and how often of these it slept (/proc/PID/status):
 *	did NAME PID LEAST MOST TIMES SLEPT
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "did.h"
#include "workload.h"

#define STAY() asm volatile("")

static int times, ms, pipe_fds[2], back_fds[2];

/* How long each process was off the processor, in ns; shared by all. */
static struct process {
	const char *name;
	void (*work)(void);
	pid_t pid;
	long long least_off, most_off;
} * processes;
static int n_processes;

__attribute__((noinline)) void nap(void)
{
	usleep(ms * 1000);
	STAY();
}

__attribute__((noinline)) void take(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		err(1, "take");
	STAY();
}

__attribute__((noinline)) void give(int fd)
{
	if (write(fd, "", 1) != 1)
		err(1, "give");
	STAY();
}

__attribute__((noinline)) void sleeper(void)
{
	for (int i = 0; i < times; i++)
		nap();
}

__attribute__((noinline)) void taker(void)
{
	for (int i = 0; i < times; i++)
		take(pipe_fds[0]);
}

__attribute__((noinline)) void giver(void)
{
	for (int i = 0; i < times; i++) {
		nap();
		give(pipe_fds[1]);
	}
}

__attribute__((noinline)) void runner(void)
{
	long long until = did_ns(CLOCK_MONOTONIC) + times * ms * 1000000LL / 4;

	while (did_ns(CLOCK_MONOTONIC) < until)
		;
}

__attribute__((noinline)) void stuck(void)
{
	prctl(PR_SET_NAME, "stuck");
	take(pipe_fds[0]);
	STAY();
}

__attribute__((noinline)) void ping(void)
{
	for (int i = 0; i < times; i++) {
		give(pipe_fds[1]);
		take(back_fds[0]);
	}
}

__attribute__((noinline)) void pong(void)
{
	for (int i = 0; i < times; i++) {
		take(pipe_fds[0]);
		give(back_fds[1]);
	}
}

/* How long it was off the processor, at least or at most. The machine can stand still between two clocks. */
static long long off_until_now(bool at_most)
{
	long long before = did_ns(CLOCK_MONOTONIC), ran = did_ns(CLOCK_PROCESS_CPUTIME_ID);

	return (at_most ? did_ns(CLOCK_MONOTONIC) : before) - ran;
}

static void start(const char *name, void (*work)(void))
{
	struct process *process = &processes[n_processes++];
	long long unnamed, named, worked;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid) {
		process->name = name;
		process->pid = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may be off the processor at any moment. Before and after its work it has another name. */
	unnamed = off_until_now(false);
	prctl(PR_SET_NAME, name);
	named = off_until_now(true);
	work();
	worked = off_until_now(false);
	prctl(PR_SET_NAME, "done");
	process->least_off = worked - named;
	process->most_off = off_until_now(true) - unnamed;
	_exit(0);
}

/* How often it left the processor, and how often of its own will. */
static void switches(pid_t pid, long *all, long *voluntary)
{
	long forced = -1;
	char path[64], line[256];
	FILE *f;

	*voluntary = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %ld", voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %ld", &forced);
	}
	if (*voluntary < 0 || forced < 0)
		errx(1, "%s", path);
	fclose(f);
	*all = *voluntary + forced;
}

/*
 * One that has ended and is not waited for has its account still. Its turns in schedstat would be too few: those that
 * end while it is about to sleep are not counted there.
 */
static void report(struct process *process)
{
	siginfo_t ended = {};
	struct tell *tell;
	long all, voluntary;

	if (waitid(P_PID, process->pid, &ended, WEXITED | WNOWAIT))
		err(1, "wait");
	switches(process->pid, &all, &voluntary);
	waitpid(process->pid, NULL, 0);
	tell = tell_begin(process->name);
	tell_number(tell, process->pid);
	tell_number(tell, process->least_off);
	tell_number(tell, process->most_off);
	tell_number(tell, all);
	tell_number(tell, voluntary);
	tell_end(tell);
}

int main(int argc, char **argv)
{
	cpu_set_t first;
	int option;

	while ((option = getopt(argc, argv, "w:")) == 'w')
		workload_wait(optarg);
	argv += optind;
	argc -= optind;
	if (pipe(pipe_fds) || pipe(back_fds))
		err(1, "pipe");
	if (argc == 1 && !strcmp(argv[0], "stuck"))
		stuck();
	if (argc != 2)
		errx(2, "usage: blocks [-w FILE] TIMES MS | stuck | pingpong N");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	processes = mmap(NULL, 8 * sizeof(*processes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (processes == MAP_FAILED || sched_setaffinity(0, sizeof(first), &first))
		err(1, "blocks");
	if (!strcmp(argv[0], "pingpong")) {
		times = atoi(argv[1]);
		start("pong", pong);
		start("ping", ping);
	} else {
		times = atoi(argv[0]);
		ms = atoi(argv[1]);
		start("sleeper", sleeper);
		start("taker", taker);
		start("giver", giver);
		start("runner", runner);
		start("runner", runner);
	}
	for (int i = 0; i < n_processes; i++)
		report(&processes[i]);
	return 0;
}
