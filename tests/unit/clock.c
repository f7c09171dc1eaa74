// SPDX-License-Identifier: BSD-2-Clause
/* Times as text, in time zones with and without minutes. */
#include <criterion/criterion.h>
#include <time.h>

#include "output/clock.h"

#define SECOND 1000000000ULL
/* 2024-05-01 12:00:00 UTC */
#define MAY 1714564800ULL

static const char *time_of(uint64_t ns)
{
	static struct str s;

	str_reset(&s);
	clock_add_time(&s, ns);
	return s.data;
}

static const char *stamp_of(uint64_t ns)
{
	static struct str s;

	str_reset(&s);
	clock_add_stamp(&s, ns);
	return s.data;
}

static const char *seconds_of(uint64_t ns, int decimals)
{
	static struct str s;

	str_reset(&s);
	clock_add_seconds(&s, ns, decimals);
	return s.data;
}

static void live_in(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

Test(clock, time_and_stamp)
{
	live_in("UTC0");
	cr_expect_str_eq(time_of(0), "00:00:00");
	cr_expect_str_eq(stamp_of(0), "1970-01-01T00:00:00.000000+00:00");
	cr_expect_str_eq(time_of(MAY * SECOND + 999999999), "12:00:00");
	cr_expect_str_eq(stamp_of(MAY * SECOND + 123456789), "2024-05-01T12:00:00.123456+00:00");
	cr_expect_str_eq(stamp_of(MAY * SECOND + 999999999), "2024-05-01T12:00:00.999999+00:00");
	cr_expect_str_eq(stamp_of(MAY * SECOND + 1000), "2024-05-01T12:00:00.000001+00:00");
}

/* The text of a second is computed once and kept: it must not be used for another second. */
Test(clock, each_second_is_another)
{
	live_in("UTC0");
	for (int turn = 0; turn < 2; turn++) {
		cr_expect_str_eq(time_of(MAY * SECOND), "12:00:00");
		cr_expect_str_eq(time_of((MAY + 1) * SECOND), "12:00:01");
		cr_expect_str_eq(time_of((MAY + 1) * SECOND - 1), "12:00:00");
		cr_expect_str_eq(stamp_of((MAY + 86400) * SECOND), "2024-05-02T12:00:00.000000+00:00");
	}
}

Test(clock, time_zones)
{
	live_in("XXX-2");
	cr_expect_str_eq(stamp_of(MAY * SECOND), "2024-05-01T14:00:00.000000+02:00");
	live_in("XXX-5:30");
	cr_expect_str_eq(time_of(MAY * SECOND), "17:30:00");
	cr_expect_str_eq(stamp_of(MAY * SECOND), "2024-05-01T17:30:00.000000+05:30");
	live_in("XXX3:30");
	cr_expect_str_eq(stamp_of(MAY * SECOND), "2024-05-01T08:30:00.000000-03:30");
	live_in("XXX13");
	cr_expect_str_eq(stamp_of(MAY * SECOND), "2024-04-30T23:00:00.000000-13:00");
	/* the clocks go forward at 02:00 */
	live_in("CET-1CEST,M3.5.0,M10.5.0/3");
	cr_expect_str_eq(stamp_of(1711846800 * SECOND - 1), "2024-03-31T01:59:59.999999+01:00");
	cr_expect_str_eq(stamp_of(1711846800 * SECOND), "2024-03-31T03:00:00.000000+02:00");
}

Test(clock, seconds)
{
	cr_expect_str_eq(seconds_of(0, 6), "0.000000");
	cr_expect_str_eq(seconds_of(1, 9), "0.000000001");
	cr_expect_str_eq(seconds_of(1999, 6), "0.000001");
	cr_expect_str_eq(seconds_of(12 * SECOND + 345678901, 3), "12.345");
	cr_expect_str_eq(seconds_of(12 * SECOND + 999999999, 0), "12");
	cr_expect_str_eq(seconds_of(UINT64_MAX, 6), "18446744073.709551");
}
