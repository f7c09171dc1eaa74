/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's clocks, in nanoseconds. How a time is written is output/clock.h's. */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_SEC 1000000000ULL
#define NS_PER_MS  1000000ULL

/* Since boot, without the time that the machine was suspended (bpf_ktime_get_ns()). For intervals and deadlines. */
uint64_t clock_monotonic_ns(void);
/* Since boot, with that time (bpf_ktime_get_boot_ns()): the clock of events. */
uint64_t clock_boot_ns(void);
/* Since 1970. Somebody may set this clock at any time. */
uint64_t clock_wall_ns(void);

#endif
