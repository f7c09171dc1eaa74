// SPDX-License-Identifier: BSD-2-Clause
/* Runs the command of -c: forks early, executes late, and never leaves it behind. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/str.h"
#include "command.h"
#include "family.h"
#include "signals.h"

struct command {
	pid_t pid;
	bool leads; /* it leads a process group of its own */
	int go;	    /* a byte written here starts it; closing it ends it */
	int failed; /* receives errno if exec fails; a successful exec closes it */
	char *name, *text;
	bool ended;
	int status;
};

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/*
 * Finds the program as execvp() would, before anything is attached. execvp() itself would try each directory in
 * PATH while we trace; this way the trace begins with the command.
 */
static char *find_program(const char *name, struct err *err)
{
	const char *path = getenv("PATH"), *end;

	if (strchr(name, '/')) {
		if (!access(name, X_OK))
			return base_strdup(name);
		err_set(err, -errno, "cannot run '%s': %s", name, strerror(errno));
		return NULL;
	}
	for (path = path ? path : "/bin:/usr/bin"; *path; path = *end ? end + 1 : end) {
		__free char *candidate = NULL;

		end = strchrnul(path, ':');
		/* an empty element of PATH is the current directory */
		candidate = base_printf("%.*s/%s", end == path ? 1 : (int)(end - path), end == path ? "." : path, name);
		if (is_program(candidate))
			return take_ptr(candidate);
	}
	err_set(err, -ENOENT, "cannot run '%s': no such program in PATH", name);
	return NULL;
}

static bool in_foreground(void)
{
	__close int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	return terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
}

/* Runs in the child. Signals are blocked until signals_give_back() restores what we were started with. */
static void child(const char *program, char *const *argv, int go, int failed, pid_t parent)
{
	char byte = 0; /* stays 0 if the parent dies before it says go */
	int error;

	signals_give_back();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	if (byte != 'g')
		_exit(1);
	execv(program, argv);
	/* a script without #! */
	if (errno == ENOEXEC)
		execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* Signals are blocked across fork(): no handler of ours may run in the child. */
static pid_t fork_child(const char *program, char *const *argv, const int go[2], const int failed[2], bool leads)
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (!pid) {
		if (leads)
			setpgid(0, 0);
		close(go[1]);
		close(failed[0]);
		child(program, argv, go[0], failed[1], parent);
	}
	/* in the parent as well, since either can come first */
	if (pid > 0 && leads)
		setpgid(pid, pid);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* The words with a space between them, as /proc shows them. */
static char *join(char *const *argv)
{
	struct str text = {};

	for (size_t i = 0; argv[i]; i++)
		str_addf(&text, "%s%s", i ? " " : "", argv[i]);
	return text.data;
}

int command_hold(struct command **command, char *const *argv, struct err *err)
{
	__free char *program = find_program(argv[0], err);
	int go[2], failed[2], ret;
	bool leads = !in_foreground();
	pid_t pid;

	if (!program)
		return err->code;
	if (pipe2(go, O_CLOEXEC))
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		ret = -errno;
		close(go[0]);
		close(go[1]);
		return err_set(err, ret, "cannot make a pipe: %s", strerror(-ret));
	}
	pid = fork_child(program, argv, go, failed, leads);
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		ret = -errno;
		close(go[1]);
		close(failed[0]);
		return err_set(err, ret, "cannot fork: %s", strerror(-ret));
	}
	*command = base_alloc(sizeof(**command));
	(*command)->pid = pid;
	(*command)->leads = leads;
	(*command)->go = go[1];
	(*command)->failed = failed[0];
	(*command)->name = base_strdup(argv[0]);
	(*command)->text = join(argv);
	return 0;
}

int command_hold_string(struct command **command, const char *text, struct err *err)
{
	__free char *copy = base_strdup(text);
	__free char **argv = base_alloc((strlen(text) + 2) * sizeof(*argv));
	char *shell[] = { "/bin/sh", "-c", (char *)text, NULL };
	size_t n = 0;

	if (strpbrk(text, "|&;<>()$`\\\"'*?[]#~=%!{}\n"))
		return command_hold(command, shell, err);
	for (char *word = strtok(copy, " \t"); word; word = strtok(NULL, " \t"))
		argv[n++] = word;
	if (!n)
		return err_set(err, -EINVAL, "the command is empty");
	return command_hold(command, argv, err);
}

pid_t command_pid(const struct command *command)
{
	return command->pid;
}

const char *command_name(const struct command *command)
{
	return command->name;
}

const char *command_text(const struct command *command)
{
	return command->text;
}

/*
 * Sleeps in poll(2), not in read(2). A kretprobe may follow as few calls of a function at a time as there are
 * processors. If vfs_read() is traced, our own call would take the place of the command's.
 */
static void wait_for_exec(const struct command *command)
{
	struct pollfd fd = { .fd = command->failed, .events = POLLIN };

	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
}

int command_release(struct command *command, struct err *err)
{
	int error = 0;
	ssize_t n;

	if (write(command->go, "g", 1) != 1)
		return err_set(err, -errno, "'%s' was killed before it started", command->name);
	close(command->go);
	command->go = -1;
	wait_for_exec(command);
	do {
		n = read(command->failed, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return err_set(err, -error, "cannot run '%s': %s", command->name, strerror(error));
	return 0;
}

bool command_ended(struct command *command, int *status)
{
	pid_t pid = command->ended ? 0 : waitpid(command->pid, &command->status, WNOHANG);

	/* it is no child any more: it has ended, and its id may belong to another process */
	if (pid == command->pid || (pid < 0 && errno == ECHILD))
		command->ended = true;
	*status = command->status;
	return command->ended;
}

bool command_runs(struct command *command)
{
	int status;

	return command->go < 0 && !command_ended(command, &status);
}

void command_signal(struct command *command, int signal, bool by_terminal)
{
	if (command->leads)
		kill(-command->pid, signal);
	family_signal(command->pid, signal, command->leads ? command->pid : getpgrp(), command->leads || by_terminal);
}

size_t command_kill(struct command *command)
{
	size_t others = family_kill(command->pid);

	/* the members of its group whose parents had exited before */
	if (command->leads)
		kill(-command->pid, SIGKILL);
	return others;
}

void command_free(struct command *command)
{
	int status;

	if (!command)
		return;
	if (!command_ended(command, &status)) {
		command_kill(command);
		waitpid(command->pid, &status, 0);
	}
	if (command->go >= 0)
		close(command->go);
	close(command->failed);
	free(command->name);
	free(command->text);
	free(command);
}
