// SPDX-License-Identifier: BSD-2-Clause
/* Reads /proc: who exists, under which name and command line. */
#include <dirent.h>
#include <fcntl.h>

#include "base/base.h"
#include "base/clock.h"
#include "bpf/filter.h"
#include "bpf/record.h"
#include "engine/filter.h"
#include "record/writer.h"
#include "record_tasks.h"

/* The most of a command line that is read. */
#define LINE_MAX_BYTES 4096
#define FLAG_KTHREAD   0x00200000

struct tasks {
	struct writer *writer;
	pid_t command;
	const struct filter *filter;
	uint64_t boot_offset; /* ns of suspended time: boot time minus monotonic time */
	uint64_t tick;	      /* ns */
	char line[LINE_MAX_BYTES];
};

/* Reads a file below a directory of /proc as text. Returns the bytes, 0 also if the task is gone. */
static size_t read_text(int dir, const char *name, char *text, size_t size)
{
	__close int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : 0;
}

/* The words of a command line end with NULs; one that a program has written may end without. */
static void read_line(struct tasks *tasks, int process)
{
	size_t n = read_text(process, "cmdline", tasks->line, sizeof(tasks->line));

	while (n && !tasks->line[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!tasks->line[i])
			tasks->line[i] = ' ';
}

/*
 * /proc adds to the name of a kernel's worker what it works on at the moment: "kworker/0:1-events". The worker's own
 * name, which tracepoints have, is what comes before.
 */
static void cut_worker(char *comm)
{
	char *number = !strncmp(comm, "kworker/", 8) ? strchr(comm, ':') : NULL;

	if (number)
		number[strcspn(number, "-+")] = '\0';
}

/*
 * proc_pid_stat(5): the second word is the name in parentheses, which can hold blanks and parentheses itself. Behind it
 * come state, parent, six words of which the last are the flags, and as the 22nd of all the start in ticks since boot.
 */
static bool parse_stat(char *text, struct layout_task *task, const struct tasks *tasks)
{
	char *comm = strchr(text, '('), *end = strrchr(text, ')'), state;
	unsigned long long began;
	unsigned int flags;
	int parent;

	if (!comm || !end || comm > end ||
	    sscanf(end + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &state,
		   &parent, &flags, &began) != 4)
		return false;
	*end = '\0';
	task->comm = comm + 1;
	task->state = state;
	task->ppid = parent;
	task->flags = LAYOUT_TASK_EXISTED | (flags & FLAG_KTHREAD ? LAYOUT_TASK_KERNEL : 0);
	if (flags & FLAG_KTHREAD)
		cut_worker(comm + 1);
	began *= tasks->tick;
	task->began = began > tasks->boot_offset ? began - tasks->boot_offset : 1;
	return true;
}

/* What /proc does not say of a thread at once is not asked. */
static bool passes(const struct filter *filter, const struct layout_task *task)
{
	if (filter->by_uid || filter->by_cpu || filter->by_cgroup)
		return false;
	if (filter->by_members && !(task->flags & LAYOUT_TASK_COMMAND))
		return false;
	if (filter->by_tgid && task->tgid != (int32_t)filter->tgid)
		return false;
	if (filter->by_tid && task->tid != (int32_t)filter->tid)
		return false;
	return !filter->by_comm || !strncmp(filter->comm, task->comm, sizeof(filter->comm));
}

static int write_thread(struct tasks *tasks, int threads, pid_t tgid, const char *tid)
{
	struct layout_task task = { .tid = atoi(tid), .tgid = tgid, .line = tasks->line };
	char name[32], text[1024];

	snprintf(name, sizeof(name), "%d/stat", task.tid);
	if (task.tid <= 0 || !read_text(threads, name, text, sizeof(text)) || !parse_stat(text, &task, tasks))
		return 0;
	if (tgid == tasks->command)
		task.flags |= LAYOUT_TASK_COMMAND;
	if (passes(tasks->filter, &task))
		task.flags |= LAYOUT_TASK_PASSES;
	return writer_task(tasks->writer, &task);
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int write_process(struct tasks *tasks, int proc, const char *name)
{
	__close int process = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int threads = process < 0 ? -1 : openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	__cleanup(close_dir) DIR *dir = threads < 0 ? NULL : fdopendir(threads);
	struct dirent *entry;

	if (!dir)
		return 0; /* it has ended */
	read_line(tasks, process);
	while (!ret && (entry = readdir(dir)))
		ret = write_thread(tasks, dirfd(dir), atoi(name), entry->d_name);
	return ret;
}

static int write_tasks(struct writer *writer, pid_t command, const struct filter *filter)
{
	__cleanup(close_dir) DIR *proc = opendir("/proc");
	__free struct tasks *tasks = base_alloc(sizeof(*tasks));
	struct dirent *entry;
	int ret = 0;

	tasks->writer = writer;
	tasks->command = command;
	tasks->filter = filter;
	tasks->boot_offset = clock_boot_offset();
	tasks->tick = NS_PER_SEC / sysconf(_SC_CLK_TCK);
	while (!ret && proc && (entry = readdir(proc)))
		if (atoi(entry->d_name) > 0)
			ret = write_process(tasks, dirfd(proc), entry->d_name);
	return ret;
}

const char record_tasks_note[] = "recorded in a pid namespace: tasks that existed before have no names";

int record_tasks_begin(struct writer *writer, pid_t command, const struct filter *filter)
{
	int ret = writer_clocks(writer);

	if (!ret)
		ret = filter_pidns() ? writer_note(writer, record_tasks_note) : write_tasks(writer, command, filter);
	return ret ? ret : writer_flush(writer);
}
