/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command to be traced: its process exists from the start, so that filters can name it, and executes the program only when it is
 * let. It dies with us, however we die, unless it has taken on another user's rights (set-user-ID): the kernel forgets it then.
 * What it has started does not.
 *
 * In the foreground of a terminal it is in our process group: it reads from the terminal, and Ctrl-C and Ctrl-Z reach
 * it and us. Elsewhere it has a process group of its own: a signal to ours does not reach it twice.
 */
#ifndef SONDE_COMMAND_H
#define SONDE_COMMAND_H

#include <sys/types.h>

#include "base/base.h"

struct command;

/*
 * Forks and holds. argv is NULL-terminated; for one string, words are split at blanks, and
 * what has a shell's characters in it goes to /bin/sh -c. -ENOENT when there is no such program.
 */
int command_hold(struct command **command, char *const *argv, struct err *err);
int command_hold_string(struct command **command, const char *text, struct err *err);
pid_t command_pid(const struct command *command);
/* The word by which it was called. */
const char *command_name(const struct command *command);
/* Lets it run; an exec that fails is an error of this call. */
int command_release(struct command *command, struct err *err);
/* To be called on SIGCHLD: has it ended? *status as from waitpid(2). */
bool command_ended(struct command *command, int *status);
/* Let run, and not ended. */
bool command_runs(struct command *command);
/*
 * Sends a signal to it and to what it has started in its process group. by_terminal: the terminal has sent it to our own group
 * already. Those that are stopped go on.
 */
void command_signal(struct command *command, int signal, bool by_terminal);
/* SIGKILL to it and to all that it has started; how many there were besides it. It has ended some moments later. */
size_t command_kill(struct command *command);
/* Kills it if it has not ended, and frees. */
void command_free(struct command *command);

#endif
