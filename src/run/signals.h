/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of signals during the life of this process. Until something is attached, a signal ends us in the
 * usual way, after a message. Then a run reads the signals from a descriptor. At the end they end us in the usual
 * way again. The command inherits the actions and the mask that we were started with.
 */
#ifndef SONDE_RUN_SIGNALS_H
#define SONDE_RUN_SIGNALS_H

#include <stdbool.h>
#include <sys/signalfd.h>

/*
 * Saves what we were started with. Call it first in main(). From then on a closed pipe and the limit on file
 * sizes are ordinary write errors.
 */
void signals_begin(void);
/*
 * In a child, before exec: restores the actions and the mask that signals_begin() saved. Uses only
 * async-signal-safe functions.
 */
void signals_give_back(void);

/*
 * From now on, a signal that ends us first prints "NAME: TEXT" on stderr. Ignored signals stay ignored. The texts
 * are copied.
 */
void signals_say(const char *name, const char *text);
/*
 * Returns a descriptor (the caller's to close) that delivers struct signalfd_siginfo for SIGINT, SIGQUIT,
 * SIGTERM, SIGHUP and SIGCHLD, and blocks these signals. SIGTERM and SIGHUP are left out if they were ignored
 * when we were started (nohup). -errno on failure.
 */
int signals_watch(void);
/*
 * signals_from_terminal(): true if the terminal sent the signal to its foreground group.
 * signals_meant_for_us(): false for a signal from the terminal that was ignored when we were started: a shell
 * without job control ignores SIGINT and SIGQUIT for its background commands. The same signal from a process is
 * meant for us.
 */
bool signals_from_terminal(const struct signalfd_siginfo *info);
bool signals_meant_for_us(const struct signalfd_siginfo *info);
/*
 * From now on the next signal ends us at once, except those that were ignored when we were started. SIGCHLD still
 * goes to the descriptor.
 */
void signals_let_end(void);
/* Ends us by this signal, so that our parent sees it in the exit status. */
void signals_end_by(int signal) __attribute__((noreturn));

#endif
