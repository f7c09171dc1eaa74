// SPDX-License-Identifier: BSD-2-Clause
/* The policy of the budget, with made-up storms: lines whose cost follows from what the policy decides. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "export/budget_policy.h"

#define LIMIT 0.005
#define LINES 3

/* What each line would cost if it ran and measured all. */
struct world {
	struct budget_policy policy;
	struct budget_line lines[LINES];
	double full[LINES];
	unsigned changes;
};

static double cost(const struct world *world, size_t i)
{
	const struct budget_line *line = &world->lines[i];

	if (line->paused)
		return 0;
	return world->full[i] * (line->fixed + (1 - line->fixed) / (1U << line->shift));
}

static double total(const struct world *world)
{
	double sum = 0;

	for (size_t i = 0; i < LINES; i++)
		sum += cost(world, i);
	return sum;
}

/* A second passes. Returns what it has cost. */
static double second(struct world *world)
{
	double sum = total(world);

	for (size_t i = 0; i < LINES; i++)
		world->lines[i].cost = cost(world, i);
	world->changes += budget_policy_step(&world->policy, world->lines, LINES);
	return sum;
}

static struct world new_world(void)
{
	struct world world = { .policy.limit = LIMIT };

	for (size_t i = 0; i < LINES; i++) {
		world.lines[i].samples = i < 2;
		world.lines[i].fixed = i < 2 ? 0.4 : 1;
		world.full[i] = 0.0005;
	}
	return world;
}

Test(budget_policy, leaves_what_is_within_the_budget)
{
	struct world world = new_world();

	for (int i = 0; i < 1000; i++)
		second(&world);
	cr_expect_eq(world.changes, 0);
}

Test(budget_policy, ignores_one_second)
{
	struct world world = new_world();

	for (int i = 0; i < 100; i++) {
		world.full[0] = i % 2 ? 0.05 : 0.0005;
		second(&world);
	}
	cr_expect_eq(world.changes, 0);
}

Test(budget_policy, is_within_the_budget_after_five_seconds)
{
	for (size_t dear = 0; dear < LINES; dear++) {
		struct world world = new_world();

		world.full[dear] = 0.05;
		for (int i = 0; i < 5; i++)
			second(&world);
		cr_expect_leq(total(&world), LIMIT, "line %zu: %f", dear, total(&world));
		for (size_t i = 0; i < LINES; i++)
			cr_expect_eq(world.lines[i].paused, i == dear, "line %zu", i);
	}
}

Test(budget_policy, samples_if_that_is_enough_and_only_the_dearest)
{
	struct world world = new_world();

	world.full[1] = 0.007;
	for (int i = 0; i < 5; i++)
		second(&world);
	cr_expect_leq(total(&world), LIMIT);
	cr_expect_eq(world.lines[1].shift, 2);
	cr_expect_not(world.lines[1].paused);
	cr_expect_eq(world.lines[0].shift, 0);
}

Test(budget_policy, does_not_sample_what_costs_nothing)
{
	struct world world = new_world();

	world.full[0] = 0.05;
	world.full[1] = LIMIT / 100;
	for (int i = 0; i < 5; i++)
		second(&world);
	cr_expect(world.lines[0].paused);
	cr_expect_eq(world.lines[1].shift, 0);
}

Test(budget_policy, all_at_once)
{
	struct world world = new_world();

	for (size_t i = 0; i < LINES; i++)
		world.full[i] = 0.02;
	for (int i = 0; i < 5; i++)
		second(&world);
	cr_expect_leq(total(&world), LIMIT);
}

/* Ten minutes of a storm: trials are rare, and the budget holds on the whole. */
Test(budget_policy, does_not_oscillate)
{
	struct world world = new_world();
	double sum = 0;

	world.full[0] = 0.05;
	for (int i = 0; i < 5; i++)
		second(&world);
	world.changes = 0;
	for (int i = 0; i < 600; i++)
		sum += second(&world);
	cr_expect_leq(world.changes, 16, "%u changes", world.changes);
	cr_expect_leq(sum / 600, LIMIT * 1.2, "%f", sum / 600);
}

/* A load that stays a little over the budget if nothing is done settles. */
Test(budget_policy, settles_at_the_limit)
{
	struct world world = new_world();

	world.full[0] = 0.0052;
	for (int i = 0; i < 600; i++)
		second(&world);
	world.changes = 0;
	for (int i = 0; i < 600; i++)
		second(&world);
	cr_expect_eq(world.changes, 0, "%u changes", world.changes);
	cr_expect_leq(total(&world), LIMIT);
}

Test(budget_policy, comes_back_after_the_storm)
{
	for (size_t dear = 0; dear < LINES; dear++) {
		struct world world = new_world();

		world.full[dear] = 0.05;
		for (int i = 0; i < 30; i++)
			second(&world);
		world.full[dear] = 0.0005;
		for (int i = 0; i < 120; i++)
			second(&world);
		for (size_t i = 0; i < LINES; i++) {
			cr_expect_not(world.lines[i].paused, "line %zu", i);
			cr_expect_eq(world.lines[i].shift, 0, "line %zu", i);
		}
	}
}

Test(budget_policy, ends_a_trial_at_once)
{
	struct world world = new_world();
	unsigned wait;

	world.full[2] = 0.05;
	for (int i = 0; i < 100 && !world.lines[2].trial; i++)
		second(&world);
	cr_assert_neq(world.lines[2].trial, 0);
	cr_assert_not(world.lines[2].paused);
	wait = world.lines[2].wait;
	world.lines[2].cost = 0.0001;
	cr_expect_not(budget_policy_glance(&world.policy, world.lines, LINES));
	cr_expect_not(world.lines[2].paused);
	world.lines[2].cost = cost(&world, 2);
	cr_expect(budget_policy_glance(&world.policy, world.lines, LINES));
	cr_expect(world.lines[2].paused);
	cr_expect_eq(world.lines[2].wait, 2 * wait);
}

/* What cannot be attached again is tried once in a while. */
Test(budget_policy, tries_again_what_could_not_be_resumed)
{
	struct world world = new_world();
	unsigned wait;

	world.full[2] = 0.05;
	for (int i = 0; i < 100 && !world.lines[2].trial; i++)
		second(&world);
	wait = world.lines[2].wait;
	budget_policy_failed(&world.lines[2]);
	cr_expect(world.lines[2].paused);
	cr_expect_eq(world.lines[2].wait, 2 * wait);
	for (unsigned i = 0; i + 1 < 2 * wait; i++) {
		second(&world);
		cr_expect(world.lines[2].paused);
	}
	for (int i = 0; i < 100 && world.lines[2].paused; i++)
		second(&world);
	cr_expect_neq(world.lines[2].trial, 0);
}

/* A program that deletes keys of a map costs nothing by that. */
Test(budget_policy, hits_that_shrink_cost_nothing)
{
	cr_expect_eq(budget_policy_grown(1030, 1000), 30);
	cr_expect_eq(budget_policy_grown(1000, 1000), 0);
	cr_expect_eq(budget_policy_grown(5, 1000), 0);
}

/* A window: two runs a hit, each with a trap of 1000 ns. */
static void learn(struct budget_window *learned, double runs, double program_ns)
{
	const struct budget_window window = {
		.runs = runs, .hits = runs / 2, .ns = runs * (1000 + program_ns), .programs_ns = runs * program_ns
	};

	budget_policy_learn(learned, &window);
}

static double per_run(const struct budget_window *learned)
{
	return learned->programs_ns / learned->runs;
}

Test(budget_policy, one_dear_window_counts_a_quarter)
{
	struct budget_window learned = {};

	for (int i = 0; i < 10; i++)
		learn(&learned, 1000, 100);
	learn(&learned, 1000, 180);
	cr_expect_float_eq(per_run(&learned), 120, 0.001, "%f", per_run(&learned));
	cr_expect_float_eq(learned.ns / learned.hits, 2 * 1120, 0.01);
	for (int i = 0; i < 10; i++)
		learn(&learned, 1000, 100);
	cr_expect_float_eq(per_run(&learned), 100, 2);
}

Test(budget_policy, the_first_window_of_a_storm_outweighs_idle_ones)
{
	struct budget_window learned = {};

	for (int i = 0; i < 10; i++)
		learn(&learned, 20, 2000);
	learn(&learned, 20000, 100);
	cr_expect_float_eq(per_run(&learned), 100, 10, "%f", per_run(&learned));
	for (int i = 0; i < 10; i++)
		learn(&learned, 20, 2000);
	cr_expect_gt(per_run(&learned), 1800, "idle again: %f", per_run(&learned));
}

Test(budget_policy, a_line_that_is_new_or_in_a_storm_is_measured_soon)
{
	struct budget_window learned = {};

	cr_expect(!budget_policy_knows_little(&learned, 100), "a window would see ten hits");
	cr_expect(budget_policy_knows_little(&learned, 10000));
	learn(&learned, 2000, 100);
	cr_expect(budget_policy_knows_little(&learned, 10000), "one window of a tenth of a second");
	for (int i = 0; i < 5; i++)
		learn(&learned, 2000, 100);
	cr_expect(!budget_policy_knows_little(&learned, 10000));
	cr_expect(budget_policy_knows_little(&learned, 100000), "a storm has begun");
}

Test(budget_policy, measures_a_whole_second_when_over)
{
	struct budget_policy policy = { .limit = LIMIT };
	uint64_t began = 50 * NS_PER_SEC, second = began + NS_PER_SEC - NS_PER_MS;

	cr_expect_eq(budget_policy_window_end(&policy, began, second), began + 100 * NS_PER_MS);
	cr_expect_eq(budget_policy_window_end(&policy, began, began + NS_PER_MS), began + NS_PER_MS);
	policy.over = 1;
	cr_expect_eq(budget_policy_window_end(&policy, began, second), second);
}
