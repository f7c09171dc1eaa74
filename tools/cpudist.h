/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of cpudist's programs. */
#ifndef SONDE_TOOLS_CPUDIST_H
#define SONDE_TOOLS_CPUDIST_H

struct cpudist_config {
	unsigned char idle; /* an idle processor counts as a task, too */
};
_Static_assert(sizeof(struct cpudist_config) == 1, "as on the other side");

#endif
