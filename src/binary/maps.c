// SPDX-License-Identifier: BSD-2-Clause
/* Parses /proc/PID/maps. The format: proc_pid_maps(5). */
#include <inttypes.h>
#include <sys/sysmacros.h>

#include "maps.h"

static bool parse_line(char *line, struct mapping *m)
{
	unsigned int major, minor;
	char perms[5];
	int path = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
		   &m->end, perms, &m->offset, &major, &minor, &m->inode, &path) != 7 ||
	    m->end < m->start)
		return false;
	m->dev = makedev(major, minor);
	m->exec = perms[2] == 'x';
	m->path = line + path;
	return true;
}

int maps_each(pid_t pid, mapping_fn fn, void *ctx)
{
	char path[32] = "/proc/self/maps";
	char *line __free = NULL;
	FILE *f __fclose = NULL;
	size_t cap = 0;
	int ret = 0;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	errno = 0;
	while (!ret && getline(&line, &cap, f) > 0) {
		struct mapping m;

		if (parse_line(line, &m))
			ret = fn(&m, ctx);
	}
	return !ret && ferror(f) ? -errno : ret;
}
