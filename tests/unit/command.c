// SPDX-License-Identifier: BSD-2-Clause
/* The command of -c: held, let go, ended. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "run/command.h"

static char path[] = "/tmp/sonde-unit-XXXXXX"; /* what a command writes */
static struct command *command;
static struct err err;

static void setup(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	signal(SIGPIPE, SIG_IGN);
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(command, .init = setup, .fini = teardown, .timeout = 20);

static void hold(const char *shell)
{
	char *argv[] = { "/bin/sh", "-c", (char *)shell, path, NULL };

	cr_assert_eq(command_hold(&command, argv, &err), 0, "%s", err.text);
}

static int await(void)
{
	int status = -1;

	while (!command_ended(command, &status))
		poll(NULL, 0, 5);
	return status;
}

static void expect_written(const char *want)
{
	__close int fd = open(path, O_RDONLY);
	char text[64] = "";

	cr_assert_geq(read(fd, text, sizeof(text) - 1), 0);
	cr_expect_str_eq(text, want);
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/* Nothing runs before the release, and then all of it does. */
Test(command, hold_and_release)
{
	int status;

	hold("echo ran > $0; exit 7");
	poll(NULL, 0, 100);
	cr_expect_not(command_ended(command, &status));
	expect_written("");
	cr_assert_eq(command_release(command, &err), 0);
	status = await();
	cr_expect(WIFEXITED(status));
	cr_expect_eq(WEXITSTATUS(status), 7);
	expect_written("ran\n");
	/* the status stays */
	cr_expect(command_ended(command, &status));
	cr_expect_eq(WEXITSTATUS(status), 7);
	command_free(command);
}

Test(command, freed_while_held)
{
	pid_t pid;

	hold("echo ran > $0");
	pid = command_pid(command);
	command_free(command);
	cr_expect(is_gone(pid));
	expect_written("");
}

/* SIGTERM first: the command may have something to write yet. */
Test(command, freed_while_running)
{
	pid_t pid;

	hold("trap 'echo term > $0; exit' TERM; echo up > $0; while :; do sleep 0.01; done");
	pid = command_pid(command);
	cr_assert_eq(command_release(command, &err), 0);
	for (struct stat st = {}; !st.st_size; poll(NULL, 0, 5))
		cr_assert_eq(stat(path, &st), 0);
	command_free(command);
	cr_expect(is_gone(pid));
	expect_written("term\n");
}

Test(command, freed_though_it_ignores_sigterm)
{
	pid_t pid;

	hold("trap '' TERM; echo up > $0; while :; do sleep 0.01; done");
	pid = command_pid(command);
	cr_assert_eq(command_release(command, &err), 0);
	for (struct stat st = {}; !st.st_size; poll(NULL, 0, 5))
		cr_assert_eq(stat(path, &st), 0);
	command_free(command);
	cr_expect(is_gone(pid));
}

Test(command, killed_while_held)
{
	int status;

	hold("echo ran > $0");
	kill(command_pid(command), SIGKILL);
	status = await();
	cr_expect(WIFSIGNALED(status));
	cr_expect_lt(command_release(command, &err), 0);
	cr_expect(strstr(err.text, "was ended before it began"), "%s", err.text);
	command_free(command);
	expect_written("");
}

Test(command, no_such_program)
{
	char *missing[] = { "/no/such/program", NULL }, *unknown[] = { "no-such-program-here", NULL };

	cr_expect_eq(command_hold(&command, missing, &err), -ENOENT);
	cr_expect_str_eq(err.text, "cannot run '/no/such/program': No such file or directory");
	cr_expect_eq(command_hold(&command, unknown, &err), -ENOENT);
	cr_expect_str_eq(err.text, "cannot run 'no-such-program-here': no such program in PATH");
	cr_expect_eq(command_hold(&command, (char *[]){ path, NULL }, &err), -EACCES);
}

/* What only exec finds out is told at the release. */
Test(command, exec_fails)
{
	cr_assert_eq(command_hold(&command, (char *[]){ "/tmp", NULL }, &err), 0);
	cr_expect_eq(command_release(command, &err), -EACCES);
	cr_expect_str_eq(err.text, "cannot run '/tmp': Permission denied");
	command_free(command);
}

static void expect_string(const char *text, const char *want)
{
	cr_assert_eq(command_hold_string(&command, text, &err), 0, "%s", err.text);
	cr_assert_eq(command_release(command, &err), 0);
	cr_expect_eq(await(), 0);
	command_free(command);
	expect_written(want);
	cr_assert_eq(truncate(path, 0), 0);
}

Test(command, strings)
{
	__free char *words = base_printf("  cp \t /proc/self/comm %s ", path);
	__free char *shell = base_printf("echo 'a  b' > %s && true", path);

	expect_string(words, "cp\n");
	expect_string(shell, "a  b\n");
	cr_expect_eq(command_hold_string(&command, " \t", &err), -EINVAL);
	cr_expect_eq(command_hold_string(&command, "", &err), -EINVAL);
}

/* The signals that this process ignores, as /proc has them: whoever runs the tests may have had some ignored. */
static unsigned long long ignored(void)
{
	__fclose FILE *f = fopen("/proc/self/status", "re");
	unsigned long long mask = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigIgn: %llx", &mask) == 1)
			break;
	return mask;
}

/* What we changed for ourselves is not the command's: blocked signals, an ignored SIGPIPE. */
Test(command, signals_are_put_back)
{
	char want[64];
	sigset_t all;

	signal(SIGPIPE, SIG_DFL);
	snprintf(want, sizeof(want), "SigBlk:%016x"
				     "SigIgn:%016llx",
		 0, ignored());
	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	hold("sed -n '/^Sig[BI]/p' /proc/self/status | tr -d '\\n\\t' > $0");
	cr_assert_eq(command_release(command, &err), 0);
	cr_expect_eq(await(), 0);
	command_free(command);
	expect_written(want);
}

/* A parent that is killed takes its command along, held or running. */
static void expect_death_with_the_parent(bool released)
{
	int ends[2], status;
	pid_t parent, pid = 0;

	cr_assert_eq(pipe(ends), 0);
	parent = fork();
	if (!parent) {
		hold("sleep 60");
		pid = command_pid(command);
		if (released)
			command_release(command, &err);
		if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		pause();
	}
	cr_assert_eq(read(ends[0], &pid, sizeof(pid)), (ssize_t)sizeof(pid));
	cr_expect_not(is_gone(pid));
	kill(parent, SIGKILL);
	waitpid(parent, &status, 0);
	while (!is_gone(pid)) {
		__free char *name = base_printf("/proc/%d/stat", pid);
		__fclose FILE *f = fopen(name, "re");
		char state = 0;

		/* where nobody reaps orphans, it stays a zombie */
		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 && state == 'Z')
			break;
		poll(NULL, 0, 5);
	}
}

Test(command, dies_with_its_parent)
{
	expect_death_with_the_parent(false);
	expect_death_with_the_parent(true);
}
