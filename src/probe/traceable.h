/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For probe/ alone: which kernel functions ftrace can trace. Its list has one name for each address, maybe another
 * alias than the one that a spec matched (__do_sys_getppid for __x64_sys_getppid): so addresses are compared. They
 * come from ftrace's records; if these cannot be read, from its list; if that has names only, from the symbols of
 * these names.
 */
#ifndef SONDE_PROBE_TRACEABLE_H
#define SONDE_PROBE_TRACEABLE_H

#include "base/pool.h"
#include "kernel/kernel.h"

struct traceable {
	vec(uint64_t) addrs; /* sorted when all are known */
	bool known;	     /* the list is complete: a function that is not in it cannot be traced */
	void *names;	     /* a tsearch(3) tree of "name\tmodule", or NULL */
	struct pool pool;
};

/* Initialise with {}. Frees what it holds. */
void traceable_release(struct traceable *traceable);

/*
 * Finds out what ftrace can trace. hidden: the kernel hides the addresses of symbols. If
 * nothing can be read, known stays false, and attaching shows what can be traced.
 */
void traceable_read(struct traceable *traceable, struct kernel *kernel, bool hidden);

/* Whether ftrace can trace the entry of the symbol at addr. */
bool traceable_at(const struct traceable *traceable, uint64_t addr);
/* The same by name, if only names are known. */
bool traceable_named(const struct traceable *traceable, const char *name, const char *module);

#endif
