// SPDX-License-Identifier: BSD-2-Clause
/* Reads the mappings of processes from /proc, and turns a mapping into what programs see. */
#include <dirent.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/process.h"
#include "interp/thread_keys.h"
#include "unwind_part.h"

/* The owner of /proc/PID is root for a process that nobody may trace: so the text is read. */
uid_t scan_owner(pid_t pid)
{
	char path[32], text[1024] = "";
	const char *at;
	unsigned int uid = 0;
	__close int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	at = strstr(text, "\nUid:");
	return at && sscanf(at, "\nUid: %u", &uid) == 1 ? uid : 0;
}

/* The kernel's own addresses: the vsyscall page. */
#define USER_END (1ULL << 63)

/*
 * The part of a mapping whose page entries are in one block. What lies before the first entry of a file and behind the
 * last belongs to these: programs find no entry there.
 */
static void map_pages(struct unwind *unwind, struct space *space, const struct mapping *mapping,
		      const struct module *module, const struct module_pages *pages)
{
	bool is_first = pages == module->table.v, is_last = pages == module->table.v + module->table.n - 1;
	uint64_t start = is_first ? 0 : (uint64_t)pages->page << UNWIND_PAGE_SHIFT;
	uint64_t end = is_last ? UINT64_MAX : ((uint64_t)pages->page + pages->n) << UNWIND_PAGE_SHIFT;
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

/* If the mapping has an interpreter's loop, the process has this interpreter. */
static void set_runtime(struct space *space, const struct mapping *mapping, const struct module *module)
{
	const struct runtime *runtime = module->shown.runtime;

	if (runtime && runtime->loop - mapping->offset < mapping->end - mapping->start)
		spaces_set_runtime(space, &(struct space_runtime){
						  .of = runtime,
						  .state = mapping->start - mapping->offset + runtime->state,
						  .plan = module->plan,
					  });
}

void scan_mapping(struct unwind *unwind, struct space *space, const struct mapping *mapping)
{
	struct module *module;

	if (!mapping->exec || mapping->end > USER_END || mapping->start >= mapping->end ||
	    mapping->offset > UINT64_MAX - (mapping->end - mapping->start))
		return;
	if (!strcmp(mapping->path, "[vdso]"))
		space->vdso = mapping->start;
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
	known_add(&unwind->known, module, &(struct file_id){ mapping->dev, mapping->inode });
	set_runtime(space, mapping, module);
	if (module->keys && space->keys == THREAD_KEYS_USUAL)
		space->keys = module->keys;
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
	struct scan scan = { unwind, spaces_add(&unwind->spaces, pid, scan_owner(pid)) };
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

/* Calls fn for each process. A non-zero return ends the walk and is returned. */
static int each_process(int (*fn)(void *ctx, pid_t pid), void *ctx)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int ret = proc ? 0 : -errno;

	while (!ret && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0)
			ret = fn(ctx, pid);
	}
	if (proc)
		closedir(proc);
	return ret;
}

static bool is_stopped(const struct unwind *unwind)
{
	const struct module_tables *tables = &unwind->modules.tables;

	return tables->should_stop && tables->should_stop(tables->ctx);
}

static int scan_first(void *ctx, pid_t pid)
{
	struct unwind *unwind = ctx;

	scan_process(unwind, pid);
	return is_stopped(unwind) ? -EINTR : 0;
}

int scan_processes(struct unwind *unwind)
{
	uint64_t reading = unwind->modules.reading;
	int ret;

	unwind->scan_began = clock_monotonic_ns();
	ret = unwind->options.pid ? scan_process(unwind, unwind->options.pid) : each_process(scan_first, unwind);
	if (!ret && is_stopped(unwind))
		ret = -EINTR;
	unwind->scan_took = clock_monotonic_ns() - unwind->scan_began - (unwind->modules.reading - reading);
	return ret;
}

static bool is_child(const struct unwind *unwind, pid_t pid)
{
	struct process_task task;

	return !process_ask(pid, &task) && spaces_find(&unwind->spaces, task.parent);
}

/* A parent mostly comes before its children. */
static int scan_if_ours(void *ctx, pid_t pid)
{
	struct unwind *unwind = ctx;

	if (!unwind->options.pid || spaces_find(&unwind->spaces, pid) || is_child(unwind, pid))
		scan_process(unwind, pid);
	return is_stopped(unwind) ? -EINTR : 0;
}

void scan_again(struct unwind *unwind)
{
	unwind->rescan = false;
	unwind->scan_began = clock_monotonic_ns();
	if (!each_process(scan_if_ours, unwind))
		spaces_remove_older(&unwind->spaces, unwind->scan_began);
	unwind->scan_took = clock_monotonic_ns() - unwind->scan_began;
}
