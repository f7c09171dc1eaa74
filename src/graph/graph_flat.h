/* SPDX-License-Identifier: BSD-2-Clause */
/* Within graph/: entries of kernel functions as they come, with their callers: what ftrace's function tracer prints. */
#ifndef SONDE_GRAPH_GRAPH_FLAT_H
#define SONDE_GRAPH_GRAPH_FLAT_H

#include "base/set.h"
#include "graph.h"

struct kernel;

/* Initialise with {}. */
struct graph_flat {
	struct kernel *kernel; /* its symbols; NULL: not read yet */
	struct set addresses;  /* return addresses, and by their numbers: */
	struct {
		vec(const char *);
	} callers; /* the pool's */
	struct pool names;
	bool said_hidden;
};

/* 0, or -EINVAL with err: a target has no entry, or its caller cannot be named. */
int graph_flat_check(const struct target_set *set, struct err *err);
/* The function that a return address is in, "ksys_read"; an address if it is in none. Valid until the release. */
const char *graph_flat_caller(struct graph_flat *flat, uint64_t address);
void graph_flat_release(struct graph_flat *flat);

#endif
