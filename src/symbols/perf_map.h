/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf maps: a JIT appends a line "START SIZE NAME" (hexadecimal; kernel: tools/perf/Documentation/jit-interface.txt) to
 * /tmp/perf-PID.map for each piece of code that it makes. The file is foreign: a line may have any bytes. Code may move
 * and memory may be used again, so the last line for an address counts.
 */
#ifndef SONDE_SYMBOLS_PERF_MAP_H
#define SONDE_SYMBOLS_PERF_MAP_H

#include "base/base.h"

/* Longer names are cut. */
#define PERF_MAP_NAME_MAX 1024

/* An address, and what the map has for it. */
struct perf_map_place {
	uint64_t addr;
	uint64_t start;	  /* out: of the code */
	uint64_t at, len; /* out: the name's place in the file; len 0: no line */
};

/*
 * Reads the first `size` bytes of the map, in pieces, for n places that are sorted by addr. A last line without newline
 * does not count, since it may be incomplete. Returns 0; -EINTR if should_stop() (may be NULL) returned true; -errno if the
 * file cannot be read.
 */
int perf_map_read(int fd, uint64_t size, struct perf_map_place *places, size_t n, bool (*should_stop)(void *ctx),
		  void *ctx);
/* Reads the name of a place; "" if it is gone. */
void perf_map_name(int fd, const struct perf_map_place *place, char name[PERF_MAP_NAME_MAX]);

#endif
