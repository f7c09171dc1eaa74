// SPDX-License-Identifier: BSD-2-Clause
#include <sys/resource.h>

#include "file_limit.h"

#define WANTED (1024 * 1024)

size_t file_limit_raise(void)
{
	struct rlimit limit = { WANTED, WANTED };

	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return WANTED;
	/* Without the privilege, up to the hard limit. */
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 256;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}
