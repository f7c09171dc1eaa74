// SPDX-License-Identifier: BSD-2-Clause
/*
 * dfl COMMAND [ARG]...
 *
 * Runs a command with the default action for SIGINT and SIGQUIT, which a shell
 * without job control makes ignored in everything that it starts with &, and for SIGHUP,
 * which may be ignored because nohup runs the tests.
 */
#include <err.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (argc < 2)
		errx(2, "usage: dfl COMMAND [ARG]...");
	execvp(argv[1], argv + 1);
	err(127, "%s", argv[1]);
}
