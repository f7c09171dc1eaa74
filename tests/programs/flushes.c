// SPDX-License-Identifier: BSD-2-Clause
/*
 * flushes [-c] [-s] [GATE]
 *
 * Acts like a server that still has something to write when it is asked to end. Calls flushes_work() 10 times and
 * prints "did ready ROLE PID". On SIGINT, SIGQUIT, SIGTERM or SIGHUP it prints "did get ROLE SIGNAL", waits until a
 * writer has opened and closed the FIFO GATE, calls flushes_work() 25 times, prints "did flush ROLE SIGNALS" with the
 * number of these signals so far, and ends. Without GATE, these signals do not end it. -c: a child with the role
 * "child" does the same, but does not wait for GATE. The first process has the role "parent" and ends after the child.
 * -s: the process stops itself when it is ready.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "workload.h"

static sigset_t ending;

__attribute__((noinline)) void flushes_work(void)
{
	__asm__ volatile("" ::
				 : "memory");
}

static void work(int n)
{
	while (n--)
		flushes_work();
}

static void say(const char *what, const char *role, const char *word, long n)
{
	struct tell *tell = tell_begin(what);

	fprintf(tell->f, " %s %s", role, word);
	if (n >= 0)
		fprintf(tell->f, "%ld", n);
	tell_end(tell);
}

static void serve(const char *role, const char *gate, bool waits, pid_t child)
{
	const struct timespec now = {};
	int signal, n = 1;

	do {
		signal = sigwaitinfo(&ending, NULL);
		say("get", role, sigabbrev_np(signal), -1);
	} while (waits && !gate);
	if (waits)
		workload_wait(gate);
	if (child > 0 && waitpid(child, NULL, 0) != child)
		err(1, "waitpid");
	work(25);
	while (sigtimedwait(&ending, NULL, &now) > 0)
		n++;
	say("flush", role, "", n);
}

int main(int argc, char **argv)
{
	bool with_child = false, stops = false;
	const char *role = "parent";
	pid_t child = 0;
	int option;

	while ((option = getopt(argc, argv, "cs")) > 0) {
		with_child |= option == 'c';
		stops |= option == 's';
	}
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGQUIT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	if (with_child)
		child = fork();
	if (child < 0)
		err(1, "fork");
	if (with_child && !child)
		role = "child";
	work(10);
	say("ready", role, "", getpid());
	if (stops)
		raise(SIGSTOP);
	serve(role, argv[optind], !with_child || child || !argv[optind], child);
	return 0;
}
