// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads the processes from /proc. A tool that writes its getpid() into a name writes the id in its own PID
 * namespace: so all ids of a process count (NSpid).
 */
#include <dirent.h>

#include "base/search.h"
#include "processes.h"
#include "kernel/kernel_files.h"
#include "kernel/lines.h"

/* The initial PID namespace, as /proc/self/ns/pid shows it. The number is ABI (PROC_PID_INIT_INO). */
#define INITIAL_NAMESPACE "pid:[4026531836]"

static bool sees_all(void)
{
	__close int self = kernel_open("/proc/self/ns", O_RDONLY | O_DIRECTORY);
	char name[64] = "";

	return self >= 0 && readlinkat(self, "pid", name, sizeof(name) - 1) > 0 && !strcmp(name, INITIAL_NAMESPACE);
}

struct status {
	char comm[32];
	char ids[512];
	bool memory, zombie;
	unsigned int threads;
};

static void read_status(int proc, const char *pid, struct status *status)
{
	__free char *path = base_printf("%s/status", pid);
	__close int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	__free struct lines *lines = base_alloc(sizeof(*lines));
	int error;
	char *line;

	lines->fd = fd;
	while (fd >= 0 && (line = lines_next(lines, &error))) {
		if (sscanf(line, "Name: %31[^\n]", status->comm) == 1 || sscanf(line, "NSpid: %511[^\n]", status->ids) == 1 ||
		    sscanf(line, "Threads: %u", &status->threads) == 1)
			continue;
		if (!strncmp(line, "VmSize:", 7))
			status->memory = true;
		if (!strncmp(line, "State:\tZ", 8) || !strncmp(line, "State:\tX", 8))
			status->zombie = true;
	}
}

/*
 * Kernel threads have no memory, and no descriptors to trace with. A zombie has none either; but the first thread
 * of a process can be a zombie while other threads run.
 */
static bool can_own(const struct status *status)
{
	return status->zombie ? status->threads > 1 : status->memory;
}

static void add_process(struct processes *processes, int proc, const char *name)
{
	struct status status = {};
	char *at = status.ids, *word;
	pid_t pid = atoi(name);

	if (pid == getpid())
		return;
	read_status(proc, name, &status);
	if (!can_own(&status))
		return;
	/* no NSpid: the kernel has no PID namespaces */
	if (!*at)
		at = strncat(status.ids, name, sizeof(status.ids) - 1);
	while ((word = strsep(&at, "\t "))) {
		struct process_id *id;

		if (!*word)
			continue;
		id = vec_push(processes);
		id->id = atoi(word);
		id->pid = pid;
		memcpy(id->comm, status.comm, sizeof(id->comm));
	}
}

static int by_id(const void *pa, const void *pb)
{
	const struct process_id *a = pa, *b = pb;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	/* the one of our own namespace comes first */
	return (a->id != a->pid) - (b->id != b->pid);
}

void processes_read(struct processes *processes)
{
	int proc = kernel_open("/proc", O_RDONLY | O_DIRECTORY);
	DIR *dir = proc < 0 ? NULL : fdopendir(proc);
	struct dirent *entry;

	*processes = (struct processes){ .complete = dir && sees_all() };
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_process(processes, proc, entry->d_name);
	closedir(dir);
	if (processes->n)
		qsort(processes->v, processes->n, sizeof(*processes->v), by_id);
}

void processes_release(struct processes *processes)
{
	free(processes->v);
	*processes = (struct processes){};
}

const struct process_id *processes_find(const struct processes *processes, pid_t id)
{
	size_t at = search_first(i, processes->n, processes->v[i].id >= id);

	return at < processes->n && processes->v[at].id == id ? &processes->v[at] : NULL;
}

const struct process_id *processes_find_command(const struct processes *processes, const char *command)
{
	/* the kernel cuts names to 15 bytes */
	size_t len = strnlen(command, 15);

	vec_each(process, processes)
		if (!strncmp(process->comm, command, len) && (!process->comm[len] || strchr("-_", process->comm[len])))
			return process;
	return NULL;
}
