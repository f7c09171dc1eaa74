/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the command that is to be traced. Its process exists from the start, so that filters can name it, but it
 * executes the program only when it is released. It dies with us, however we die, unless it has taken on another
 * user's rights (set-user-ID): the kernel then forgets its parent-death signal. The processes that it has started
 * do not die with us.
 *
 * In the foreground of a terminal it is in our process group: it can read from the terminal, and Ctrl-C and
 * Ctrl-Z reach both of us. Elsewhere it leads a process group of its own, so that a signal to our group does not
 * reach it twice.
 */
#ifndef SONDE_RUN_COMMAND_H
#define SONDE_RUN_COMMAND_H

#include <sys/types.h>

#include "base/base.h"

struct command;

/*
 * Both fork a process and hold it. argv ends with NULL. A string is split at blanks, or given to /bin/sh -c if it
 * contains a character that is special to a shell. Return 0, or -errno with err: -ENOENT if there is no such
 * program. Free *command with command_free().
 */
int command_hold(struct command **command, char *const *argv, struct err *err);
int command_hold_string(struct command **command, const char *text, struct err *err);
/* Returns its process id, in our own PID namespace. */
pid_t command_pid(const struct command *command);
/* Returns the program's name as the user gave it; valid as long as command is. */
const char *command_name(const struct command *command);
/* Likewise all of its words. */
const char *command_text(const struct command *command);
/* Starts the program. Returns 0, or -errno with err if exec fails or the process was killed before. */
int command_release(struct command *command, struct err *err);
/* True if it has ended; *status is then as from waitpid(2). Call it on SIGCHLD. */
bool command_ended(struct command *command, int *status);
/* True if it was started and has not ended. */
bool command_runs(struct command *command);
/*
 * Sends a signal to it and to the processes that it has started in its process group. by_terminal: the terminal
 * has already sent the signal to our own group. Stopped processes are continued.
 */
void command_signal(struct command *command, int signal, bool by_terminal);
/*
 * Sends SIGKILL to it and to all processes that it has started. Returns how many these are besides itself. They
 * end some moments later.
 */
size_t command_kill(struct command *command);
/* Kills it if it has not ended, waits for it, and frees it. command may be NULL. */
void command_free(struct command *command);

#endif
