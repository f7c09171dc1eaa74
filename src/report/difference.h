/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between the sums of two recordings, as a table. */
#ifndef SONDE_REPORT_DIFFERENCE_H
#define SONDE_REPORT_DIFFERENCE_H

#include "output/output.h"
#include "sums.h"

/* Prints what changed from `old` to `now`, the largest change of time first. */
void difference_print(const struct sums *old, const struct recording *old_r, const struct sums *now,
		      const struct recording *r, struct output *out, uint32_t top);

#endif
