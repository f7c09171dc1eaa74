/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process and its descendants, by the parents in /proc/PID/stat (proc_pid_stat(5)). A descendant whose parent has exited
 * is not found: the kernel gives it a new parent.
 */
#ifndef SONDE_BASE_DESCENDANTS_H
#define SONDE_BASE_DESCENDANTS_H

#include <sys/types.h>

#include "base.h"

struct descendant {
	pid_t pid, parent, group;
	char state; /* the state letter; '\0': not known */
	bool taken; /* of use while they are read */
};

/* Initialise with {}; descendants_release() frees it. */
struct descendants {
	vec(struct descendant);
};

/*
 * Adds the head, whether it is there or not, and its descendants, generation by generation. If /proc is missing or
 * belongs to another PID namespace, only the head is known.
 */
void descendants_read(struct descendants *descendants, pid_t head);
void descendants_release(struct descendants *descendants);

#endif
