// SPDX-License-Identifier: BSD-2-Clause
/* Whose turn on a processor a thread has waited for. Times in us. */
#include <criterion/criterion.h>

#include "bpf/why.h"
#include "bpf/why_turn.h"

#define US 1000ULL

/* The turns of one processor since 0, each with its end: whose turn is the longest after the last one. */
static void play(struct why_processor *processor, const unsigned int (*turns)[2], int n)
{
	for (int i = 0; i < n; i++)
		if (why_turn_ends(processor, turns[i][0], turns[i][1] * US, 0, 20 * US))
			processor->tid = turns[i][0];
}

Test(why_turn, the_longest_one_and_no_bystander)
{
	static const unsigned int turns[][2] = { { 7, 4000 }, { 8, 4030 } };
	struct why_processor processor = {};

	play(&processor, turns, 2);
	cr_expect_eq(processor.tid, 7);
	cr_expect(why_turn_counts(&processor, 1000 * US));
	/* of its turn, the wait has seen less than of the last one */
	cr_expect(!why_turn_counts(&processor, 3990 * US));
	cr_expect(!why_turn_counts(&processor, 4010 * US), "it had ended");
}

Test(why_turn, known_for_as_long_as_it_was_longer)
{
	static const unsigned int turns[][2] = { { 7, 1000 }, { 8, 1100 }, { 0, 1700 }, { 8, 1800 }, { 9, 1890 }, { 8, 1950 } };
	struct why_processor processor = {};

	play(&processor, turns, 4);
	cr_expect_eq(processor.tid, 7, "800 us ago, a turn of 1000: longer than one of 100");
	play(&processor, &turns[4], 1);
	cr_expect_eq(processor.tid, 7);
	play(&processor, &turns[5], 1);
	cr_expect_eq(processor.tid, 8);
}

Test(why_turn, short_ones_and_nobody_do_not_count)
{
	static const unsigned int turns[][2] = { { 7, 10 }, { 0, 900 } };
	struct why_processor processor = {};

	play(&processor, turns, 2);
	cr_expect_eq(processor.tid, 0);
	cr_expect(!why_turn_counts(&processor, 500 * US));
	/* before tracing, nothing counts: the turn was 15 us long */
	cr_expect(!why_turn_ends(&processor, 7, 1000 * US, 985 * US, 20 * US));
}
