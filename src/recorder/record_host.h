/* SPDX-License-Identifier: BSD-2-Clause */
/* Within recorder/, why/ and graph/: the machine of a recording, and the names of its system calls and disks. */
#ifndef SONDE_RECORDER_RECORD_HOST_H
#define SONDE_RECORDER_RECORD_HOST_H

#include <sys/types.h>

struct writer;

/* line: what the user typed. command: our child, 0: none. Each returns 0, or the writer's -errno. */
int record_host_write(struct writer *writer, const char *line, pid_t command);
int record_host_write_names(struct writer *writer);

#endif
