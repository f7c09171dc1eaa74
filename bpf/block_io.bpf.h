/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows disk requests from the task that makes them to their completion. The current task of all later hits may be
 * a bystander: a thread of the kernel that issues what others wrote, or whoever an interrupt came upon.
 *
 * A tool has BLOCK_IO_PROBES (src/engines/block.h) in its table, whose programs are below, and a program for the end:
 *
 *	SEC("raw_tp")
 *	int completed(void *ctx)
 *	{
 *		struct block_io io;
 *
 *		if (block_io_completed(ctx, &io) && (e = event_new_of(sizeof(*e), &io.event)))
 *			...
 */
#ifndef SONDE_BPF_BLOCK_IO_BPF_H
#define SONDE_BPF_BLOCK_IO_BPF_H

#include "bpf/block.bpf.h"
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "bpf/block_io.h"
#define PENDING struct block_io_entry
#include "bpf/pending.bpf.h"
#include "bpf/block_merged.bpf.h"

const volatile struct block_io_config block_io_config SEC(".rodata.config");

/* Where the last request of a disk ended. User space sets the size; created only if it is used. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, char[BLOCK_IO_DISK_LEN]);
	__type(value, __u64);
} block_io_ends SEC(".maps");

/* The probes show who makes requests. Set at the first hit. */
bool block_io_makers_seen;

/*
 * Begins a request of the current task, if the filters pass that. Otherwise forgets a request of this address: an
 * earlier one, whose end was not seen.
 */
static __always_inline struct block_io_entry *block_io_begin(struct request *rq)
{
	struct block_io_entry *entry = NULL;
	__u64 began;

	if (event_wanted() && block_is_wanted(&block_io_config.wanted, rq))
		entry = pending_begin((__u64)rq, bpf_ktime_get_ns());
	if (!entry) {
		pending_end((__u64)rq, &began);
		return NULL;
	}
	__builtin_memset(&entry->io, 0, sizeof(entry->io));
	event_fill(&entry->io.event);
	return entry;
}

SEC("raw_tp")
int made(void *ctx)
{
	bool inserted = context_probe() == BLOCK_IO_INSERTED;
	struct request *rq;

	if (context_kind() == CONTEXT_RAW_TP)
		rq = block_request(ctx);
	else
		rq = (void *)context_arg(ctx, 0);
	/* a request that is inserted again keeps its first task */
	if (inserted && pending_find(pending_key(rq)))
		return 0;
	if (!inserted && !block_io_makers_seen)
		block_io_makers_seen = true;
	block_io_begin(rq);
	return 0;
}

/*
 * Whether a request that is not pending belongs to the task that issues it. With a filter: if nobody else can have
 * made it. The kernel makes a flush on behalf of several tasks, and no probe sees that.
 */
static __always_inline bool block_io_by_issuer(struct request *rq)
{
	return !block_io_makers_seen || !event_chosen() ||
	       (BPF_CORE_READ(rq, cmd_flags) & BLOCK_OP_MASK) == BLOCK_OP_FLUSH;
}

/* A request that comes back from the driver is issued again, and has been queued until then. */
SEC("raw_tp")
int issued(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	struct request *rq = block_request(ctx);
	struct block_io_entry *entry = pending_find(pending_key(rq));

	if (!entry && block_io_by_issuer(rq))
		entry = block_io_begin(rq);
	if (!entry)
		return 0;
	entry->io.queued += pending_time(entry->pending.start, now);
	entry->pending.start = now;
	entry->io.sector = BPF_CORE_READ(rq, __sector);
	if (entry->io.sector == ~0ULL) /* it has none, like a flush */
		entry->io.sector = 0;
	entry->io.bytes = BPF_CORE_READ(rq, __data_len);
	entry->io.flags = block_flags(rq);
	block_read_disk_name(rq, entry->io.disk, sizeof(entry->io.disk));
	entry->io.issued = 1;
	return 0;
}

static __always_inline char block_io_pattern(const struct block_io *io)
{
	__u64 *last = bpf_map_lookup_elem(&block_io_ends, io->disk), end = io->sector + io->bytes / 512;
	char pattern = last && *last == io->sector ? 'S' : 'R';

	bpf_map_update_elem(&block_io_ends, io->disk, &end, BPF_ANY);
	return pattern;
}

/*
 * True: *io is a request that has completed. One that was never issued did not go to a disk: the kernel replaces
 * what asks for a flush by flushes of its own.
 */
static __always_inline bool block_io_completed(void *ctx, struct block_io *io)
{
	__u64 now = bpf_ktime_get_ns();
	struct request *rq = (void *)context_word(ctx, 0);
	struct block_io_entry entry;

	if (!block_is_done(ctx, rq) || !pending_take((__u64)rq, &entry) || !entry.io.issued)
		return false;
	*io = entry.io;
	io->took = pending_time(entry.pending.start, now);
	if (block_io_config.pattern && io->bytes)
		io->pattern[0] = block_io_pattern(io);
	return true;
}

#endif
