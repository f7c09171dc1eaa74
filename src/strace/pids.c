// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ids of processes: with -Y their names, and with --decode-pids=pidns as our own pid namespace has them.
 *
 * A name is the one that the thread had when it made its last record. Only a thread that has made none is asked for in
 * /proc, where its name may be newer than the call. In a pid namespace that is not ours a number means somebody else
 * there, so it is looked up among the threads that have made records in the same namespace; if it is none of these,
 * nothing is printed beside it.
 */
#include <sys/stat.h>

#include "lines_part.h"
#include "types.h"

/* The inode of our own pid namespace; 0: /proc does not say it. */
static uint32_t own_space(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

/* Whether records have names: with -i the place of the name has the instruction pointer. */
static bool has_names(const struct strace_settings *settings)
{
	return settings->pids & STRACE_PID_NAMES && !settings->ip;
}

void strace_pids_learn(struct strace_lines *lines, const struct strace_record *record)
{
	struct task *task = lines->settings->pids ? strace_find_task(lines, record->tid) : NULL;

	if (!task)
		return;
	if (!lines->space)
		lines->space = own_space();
	task->own = record->own;
	task->space = record->space;
	if (has_names(lines->settings) && record->kind != STRACE_UNENDED)
		memcpy(task->comm, record->comm, sizeof(task->comm));
}

static bool is_elsewhere(const struct strace_lines *lines, const struct strace_record *record)
{
	return record->space && lines->space && record->space != lines->space;
}

/* The thread that has this id in the pid namespace of the record's thread; NULL: it has made no record there. */
static const struct task *task_in_space(const struct strace_lines *lines, const struct strace_record *record,
					uint32_t id)
{
	if (!is_elsewhere(lines, record))
		return strace_find_task(lines, id);
	for (size_t i = 0; i < lines->tasks.n; i++)
		if (lines->tasks.v[i]->own == id && lines->tasks.v[i]->space == record->space)
			return lines->tasks.v[i];
	return NULL;
}

/* comm: STRACE_COMM_LEN bytes, NULL or "": not known. id: as we see it; 0: nobody that we see. */
static void add_name(struct str *out, const char *comm, uint32_t id)
{
	char name[STRACE_COMM_LEN + 1] = {};
	size_t len;

	if (comm && *comm)
		memcpy(name, comm, STRACE_COMM_LEN);
	else if (!id || !base_read_line(name, sizeof(name), "/proc/%u/comm", id))
		return;
	len = strlen(name);
	if (len && name[len - 1] == '\n')
		name[len - 1] = '\0';
	str_addc(out, '<');
	strace_escape_name(out, name);
	str_addc(out, '>');
}

void strace_pids_name(struct strace_lines *lines, const struct strace_record *record)
{
	if (lines->settings->pids & STRACE_PID_NAMES)
		add_name(&lines->line, has_names(lines->settings) ? record->comm : NULL, record->tid);
}

static const struct strace_record *record_of(const struct strace_line *line)
{
	return line->exit ? line->exit : line->enter;
}

static void add_details(struct strace_line *line, uint32_t id, const struct task *task, const char *comm)
{
	bool elsewhere = is_elsewhere(line->lines, record_of(line));
	uint32_t known = task ? task->tid : elsewhere ? 0
						      : id;

	if (line->settings->pids & STRACE_PID_NAMES)
		add_name(line->out, comm, known);
	if (line->settings->pids & STRACE_PID_SPACE && elsewhere && known)
		str_addf(line->out, " /* %u in strace's PID NS */", known);
}

void strace_pid(struct strace_line *line, int pid)
{
	const struct task *task;

	str_add_s64(line->out, pid);
	if (pid <= 0 || !line->settings->pids)
		return;
	task = task_in_space(line->lines, record_of(line), pid);
	add_details(line, pid, task, task ? task->comm : NULL);
}

/* When it is made, a process has the name of the one that makes it. */
void strace_child(struct strace_line *line, int pid)
{
	const struct strace_record *record = record_of(line);

	str_add_s64(line->out, pid);
	if (pid > 0 && line->settings->pids)
		add_details(line, pid, task_in_space(line->lines, record, pid),
			    has_names(line->settings) ? record->comm : NULL);
}

void strace_ret_child(struct strace_line *line)
{
	strace_child(line, strace_ret(line));
}

void strace_ret_pid(struct strace_line *line)
{
	strace_pid(line, strace_ret(line));
}

static void print_pid(struct strace_line *line, unsigned int arg)
{
	strace_pid(line, strace_arg(line, arg));
}

/* What the argument before it says is 1 for a process in waitid, 0 in getpriority and 1 in ioprio_get. */
static void print_pid_if(struct strace_line *line, unsigned int arg)
{
	bool priorities = line->call->args[arg - 1] == &t_priority;

	if ((unsigned int)strace_arg(line, arg - 1) == (priorities ? 0 : 1))
		print_pid(line, arg);
	else
		str_add_s64(line->out, (int)strace_arg(line, arg));
}

const struct strace_type t_pid = { print_pid }, t_pid_if = { print_pid_if };
