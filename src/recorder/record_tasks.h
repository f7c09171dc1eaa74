/* SPDX-License-Identifier: BSD-2-Clause */
/* Within recorder/, why/ and graph/: the tasks that exist when a recording begins. */
#ifndef SONDE_RECORDER_RECORD_TASKS_H
#define SONDE_RECORDER_RECORD_TASKS_H

#include <sys/types.h>

struct filter;
struct writer;

/*
 * A recording begins, and forks are recorded already: then no task is missing. Writes the clocks as they are now, and
 * all threads that /proc shows, with their names and command lines. command: our child, 0: none; it is marked. Those
 * that the filter passes are marked, too. In a pid namespace /proc has other ids than the records, so the recording has
 * record_tasks_note instead. Returns 0, or the writer's -errno.
 */
int record_tasks_begin(struct writer *writer, pid_t command, const struct filter *filter);
extern const char record_tasks_note[];

#endif
