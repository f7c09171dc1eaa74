/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel says of processes and threads, by their ids in /proc. */
#ifndef SONDE_BASE_PROCESS_H
#define SONDE_BASE_PROCESS_H

#include "base.h"

struct process_task {
	char state;	      /* Z: it has ended, but its id is not free yet */
	uint32_t process;     /* that it is a thread of; 0: it is just being removed */
	uint32_t parent;      /* of that process; 0: it has none, or none that we see */
	unsigned int threads; /* of the process, also a first one that has ended; 0: as `process` */
};

/* Asks for a thread. Returns 0; -ESRCH: there is none; other errors are of our own: too many open files, or no memory. */
int process_ask(uint32_t tid, struct process_task *task);
/* The process that a thread belongs to; 0: there is no such thread, or it is not known. */
uint32_t process_of(uint32_t tid);
/* Whether a process, or a thread that is none, has ended or never was: a zombie has, though it has an id. */
bool process_has_ended(uint32_t tid);

#endif
