/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tests/engines/ring.c gets out of its rings, checked: records are whole, in order, and passed on once; what is
 * missing between two is reported as lost. What is wrong ends the program.
 */
#ifndef SONDE_TESTS_ENGINES_RING_SEEN_H
#define SONDE_TESTS_ENGINES_RING_SEEN_H

#include "engine/ring.h"
#include "tests/engines/ring.h"

#define SEEN_THREADS 16
/* A call's number is that of the thread, and the call's within it, which has so many bits. */
#define SEEN_CALL_BITS 32

extern struct seen {
	uint64_t kinds[RING_TEST_KINDS];
	uint64_t records, lost, first, last; /* first, last: numbers of the batch */
	uint64_t next[1024];		     /* the number of the next record, by processor and lane; 0: any */
	uint8_t *once[SEEN_THREADS];	     /* a bit for each call of a thread */
} seen;

/* For ring_read() and ring_snapshot(). */
int seen_run(const struct ring_run *run, void *ctx);
/* Begins anew; frees seen.once. */
void seen_forget(void);

#endif
