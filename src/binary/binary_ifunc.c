// SPDX-License-Identifier: BSD-2-Clause
/* Finds the implementations of IFUNCs: tries the sources in order. */
#include "asker.h"

static void ask_library(struct bound *bound)
{
	struct asker asker __cleanup(asker_end) = {};

	if (!asker_start(&asker, bound))
		bound_read(bound, asker.pid, asker.table);
}

void binary_resolve_ifuncs(struct binary *binary, pid_t pid, struct binary_ifunc *ifuncs, size_t n)
{
	struct bound bound __cleanup(bound_release) = {};

	bound_init(&bound, binary, ifuncs, n);
	/* first, for its choice may differ from that of other processes (GLIBC_TUNABLES) */
	if (pid && bound.unknown)
		bound_read(&bound, pid, 0);
	if (bound.unknown)
		ask_library(&bound);
	if (bound.unknown)
		bound_read_others(&bound);
}
