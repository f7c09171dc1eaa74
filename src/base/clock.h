/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's clocks, in nanoseconds. output/clock.h formats times. */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_SEC 1000000000ULL
#define NS_PER_MS  1000000ULL

/* CLOCK_MONOTONIC: since boot, without suspended time, as bpf_ktime_get_ns(). For intervals and deadlines. */
uint64_t clock_monotonic_ns(void);
/* CLOCK_BOOTTIME: since boot, with suspended time, as bpf_ktime_get_boot_ns(). Events have these times. */
uint64_t clock_boot_ns(void);
/* CLOCK_REALTIME: since 1970. This clock may be set at any time, so it can jump. */
uint64_t clock_wall_ns(void);
/* What turns times of clock_boot_ns() into wall time, now: added to them, it gives ns since 1970. */
uint64_t clock_wall_offset(void);
/* The same for times of clock_monotonic_ns() and those of clock_boot_ns(): for how long the machine was suspended. */
uint64_t clock_boot_offset(void);

#endif
