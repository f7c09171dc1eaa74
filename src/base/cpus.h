/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's processors. */
#ifndef SONDE_BASE_CPUS_H
#define SONDE_BASE_CPUS_H

#include <stdbool.h>

/*
 * Returns the highest possible processor id plus one, the size of an array that is indexed by id. Ids can have
 * gaps, so there may be fewer processors. The first call reads the number; it cannot change later, because the
 * kernel fixes the possible processors when it boots.
 */
int cpus_ids(void);

/* Sets each of the cpus_ids() elements: whether the processor with this id is online now. */
void cpus_online(bool *online);

#endif
