/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within probe/: which kernel functions ftrace can trace. Its list has one name an address, maybe not the one that was
 * matched (__x64_sys_getppid is there as __do_sys_getppid), so in the end it is addresses that count: from its
 * records; or, where these cannot be read, from its list; or, where that has names only, those that symbols of
 * these names have.
 */
#ifndef SONDE_TRACEABLE_H
#define SONDE_TRACEABLE_H

#include "base/pool.h"
#include "kernel/kernel.h"

struct traceable {
	struct {
		uint64_t *v;
		size_t n, cap;
	} addrs;     /* sorted when all are known */
	bool known;  /* what is not there cannot be traced */
	void *names; /* a tsearch(3) tree of "name\tmodule", or NULL */
	struct pool pool;
};

/* Of one that is {}. */
void traceable_release(struct traceable *traceable);

/*
 * records: as kernel_each_symbol() gives it; hidden: the kernel hides the addresses of symbols. Where nothing can be read known
 * stays false, and whatever is tried tells.
 */
void traceable_read(struct traceable *traceable, const struct kernel_records *records, bool hidden);

/* Is an address that ftrace knows at the symbol's entry? */
bool traceable_at(const struct traceable *traceable, uint64_t addr);
/* Where only names are known: is this one there? */
bool traceable_named(const struct traceable *traceable, const char *name, const char *module);

#endif
