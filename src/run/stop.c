// SPDX-License-Identifier: BSD-2-Clause
/* Turns signals into requests to the run and to its command. signals.c has the actions of signals. */
#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/report.h"
#include "command.h"
#include "signals.h"
#include "stop.h"

/* Most commands end at once, and no message is needed. */
#define SAY_AFTER_NS (300 * NS_PER_MS)
/*
 * timeout(1) sends its signal first to us and then to our process group; a shell's `kill %1` may be followed by a
 * signal of its parent. Signals that processes send within this time count as one request. Keys that a user types
 * do not.
 */
#define ONE_REQUEST_NS (1000 * NS_PER_MS)

int stop_watch(struct run *run)
{
	if (run->signals < 0)
		run->signals = signals_watch();
	return run->signals < 0 ? run->signals : 0;
}

static void ask_command(struct run *run, int signal, bool by_terminal)
{
	run->asked = signal;
	run->asked_at = clock_monotonic_ns();
	command_signal(run->command, signal, by_terminal);
}

/*
 * True if a second signal asks for more than the first. SIGHUP never does: the kernel and the shell both send it
 * when a terminal closes, and a program that saves its data may need that moment.
 */
static bool insists(const struct run *run, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo == SIGHUP)
		return false;
	return signals_from_terminal(info) || clock_monotonic_ns() - run->asked_at > ONE_REQUEST_NS;
}

static void kill_command(struct run *run)
{
	size_t others = command_kill(run->command);

	run->killed = true;
	run->asked_at = clock_monotonic_ns();
	report_note("killed '%s'%s", command_name(run->command), others ? " and the processes that it started" : "");
}

/* The end takes long. One more signal ends us at once. */
static void hurry(struct run *run, const struct signalfd_siginfo *info)
{
	if (run->ended_at && !signals_from_terminal(info) && clock_monotonic_ns() - run->ended_at < ONE_REQUEST_NS)
		return;
	run->hurry = true;
	signals_let_end();
}

static void on_signal(struct run *run, const struct signalfd_siginfo *info)
{
	/* the terminal has echoed ^C: begin a new line */
	if (info->ssi_signo == SIGINT && signals_from_terminal(info) && isatty(STDERR_FILENO))
		report_line("%s", "");
	run->interrupted = true;
	if (run->stopping && run->ctx.hurries) {
		hurry(run, info);
	} else if (!run->command || !command_runs(run->command)) {
		run->stopping = true;
		run->ended_by = info->ssi_signo;
		run->ended_at = clock_monotonic_ns();
		run->ctx.asked_at = clock_boot_ns();
		/* an engine that hurries gets the next signal as a request, too */
		if (!run->ctx.hurries)
			signals_let_end();
	} else if (!run->asked) {
		ask_command(run, info->ssi_signo, signals_from_terminal(info));
	} else if (!run->killed && insists(run, info)) {
		kill_command(run);
	} else if (run->killed && clock_monotonic_ns() - run->asked_at > ONE_REQUEST_NS) {
		/* The kernel does not end it. Print what was seen of it; one more signal ends us. */
		run->stopping = true;
		signals_let_end();
	}
}

void stop_take(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD && signals_meant_for_us(&info))
			on_signal(run, &info);
}

uint64_t stop_say_waiting(struct run *run)
{
	uint64_t when = run->asked_at + SAY_AFTER_NS;

	if (!run->asked || run->killed || run->said_waiting)
		return UINT64_MAX;
	if (clock_monotonic_ns() < when)
		return when;
	run->said_waiting = true;
	report_note("waiting for '%s' to end after SIG%s (Ctrl-C%s kills it)", command_name(run->command),
		    sigabbrev_np(run->asked), run->interrupted ? " again" : "");
	return UINT64_MAX;
}

void stop_command(struct run *run)
{
	int status;

	if (!run->command || command_ended(run->command, &status))
		return;
	if (!run->asked)
		ask_command(run, SIGTERM, false);
	while (!command_ended(run->command, &status)) {
		struct pollfd fd = { .fd = run->signals, .events = POLLIN };

		poll(&fd, 1, run_ms_until(stop_say_waiting(run)));
		stop_take(run);
	}
}
