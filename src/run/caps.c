// SPDX-License-Identifier: BSD-2-Clause
/* The capabilities that tracing takes (capabilities(7)), read from /proc/self/status. */
#include <linux/capability.h>

#include "base/str.h"
#include "caps.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

static uint64_t effective(void)
{
	__fclose FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[256];

	/* without /proc nothing is known: the kernel will tell */
	if (!f)
		return ~0ULL;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	return caps;
}

int caps_check(struct err *err)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} needed[] = { { CAP_BPF, "CAP_BPF" }, { CAP_PERFMON, "CAP_PERFMON" } };
	uint64_t have = effective();
	__str struct str missing = {};

	if (have & 1ULL << CAP_SYS_ADMIN)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!(have & 1ULL << needed[i].bit))
			str_addf(&missing, "%s%s", missing.len ? " and " : "", needed[i].name);
	if (!missing.len)
		return 0;
	return err_set(err, -EPERM, "tracing needs root, or %s, which this process does not have (try sudo)",
		       missing.data);
}
