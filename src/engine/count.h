/* SPDX-License-Identifier: BSD-2-Clause */
/* The count engine (bpf/count.bpf.c): how often each target is reached. */
#ifndef SONDE_COUNT_H
#define SONDE_COUNT_H

#include "engine.h"

/* A row of a counting tool: its schema shows these. */
struct count_row {
	const char *name;
	const char *symbol; /* as the linker or the kernel knows it: differs where C++ or Rust mangled it, or an address tells */
	uint64_t count;
};

/* Arguments are probe specs. */
extern const struct engine count_engine;
/* For TOOL(). */
#define COUNT_ENGINE .engine = &count_engine

#endif
