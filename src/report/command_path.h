/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path of the command of a recording (why/path.h): what made it last, followed back from its end through whoever
 * woke whom.
 */
#ifndef SONDE_REPORT_COMMAND_PATH_H
#define SONDE_REPORT_COMMAND_PATH_H

#include "output/output.h"
#include "record/recording.h"

/*
 * Prints a table: what was on the path, in which system call, of which program, the longest first. top: how many rows,
 * 0: all. *lost: the events that the recording lacks. Returns 0 or -errno with err: -ENODATA if there was no command.
 */
int command_path_print(struct recording *r, struct output *out, uint32_t top, uint64_t *lost, struct err *err);

#endif
