/* SPDX-License-Identifier: BSD-2-Clause */
/* Within run/: the filter options made into what BPF reads (bpf/filter.h). */
#ifndef SONDE_RUN_FILTER_H
#define SONDE_RUN_FILTER_H

#include "run.h"

/* The process that a thread belongs to, 0 where there is no such thread. */
uint32_t filter_process_of(uint32_t tid);
/* For --ppid, in numbers of our pid namespace, 0 none: -ESRCH where there is no such process. */
int filter_check_parent(uint32_t ppid, struct err *err);
/* The inode number of our pid namespace, 0 where that is the host's. */
uint32_t filter_pidns(void);
/* Our own process as the host numbers it, whatever pid namespace we are in; 0 where the kernel does not say. */
uint32_t filter_own_process(void);

/*
 * command: a command and its children are traced. *cgroup becomes the fd of the cgroup asked for, the
 * caller's, or stays. Errors name the option's value.
 */
int filter_parse(struct filter *filter, const struct run_options *options, bool command, int *cgroup,
		 struct err *err);
/* Writes it into an object that was opened and not yet prepared. */
int filter_before(const struct filter *filter, struct bpf_object *object, struct err *err);
/* What only a map that exists can take; cgroup -1: none. */
int filter_after(struct bpf_object *object, int cgroup, struct err *err);

#endif
