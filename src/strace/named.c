// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the user has named, processes or a thread, and whether it has ended. Records say so, but some are lost, or left
 * out by a filter, and there is none of a thread that becomes its process's first one. So the kernel is asked, too; when
 * to do that strace.c decides.
 */
#include "base/process.h"
#include "base/report.h"
#include "lines_part.h"

void strace_lines_set_processes(struct strace_lines *lines, const uint32_t *pids, size_t n)
{
	lines->named = base_alloc(n * sizeof(*lines->named));
	lines->n_named = lines->n_named_alive = n;
	for (size_t i = 0; i < n; i++)
		lines->named[i].id = pids[i];
}

void strace_lines_set_thread(struct strace_lines *lines, uint32_t tid)
{
	strace_lines_set_processes(lines, &tid, 1);
	lines->names_thread = true;
}

static struct named *find_named(const struct strace_lines *lines, uint32_t id)
{
	for (size_t i = 0; i < lines->n_named; i++)
		if (lines->named[i].id == id)
			return &lines->named[i];
	return NULL;
}

struct named *strace_named_of(const struct strace_lines *lines, const struct strace_record *record)
{
	return find_named(lines, lines->names_thread ? record->tid : record->pid);
}

bool strace_has_left(const struct strace_lines *lines, const struct strace_record *record)
{
	const struct named *named = strace_named_of(lines, record);

	return named && named->left;
}

void strace_end_named(struct strace_lines *lines, struct named *named)
{
	lines->n_named_alive -= !named->ended;
	named->ended = true;
	lines->ended = lines->ended || !lines->n_named_alive;
}

void strace_end_by(struct strace_lines *lines, const struct strace_record *record)
{
	bool is_first = record->tid == record->pid, is_last = record->flags & STRACE_LAST;
	bool is_alone = is_first && !lines->settings->follow;
	struct named *named = strace_named_of(lines, record);

	if (record->pid == lines->command && (is_last || is_alone))
		lines->ended = true;
	if (named && (is_last || (lines->names_thread && !is_first)))
		strace_end_named(lines, named);
	/* others may have ended with it, and send nothing; or it was the last of the children */
	lines->hints += (named && (is_alone || lines->names_thread)) || (lines->ended && is_last);
}

/* Its process goes on without a thread that is named if the exec succeeds. */
void strace_begin_exec(struct strace_lines *lines, const struct task *task)
{
	lines->hints += lines->names_thread && find_named(lines, task->tid);
}

void strace_replace_named(struct strace_lines *lines, uint32_t tid, uint32_t process)
{
	struct named *named = lines->names_thread ? find_named(lines, tid) : NULL;

	if (!named)
		return;
	named->process = process;
	lines->hints++;
}

uint64_t strace_lines_hints(const struct strace_lines *lines)
{
	return lines->hints;
}

/* The process in which a thread that is gone goes on, if its last record is the begin of an exec; 0: it does not. */
static uint32_t process_of_exec(const struct strace_lines *lines, const struct named *named)
{
	const struct task *task = lines->names_thread ? strace_find_task(lines, named->id) : NULL;

	if (!task || task->pid == task->tid || !strace_is_in_exec(task))
		return 0;
	/* it has been killed, or another thread has executed a program before it */
	return strace_has_end(lines, task->tid) ? 0 : task->pid;
}

/* It is gone. A thread that was in an exec is asked for twice: the record of its end may just come. */
static void end_gone(struct strace_lines *lines, struct named *named)
{
	uint32_t process = named->process ? named->process : process_of_exec(lines, named);

	if (process && !named->process && !named->gone) {
		named->gone = true;
		lines->hints++;
		return;
	}
	if (process && !process_has_ended(process))
		report_note("thread %u has executed a program: its process goes on without it", named->id);
	strace_end_named(lines, named);
}

void strace_lines_ask(struct strace_lines *lines)
{
	for (size_t i = 0; i < lines->n_named; i++)
		if (!lines->named[i].ended && process_has_ended(lines->named[i].id))
			end_gone(lines, &lines->named[i]);
}
