// SPDX-License-Identifier: BSD-2-Clause
/* The programs of slow.bpf.c with stacks, as an object of their own: without stacks the start is cheaper. */
#define SLOW_STACKS
#include "bpf/slow.bpf.c"
