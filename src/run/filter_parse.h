/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter options to struct filter (bpf/filter.h). Into BPF objects it comes by engine/filter.h. */
#ifndef SONDE_FILTER_PARSE_H
#define SONDE_FILTER_PARSE_H

#include "run.h"

/* The process that a thread belongs to, 0 where there is no such thread. */
uint32_t filter_process_of(uint32_t tid);
/* For --ppid, in numbers of our pid namespace, 0 none: -ESRCH where there is no such process. */
int filter_check_parent(uint32_t ppid, struct err *err);
/*
 * command: a command and its children are traced. *cgroup becomes the fd of the cgroup asked for, the
 * caller's, or stays. Errors name the option's value.
 */
int filter_parse(struct filter *filter, const struct run_options *options, bool command, int *cgroup,
		 struct err *err);
#endif
