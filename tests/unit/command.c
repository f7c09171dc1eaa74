// SPDX-License-Identifier: BSD-2-Clause
/* The command of -c: hold it, release it, end it. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "run/command.h"
#include "run/signals.h"
#include "timeout.h"

static char path[] = "/tmp/sonde-unit-XXXXXX"; /* what a command writes */
static struct command *command;
static struct err err;

static void setup(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	signals_begin();
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(command, .init = setup, .fini = teardown, .timeout = TIMEOUT_SECONDS);

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
	char text[128] = "";

	cr_assert_geq(read(fd, text, sizeof(text) - 1), 0);
	cr_expect_str_eq(text, want);
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/* The state letter of a process from /proc/PID/stat; 0: it is gone. */
static char state_of(pid_t pid)
{
	__free char *name = base_printf("/proc/%d/stat", pid);
	__fclose FILE *f = fopen(name, "re");
	char state = 0;

	return f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 ? state : 0;
}

/* If nobody reaps orphans, an ended process stays a zombie. */
static void await_end(pid_t pid)
{
	while (!is_gone(pid) && state_of(pid) != 'Z')
		poll(NULL, 0, 5);
}

/* The command executes nothing before its release. */
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

static void await_written(void)
{
	for (struct stat st = {}; !st.st_size; poll(NULL, 0, 5))
		cr_assert_eq(stat(path, &st), 0);
}

static void release(void)
{
	cr_assert_eq(command_release(command, &err), 0, "%s", err.text);
	await_written();
	cr_assert_eq(truncate(path, 0), 0);
}

/* After a signal the command may still have something to write, and is given the time. */
Test(command, signalled)
{
	int status;

	hold("trap 'sleep 0.05; echo term > $0; exit 3' TERM; echo up > $0; while :; do sleep 0.01; done");
	cr_expect_not(command_runs(command));
	release();
	cr_expect(command_runs(command));
	command_signal(command, SIGTERM, false);
	status = await();
	cr_expect(WIFEXITED(status));
	cr_expect_eq(WEXITSTATUS(status), 3);
	cr_expect_not(command_runs(command));
	expect_written("term\n");
	command_free(command);
}

static pid_t read_pid(void)
{
	__fclose FILE *f = fopen(path, "re");
	int pid = 0;

	cr_assert(f && fscanf(f, "%d", &pid) == 1);
	return pid;
}

#define CHILD "sh -c \"trap 'echo child > $0; exit' TERM; echo up > $0; while :; do sleep 0.01; done\""

Test(command, signalled_with_its_children)
{
	hold("trap : TERM; " CHILD " & wait; wait");
	release();
	command_signal(command, SIGTERM, false);
	await();
	expect_written("child\n");
	command_free(command);
}

/*
 * Signals are not passed to a child with a process group of its own, which would get them twice. It is killed with
 * the others.
 */
Test(command, signalled_without_another_group)
{
	pid_t child;

	hold("trap 'echo term > $0; exit' TERM; setsid sh -c 'echo $$ > $0; exec sleep 60' $0 & wait");
	cr_assert_eq(command_release(command, &err), 0);
	await_written();
	child = read_pid();
	command_signal(command, SIGTERM, false);
	await();
	expect_written("term\n");
	cr_expect_not(is_gone(child));
	cr_expect_neq(state_of(child), 'Z');
	kill(child, SIGKILL);
	command_free(command);
}

/* An orphan that is still in the process group of the command. */
Test(command, signalled_with_its_group)
{
	hold("(sh -c \"trap 'echo orphan > $0; exit' TERM; echo up > $0; while :; do sleep 0.01; done\" &); exec sleep 60");
	release();
	command_signal(command, SIGTERM, false);
	await();
	await_written();
	expect_written("orphan\n");
	command_free(command);
}

Test(command, signalled_though_it_is_stopped)
{
	int status;

	hold("echo up > $0; kill -STOP $$; sleep 60");
	release();
	/* stopped, and not only about to be */
	for (char state = 0; state != 'T'; poll(NULL, 0, 5))
		state = state_of(command_pid(command));
	command_signal(command, SIGTERM, false);
	status = await();
	cr_expect(WIFSIGNALED(status));
	cr_expect_eq(WTERMSIG(status), SIGTERM);
	command_free(command);
}

/* All processes that the command has started are killed with it, even those that left its group and session. */
Test(command, killed_with_its_children)
{
	int status;
	pid_t child;

	hold("trap '' TERM; setsid sh -c 'echo $$ > $0; exec sleep 60' $0 & wait");
	cr_assert_eq(command_release(command, &err), 0);
	await_written();
	child = read_pid();
	cr_expect_geq(command_kill(command), 1);
	status = await();
	cr_expect(WIFSIGNALED(status));
	cr_expect_eq(WTERMSIG(status), SIGKILL);
	await_end(child);
	command_free(command);
}

Test(command, freed_while_running)
{
	pid_t pid;

	hold("trap '' TERM; echo up > $0; while :; do sleep 0.01; done");
	pid = command_pid(command);
	release();
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
	cr_expect(strstr(err.text, "was killed before it started"), "%s", err.text);
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

/* As execvp() does: skips directories, and takes an empty element of PATH as the current directory. */
Test(command, found_in_path)
{
	char dir[] = "/tmp/sonde-unit-dir-XXXXXX", here[PATH_MAX], list[PATH_MAX + 64];

	cr_assert(mkdtemp(dir));
	cr_assert(getcwd(here, sizeof(here)));
	snprintf(list, sizeof(list), "%s/true", dir);
	cr_assert_eq(mkdir(list, 0755), 0);
	snprintf(list, sizeof(list), "%s:/usr/bin:/bin", dir);
	setenv("PATH", list, 1);
	cr_assert_eq(command_hold(&command, (char *[]){ "true", NULL }, &err), 0, "%s", err.text);
	cr_expect_eq(command_release(command, &err), 0, "%s", err.text);
	cr_expect_eq(await(), 0);
	command_free(command);
	setenv("PATH", ":/nonexistent", 1);
	cr_assert_eq(chdir("/bin"), 0);
	cr_expect_eq(command_hold(&command, (char *[]){ "true", NULL }, &err), 0, "%s", err.text);
	command_free(command);
	cr_assert_eq(chdir(here), 0);
	snprintf(list, sizeof(list), "%s/true", dir);
	rmdir(list);
	rmdir(dir);
}

/* Our parent may ignore SIGCHLD, which we inherit: then the kernel keeps no status of children. */
Test(command, ended_without_a_status)
{
	hold("exit 3");
	signal(SIGCHLD, SIG_IGN);
	cr_assert_eq(command_release(command, &err), 0);
	await();
	cr_expect(!command_runs(command));
	command_free(command);
}

/* Errors of exec itself are reported at the release. */
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

/* The blocked and ignored signals of this process from /proc: whoever runs the tests may ignore some. */
static void read_masks(char *text, size_t size)
{
	__fclose FILE *f = fopen("/proc/self/status", "re");
	char line[128];

	text[0] = 0;
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6))
			strncat(text, line, size - strlen(text) - 1);
}

/* The command gets the signals as sonde was given them, not as sonde has changed them. */
static void expect_signals_of_start(void)
{
	char want[128];
	sigset_t all, before;

	read_masks(want, sizeof(want));
	sigprocmask(SIG_SETMASK, NULL, &before);
	signals_begin();
	signals_say("unit", "ended");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	hold("exec sed -n -e \"/^Sig[BI]/w $0\" /proc/self/status");
	sigprocmask(SIG_SETMASK, &before, NULL);
	cr_assert_eq(command_release(command, &err), 0);
	cr_expect_eq(await(), 0);
	command_free(command);
	expect_written(want);
}

Test(command, signals_are_put_back)
{
	sigset_t one;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	expect_signals_of_start();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&one);
	sigaddset(&one, SIGTERM);
	sigprocmask(SIG_BLOCK, &one, NULL);
	expect_signals_of_start();
}

/* When sonde is killed, its command ends, held or running. */
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
	await_end(pid);
}

Test(command, dies_with_its_parent)
{
	expect_death_with_the_parent(false);
	expect_death_with_the_parent(true);
}
