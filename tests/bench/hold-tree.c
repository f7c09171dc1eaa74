// SPDX-License-Identifier: BSD-2-Clause
/* bench-hold: measures a process and its descendants. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hold.h"

/* Returns the value of "NAME:   123" in a file of lines; 0 if there is none. */
static long value_of(const char *path, const char *name)
{
	FILE *f = fopen(path, "r");
	size_t size = strlen(name);
	char line[512];
	long value = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, size) && line[size] == ':')
			value = strtol(line + size + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

/* Returns bytes. A map that several descriptors or several processes refer to counts once. */
static long map_size(const char *path)
{
	static long seen[4096];
	static size_t n;
	long id = value_of(path, "map_id");

	for (size_t i = 0; i < n; i++)
		if (seen[i] == id)
			return 0;
	if (!id || n == sizeof(seen) / sizeof(*seen))
		return 0;
	seen[n++] = id;
	return value_of(path, "memlock");
}

static long maps_size(pid_t pid)
{
	char dir[64], path[512];
	struct dirent *entry;
	long size = 0;
	DIR *fds;

	snprintf(dir, sizeof(dir), "/proc/%d/fdinfo", pid);
	fds = opendir(dir);
	while (fds && (entry = readdir(fds))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		size += entry->d_name[0] == '.' ? 0 : map_size(path);
	}
	if (fds)
		closedir(fds);
	return size;
}

static void each_process(pid_t pid, void (*fn)(pid_t pid, struct tree *tree), struct tree *tree)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char path[300];

	fn(pid, tree);
	while (proc && (entry = readdir(proc))) {
		pid_t other = atoi(entry->d_name);

		snprintf(path, sizeof(path), "/proc/%d/status", other);
		if (other && value_of(path, "PPid") == pid)
			each_process(other, fn, tree);
	}
	if (proc)
		closedir(proc);
}

static void add(pid_t pid, struct tree *tree)
{
	char path[64];

	if (pid == tree->without)
		return;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	tree->memory += value_of(path, "VmHWM");
	tree->maps += maps_size(pid);
}

/* A process that waits for a disk is not idle, however long it waits. */
static bool waits_for_disk(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'D';
}

static void add_cpu(pid_t pid, struct tree *tree)
{
	struct timespec ts;
	clockid_t clock;

	tree->waits |= waits_for_disk(pid);
	if (!clock_getcpuclockid(pid, &clock) && !clock_gettime(clock, &ts))
		tree->cpu += ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void note(pid_t pid, struct tree *tree)
{
	if (tree->n < TREE_PIDS)
		tree->pids[tree->n++] = pid;
}

struct tree tree_of(pid_t pid, pid_t without)
{
	struct tree tree = { .without = without };

	each_process(pid, add, &tree);
	return tree;
}

uint64_t tree_cpu(pid_t pid, bool *waits)
{
	struct tree tree = {};

	each_process(pid, add_cpu, &tree);
	if (waits)
		*waits = tree.waits;
	return tree.cpu;
}

/* Find all processes first: the kernel gives the children of a killed process a new parent. */
void tree_kill(pid_t pid)
{
	struct tree tree = {};

	each_process(pid, note, &tree);
	for (int i = 0; i < tree.n; i++)
		kill(tree.pids[i], SIGKILL);
}
