/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter (bpf/filter.h) of an instance, and the command that it may follow, into a BPF object. From options: run/filter_parse.h. */
#ifndef SONDE_ENGINE_FILTER_H
#define SONDE_ENGINE_FILTER_H

#include "engine.h"

struct bpf_object;

/* The inode number that the kernel gives to the first pid namespace (include/linux/proc_ns.h). */
#define FILTER_FIRST_PIDNS 0xEFFFFFFCU

/* The inode number of our pid namespace, 0 where that is the host's. */
uint32_t filter_pidns(void);
/* Our own process as the host numbers it, whatever pid namespace we are in; 0 where the kernel does not say. */
uint32_t filter_own_process(void);

/* Writes the instance's filter into an object that was opened and not yet prepared. -ENOENT: the object has none. */
int filter_before(const struct engine_instance *instance, struct bpf_object *object, struct err *err);
/* What only maps that exist can take: the cgroup; and the command's children are followed from now on. */
int filter_after(struct engine_instance *instance, struct bpf_object *object, struct err *err);

#endif
