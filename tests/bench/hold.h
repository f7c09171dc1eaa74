/* SPDX-License-Identifier: BSD-2-Clause */
/* bench-hold: measures a process and its descendants. */
#ifndef SONDE_TESTS_BENCH_HOLD_H
#define SONDE_TESTS_BENCH_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_PIDS 256

struct tree {
	long memory;   /* KB, the sum of each process's peak */
	long maps;     /* bytes of kernel memory in the BPF maps that they have open */
	uint64_t cpu;  /* ns */
	bool waits;    /* one of them waits for a disk */
	pid_t without; /* a process that is left out */
	pid_t pids[TREE_PIDS];
	int n;
};

struct tree tree_of(pid_t pid, pid_t without); /* measures memory and maps; a map counts in the first call only */
/* Returns ns of processor time, without processes that have ended. waits: NULL, or set if one waits for a disk. */
uint64_t tree_cpu(pid_t pid, bool *waits);
void tree_kill(pid_t pid); /* sends SIGKILL to each */

#endif
