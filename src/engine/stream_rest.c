// SPDX-License-Identifier: BSD-2-Clause
/* Walks over records in a BPF ring buffer. Does not know where the buffer comes from, nor what is in a record. */
#include <linux/bpf.h>

#include "stream_rest.h"

static unsigned long next_record(unsigned long at, size_t size)
{
	return at + (size + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
}

uint64_t stream_rest(char *records, size_t size, unsigned long at, unsigned long end, stream_rest_fn fn, void *ctx)
{
	uint64_t incomplete = 0;

	while (at < end) {
		char *record = records + (at & (size - 1));
		uint32_t header = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
		size_t length = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (header & BPF_RINGBUF_BUSY_BIT)
			incomplete++;
		else if (!(header & BPF_RINGBUF_DISCARD_BIT))
			fn(ctx, record + BPF_RINGBUF_HDR_SZ, length);
		at = next_record(at, length);
	}
	return incomplete;
}
