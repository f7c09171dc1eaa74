// SPDX-License-Identifier: BSD-2-Clause
/* Follows processes by the kernel's records: what they map, their children, exec and end. */
#include "base/process.h"
#include "unwind_part.h"

/*
 * A process, as it was at the time of the record. NULL: it is not of this session, or what we know of it is newer than
 * the record. A process that is new to a session of all processes is read from /proc.
 */
static struct space *find(struct unwind *unwind, const struct mapped_event *record)
{
	struct space *space = spaces_find(&unwind->spaces, record->pid);

	if (space)
		return space->since > record->time ? NULL : space;
	if (!unwind->options.pid)
		scan_process(unwind, record->pid);
	return NULL;
}

static void on_fork(struct unwind *unwind, const struct mapped_event *record)
{
	const struct space *parent, *child;

	if (record->pid == record->parent)
		return;
	parent = spaces_find(&unwind->spaces, record->parent);
	child = spaces_find(&unwind->spaces, record->pid);
	if (child && child->since > record->time)
		return;
	if (parent)
		spaces_fork(&unwind->spaces, parent, record->pid, record->time);
}

void follow_endings(struct unwind *unwind)
{
	struct unwind_ending *ending = &unwind->ending;
	size_t kept = 0;

	for (size_t i = 0; i < ending->n; i++) {
		if (process_has_ended(ending->v[i]))
			spaces_remove(&unwind->spaces, ending->v[i]);
		else
			ending->v[kept++] = ending->v[i];
	}
	ending->n = kept;
}

/* The process is not watched any more: it has called exec, or its number stands for another one. */
static void forget_ending(struct unwind *unwind, pid_t pid)
{
	struct unwind_ending *ending = &unwind->ending;

	for (size_t i = 0; i < ending->n; i++)
		if (ending->v[i] == pid)
			ending->v[i--] = ending->v[--ending->n];
}

static void on_exit_record(struct unwind *unwind, const struct mapped_event *record)
{
	if (record->tid != record->pid || !spaces_find(&unwind->spaces, record->pid))
		return;
	forget_ending(unwind, record->pid);
	*vec_push(&unwind->ending) = record->pid;
}

void follow_record(void *ctx, const struct mapped_event *record)
{
	struct unwind *unwind = ctx;
	struct space *space;

	switch (record->kind) {
	case MAPPED_MAP:
		space = find(unwind, record);
		if (space)
			scan_mapping(unwind, space, &record->mapping);
		return;
	case MAPPED_EXEC:
		forget_ending(unwind, record->pid);
		space = find(unwind, record);
		if (space)
			spaces_clear(&unwind->spaces, spaces_add(&unwind->spaces, record->pid, scan_owner(record->pid)));
		return;
	case MAPPED_FORK:
		if (record->pid != record->parent)
			forget_ending(unwind, record->pid);
		on_fork(unwind, record);
		return;
	case MAPPED_EXIT:
		on_exit_record(unwind, record);
		return;
	case MAPPED_LOST:
		unwind->lost += record->lost;
		unwind->rescan = true;
		return;
	case MAPPED_OTHER:
		return;
	}
}
