// SPDX-License-Identifier: BSD-2-Clause
/* Decides which lines are sampled, paused and resumed. Measures nothing, and carries nothing out. */
#include "base/clock.h"
#include "bpf/sampling.h"
#include "budget_policy.h"

#define PATIENCE   2  /* so many seconds in a row may cost more than the budget */
#define WAIT_FIRST 10 /* seconds until the first trial */
#define WAIT_MOST  640
#define CHEAP	   0.05 /* of the budget: sampling such a line would save nothing */
#define TRIAL	   5	/* seconds that a trial must hold */
#define ROOM	   0.8	/* of the budget may be used, by our estimate, for a step back to be tried */
#define EARLIER	   3	/* times the runs of a window: earlier ones count no more than that */
#define KNOWN	   0.25 /* of the hits of a second must have been in windows */
#define HITS_LEAST 200	/* a second: with fewer, a window sees too little */
#define WINDOW	   (100 * NS_PER_MS)

static double total_of(const struct budget_line *lines, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += lines[i].paused ? 0 : lines[i].cost;
	return total;
}

/* What the line would cost with another ratio, if it costs so much now. */
static double cost_at(const struct budget_line *line, double cost, unsigned from, unsigned to)
{
	double now = line->fixed + (1 - line->fixed) / (1U << from);
	double then = line->fixed + (1 - line->fixed) / (1U << to);

	return now > 0 ? cost * then / now : cost;
}

static void changed(struct budget_line *line, unsigned trial)
{
	line->since = 0;
	line->trial = trial;
	if (!line->wait)
		line->wait = WAIT_FIRST;
}

/* Returns the dearest line that costs more than `least` and can be sampled more or, with pause, runs; NULL: none. */
static struct budget_line *dearest(struct budget_line *lines, size_t n, bool pause, double least)
{
	struct budget_line *found = NULL;

	for (size_t i = 0; i < n; i++) {
		struct budget_line *line = &lines[i];
		bool may = !line->paused && (pause || (line->samples && line->shift < SAMPLING_SHIFT_MAX));

		if (may && line->cost > least && (!found || line->cost > found->cost))
			found = line;
	}
	return found;
}

/* Samples until the estimate is within the budget; lines are paused only if none can be sampled more. */
static void reduce(struct budget_line *lines, size_t n, double limit)
{
	bool pause = !dearest(lines, n, false, limit * CHEAP);
	struct budget_line *line;

	while (total_of(lines, n) > limit && (line = dearest(lines, n, pause, pause ? 0 : limit * CHEAP))) {
		if (pause) {
			line->paused = true;
		} else {
			line->cost = cost_at(line, line->cost, line->shift, line->shift + 1);
			line->shift++;
		}
		changed(line, 0);
	}
}

/* The next trial is after twice the time. */
static void wait_longer(struct budget_line *line)
{
	line->wait = line->wait * 2 < WAIT_MOST ? line->wait * 2 : WAIT_MOST;
	changed(line, 0);
}

void budget_policy_failed(struct budget_line *line)
{
	line->paused = true;
	wait_longer(line);
}

/* Undoes the steps that are on trial. Returns whether there was one. */
static bool end_trials(struct budget_line *lines, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct budget_line *line = &lines[i];

		if (!line->trial)
			continue;
		if (line->samples && line->shift < SAMPLING_SHIFT_MAX)
			line->shift++;
		else
			line->paused = true;
		wait_longer(line);
		any = true;
	}
	return any;
}

/* Whether there is room for a line to take a step back. A trial shows what a paused line would cost. */
static bool has_room(const struct budget_line *line, double total, double limit)
{
	if (!line->paused && !line->shift)
		return false;
	if (line->since < line->wait)
		return false;
	if (line->paused)
		return total <= limit;
	return total - line->cost + cost_at(line, line->cost, line->shift, line->shift - 1) <= limit * ROOM;
}

/* Starts one trial, the cheapest first: it is the likeliest to hold. */
static bool try_more(struct budget_line *lines, size_t n, double limit)
{
	double total = total_of(lines, n);
	struct budget_line *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (lines[i].trial)
			return false;
		if (has_room(&lines[i], total, limit) && (!best || lines[i].wait < best->wait))
			best = &lines[i];
	}
	if (!best)
		return false;
	if (best->paused)
		best->paused = false;
	else
		best->shift--;
	changed(best, TRIAL);
	return true;
}

/* A trial that has held: the next one may begin sooner. */
static void pass_time(struct budget_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct budget_line *line = &lines[i];

		line->since++;
		if (line->trial && !--line->trial)
			line->wait = WAIT_FIRST;
	}
}

bool budget_policy_glance(const struct budget_policy *policy, struct budget_line *lines, size_t n)
{
	return total_of(lines, n) > policy->limit && end_trials(lines, n);
}

bool budget_policy_step(struct budget_policy *policy, struct budget_line *lines, size_t n)
{
	bool over = total_of(lines, n) > policy->limit;

	policy->over = over ? policy->over + 1 : 0;
	if (over && end_trials(lines, n))
		return true;
	pass_time(lines, n);
	if (policy->over >= PATIENCE) {
		reduce(lines, n, policy->limit);
		return true;
	}
	return !over && try_more(lines, n, policy->limit);
}

uint64_t budget_policy_grown(uint64_t hits, uint64_t before)
{
	return hits > before ? hits - before : 0;
}

void budget_policy_learn(struct budget_window *learned, const struct budget_window *window)
{
	double most = EARLIER * window->runs, part = learned->runs > most ? most / learned->runs : 1;

	learned->runs = learned->runs * part + window->runs;
	learned->hits = learned->hits * part + window->hits;
	learned->ns = learned->ns * part + window->ns;
	learned->programs_ns = learned->programs_ns * part + window->programs_ns;
}

bool budget_policy_knows_little(const struct budget_window *learned, uint64_t hits)
{
	return hits >= HITS_LEAST && learned->hits < KNOWN * hits;
}

uint64_t budget_policy_window_end(const struct budget_policy *policy, uint64_t began, uint64_t second)
{
	return policy->over || began + WINDOW > second ? second : began + WINDOW;
}
