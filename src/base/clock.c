// SPDX-License-Identifier: BSD-2-Clause
/* clock_gettime(2) as one number. It cannot fail for these clocks. */
#include <time.h>

#include "clock.h"

/* Two clocks that are read within this time count as read at once. */
#define APART_NS 100000ULL

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t clock_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

/* A delay between reading the two clocks would shift the result, so read a few times and use the closest pair. */
uint64_t clock_wall_offset(void)
{
	uint64_t closest = UINT64_MAX, offset = 0;

	for (int tries = 0; tries < 5 && closest > APART_NS; tries++) {
		uint64_t boot = clock_boot_ns(), wall = clock_wall_ns();
		uint64_t apart = clock_boot_ns() - boot;

		if (apart >= closest)
			continue;
		closest = apart;
		offset = wall - boot - apart / 2;
	}
	return offset;
}
