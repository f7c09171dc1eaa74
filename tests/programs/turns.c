// SPDX-License-Identifier: BSD-2-Clause
/*
 * turns [-s SLEEPS,MS] PROCESSES SPIN_MS
 *
 * Starts PROCESSES children, all on the first processor. Each spins until SPIN_MS have passed, then sleeps SLEEPS
 * times for MS, and ends. Prints the kernel's counts for each of them, times in ns:
 *	did turns PID RAN WAITED TIMES
 * RAN: how long it ran; WAITED: how long it waited for a processor; TIMES: how often it got one.
 */
#include <sched.h>
#include <sys/wait.h>

#include "did.h"
#include "workload.h"

static int sleeps, sleep_ms;

static void spin(int ms)
{
	long long until = did_ns(CLOCK_MONOTONIC) + ms * 1000000LL;

	while (did_ns(CLOCK_MONOTONIC) < until)
		;
}

static void tell(pid_t pid)
{
	char path[64];
	FILE *f;
	long ran, waited, times;
	struct tell *tell;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld %ld %ld", &ran, &waited, &times) != 3)
		errx(1, "%s", path);
	fclose(f);
	tell = tell_begin("turns");
	tell_number(tell, pid);
	tell_number(tell, ran);
	tell_number(tell, waited);
	tell_number(tell, times);
	tell_end(tell);
}

static void child(int gate, int ms)
{
	char byte;

	/* until the parent closes its end: all begin together */
	if (read(gate, &byte, 1))
		err(1, "gate");
	spin(ms);
	for (int i = 0; i < sleeps; i++)
		usleep(sleep_ms * 1000);
	_exit(0);
}

int main(int argc, char **argv)
{
	int gate[2], option, failed = 0;
	siginfo_t ended = {};
	cpu_set_t first;

	while ((option = getopt(argc, argv, "s:")) != -1)
		if (option != 's' || sscanf(optarg, "%d,%d", &sleeps, &sleep_ms) != 2)
			errx(2, "usage: turns [-s SLEEPS,MS] PROCESSES SPIN_MS");
	if (argc != optind + 2)
		errx(2, "usage: turns [-s SLEEPS,MS] PROCESSES SPIN_MS");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) || pipe(gate))
		err(1, "turns");
	for (int i = atoi(argv[optind]); i > 0; i--) {
		if (fork())
			continue;
		close(gate[1]);
		child(gate[0], atoi(argv[optind + 1]));
	}
	close(gate[1]);
	/*
	 * one that has ended and is not waited for has its account still, and as it shares our processor it runs no
	 * more
	 */
	while (!waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT)) {
		failed |= ended.si_status;
		tell(ended.si_pid);
		waitpid(ended.si_pid, NULL, 0);
	}
	return !!failed;
}
