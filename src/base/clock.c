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
static uint64_t offset_between(clockid_t from, clockid_t to)
{
	uint64_t closest = UINT64_MAX, offset = 0;

	for (int tries = 0; tries < 5 && closest > APART_NS; tries++) {
		uint64_t one = clock_ns(from), other = clock_ns(to);
		uint64_t apart = clock_ns(from) - one;

		if (apart >= closest)
			continue;
		closest = apart;
		offset = other - one - apart / 2;
	}
	return offset;
}

uint64_t clock_wall_offset(void)
{
	return offset_between(CLOCK_BOOTTIME, CLOCK_REALTIME);
}

uint64_t clock_boot_offset(void)
{
	return offset_between(CLOCK_MONOTONIC, CLOCK_BOOTTIME);
}
