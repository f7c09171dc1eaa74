// SPDX-License-Identifier: BSD-2-Clause
/* Parses the kernel's list of possible processors, such as "0-3,8-11". The last number is the highest. */
#include "base.h"
#include "cpus.h"

static int read_ids(void)
{
	__fclose FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	char text[4096], *last;

	if (!f || !fgets(text, sizeof(text), f))
		return sysconf(_SC_NPROCESSORS_CONF);
	for (last = text + strlen(text); last > text && !strchr(",-", last[-1]);)
		last--;
	return atoi(last) + 1;
}

int cpus_ids(void)
{
	static int known;

	if (!known)
		known = read_ids();
	return known;
}
