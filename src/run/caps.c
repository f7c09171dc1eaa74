// SPDX-License-Identifier: BSD-2-Clause
/* Checks for the rights to trace, and for /proc, which nearly every look-up needs. */
#include "base/caps.h"
#include "base/str.h"
#include "caps.h"

int caps_check(struct err *err)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} needed[] = { { CAP_BPF, "CAP_BPF" }, { CAP_PERFMON, "CAP_PERFMON" } };
	__str struct str missing = {};

	if (access("/proc/self/stat", F_OK))
		return err_set(err, -ENOENT, "/proc is not mounted: mount -t proc proc /proc");
	if (base_capable(CAP_SYS_ADMIN))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!base_capable(needed[i].bit))
			str_addf(&missing, "%s%s", missing.len ? " and " : "", needed[i].name);
	if (!missing.len)
		return 0;
	return err_set(err, -EPERM, "tracing needs root, or %s, which this process does not have (try sudo)",
		       missing.data);
}
