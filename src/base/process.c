// SPDX-License-Identifier: BSD-2-Clause
/* Reads /proc/TID/status. */
#include "process.h"

int process_ask(uint32_t tid, struct process_task *task)
{
	__free char *path = base_printf("/proc/%u/status", tid);
	__fclose FILE *f = NULL;
	char line[256];

	*task = (struct process_task){};
	errno = 0;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &task->state);
		sscanf(line, "Tgid: %u", &task->process);
		sscanf(line, "PPid: %u", &task->parent);
		sscanf(line, "Threads: %u", &task->threads);
	}
	if (task->state)
		return 0;
	return !errno || errno == ENOENT ? -ESRCH : -errno;
}

uint32_t process_of(uint32_t tid)
{
	struct process_task task;

	return process_ask(tid, &task) ? 0 : task.process;
}

bool process_has_ended(uint32_t tid)
{
	struct process_task task;
	int ret = process_ask(tid, &task);

	if (ret)
		return ret == -ESRCH;
	/*
	 * The first thread stays as a zombie until the others have ended; without threads it is being replaced by one that
	 * has executed a program, or will not be found the next time.
	 */
	return (task.state == 'X' || task.state == 'Z') && (task.threads == 1 || (task.process && task.process != tid));
}
