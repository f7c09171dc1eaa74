// SPDX-License-Identifier: BSD-2-Clause
/* Asks the kernel by capget(2), not /proc/self/status: /proc may not be mounted. */
#include <sys/syscall.h>

#include "caps.h"

bool base_capable(unsigned int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	return !syscall(SYS_capget, &header, data) && data[capability / 32].effective >> capability % 32 & 1;
}
