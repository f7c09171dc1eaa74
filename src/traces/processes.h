/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes there are, by the ids that they have in every pid namespace: is the owner of a trace alive? */
#ifndef SONDE_TRACES_PROCESSES_H
#define SONDE_TRACES_PROCESSES_H

#include <sys/types.h>

#include "base/base.h"

/* One id of one process; a process within namespaces has several. */
struct process_id {
	pid_t id;
	pid_t pid; /* in the namespace of /proc */
	char comm[32];
};

struct processes {
	struct process_id *v; /* by id; those that can own a trace: no kernel threads, no zombies, not ourselves */
	size_t n, cap;
	bool complete; /* false: there may be others, in pid namespaces that we are within */
};

void processes_read(struct processes *processes);
void processes_release(struct processes *processes);
/* A process that has this id, one in the namespace of /proc before others; NULL: none. */
const struct process_id *processes_find(const struct processes *processes, pid_t id);
/* One with this command, or of its parts: "cilium" finds "cilium-agent". */
const struct process_id *processes_find_command(const struct processes *processes, const char *command);

#endif
