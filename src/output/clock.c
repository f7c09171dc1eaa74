// SPDX-License-Identifier: BSD-2-Clause
/* Formats times. */
#include <time.h>

#include "base/clock.h"
#include "clock.h"

/* The text of the second that was formatted last. */
static struct {
	bool known;
	uint64_t second;
	long zone;	/* timezone of tzset(3) */
	char time[16];	/* 12:00:00 */
	char date[32];	/* 2024-05-01T12:00:00 */
	char offset[8]; /* +hhmm */
} last;

static void look_up(uint64_t second)
{
	time_t t = second;
	struct tm tm = {};

	if (last.known && last.second == second && last.zone == timezone)
		return;
	localtime_r(&t, &tm);
	strftime(last.time, sizeof(last.time), "%H:%M:%S", &tm);
	strftime(last.date, sizeof(last.date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(last.offset, sizeof(last.offset), "%z", &tm);
	last.second = second;
	last.zone = timezone;
	last.known = true;
}

void clock_add_fraction(struct str *s, uint64_t ns, int decimals)
{
	char digits[10];

	for (int i = 8; i >= 0; i--, ns /= 10)
		digits[i] = '0' + ns % 10;
	str_addc(s, '.');
	str_addn(s, digits, decimals);
}

void clock_add_time(struct str *s, uint64_t ns)
{
	look_up(ns / NS_PER_SEC);
	str_add(s, last.time);
}

void clock_add_stamp(struct str *s, uint64_t ns)
{
	look_up(ns / NS_PER_SEC);
	str_add(s, last.date);
	clock_add_fraction(s, ns, 6);
	/* strftime() writes +hhmm, the RFC +hh:mm */
	str_addn(s, last.offset, 3);
	str_addc(s, ':');
	str_add(s, last.offset + 3);
}

void clock_add_seconds(struct str *s, uint64_t ns, int decimals)
{
	str_add_u64(s, ns / NS_PER_SEC);
	if (decimals)
		clock_add_fraction(s, ns, decimals);
}
