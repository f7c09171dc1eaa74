/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For probe/ alone: decides where probes on Go functions go. A uretprobe replaces the return address on the stack
 * by one of the kernel. Go's runtime walks the stack when it moves it, finds that address and aborts the program.
 * So the return instructions of the function are probed instead, if all of them are known.
 */
#ifndef SONDE_PROBE_GO_H
#define SONDE_PROBE_GO_H

#include "binary/binary.h"
#include "target.h"

/* One binary. {} is a binary without Go. */
struct go {
	enum binary_go go;
	bool ret, both;	       /* functions are probed at return; at both ends */
	uint64_t begin, end;   /* Go's own code, addresses as linked; 0: unknown */
	const char *no_return; /* why uretprobes are refused (a constant); NULL: they are not */
};

/* ret: the spec asks for the return. both: the caller probes functions at both ends. */
void go_init(struct go *go, struct binary *binary, bool ret, bool both);
/*
 * Adjusts a target at the begin of a function: moves an entry probe to the place that each call passes once, and
 * lists the return instructions in target->returns if returns are needed. Strings and lists go into pool. Does
 * nothing if the binary is not Go's. -errno: the function cannot be probed as the spec asks, err says why. If both
 * ends are wanted and only the return is impossible, returns 0 and sets target->no_return to the reason.
 */
int go_place(const struct go *go, struct binary *binary, const struct binary_symbol *function, struct target *target,
	     struct pool *pool, struct err *err);

#endif
