// SPDX-License-Identifier: BSD-2-Clause
/* There are at least as many ids of processors as processors. */
#include <criterion/criterion.h>
#include <unistd.h>

#include "base/cpus.h"

Test(cpus, ids)
{
	cr_expect_geq(cpus_ids(), sysconf(_SC_NPROCESSORS_CONF));
	cr_expect_lt(cpus_ids(), 1 << 20);
}

/* As many are online as the C library counts. */
Test(cpus, online)
{
	bool *online = calloc(cpus_ids(), sizeof(*online));
	long n = 0;

	cpus_online(online);
	for (int i = 0; i < cpus_ids(); i++)
		n += online[i];
	cr_expect_eq(n, sysconf(_SC_NPROCESSORS_ONLN));
	free(online);
}
