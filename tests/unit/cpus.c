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
