// SPDX-License-Identifier: BSD-2-Clause
/* Sets the actions and the mask of this process's signals. Knows nothing of runs and commands. */
#include <signal.h>
#include <unistd.h>

#include "base/base.h"
#include "signals.h"

/* The signals that ask us to end, and those whose action we change at the start. */
static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
static const struct {
	int number;
	void (*action)(int);
} changed[] = {
	{ SIGPIPE, SIG_IGN }, /* writing then returns an error instead */
	{ SIGXFSZ, SIG_IGN },
	{ SIGCHLD, SIG_DFL }, /* if it were ignored, the kernel would drop the command's exit status */
};

/* The state when we were started. */
static struct {
	sigset_t mask;
	struct sigaction ending[ARRAY_SIZE(ending)], changed[ARRAY_SIZE(changed)];
} start;

/* Prepared in advance, since a signal handler may do little. */
static struct {
	char text[200];
	size_t len;
} words;

void signals_begin(void)
{
	sigprocmask(SIG_SETMASK, NULL, &start.mask);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], NULL, &start.ending[i]);
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		sigaction(changed[i].number, NULL, &start.changed[i]);
		signal(changed[i].number, changed[i].action);
	}
}

void signals_give_back(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &start.ending[i], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i].number, &start.changed[i], NULL);
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
}

static bool was_ignored(int signal)
{
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (ending[i] == signal)
			return start.ending[i].sa_handler == SIG_IGN;
	return false;
}

void signals_end_by(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* the first process of a PID namespace survives the signal */
	_exit(128 + number);
}

static void say_and_end(int number)
{
	/* the terminal has echoed ^C */
	if (number == SIGINT && isatty(STDERR_FILENO) && write(STDERR_FILENO, "\n", 1) < 0)
		signals_end_by(number);
	if (write(STDERR_FILENO, words.text, words.len) < 0)
		signals_end_by(number);
	signals_end_by(number);
}

void signals_say(const char *name, const char *text)
{
	struct sigaction action = { .sa_handler = say_and_end };
	int n = snprintf(words.text, sizeof(words.text), "%s: %s\n", name, text);

	words.len = n < (int)sizeof(words.text) ? (size_t)n : sizeof(words.text) - 1;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (!was_ignored(ending[i]))
			sigaction(ending[i], &action, NULL);
}

int signals_watch(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (ending[i] == SIGINT || ending[i] == SIGQUIT || !was_ignored(ending[i]))
			sigaddset(&set, ending[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

bool signals_from_terminal(const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_KERNEL;
}

bool signals_meant_for_us(const struct signalfd_siginfo *info)
{
	return !was_ignored(info->ssi_signo) || !signals_from_terminal(info);
}

void signals_let_end(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++) {
		if (was_ignored(ending[i]))
			continue;
		signal(ending[i], SIG_DFL);
		sigaddset(&set, ending[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
