/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For probe/ alone: decides where the return of a user function is probed. The kernel's return probe replaces the return
 * address on the stack by one of its own. Whoever looks at that address or jumps past it is harmed, in every process
 * that has mapped the file: exceptions find no handler, setjmp() and coroutines return to the wrong place and die, dlsym()
 * does not know its caller, Go's runtime aborts when it moves a stack. So the places where the function's calls end are
 * probed instead (binary_code.h), and functions whose ends are not known are refused.
 */
#ifndef SONDE_PROBE_RETURNS_H
#define SONDE_PROBE_RETURNS_H

#include "binary/binary.h"
#include "target.h"

/* What holds for one binary. */
struct returns {
	enum binary_go go;
	bool ret, both;	     /* functions are probed at return; at both ends */
	bool value;	     /* the caller reads what functions return, */
	bool learn;	     /* and learns at run time where pointers lead */
	bool force;	     /* the kernel's return probe is allowed where the ends are not known, and in Go */
	uint64_t begin, end; /* Go's own code, addresses as linked; 0: unknown */
};

/* ret: the spec asks for the return. Of options both, value, learn and force are used. */
void returns_init(struct returns *returns, struct binary *binary, bool ret, const struct target_options *options);
/*
 * Adjusts a target at the begin of a function. Lists where its calls end, if returns are needed; moves an entry probe of
 * Go to the place that each call passes once. Strings and lists go into pool. -errno: the function cannot be probed as
 * the spec asks, err says why. If both ends are wanted and only the return is impossible, returns 0 and sets
 * target->no_return to the reason.
 */
int returns_place(const struct returns *returns, struct binary *binary, const struct binary_symbol *function,
		  struct target *target, struct pool *pool, struct err *err);

#endif
