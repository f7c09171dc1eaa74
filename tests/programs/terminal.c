// SPDX-License-Identifier: BSD-2-Clause
/*
 * terminal KEYS PROGRAM [ARG]...
 *
 * Runs a program in the foreground of a terminal of its own. Types what is written into KEYS, a FIFO, and copies
 * what appears on the terminal to stdout, which is also the stdout of the program. Exits with the status of the
 * program.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(const char *name, char **argv)
{
	pid_t pid = fork();
	int terminal;

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	terminal = open(name, O_RDWR);
	/* the first one that a session leader opens is its controlling terminal */
	if (terminal < 0 || dup2(terminal, STDIN_FILENO) < 0 || dup2(terminal, STDERR_FILENO) < 0)
		_exit(126);
	close(terminal);
	execvp(argv[0], argv);
	_exit(127);
}

/* Copies what one end has to the other. False: the end of the input. */
static bool pass(int from, int to)
{
	char text[256];
	ssize_t n = read(from, text, sizeof(text));

	if (n > 0 && write(to, text, n) != n)
		err(1, "write");
	return n > 0;
}

int main(int argc, char **argv)
{
	int master, keys, status;
	pid_t program;

	if (argc < 3)
		errx(2, "usage: terminal KEYS PROGRAM [ARG]...");
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	/* and for writing, so that it does not end when a writer does */
	keys = open(argv[1], O_RDWR | O_CLOEXEC);
	if (keys < 0)
		err(1, "%s", argv[1]);
	if (master < 0 || grantpt(master) || unlockpt(master))
		err(1, "no pseudo-terminal");
	program = start(ptsname(master), argv + 2);
	for (bool more = true; more;) {
		struct pollfd fds[] = { { .fd = master, .events = POLLIN }, { .fd = keys, .events = POLLIN } };

		/* before the program has opened its end, the terminal is none that has hung up */
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			err(1, "poll");
		if (fds[1].revents)
			pass(keys, master);
		if (fds[0].revents)
			more = pass(master, STDOUT_FILENO);
	}
	if (waitpid(program, &status, 0) != program)
		err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
