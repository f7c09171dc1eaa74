/* SPDX-License-Identifier: BSD-2-Clause */
/* bench-hold: what a process and all below it take. */
#ifndef BENCH_HOLD_H
#define BENCH_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_PIDS 256

struct tree {
	long memory;   /* KB at most, each process by itself */
	long maps;     /* bytes of the kernel's in the BPF maps that they have open */
	uint64_t cpu;  /* ns */
	bool waits;    /* one of them for a disk */
	pid_t without; /* a process that does not count */
	pid_t pids[TREE_PIDS];
	int n;
};

struct tree tree_of(pid_t pid, pid_t without); /* memory and maps; a map counts in the first call only */
/* ns on a processor, without what has ended; waits: NULL, or whether one of them waits for a disk. */
uint64_t tree_cpu(pid_t pid, bool *waits);
void tree_kill(pid_t pid); /* SIGKILL, to each */

#endif
