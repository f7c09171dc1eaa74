/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the running processes by their ids in every PID namespace, to find whether an owner is alive. */
#ifndef SONDE_TRACES_PROCESSES_H
#define SONDE_TRACES_PROCESSES_H

#include <sys/types.h>

#include "base/base.h"

/* One id of a process. A process in nested PID namespaces has several. */
struct process_id {
	pid_t id;
	pid_t pid; /* its id in the namespace of /proc */
	char comm[32];
};

struct processes {
	/* sorted by id; those that can own a trace: no kernel threads, no zombies, not ourselves */
	vec(struct process_id);
	bool complete; /* false: there may be more processes, in PID namespaces above ours */
};

/*
 * Reads all processes; free them with processes_release(). If /proc cannot be read, the list is empty and not
 * complete.
 */
void processes_read(struct processes *processes);
void processes_release(struct processes *processes);
/* Returns a process with this id, preferably one with this id in the namespace of /proc; NULL if there is none. */
const struct process_id *processes_find(const struct processes *processes, pid_t id);
/*
 * Returns a process whose command is this, or begins with it and a '-' or '_': "cilium" finds "cilium-agent".
 * NULL if there is none.
 */
const struct process_id *processes_find_command(const struct processes *processes, const char *command);

#endif
