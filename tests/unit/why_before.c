// SPDX-License-Identifier: BSD-2-Clause
/* why_before_last(): what a thread did all the time that never was switched. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>

#include "why/waits.h"
#include "why/why_part.h"

#define WINDOW 300000000ULL

static char state_of(pid_t pid)
{
	char line[256], state = 0;

	if (base_read_line(line, sizeof(line), "/proc/%d/stat", pid))
		sscanf(strrchr(line, ')'), ") %c", &state);
	return state;
}

static void await_state(pid_t pid, char state)
{
	for (int i = 0; i < 1000 && state_of(pid) != state; i++)
		usleep(10000);
	cr_assert_eq(state_of(pid), state);
}

/* The class of a child that ran when /proc was read, and whose account said `ran` then. */
static uint32_t class_of(pid_t pid, uint64_t ran)
{
	struct why_before before = { .tid = pid, .tgid = pid, .class = WHY_RUNNING, .ran = ran };
	struct why_thread thread = {};
	static struct why why;

	waits_fill(why.calls);
	cr_assert(why_before_last(&why, &before, WINDOW, &thread));
	before.unsure = true;
	cr_assert(!why_before_last(&why, &before, WINDOW, &thread));
	return thread.class;
}

static uint64_t ran_of(pid_t pid)
{
	char line[128];

	cr_assert(base_read_line(line, sizeof(line), "/proc/%d/schedstat", pid));
	return strtoull(line, NULL, 10);
}

/* It went to sleep between the reading of /proc and the first switch that is measured. */
Test(why_before, sleeps_since)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			sleep(1000);
	await_state(child, 'S');
	cr_expect_eq(class_of(child, 0), WHY_SLEEP);
	kill(child, SIGSTOP);
	await_state(child, 'T');
	cr_expect_eq(class_of(child, ran_of(child)), WHY_STOPPED);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

Test(why_before, runs_or_waits)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			;
	for (int i = 0; i < 1000 && ran_of(child) < WINDOW; i++)
		usleep(10000);
	cr_expect_eq(class_of(child, 0), WHY_RUNNING);
	cr_expect_eq(class_of(child, ran_of(child)), WHY_PROCESSOR);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
