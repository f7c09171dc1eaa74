// SPDX-License-Identifier: BSD-2-Clause
/* Runs a command of system(). */
#include <fcntl.h>
#include <signal.h>
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

int script_system(const char *command, void (*fn)(const char *bytes, size_t n, void *ctx), void *ctx)
{
	int ends[2], status;
	char bytes[4096];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		run(command, ends[1]);
	close(ends[1]);
	while (pid > 0 && ((n = read(ends[0], bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			fn(bytes, n, ctx);
	close(ends[0]);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}
