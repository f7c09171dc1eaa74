// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads memory of processes, as far as it is there: the kernel would ask whoever has a page that is not, and a program
 * that serves files (FUSE) or faults (userfaultfd) may never answer. proc_pid_pagemap(5) says which pages are there. A
 * process can take one away between the two, to harm who looks at it; docs/SECURITY.md says so.
 */
#include <fcntl.h>
#include <sys/uio.h>

#include "peek.h"

#define IS_PRESENT (1ULL << 63)
#define PAGES	   32 /* the most that are asked for at once */

/* How many of n bytes from an address on are in memory. */
static size_t present(pid_t pid, uint64_t at, size_t n)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = at / page, last = (at + n - 1) / page;
	__free char *path = base_printf("/proc/%d/pagemap", (int)pid);
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t entries[PAGES];
	ssize_t got;
	size_t there = 0;

	if (fd < 0 || !n || at + n < at || last - first >= PAGES)
		return 0;
	got = pread(fd, entries, (last - first + 1) * sizeof(*entries), (off_t)(first * sizeof(*entries)));
	while (got > 0 && there < (size_t)got / sizeof(*entries) && entries[there] & IS_PRESENT)
		there++;
	if (!there)
		return 0;
	return there > last - first ? n : (size_t)((first + there) * page - at);
}

static size_t read_process(void *pid, uint64_t at, void *to, size_t n)
{
	const size_t most = present(*(const pid_t *)pid, at, n);
	struct iovec here = { to, most }, there = { (void *)(uintptr_t)at, most };
	ssize_t ret = most ? process_vm_readv(*(const pid_t *)pid, &here, 1, &there, 1, 0) : 0;

	return ret > 0 ? (size_t)ret : 0;
}

struct peek peek_at(pid_t *pid)
{
	return (struct peek){ read_process, pid };
}

bool peek_copy(const struct peek *peek, uint64_t at, void *to, size_t n)
{
	return at && peek->read(peek->ctx, at, to, n) == n;
}
