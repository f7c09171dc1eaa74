// SPDX-License-Identifier: BSD-2-Clause
/* Parses the kernel's lists of processors, such as "0-3,8-11". */
#include "base.h"
#include "cpus.h"

static bool read_list(const char *path, char text[4096])
{
	__fclose FILE *f = fopen(path, "re");

	return f && fgets(text, 4096, f);
}

/* The last number is the highest. */
static int read_ids(void)
{
	char text[4096], *last;

	if (!read_list("/sys/devices/system/cpu/possible", text))
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

void cpus_online(bool *online)
{
	char text[4096];
	bool known = read_list("/sys/devices/system/cpu/online", text);
	int first, last, n;

	for (int i = 0; i < cpus_ids(); i++)
		online[i] = !known;
	for (char *at = text; known && sscanf(at, "%d%n", &first, &n) == 1;) {
		at += n;
		last = first;
		if (sscanf(at, "-%d%n", &last, &n) == 1)
			at += n;
		for (int i = first; i <= last && i < cpus_ids(); i++)
			online[i] = true;
		at += *at == ',';
	}
}
