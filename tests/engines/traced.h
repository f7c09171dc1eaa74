/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For programs that read totals as an exporter does: a child whose threads, on two processors, call exported_alpha(),
 * _beta(), _gamma() and exported_key() as often as we say; engines that trace it; and what their snapshots must have:
 * every call exactly once, in a row of its key or in the row of all others. What is not as expected ends the program.
 */
#ifndef SONDE_TESTS_ENGINES_TRACED_H
#define SONDE_TESTS_ENGINES_TRACED_H

#include "engine/engine.h"

#define KEYS	10000
#define THREADS 2
#define MAX	128
/* Calls of the functions without keys, by each thread in each round. */
#define ALPHAS 3
#define BETAS  5
#define GAMMAS 7
/* A key, and a value that tells a program to delete it. */
#define TRACED_DELETED 2
#define TRACED_DELETE  99

struct traced {
	const char *name;
	struct engine_context ctx;
	struct engine_metrics metrics;
	struct engine_instance instance;
	char *spec; /* traced_close() frees it */
	const char *args[3];
};

/* Of one table of a snapshot. */
struct totals {
	const struct traced *of;
	const char *table;
	size_t rows;
	uint64_t values, others; /* how many values there are, and how many of those in the row of all others */
	uint64_t sum;		 /* of the values of histograms */
};

void traced_fail(const char *who, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

/* The child, before any engine; and its end. */
void traced_start(void);
void traced_end(void);
/* Return when all threads have made their calls, and when exported_key(TRACED_DELETED, TRACED_DELETE) was called. */
void traced_run(void);
void traced_delete(void);
/* The value that goes with a key, and the sum of those of a round. */
unsigned long traced_value(unsigned long key);
uint64_t traced_sum(void);

/* An engine with room for max rows. The caller sets its arguments and settings between the two calls. */
void traced_init(struct traced *traced, const char *name, const struct engine *engine, const void *source,
		 const struct schema *schema, uint32_t max);
void traced_open(struct traced *traced);
void traced_close(struct traced *traced);

/* table NULL: the only one. sum: of the values of histograms. */
struct totals traced_read(const struct traced *traced, const char *table);
void traced_expect(const struct traced *traced, const char *table, size_t rows, uint64_t values, uint64_t others,
		   uint64_t sum);
/* Nothing is lost. */
void traced_expect_stats(struct traced *traced, uint64_t hits, uint64_t others);
/* Opening it fails with an error of usage; closes it. */
void traced_expect_refused(struct traced *traced, const char *wanted);

#endif
