/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of interrupts. */
#ifndef SONDE_KERNEL_INTERRUPTS_H
#define SONDE_KERNEL_INTERRUPTS_H

#include "base/base.h"

#define INTERRUPTS_SOFT 10 /* include/linux/interrupt.h: new ones need a very good reason */

/* Of soft interrupts, by their number. */
extern const char *const interrupts_soft[INTERRUPTS_SOFT];

/* Names by number. Initialise with {}. */
struct interrupts {
	vec(struct interrupts_name {
		uint32_t number;
		char *name;
	});
};

/* Adds those of /proc/interrupts that are not known yet: who handles them, separated by ", ". */
void interrupts_read(struct interrupts *interrupts);
/* The same, of a line of that file; what is no interrupt with a number and a name is ignored. */
void interrupts_add_line(struct interrupts *interrupts, const char *line);
/* NULL: not known. Valid until the next read. */
const char *interrupts_name(const struct interrupts *interrupts, uint32_t number);
void interrupts_release(struct interrupts *interrupts);

/* What a processor's own vector is for; NULL: not known. */
const char *interrupts_vector(uint32_t vector);

#endif
