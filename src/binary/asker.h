/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of ours that does nothing, linked to one library of our own system's: its loader binds each name of a table
 * before it begins, and the table is read from outside (bound.h). It is made in memory, runs as nobody where we are root,
 * and may do nothing but map files and read them.
 */
#ifndef SONDE_ASKER_H
#define SONDE_ASKER_H

#include <sys/types.h>

#include "bound.h"

struct asker {
	pid_t pid;	/* 0: none */
	uint64_t table; /* the address of its table, in the order of bound->v */
};

/*
 * Starts it, and waits until it is bound. -EPERM: the file is not of our own system's (trusted.h); -ENOTSUP: it cannot
 * be done, as for a program or without glibc's loader.
 */
int asker_start(struct asker *asker, const struct bound *bound);
/* Ends it; harmless when it was never started. */
void asker_end(struct asker *asker);

#endif
