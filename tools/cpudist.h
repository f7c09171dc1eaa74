/* SPDX-License-Identifier: BSD-2-Clause */
/* What cpudist's programs are told. */
#ifndef SONDE_CPUDIST_H
#define SONDE_CPUDIST_H

struct cpudist_config {
	unsigned char idle; /* a processor that has nothing to do is a task as well */
};
_Static_assert(sizeof(struct cpudist_config) == 1, "as on the other side");

#endif
