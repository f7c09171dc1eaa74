/* SPDX-License-Identifier: BSD-2-Clause */
/* Within unwind/: forgets the mappings of processes that execute a program, at once (bpf/unwind_exec.bpf.c). */
#ifndef SONDE_UNWIND_EXEC_H
#define SONDE_UNWIND_EXEC_H

#include "kernel/core_object.h"

struct bpf_link;

/* Initialise with {}. */
struct exec {
	struct core_object object;
	struct bpf_link *link;
};

/*
 * Watches processes from now on, and deletes what the map of spaces has of them. Returns 0 or -errno; call
 * exec_release() after an error, too. Without it, stacks of a process may have wrong frames until its records are read.
 */
int exec_watch(struct exec *exec, int spaces_fd);
void exec_release(struct exec *exec);

#endif
