/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What signals do to this process, from its first moment to its last: they end it as they end others, but for a word, until
 * something is attached; then a run reads them from a descriptor; at last they end it again. And what it was given
 * of them by whoever started it, which a command inherits.
 */
#ifndef SONDE_SIGNALS_H
#define SONDE_SIGNALS_H

#include <stdbool.h>
#include <sys/signalfd.h>

/* First of all in main(). From here on a closed pipe and a limit of a file's size are write errors like others. */
void signals_begin(void);
/* In a child, before it executes: blocked and ignored is what was so at signals_begin(). Only calls that are safe after fork. */
void signals_give_back(void);

/* A signal ends us as before, and first says "NAME: TEXT" on stderr. Those that are ignored stay so. */
void signals_say(const char *name, const char *text);
/*
 * A descriptor to read struct signalfd_siginfo from: SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGCHLD. SIGTERM and SIGHUP are not
 * watched where whoever started us has had them ignored (nohup). -errno.
 */
int signals_watch(void);
/*
 * Did the terminal send it, to all of its foreground? Of SIGINT and SIGQUIT that were ignored at the start these are not meant
 * for us (a shell without job control ignores them for what it starts with &); others' are.
 */
bool signals_from_terminal(const struct signalfd_siginfo *info);
bool signals_meant_for_us(const struct signalfd_siginfo *info);
/* From now on the next one ends us at once, but for those that were ignored at the start. SIGCHLD is watched as before. */
void signals_let_end(void);
/* Ends us by this signal, so that whoever waits for us knows. */
void signals_end_by(int signal) __attribute__((noreturn));

#endif
