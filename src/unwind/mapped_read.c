// SPDX-License-Identifier: BSD-2-Clause
/* Decodes the records of linux/perf_event.h that mapped.c asks for. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "mapped.h"

/* What follows each record: sample_id_all, with PERF_SAMPLE_TID and PERF_SAMPLE_TIME. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
};

/* The bodies of records, without header, trailer and names. */
struct mmap2 {
	uint32_t pid, tid;
	uint64_t start, size, page_offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

struct task {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct comm {
	uint32_t pid, tid;
};

struct lost {
	uint64_t id, lost;
};

/* Memory that belongs to no file has a name in slashes, as "//anon", no inode, and no place in a file. */
static bool read_mmap2(struct mapped_event *record, const char *body, size_t n)
{
	struct mmap2 mmap;

	if (n < sizeof(mmap) || !memchr(body + sizeof(mmap), 0, n - sizeof(mmap)))
		return false;
	memcpy(&mmap, body, sizeof(mmap));
	if (mmap.size > UINT64_MAX - mmap.start)
		return false;
	record->kind = mmap.protection & PROT_EXEC ? MAPPED_MAP : MAPPED_OTHER;
	record->pid = (pid_t)mmap.pid;
	record->tid = (pid_t)mmap.tid;
	record->mapping = (struct mapping){
		.start = mmap.start,
		.end = mmap.start + mmap.size,
		.offset = mmap.inode ? mmap.page_offset : 0,
		.inode = mmap.inode,
		.dev = makedev(mmap.major, mmap.minor),
		.exec = true,
		.path = body + sizeof(mmap),
	};
	return true;
}

static bool read_task(struct mapped_event *record, enum mapped_kind kind, const char *body, size_t n)
{
	struct task task;

	if (n < sizeof(task))
		return false;
	memcpy(&task, body, sizeof(task));
	record->kind = kind;
	record->pid = (pid_t)task.pid;
	record->tid = (pid_t)task.tid;
	record->parent = (pid_t)task.parent_pid;
	return true;
}

static bool read_comm(struct mapped_event *record, uint16_t misc, const char *body, size_t n)
{
	struct comm comm;

	if (n < sizeof(comm))
		return false;
	memcpy(&comm, body, sizeof(comm));
	record->kind = misc & PERF_RECORD_MISC_COMM_EXEC ? MAPPED_EXEC : MAPPED_OTHER;
	record->pid = (pid_t)comm.pid;
	record->tid = (pid_t)comm.tid;
	return true;
}

static bool read_lost(struct mapped_event *record, const char *body, size_t n)
{
	struct lost lost;

	if (n < sizeof(lost))
		return false;
	memcpy(&lost, body, sizeof(lost));
	record->kind = MAPPED_LOST;
	record->lost = lost.lost;
	return true;
}

bool mapped_read(struct mapped_event *record, const void *bytes, size_t n)
{
	const char *body = (const char *)bytes + sizeof(struct perf_event_header);
	struct perf_event_header header;
	struct trailer trailer;

	*record = (struct mapped_event){ .kind = MAPPED_OTHER };
	if (n < sizeof(header) + sizeof(trailer))
		return false;
	memcpy(&header, bytes, sizeof(header));
	memcpy(&trailer, (const char *)bytes + n - sizeof(trailer), sizeof(trailer));
	record->time = trailer.time;
	n -= sizeof(header) + sizeof(trailer);
	switch (header.type) {
	case PERF_RECORD_MMAP2:
		return read_mmap2(record, body, n);
	case PERF_RECORD_COMM:
		return read_comm(record, header.misc, body, n);
	case PERF_RECORD_FORK:
		return read_task(record, MAPPED_FORK, body, n);
	case PERF_RECORD_EXIT:
		return read_task(record, MAPPED_EXIT, body, n);
	case PERF_RECORD_LOST:
		return read_lost(record, body, n);
	}
	return true;
}
