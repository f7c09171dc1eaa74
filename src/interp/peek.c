// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads memory of processes, as far as it is there: the kernel would ask whoever has a page that is not, and a program
 * that serves files (FUSE) or faults (userfaultfd) may never answer. proc_pid_pagemap(5) says which pages are there. A
 * process can take one away between the two, to harm who looks at it; docs/SECURITY.md says so.
 */
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "peek.h"

#define IS_PRESENT (1ULL << 63)
#define PAGES	   32 /* the most that are asked for at once */

static int open_pagemap(pid_t pid)
{
	__free char *path = base_printf("/proc/%d/pagemap", (int)pid);

	return open(path, O_RDONLY | O_CLOEXEC);
}

/* How many of n bytes from an address on are in memory; -1: the process has no such memory, or this is not its memory now. */
static ssize_t present(int pagemap, uint64_t at, size_t n)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = at / page, last = (at + n - 1) / page;
	uint64_t entries[PAGES];
	ssize_t got;
	size_t there = 0;

	if (!n || at + n < at || last - first >= PAGES)
		return 0;
	got = pread(pagemap, entries, (last - first + 1) * sizeof(*entries), (off_t)(first * sizeof(*entries)));
	while (got > 0 && there < (size_t)got / sizeof(*entries) && entries[there] & IS_PRESENT)
		there++;
	if (!there)
		return got > 0 ? 0 : -1;
	return there > last - first ? (ssize_t)n : (ssize_t)((first + there) * page - at);
}

/* Reads what is present. */
static size_t read_present(pid_t pid, uint64_t at, void *to, ssize_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };
	ssize_t ret = n > 0 ? process_vm_readv(pid, &here, 1, &there, 1, 0) : 0;

	return ret > 0 ? (size_t)ret : 0;
}

static size_t read_process(void *pid, uint64_t at, void *to, size_t n)
{
	__close int pagemap = open_pagemap(*(const pid_t *)pid);

	return read_present(*(const pid_t *)pid, at, to, present(pagemap, at, n));
}

struct peek peek_at(pid_t *pid)
{
	return (struct peek){ read_process, pid };
}

/* A process that has executed another program has another memory. */
static size_t read_kept(void *ctx, uint64_t at, void *to, size_t n)
{
	struct peek_process *process = ctx;
	ssize_t there = present(process->pagemap, at, n);

	if (there < 0) {
		peek_end(process);
		process->pagemap = open_pagemap(process->pid);
		there = present(process->pagemap, at, n);
	}
	return read_present(process->pid, at, to, there);
}

struct peek peek_keep(struct peek_process *process, pid_t pid)
{
	if (process->pid != pid)
		peek_end(process);
	process->pid = pid;
	return (struct peek){ read_kept, process };
}

void peek_end(struct peek_process *process)
{
	if (process->pagemap >= 0)
		close(process->pagemap);
	process->pagemap = -1;
}

bool peek_copy(const struct peek *peek, uint64_t at, void *to, size_t n)
{
	return at && peek->read(peek->ctx, at, to, n) == n;
}
