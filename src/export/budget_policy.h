/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What to do when the lines cost more than the budget: a function of numbers, once a second. First histograms are
 * sampled (one of 2, 4, 8), the dearest line first; if that is not enough, the dearest line is paused. Each comes back
 * for a trial: if that exceeds the budget, it ends at once, and the next one is after twice the time.
 *
 * Costs are shares of the machine: 1 is all processors.
 */
#ifndef SONDE_EXPORT_BUDGET_POLICY_H
#define SONDE_EXPORT_BUDGET_POLICY_H

#include "base/base.h"

struct budget_line {
	/* Set by the caller before each step: what the line has cost in the last second; 0 while it is paused. */
	double cost;
	/* The part of the cost that sampling does not save: one of 2^shift costs fixed + (1 - fixed) / 2^shift. */
	double fixed;
	bool samples; /* whether its programs obey a sampling word */
	/* What the caller carries out after each step. */
	unsigned shift; /* measure one of 2^shift */
	bool paused;
	/* The policy's own: seconds since the last change, and until the next trial. */
	unsigned since, wait;
	unsigned trial; /* seconds that are left of the trial, 0: there is none */
};

struct budget_policy {
	double limit;
	unsigned over; /* for so many seconds the lines have cost more */
};

/* A second has passed. Returns whether anything is to be changed. */
bool budget_policy_step(struct budget_policy *policy, struct budget_line *lines, size_t n);
/*
 * The costs are those of the first moment of a trial: ends it if it exceeds the budget. Returns whether that is so. So
 * a trial during a storm is short.
 */
bool budget_policy_glance(const struct budget_policy *policy, struct budget_line *lines, size_t n);

/* The caller cannot carry out that the line is paused no more: the next trial is after twice the time. */
void budget_policy_failed(struct budget_line *line);

/* Returns by how much a line's hits have grown. They shrink when a program deletes keys: nothing is known then, 0. */
uint64_t budget_policy_grown(uint64_t hits, uint64_t before);

/* What was measured of a line in a window; or in several, of which the older ones count less. */
struct budget_window {
	double runs, hits;	/* of its programs; of the line */
	double ns, programs_ns; /* all that the runs cost; the part of it in programs */
};

/*
 * Adds a window, which has runs, to what was learned. A single window is too short: a program that is interrupted for a
 * moment makes it too dear. All windows before count at most three times as much as the new one, so that an idle time
 * weighs nothing as soon as a storm begins.
 */
void budget_policy_learn(struct budget_window *learned, const struct budget_window *window);
/* Whether the next window should be opened now: the windows have seen little of what one second has, `hits`. */
bool budget_policy_knows_little(const struct budget_window *learned, uint64_t hits);
/*
 * Returns when the window ends that began then: after 100 ms, or at the end of the second if the lines seem to be over
 * the budget. A short window can coincide with a burst, such as the system calls of each scrape.
 */
uint64_t budget_policy_window_end(const struct budget_policy *policy, uint64_t began, uint64_t second);

#endif
