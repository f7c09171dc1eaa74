/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of stackcount's program. */
#ifndef SONDE_TOOLS_STACKCOUNT_H
#define SONDE_TOOLS_STACKCOUNT_H

struct stackcount_config {
	unsigned char by_process; /* count each process by itself */
};
_Static_assert(sizeof(struct stackcount_config) == 1, "as on the other side");

#endif
