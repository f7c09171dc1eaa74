/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a service. By its name: of a systemd unit, by the control groups that /proc/PID/cgroup shows (version
 * 1 or 2, see cgroups(7)), or of a program. Or by the process that has started them.
 */
#ifndef SONDE_ENGINE_SERVICE_H
#define SONDE_ENGINE_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/* Initialise with {}. */
struct service {
	char *name; /* of the unit, "nginx.service", of the program, "nginx", or of the first process: "nginx 812" */
	bool is_unit;
	uint32_t head; /* the first process; 0: all that have the name */
	char *group; /* the unit's group below the mount point of version 2; NULL: in version 1, or no unit */
	size_t processes;
};

/*
 * Finds out what a name is: a unit ("nginx.service", or "nginx" if there is a service of that name), else a program,
 * by the name of the executed file or of the process. -ESRCH with err: nothing of that name runs.
 */
int service_find(struct service *service, const char *name, struct err *err);
/* A process and all that it has started, and that these have, as far as their parents live. */
void service_begin_with(struct service *service, uint32_t head);
/* Calls fn for each process that belongs to it now, with its id in our pid namespace. */
void service_each(const struct service *service, void (*fn)(uint32_t tgid, void *ctx), void *ctx);
/* Whether a process belongs to a service that has a name. */
bool service_has(const struct service *service, uint32_t tgid);
void service_release(struct service *service);

#endif
