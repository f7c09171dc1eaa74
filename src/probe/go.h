/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within probe/: where functions of Go are probed. A return probe puts an address of the kernel's own into the stack, where Go's
 * runtime finds it as it moves the stack, and gives up. So the function's return instructions are probed instead, where they are known.
 */
#ifndef SONDE_GO_H
#define SONDE_GO_H

#include "binary/binary.h"
#include "target.h"

/* A file. Initialise with {}, which is one that has nothing to do with Go. */
struct go {
	enum binary_go go;
	bool ret, both;
	uint64_t begin, end;   /* addresses of what is Go's own, 0 not known */
	const char *no_return; /* why nothing of it may be probed at its return, but for go_place() */
};

void go_init(struct go *go, struct binary *binary, bool ret, bool both);
/*
 * The target stands for the function's begin: it becomes the place that each call passes once, and gets what its return needs. An
 * error says why it cannot be probed; of both ends, target->no_return says so, and the target is left as what it was.
 */
int go_place(const struct go *go, struct binary *binary, const struct binary_symbol *function, struct target *target,
	     struct pool *pool, struct err *err);

#endif
