/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps what the lines cost within a share of the machine. Each second it multiplies how often the programs of a line
 * ran by what a run costs: the time in them, which the kernel measures during 100 ms in 10 s if it permits that (each
 * second while little is known of a line, and for a whole second before anything is done), and the trap that leads to
 * them, estimated for each mechanism. budget_policy.h says what follows, and each step is a line in the log.
 */
#ifndef SONDE_EXPORT_BUDGET_H
#define SONDE_EXPORT_BUDGET_H

#include "metrics/metrics.h"
#include "sources.h"

struct budget;

/* text: a share of all processors, "0.5%". Returns 0, or -EINVAL with err. */
int budget_new(struct budget **budget, const char *text, struct err *err);
void budget_free(struct budget *budget);

/* All of these do nothing with NULL: there is no budget. */
/* When budget_tick() must be called, in ns of clock_monotonic_ns(); UINT64_MAX: never. */
uint64_t budget_deadline(const struct budget *budget);
/* Other sources run from now on. Call it before those that are gone are used in any way. */
void budget_follow(struct budget *budget, const struct sources *sources);
/* Measures, and samples, pauses or resumes lines. Call it at any time. */
void budget_tick(struct budget *budget, struct sources *sources, uint64_t now);
/* Adds its metrics to the page. */
void budget_collect(const struct budget *budget, struct metrics *page);

#endif
