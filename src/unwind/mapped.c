// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rings of perf events, one for each processor, as linux/perf_event.h describes them. What a process does on one
 * processor and what its child then does on another is in two rings: records are sorted by time before anyone sees
 * them, and those that are too young wait, since an older one can still be missing in a ring that was read before.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/pool.h"
#include "mapped.h"

/*
 * Bytes of a ring, a power of two: 4,000 records, as many as half a second of a compiler's run makes on a processor.
 * Many processors share what all rings may take.
 */
#define RING_SIZE     (512 * 1024)
#define RING_SIZE_MIN (32 * 1024)
#define RINGS_SIZE    (4 * 1024 * 1024)

/*
 * How often the rings are read for records that came while others were reported. Busy processes make new ones without
 * end; those wait for the next call.
 */
#define ROUNDS 16

struct ring {
	int fd;	      /* of the perf event, -1: the processor is offline */
	char *memory; /* a page of control data, then the ring */
};

struct mapped {
	struct ring *rings; /* by processor */
	int n_rings;
	size_t size; /* of the rings, without control data */
	int epoll;
	uint64_t read; /* records so far */
	char *record;  /* a record that is copied out of the ring */
	/* Records that were read and not reported yet. */
	vec(struct mapped_event);
	struct pool texts; /* their paths */
};

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static void ring_close(struct mapped *records, struct ring *ring)
{
	if (ring->fd < 0)
		return;
	munmap(ring->memory, page_size() + records->size);
	close(ring->fd);
	ring->fd = -1;
}

static int event_open(int processor)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int ring_open(struct mapped *records, int processor)
{
	struct ring *ring = &records->rings[processor];
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = processor };
	int fd __close = event_open(processor);
	void *memory;

	if (fd < 0)
		return fd;
	memory = mmap(NULL, page_size() + records->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	*ring = (struct ring){ .fd = take_fd(fd), .memory = memory };
	if (!epoll_ctl(records->epoll, EPOLL_CTL_ADD, ring->fd, &event))
		return 0;
	ring_close(records, ring);
	return -errno;
}

/* *n: how many are open. Returns the last error. */
static int open_rings(struct mapped *records, size_t *n)
{
	bool *online __free = base_alloc(records->n_rings * sizeof(*online));
	int ret = 0;

	*n = 0;
	cpus_online(online);
	for (int i = 0; i < records->n_rings; i++) {
		int failed = online[i] ? ring_open(records, i) : 0;

		*n += online[i] && !failed;
		ret = failed ? failed : ret;
	}
	return ret;
}

int mapped_open(struct mapped **opened, struct err *err)
{
	struct mapped *records = base_alloc(sizeof(*records));
	size_t n = 0;
	int ret;

	records->n_rings = cpus_ids();
	records->rings = base_alloc(records->n_rings * sizeof(*records->rings));
	for (int i = 0; i < records->n_rings; i++)
		records->rings[i].fd = -1;
	records->size = RING_SIZE;
	while (records->size > RING_SIZE_MIN && records->size > page_size() && records->size * records->n_rings > RINGS_SIZE)
		records->size /= 2;
	records->record = base_alloc(UINT16_MAX + 1);
	records->epoll = epoll_create1(EPOLL_CLOEXEC);
	ret = records->epoll < 0 ? -errno : open_rings(records, &n);
	if (n) {
		*opened = records;
		return 0;
	}
	mapped_close(records);
	return err_set(err, ret, "perf events cannot be opened: %s", strerror(-ret));
}

void mapped_close(struct mapped *records)
{
	if (!records)
		return;
	for (int i = 0; i < records->n_rings; i++)
		ring_close(records, &records->rings[i]);
	if (records->epoll >= 0)
		close(records->epoll);
	pool_release(&records->texts);
	free(records->v);
	free(records->record);
	free(records->rings);
	free(records);
}

int mapped_fd(const struct mapped *records)
{
	return records->epoll;
}

/* Copies n bytes from a position of the ring, which may wrap around. */
static void copy_out(const struct mapped *records, const struct ring *ring, uint64_t at, void *to, size_t n)
{
	const char *data = ring->memory + page_size();
	size_t start = at % records->size, first = n < records->size - start ? n : records->size - start;

	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, n - first);
}

static void keep(struct mapped *records, size_t n)
{
	struct mapped_event record, *kept;

	if (!mapped_read(&record, records->record, n) || record.kind == MAPPED_OTHER)
		return;
	kept = vec_push(records);
	*kept = record;
	kept->number = records->read++;
	if (record.kind == MAPPED_MAP)
		kept->mapping.path = pool_add(&records->texts, record.mapping.path);
}

static void read_ring(struct mapped *records, struct ring *ring)
{
	struct perf_event_mmap_page *control = (void *)ring->memory;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE), at = control->data_tail;

	while (head - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;

		copy_out(records, ring, at, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - at)
			break;
		copy_out(records, ring, at, records->record, header.size);
		keep(records, header.size);
		at += header.size;
	}
	__atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
}

/* Reads the last records and closes the event. */
static void ring_end(struct mapped *records, struct ring *ring)
{
	read_ring(records, ring);
	ring_close(records, ring);
}

/*
 * Asks for events, so that the descriptor is not readable any more. An event that has ended would make it readable
 * for ever: its processor went offline.
 */
static void clear_events(struct mapped *records)
{
	struct epoll_event events[16];
	int n;

	do {
		n = epoll_wait(records->epoll, events, ARRAY_SIZE(events), 0);
		for (int i = 0; i < n; i++)
			if (events[i].events & (EPOLLHUP | EPOLLERR))
				ring_end(records, &records->rings[events[i].data.u32]);
	} while (n == ARRAY_SIZE(events));
}

/*
 * An event does not survive that its processor is offline: some kernels end it, in others it is silent from then on.
 */
bool mapped_check_processors(struct mapped *records)
{
	bool *online __free = base_alloc(records->n_rings * sizeof(*online)), any = false;

	cpus_online(online);
	for (int i = 0; i < records->n_rings; i++) {
		struct ring *ring = &records->rings[i];

		if (online[i] && ring->fd < 0)
			any |= !ring_open(records, i);
		else if (!online[i] && ring->fd >= 0)
			ring_end(records, ring);
	}
	return any;
}

static int by_time(const void *pa, const void *pb)
{
	const struct mapped_event *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Reports the records up to a time, and keeps the others. */
static void report_until(struct mapped *records, uint64_t time, mapped_fn fn, void *ctx)
{
	size_t n = 0;

	qsort(records->v, records->n, sizeof(*records->v), by_time);
	for (; n < records->n && records->v[n].time <= time; n++)
		fn(ctx, &records->v[n]);
	records->n -= n;
	memmove(records->v, records->v + n, records->n * sizeof(*records->v));
	if (!records->n)
		pool_release(&records->texts);
}

void mapped_take(struct mapped *records, mapped_fn fn, void *ctx)
{
	int round = 0;

	clear_events(records);
	do {
		uint64_t now = clock_monotonic_ns();

		for (int i = 0; i < records->n_rings; i++)
			if (records->rings[i].fd >= 0)
				read_ring(records, &records->rings[i]);
		if (records->n)
			report_until(records, now, fn, ctx);
	} while (records->n && ++round < ROUNDS);
}
