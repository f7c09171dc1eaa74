/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the filter options into a struct filter (bpf/filter.h). engine/filter.h writes it into BPF objects. */
#ifndef SONDE_RUN_FILTER_PARSE_H
#define SONDE_RUN_FILTER_PARSE_H

#include "engine/service.h"
#include "run.h"

/* Checks the argument of --ppid, an id in our pid namespace, 0: none. Returns 0, or -ESRCH with err. */
int filter_check_parent(uint32_t ppid, struct err *err);
/*
 * A name of a service in place of other filters of processes. Returns 0, or -errno with err, as filter_parse(); an open
 * *service is the caller's to release.
 */
int filter_parse_service(struct filter *filter, const struct run_options *options, const char *name,
			 struct service *service, int *cgroup, struct err *err);
/*
 * After filter_parse(): --pid stands for the process and all that it has started. False, and nothing is changed: there is
 * no --pid, or it has started none, or is to be one process; in a pid namespace, programs cannot tell which these are.
 */
bool filter_parse_family(struct filter *filter, const struct run_options *options, struct service *service);
/*
 * Fills in filter. command: trace only a command and its children. If --cgroup is given, *cgroup becomes an fd of that
 * cgroup, which the caller closes; otherwise it stays as it is. Returns 0, or -errno with an err that names the value
 * of the option; -EINVAL: wrong usage.
 */
int filter_parse(struct filter *filter, const struct run_options *options, bool command, int *cgroup,
		 struct err *err);
#endif
