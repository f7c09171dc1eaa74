/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads disk requests from the raw tracepoints of the block layer. Hides what differs between kernels. */
#ifndef SONDE_BPF_BLOCK_BPF_H
#define SONDE_BPF_BLOCK_BPF_H

#include "bpf/block.h"
#include "bpf/context.bpf.h"
#include <bpf/bpf_core_read.h>

/*
 * The request of block_rq_insert, block_rq_issue and block_rq_merge. Up to some releases of 5.10 the queue is the
 * first argument and the request the second. Only the first argument can be examined to tell which it is, because
 * the second may not exist: neither reading from it nor loading it is possible then.
 */
static __always_inline struct request *block_request(void *ctx)
{
	struct request *first = (void *)context_word(ctx, 0), *second = NULL;
	struct request_queue *queue;

	if (!bpf_core_type_exists(struct hd_struct))
		return first;
	queue = BPF_CORE_READ(first, q);
	if (queue && BPF_CORE_READ(first, mq_hctx, queue) == queue)
		return first;
	bpf_probe_read_kernel(&second, sizeof(second), ctx + sizeof(__u64));
	return second;
}

/* block_rq_complete is hit for each completed part of a request. True: this was the last part. */
static __always_inline bool block_is_done(void *ctx, struct request *rq)
{
	return (__u32)context_word(ctx, 2) >= BPF_CORE_READ(rq, __data_len);
}

/* The disk of a request; NULL: it goes to another device, such as a tape. */
static __always_inline struct gendisk *block_disk(struct request *rq)
{
	struct request___with_disk *old = (void *)rq;

	if (bpf_core_field_exists(old->rq_disk))
		return BPF_CORE_READ(old, rq_disk);
	return BPF_CORE_READ(rq, q, disk);
}

static __always_inline bool block_is_wanted(const volatile struct block_wanted *wanted, struct request *rq)
{
	struct gendisk *disk;

	if (!wanted->one_disk)
		return true;
	disk = block_disk(rq);
	return disk && BPF_CORE_READ(disk, major) == wanted->major && BPF_CORE_READ(disk, first_minor) == wanted->minor;
}

/* Reads the name of the disk into name, which has at least size bytes and is zeroed. "": no disk. */
static __always_inline void block_read_disk_name(struct request *rq, char *name, __u32 size)
{
	struct gendisk *disk = block_disk(rq);

	if (disk)
		bpf_core_read_str(name, size, &disk->disk_name);
}

static __always_inline __u64 block_flag(__u32 flags, __u32 bit, __u32 ours)
{
	return flags >> (bit & 31) & 1 ? ours : 0;
}

#define block_flag_of(flags, NAME) \
	(bpf_core_enum_value_exists(enum req_flag_bits, __REQ_##NAME) \
		 ? block_flag(flags, bpf_core_enum_value(enum req_flag_bits, __REQ_##NAME), BLOCK_##NAME) \
		 : 0)

/* The operation and flags (bpf/block.h). The kernel's own flags change from version to version. */
static __always_inline __u64 block_flags(struct request *rq)
{
	__u32 flags = BPF_CORE_READ(rq, cmd_flags);

	return (flags & BLOCK_OP_MASK) | block_flag_of(flags, SYNC) | block_flag_of(flags, META) |
	       block_flag_of(flags, PRIO) | block_flag_of(flags, NOMERGE) | block_flag_of(flags, IDLE) |
	       block_flag_of(flags, FUA) | block_flag_of(flags, RAHEAD) | block_flag_of(flags, BACKGROUND) |
	       block_flag_of(flags, NOWAIT);
}

#endif
