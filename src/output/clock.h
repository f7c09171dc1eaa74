/* SPDX-License-Identifier: BSD-2-Clause */
/* Wall time as rows show it, in the local time zone. The calendar is asked once for each second, not for each row. */
#ifndef SONDE_CLOCK_H
#define SONDE_CLOCK_H

#include "base/str.h"

/* ns: since 1970. HH:MM:SS */
void clock_add_time(struct str *s, uint64_t ns);
/* RFC 3339 with microseconds and the local offset: 2024-05-01T12:00:00.123456+02:00 */
void clock_add_stamp(struct str *s, uint64_t ns);
/* Seconds, with that many decimals (up to 9); the rest is cut off. */
void clock_add_seconds(struct str *s, uint64_t ns, int decimals);

#endif
