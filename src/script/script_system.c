// SPDX-License-Identifier: BSD-2-Clause
/* Runs a command of system(). */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "script_system.h"

/* We block signals, to read them from a descriptor, and ignore SIGPIPE; a command expects neither. */
static void run(const char *command, int out)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	dup2(out, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Whether there is something to read, or the end of it. What the process leaves running may hold the pipe for long. */
static bool wait_for_output(int out, int process)
{
	/* The kernel looks at them in this order: what a process wrote before its end is seen. */
	struct pollfd fds[] = { { .fd = process, .events = POLLIN }, { .fd = out, .events = POLLIN } };

	while (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR)
		;
	return fds[1].revents;
}

int script_system(const char *command, void (*fn)(const char *bytes, size_t n, void *ctx), void *ctx)
{
	int ends[2], process, status;
	char bytes[4096];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		run(command, ends[1]);
	close(ends[1]);
	process = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	while (pid > 0 && wait_for_output(ends[0], process) &&
	       ((n = read(ends[0], bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			fn(bytes, n, ctx);
	close(ends[0]);
	if (process >= 0)
		close(process);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}
