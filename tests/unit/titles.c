// SPDX-License-Identifier: BSD-2-Clause
/* What processes say of themselves, and what they said while others waited for them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "why/requests_sums.h"
#include "why/titles.h"

static bool has_arguments(pid_t pid)
{
	__free char *path = base_printf("/proc/%d/cmdline", pid);
	__fclose FILE *f = fopen(path, "re");

	return f && fgetc(f) != EOF;
}

/* A process with this one argument, which is a title if it has blanks. */
static pid_t begin(const char *title)
{
	int gone[2], in[2];
	char byte;
	pid_t pid;

	cr_assert(!pipe2(gone, O_CLOEXEC) && !pipe2(in, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		execl("/bin/cat", title, NULL);
		_exit(1);
	}
	close(gone[1]);
	/* the end of the pipe is that of the exec, which sets the arguments a moment later */
	cr_assert_eq(read(gone[0], &byte, 1), 0);
	while (!has_arguments(pid))
		usleep(1000);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(titles, held)
{
	const uint64_t s = NS_PER_SEC;
	struct titles titles = {};
	pid_t pid = begin("postgres: app shop idle in transaction");

	cr_expect_null(titles_held(&titles, pid));
	titles_waited(&titles, pid, 0, s, true);
	titles_look(&titles, 2 * s);
	cr_expect_null(titles_held(&titles, pid), "nobody waited then");
	titles_waited(&titles, pid, s, 3 * s, true);
	cr_expect_str_eq(titles_held(&titles, pid), " (app shop idle in transaction)");
	/* the latest one counts, wherever it is kept */
	for (size_t i = 0; i < TITLES_SAMPLES; i++) {
		struct titles_sample *sample = &titles.watched[0].samples[(titles.watched[0].n++) % TITLES_SAMPLES];

		free(sample->text);
		*sample = (struct titles_sample){ 10 * s + i, base_printf(" (%zu)", i) };
	}
	titles_waited(&titles, pid, 9 * s, 11 * s, true);
	cr_expect_str_eq(titles_held(&titles, pid), " (3)");
	titles_waited(&titles, pid, 9 * s, 10 * s + 1, true);
	cr_expect_str_eq(titles_held(&titles, pid), " (1)");
	end(pid);
	/* it is kept */
	titles_look(&titles, 14 * s);
	titles_waited(&titles, pid, 13 * s, 15 * s, true);
	cr_expect_str_eq(titles_held(&titles, pid), " (1)");
	titles_release(&titles);
}

/* The text is not changed, and not cut within a character. What prints it escapes what a terminal must not get. */
Test(titles, foreign)
{
	struct str text __str = {};
	pid_t pid = begin("shop: caf\xc3\xa9 \x1b[31m 123456789 123456789 123456789 12345\xc3\xa9\xc3\xa9");

	titles_add(&text, pid);
	cr_expect_str_eq(text.data, " (caf\xc3\xa9 \x1b[31m 123456789 123456789 123456789 12345...)");
	end(pid);
}

/* Very many processes that hold others up, and a number that comes again. */
Test(titles, many)
{
	const uint64_t s = NS_PER_SEC;
	struct titles titles = {};
	pid_t pid = begin("shop: one of many");

	for (uint32_t i = 0; i < 1000; i++)
		titles_seen(&titles, (1 << 23) + i);
	cr_expect_leq(titles.reads, 20, "%zu of those that hold nothing", titles.reads);
	for (uint32_t i = 0; i < 30; i++)
		titles_waited(&titles, (1 << 23) + i, 0, s, true);
	titles_waited(&titles, pid, 0, s, true);
	titles_look(&titles, s);
	titles_waited(&titles, pid, 0, s, true);
	titles_look(&titles, 2 * s);
	titles_waited(&titles, pid, s, 3 * s, true);
	cr_expect_str_eq(titles_held(&titles, pid), " (one of many)");
	titles_born(&titles, pid);
	cr_expect_null(titles_held(&titles, pid));
	end(pid);
	titles_release(&titles);
}

/* Those that hold no lock have what room is left; the last title stays when a process has ended. */
Test(titles, room)
{
	struct titles titles = {};
	pid_t pid = begin("shop: a holder"), other = begin("shop: another");

	titles_seen(&titles, other);
	cr_expect_str_eq(titles_last(&titles, other), " (another)");
	for (uint32_t i = 1; i < TITLES_WATCHED; i++)
		titles.watched[i].pid = (1 << 23) + i;
	titles_seen(&titles, pid);
	titles_waited(&titles, pid, 0, 1, false);
	cr_expect_null(titles_last(&titles, pid));
	titles_waited(&titles, pid, 0, 1, true);
	cr_expect_str_eq(titles_last(&titles, pid), " (a holder)");
	cr_expect_null(titles_last(&titles, other));
	end(pid);
	titles_look(&titles, NS_PER_SEC);
	cr_expect_str_eq(titles_last(&titles, pid), " (a holder)");
	end(other);
	titles_release(&titles);
}

/* A page that asks often reads once. */
Test(titles, now)
{
	struct titles titles = {};
	pid_t pid = begin("shop: number one"), other = begin("shop");

	titles_look(&titles, NS_PER_SEC);
	cr_expect_str_eq(titles_now(&titles, pid), " (number one)");
	cr_expect_str_eq(titles_now(&titles, other), "");
	end(pid);
	end(other);
	cr_expect_str_eq(titles_now(&titles, pid), " (number one)");
	titles_look(&titles, 2 * NS_PER_SEC);
	cr_expect_str_eq(titles_now(&titles, pid), "");
	titles_release(&titles);
}

Test(titles, without)
{
	struct titles titles = {};
	pid_t pid = begin("cat");

	titles_waited(&titles, pid, 0, NS_PER_SEC, true);
	titles_look(&titles, 2 * NS_PER_SEC);
	titles_waited(&titles, pid, 0, 3 * NS_PER_SEC, true);
	cr_expect_null(titles_held(&titles, pid));
	end(pid);
	titles_release(&titles);
}

/* An id comes again: who has it now is not the one that had it before. */
Test(titles, was_there)
{
	const uint64_t before = clock_monotonic_ns() - 50 * NS_PER_MS;
	pid_t pid = begin("a title");

	cr_expect(titles_was_there(pid, clock_monotonic_ns()));
	cr_expect(titles_was_there(getpid(), clock_monotonic_ns()));
	cr_expect(!titles_was_there(pid, before));
	end(pid);
	cr_expect(!titles_was_there(pid, clock_monotonic_ns()), "nobody has it");
}

/* Nor is it, once the one that has it now is met, too. */
Test(titles, met_before)
{
	static struct why why;
	pid_t pid = begin("a title"), other = begin("a title");

	requests_behind_met(&why, pid, clock_monotonic_ns() - NS_PER_SEC);
	requests_behind_met(&why, pid, clock_monotonic_ns());
	cr_expect(!requests_behind_is(&why, pid));
	requests_behind_met(&why, other, clock_monotonic_ns());
	requests_behind_met(&why, other, clock_monotonic_ns());
	cr_expect(requests_behind_is(&why, other));
	end(pid);
	end(other);
	set_release(&why.requests.met);
	free(why.requests.met_at.v);
}
