// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the processes that record. Settings of an instance do not name their owner, but trace-cmd and others keep
 * the ring buffer open.
 */
#include "inventory_part.h"

bool inventory_is_for_readers(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	return !strncmp(name, "trace_pipe", 10) || !strcmp(name, "snapshot_raw");
}

static struct trace_instance *instance_of(struct traces *traces, const char *file)
{
	size_t i = traces->instances.n;

	/* The prefix of the first, the top instance, is empty and matches all files. */
	while (i-- > 0 && strncmp(file, traces->instances.v[i].prefix, strlen(traces->instances.v[i].prefix)))
		;
	return &traces->instances.v[i];
}

void inventory_find_readers(struct traces *traces)
{
	vec_each(holding, &traces->holders) {
		if (!traces->instances.n || holding->kind != HOLDS_TRACE_FILE || !inventory_is_for_readers(holding->file))
			continue;
		inventory_know_processes(traces);
		instance_of(traces, holding->file)->reader = processes_find(&traces->processes, holding->pid);
	}
}
