/* SPDX-License-Identifier: BSD-2-Clause */
/* Within graph/: the functions that trees may begin with (--under). */
#ifndef SONDE_GRAPH_GRAPH_ROOTS_H
#define SONDE_GRAPH_GRAPH_ROOTS_H

#include "graph.h"

struct target;

/*
 * functions: those of the graph by slot, NULL: none. Sets GRAPH_ROOT in about, a byte for each slot. Returns 0, or -errno
 * with err; -ENOENT: none of them matches one of settings->under.
 */
int graph_roots_mark(const struct graph_settings *settings, const struct target *const *functions, size_t n_slots,
		     uint8_t *about, struct err *err);

#endif
