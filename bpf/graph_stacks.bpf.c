// SPDX-License-Identifier: BSD-2-Clause
/* The programs of graph.bpf.c with stacks, as an object of their own: without stacks the start is cheaper. */
#define GRAPH_STACKS
#include "bpf/graph.bpf.c"
