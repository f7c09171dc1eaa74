/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The asker: a generated program that is linked to one library of this system and does nothing. The loader fills a
 * table in it with the address that each name is bound to, and sonde reads the table from outside (bound.h). The
 * program is never on disk. It runs as nobody if sonde is root, and its system calls are limited to mapping and
 * reading files.
 */
#ifndef SONDE_BINARY_ASKER_H
#define SONDE_BINARY_ASKER_H

#include <sys/types.h>

#include "bound.h"

struct asker {
	pid_t pid;	/* 0: not running */
	uint64_t table; /* address of the table in its memory: 8 bytes for each of bound->v */
};

/*
 * Starts the asker for the names in bound and waits until the loader has filled the table. The caller ends it with
 * asker_end(); after an error nothing runs. -EPERM: the library or the loader is not trusted (trusted.h), or glibc's
 * loader is absent. -ENOTSUP: the loader failed, as it does if bound->binary is a program. Else -errno.
 */
int asker_start(struct asker *asker, const struct bound *bound);
/* Kills the asker and reaps it. Does nothing if none runs. */
void asker_end(struct asker *asker);

#endif
