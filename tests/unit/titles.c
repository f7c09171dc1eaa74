// SPDX-License-Identifier: BSD-2-Clause
/* What processes say of themselves, and what they said while others waited for them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "why/titles.h"

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
	/* the end of the pipe is that of the exec */
	cr_assert_eq(read(gone[0], &byte, 1), 0);
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
	titles_waited(&titles, pid, 0, s);
	titles_look(&titles, 2 * s);
	cr_expect_null(titles_held(&titles, pid), "nobody waited then");
	titles_waited(&titles, pid, s, 3 * s);
	cr_expect_str_eq(titles_held(&titles, pid), " (app shop idle in transaction)");
	/* the latest one counts, wherever it is kept */
	for (size_t i = 0; i < TITLES_SAMPLES; i++) {
		struct titles_sample *sample = &titles.watched[0].samples[(titles.watched[0].n++) % TITLES_SAMPLES];

		free(sample->text);
		*sample = (struct titles_sample){ 10 * s + i, base_printf(" (%zu)", i) };
	}
	titles_waited(&titles, pid, 9 * s, 11 * s);
	cr_expect_str_eq(titles_held(&titles, pid), " (3)");
	titles_waited(&titles, pid, 9 * s, 10 * s + 1);
	cr_expect_str_eq(titles_held(&titles, pid), " (1)");
	end(pid);
	/* it is kept */
	titles_look(&titles, 14 * s);
	titles_waited(&titles, pid, 13 * s, 15 * s);
	cr_expect_str_eq(titles_held(&titles, pid), " (1)");
	titles_release(&titles);
}

Test(titles, without)
{
	struct titles titles = {};
	pid_t pid = begin("cat");

	titles_waited(&titles, pid, 0, NS_PER_SEC);
	titles_look(&titles, 2 * NS_PER_SEC);
	titles_waited(&titles, pid, 0, 3 * NS_PER_SEC);
	cr_expect_null(titles_held(&titles, pid));
	end(pid);
	titles_release(&titles);
}
