/* SPDX-License-Identifier: BSD-2-Clause */
/* The count engine (bpf/count.bpf.c): how often each target is reached. */
#ifndef SONDE_ENGINES_COUNT_H
#define SONDE_ENGINES_COUNT_H

#include "engine/engine.h"

/* The row of counting tools. */
struct count_row {
	const char *name;
	const char *symbol; /* the linker's or the kernel's name: mangled, or with an address */
	uint64_t count;
};

/* Arguments are probe specs. */
extern const struct engine count_engine;
/* For TOOL(). */
#define COUNT_ENGINE .engine = &count_engine

#endif
