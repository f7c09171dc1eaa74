// SPDX-License-Identifier: BSD-2-Clause
/* Each clock is the one that its name says: BPF's helpers and time(2) have the same. */
#include <criterion/criterion.h>
#include <time.h>

#include "base/clock.h"

/* What clock_gettime(2) says of a clock, between two looks at ours. */
static void expect_between(uint64_t (*ours)(void), clockid_t clock)
{
	uint64_t before = ours(), after;
	struct timespec ts;

	clock_gettime(clock, &ts);
	after = ours();
	cr_expect_leq(before, ts.tv_sec * NS_PER_SEC + ts.tv_nsec);
	cr_expect_geq(after, ts.tv_sec * NS_PER_SEC + ts.tv_nsec);
}

Test(base_clock, each_is_its_own)
{
	expect_between(clock_monotonic_ns, CLOCK_MONOTONIC);
	expect_between(clock_boot_ns, CLOCK_BOOTTIME);
	expect_between(clock_wall_ns, CLOCK_REALTIME);
}

/* Both clocks are read during the call, so the offset lies between the farthest readings around it. */
Test(base_clock, wall_offset)
{
	uint64_t wall = clock_wall_ns(), boot = clock_boot_ns();
	uint64_t offset = clock_wall_offset();
	uint64_t wall_after = clock_wall_ns(), boot_after = clock_boot_ns();

	cr_expect_geq(offset, wall - boot_after);
	cr_expect_leq(offset, wall_after - boot);
}
