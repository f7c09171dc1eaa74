// SPDX-License-Identifier: BSD-2-Clause
/* Reads the mappings of processes from /proc, and turns a mapping into what programs see. */
#include <dirent.h>

#include "base/clock.h"
#include "session.h"

/* The kernel's own addresses: the vsyscall page. */
#define USER_END (1ULL << 63)

/* The part of a mapping whose page entries are in one block. */
static void map_pages(struct unwind *unwind, struct space *space, const struct mapping *mapping, const struct module *module,
		      const struct module_pages *pages)
{
	uint64_t start = (uint64_t)pages->page << UNWIND_PAGE_SHIFT, end = start + ((uint64_t)pages->n << UNWIND_PAGE_SHIFT);
	uint64_t offset = mapping->offset > start ? mapping->offset : start, mapped = mapping->end - mapping->start;
	uint64_t last = mapping->offset + mapped < end ? mapping->offset + mapped : end;

	if (offset >= last)
		return;
	spaces_map(&unwind->spaces, space,
		   &(struct unwind_mapping){
			   .start = mapping->start + (offset - mapping->offset),
			   .end = mapping->start + (last - mapping->offset),
			   .offset = offset,
			   .module = module->shown.number,
			   .block = pages->block,
			   .first = pages->first,
			   .page = pages->page,
			   .n_pages = pages->n,
		   });
}

void scan_mapping(struct unwind *unwind, struct space *space, const struct mapping *mapping)
{
	const struct module *module;

	if (!mapping->exec || mapping->end > USER_END || mapping->start >= mapping->end ||
	    mapping->offset > UINT64_MAX - (mapping->end - mapping->start))
		return;
	module = modules_find(&unwind->modules, space->pid, mapping);
	spaces_map(&unwind->spaces, space,
		   &(struct unwind_mapping){
			   .start = mapping->start,
			   .end = mapping->end,
			   .offset = module ? mapping->offset : 0,
			   .module = module ? module->shown.number : 0,
		   });
	if (!module)
		return;
	vec_each(pages, &module->table)
		map_pages(unwind, space, mapping, module, pages);
}

struct scan {
	struct unwind *unwind;
	struct space *space;
};

static int on_mapping(const struct mapping *mapping, void *ctx)
{
	const struct scan *scan = ctx;

	scan_mapping(scan->unwind, scan->space, mapping);
	return 0;
}

int scan_process(struct unwind *unwind, pid_t pid)
{
	uint64_t now = clock_monotonic_ns();
	struct scan scan = { unwind, spaces_add(&unwind->spaces, pid) };
	int ret;

	if (!scan.space)
		return -ENOSPC;
	spaces_clear(&unwind->spaces, scan.space);
	scan.space->since = now;
	ret = maps_each(pid, on_mapping, &scan);
	/* A kernel thread has no mappings, nor has a process that is gone. */
	if (ret || !scan.space->n)
		spaces_remove(&unwind->spaces, pid);
	return ret;
}

static int scan_all(struct unwind *unwind, bool (*should_stop)(void *ctx), void *ctx)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int ret = proc ? 0 : -errno;

	while (!ret && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0)
			scan_process(unwind, pid);
		if (should_stop && should_stop(ctx))
			ret = -EINTR;
	}
	if (proc)
		closedir(proc);
	return ret;
}

int scan_processes(struct unwind *unwind, bool (*should_stop)(void *ctx), void *ctx)
{
	unwind->rescan = false;
	unwind->scanned = clock_monotonic_ns();
	if (!unwind->options.pid)
		return scan_all(unwind, should_stop, ctx);
	return scan_process(unwind, unwind->options.pid);
}
