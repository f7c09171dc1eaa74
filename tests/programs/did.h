/* SPDX-License-Identifier: BSD-2-Clause */
/* For programs that report what they did: when it was done. Begin, do it, and print did_when(). */
#ifndef SONDE_TESTS_PROGRAMS_DID_H
#define SONDE_TESTS_PROGRAMS_DID_H

#include <stdio.h>
#include <time.h>

/* To convert a time from one clock to another, a program reads both. It may be interrupted between the two reads. */
#define DID_SLACK_NS 20000000LL

struct did {
	long long boot, wall; /* before */
};

static inline long long did_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static inline struct did did_begin(void)
{
	return (struct did){ did_ns(CLOCK_BOOTTIME), did_ns(CLOCK_REALTIME) };
}

static inline void did_stamp(char *to, size_t size, long long ns)
{
	time_t t = ns / 1000000000;
	struct tm tm;
	size_t n;

	gmtime_r(&t, &tm);
	n = strftime(to, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(to + n, size - n, ".%06lld", ns % 1000000000 / 1000);
}

/* BOOT BOOT WALL WALL: between which two ns since boot, and between which two times of day, in UTC */
static inline void did_when(const struct did *did)
{
	long long now = did_ns(CLOCK_BOOTTIME);
	char from[64], to[64];

	did_stamp(from, sizeof(from), did->wall - DID_SLACK_NS);
	did_stamp(to, sizeof(to), did_ns(CLOCK_REALTIME) + DID_SLACK_NS);
	printf("%lld %lld %s %s\n", did->boot, now, from, to);
	fflush(stdout);
}

#endif
