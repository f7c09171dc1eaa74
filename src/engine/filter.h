/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes an instance's filter (bpf/filter.h) into a BPF object, and follows the command. run/filter_parse.h makes the
 * filter from options.
 */
#ifndef SONDE_ENGINE_FILTER_H
#define SONDE_ENGINE_FILTER_H

#include "engine.h"

struct object;

/* The inode number that the kernel gives to the first pid namespace (include/linux/proc_ns.h). */
#define FILTER_FIRST_PIDNS 0xEFFFFFFCU

/* Returns the inode number of our pid namespace; 0: it is the host's. */
uint32_t filter_pidns(void);
/* Sets both to what bpf_get_ns_current_pid_tgid() takes for our pid namespace. Leaves them if it is the host's. */
void filter_read_pidns(unsigned long long *dev, unsigned long long *ino);
/* Our own process as the host numbers it, whatever pid namespace we are in; 0 where the kernel does not say. */
uint32_t filter_own_process(void);

/* Writes the filter into an object that is open and not yet prepared. -ENOENT where the object has no filter. */
int filter_before(const struct engine_instance *instance, struct object *object, struct err *err);
/*
 * For a prepared object: writes the cgroup into its map, and follows the command's children from now on, in the map
 * `members`. A second object of the instance must reuse that map.
 */
int filter_after(struct engine_instance *instance, const struct object *object, struct err *err);

#endif
