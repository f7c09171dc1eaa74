/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's processors. */
#ifndef SONDE_CPUS_H
#define SONDE_CPUS_H

/*
 * The highest id that a processor can have, plus one: ids may have gaps, so there can be fewer of them.
 * Read once: which are possible is known when the kernel boots.
 */
int cpus_ids(void);

#endif
