/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command to be traced: its process exists from the start, so that filters can name it, and executes
 * the program only when told. It dies with us, however we die.
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
/* Lets it run; an exec that fails is told here. */
int command_release(struct command *command, struct err *err);
/* To be called on SIGCHLD: has it ended? *status as from waitpid(2). */
bool command_ended(struct command *command, int *status);
/* Ends it if it still runs (SIGTERM, then SIGKILL) and frees. */
void command_free(struct command *command);

#endif
