// SPDX-License-Identifier: BSD-2-Clause
/* What the user has named, processes or a thread: whether it has ended, as far as records say. */
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

void strace_lines_end(struct strace_lines *lines, uint32_t id)
{
	struct named *named = find_named(lines, id);

	if (named)
		strace_end_named(lines, named);
}

void strace_end_by(struct strace_lines *lines, const struct strace_record *record)
{
	bool is_first = record->tid == record->pid, is_alone = is_first && !lines->settings->follow;
	struct named *named = strace_named_of(lines, record);

	if (record->pid == lines->command && (record->flags & STRACE_LAST || is_alone))
		lines->ended = true;
	if (named && (record->flags & STRACE_LAST || (lines->names_thread && !is_first)))
		strace_end_named(lines, named);
	else if (named)
		named->alone = named->alone || is_alone || lines->names_thread;
}

/* Whether the named thread is in an exec, as far as records say. */
static bool is_in_exec(const struct strace_lines *lines, uint32_t id)
{
	const struct task *task = lines->names_thread ? strace_find_task(lines, id) : NULL;

	return task && strace_is_in_exec(task);
}

bool strace_lines_may_end(const struct strace_lines *lines, uint32_t id)
{
	const struct named *named = find_named(lines, id);

	return named && !named->ended && (named->alone || lines->said_lost || is_in_exec(lines, id));
}

bool strace_lines_is_replaced(const struct strace_lines *lines, uint32_t tid)
{
	return is_in_exec(lines, tid) && strace_find_task(lines, tid)->pid != tid;
}
