// SPDX-License-Identifier: BSD-2-Clause
/* A process and its descendants, on this machine. */
#include <criterion/criterion.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descendants.h"

/* Forks a chain of processes, and writes their ids to fd. They wait until they are killed. */
static void descend(int generations, int fd)
{
	pid_t pid = getpid();

	if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	if (generations && !fork())
		descend(generations - 1, fd);
	for (;;)
		pause();
}

Test(descendants, three_generations)
{
	struct descendants found = {};
	pid_t pids[3];
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	if (!fork())
		descend(2, fds[1]);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		cr_assert_eq(read(fds[0], &pids[i], sizeof(pids[i])), sizeof(pids[i]));
	descendants_read(&found, pids[0]);
	cr_expect_eq(found.n, 3);
	for (size_t i = 0; i < found.n && i < ARRAY_SIZE(pids); i++) {
		cr_expect_eq(found.v[i].pid, pids[i]);
		cr_expect_eq(found.v[i].parent, i ? pids[i - 1] : getpid());
	}
	descendants_release(&found);
	found = (struct descendants){};
	descendants_read(&found, pids[2]);
	cr_expect_eq(found.n, 1);
	descendants_release(&found);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		kill(pids[i], SIGKILL);
	waitpid(pids[0], NULL, 0);
}
