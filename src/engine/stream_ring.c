// SPDX-License-Identifier: BSD-2-Clause
/* Maps and reads a BPF ring buffer. Does not know what is in a record. */
#include <linux/bpf.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "stream_ring.h"

static size_t tail_of(size_t size)
{
	return size < STREAM_RING_RECORD ? size : STREAM_RING_RECORD;
}

int stream_ring_open(struct stream_ring *ring, int map)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);
	size_t page = getpagesize();
	int ret;

	*ring = (struct stream_ring){};
	if (bpf_map_get_info_by_fd(map, &info, &len))
		return -errno;
	ring->size = info.max_entries;
	ring->read_to = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (ring->read_to == MAP_FAILED) {
		ring->read_to = NULL;
		return -errno;
	}
	ring->writers = mmap(NULL, page + ring->size + tail_of(ring->size), PROT_READ, MAP_SHARED, map, page);
	if (ring->writers == MAP_FAILED) {
		ret = -errno;
		ring->writers = NULL;
		stream_ring_close(ring);
		return ret;
	}
	ring->records = ring->writers + page;
	return 0;
}

void stream_ring_close(struct stream_ring *ring)
{
	size_t page = getpagesize();

	if (ring->read_to)
		munmap(ring->read_to, page);
	if (ring->writers)
		munmap(ring->writers, page + ring->size + tail_of(ring->size));
	*ring = (struct stream_ring){};
}

/* Nobody else writes it. */
unsigned long stream_ring_at(const struct stream_ring *ring)
{
	return *ring->read_to;
}

unsigned long stream_ring_end(const struct stream_ring *ring)
{
	return __atomic_load_n((const unsigned long *)ring->writers, __ATOMIC_ACQUIRE);
}

size_t stream_ring_take(struct stream_ring *ring, unsigned long limit, size_t n,
			int (*fn)(void *ctx, void *record, size_t size), void *ctx)
{
	unsigned long at = stream_ring_at(ring), end = stream_ring_end(ring);
	size_t passed = 0;

	while (at < end && at < limit && passed < n) {
		char *record = ring->records + (at & (ring->size - 1));
		uint32_t header = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
		size_t size = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (header & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(header & BPF_RINGBUF_DISCARD_BIT)) {
			fn(ctx, record + BPF_RINGBUF_HDR_SZ, size);
			passed++;
		}
		at += (size + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
		/* the kernel may reuse the place from now on */
		__atomic_store_n(ring->read_to, at, __ATOMIC_RELEASE);
	}
	return passed;
}
