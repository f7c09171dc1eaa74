/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats wall-clock time in the local time zone, and durations. The calendar is computed once a second, not for
 * each row.
 */
#ifndef SONDE_OUTPUT_CLOCK_H
#define SONDE_OUTPUT_CLOCK_H

#include "base/str.h"

/* Appends HH:MM:SS. ns: nanoseconds since 1970. */
void clock_add_time(struct str *s, uint64_t ns);
/* Appends "." and up to 9 decimals of the second, to stand behind a time. Further digits are cut off. */
void clock_add_fraction(struct str *s, uint64_t ns, int decimals);
/* Appends the time as in RFC 3339, with microseconds and the local offset: 2024-05-01T12:00:00.123456+02:00 */
void clock_add_stamp(struct str *s, uint64_t ns);
/* Appends ns as seconds with up to 9 decimals. Further digits are cut off, not rounded. */
void clock_add_seconds(struct str *s, uint64_t ns, int decimals);

#endif
