// SPDX-License-Identifier: BSD-2-Clause
/* Reads the parents of all processes at once, and looks for those of one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "descendants.h"

/* Parses "123 (a name, maybe with parentheses) S 1 123 ...". */
static bool read_stat(int proc, const char *pid, struct descendant *one)
{
	__free char *path = base_printf("%s/stat", pid);
	__close int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	char text[512] = "", *at;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return false;
	at = strrchr(text, ')');
	one->pid = atoi(pid);
	return at && sscanf(at, ") %c %d %d", &one->state, &one->parent, &one->group) == 3;
}

/* True if /proc belongs to our own PID namespace. */
static bool is_ours(int proc)
{
	char text[16] = "";

	return readlinkat(proc, "self", text, sizeof(text) - 1) > 0 && atoi(text) == getpid();
}

static void read_all(struct descendants *all)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = proc < 0 ? NULL : fdopendir(proc);
	struct dirent *entry;

	while (dir && is_ours(proc) && (entry = readdir(dir))) {
		struct descendant one = {};

		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_stat(proc, entry->d_name, &one))
			*vec_push(all) = one;
	}
	if (dir)
		closedir(dir);
}

void descendants_read(struct descendants *descendants, pid_t head)
{
	__cleanup(descendants_release) struct descendants all = {};

	read_all(&all);
	*vec_push(descendants) = (struct descendant){ .pid = head, .group = getpgid(head) };
	for (size_t i = 0; i < descendants->n; i++) {
		vec_each(one, &all) {
			if (one->pid == head) {
				descendants->v[0] = *one;
			} else if (one->parent == descendants->v[i].pid && !one->taken) {
				one->taken = true;
				*vec_push(descendants) = *one;
			}
		}
	}
}

void descendants_release(struct descendants *descendants)
{
	free(descendants->v);
}
