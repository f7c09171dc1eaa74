/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: the tasks that exist when a recording begins. */
#ifndef SONDE_RECORD_TASKS_H
#define SONDE_RECORD_TASKS_H

#include <sys/types.h>

struct filter;
struct writer;

/*
 * Writes all threads that /proc shows, with their names and command lines. command: our child, 0: none; it is marked.
 * Those that the filter passes are marked, too. Call it when forks are recorded already: then no task is missing.
 * Returns 0, or the writer's -errno.
 */
int record_tasks_write(struct writer *writer, pid_t command, const struct filter *filter);

#endif
