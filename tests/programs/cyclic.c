// SPDX-License-Identifier: BSD-2-Clause
/*
 * cyclic N
 *
 * As cyclictest of rt-tests: the thread `cyclic` (SCHED_FIFO 40) sleeps until a moment, N times, and looks how late it
 * is. Another process, SCHED_FIFO 50 on the same processor, spins for 3 ms and sleeps for 2 ms in turn. Prints
 *	did cyclic WORST LATE	ns of the latest wake-up; how many were late by 1 ms or more
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "did.h"
#include "workload.h"

#define LATE_NS 1000000

static void first(int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "SCHED_FIFO");
}

static void hog(void)
{
	first(50);
	for (;;) {
		long long until = did_ns(CLOCK_MONOTONIC) + 3000000;

		while (did_ns(CLOCK_MONOTONIC) < until)
			;
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	long long worst = 0, late = 0;
	struct tell *tell;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "hog");
		hog();
	}
	first(40);
	for (int i = 0; i < n; i++) {
		long long at = did_ns(CLOCK_MONOTONIC) + 1000000, by;
		struct timespec until = { at / 1000000000, at % 1000000000 };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		by = did_ns(CLOCK_MONOTONIC) - at;
		worst = by > worst ? by : worst;
		late += by >= LATE_NS;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tell = tell_begin("cyclic");
	tell_number(tell, worst);
	tell_number(tell, late);
	tell_end(tell);
	return 0;
}
