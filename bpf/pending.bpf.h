/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers what has begun and not ended (bpf/pending.h) by an id, such as the address of a task, a request or a
 * socket.
 *
 *	pending_begin(id, now);
 *	if (pending_end(id, &began)) ... pending_time(began, now) ...
 *
 * With a payload: the tool defines PENDING as a struct of its own before it includes this file.
 *
 *	if ((entry = pending_begin(id, now))) entry->... = ...;
 *	if (pending_take(id, &copy)) ... copy... ...
 *
 * An end without a begin belongs to something that began before tracing, or that a filter left out.
 */
#ifndef SONDE_BPF_PENDING_BPF_H
#define SONDE_BPF_PENDING_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/pending.h"
#include "bpf/slot.bpf.h"

#ifndef PENDING
#define PENDING struct pending
#endif

/* An odd number with well mixed bits: multiplying maps different ids to different numbers. */
#define PENDING_MIX 0x9e3779b97f4a7c15ULL

_Static_assert((sizeof(PENDING) & (sizeof(PENDING) - 1)) == 0, "a mask chooses entries: their size is a power of two");

/* User space sets the size. */
SEC(".data.pending")
PENDING pending_entries[PENDING_WAYS] = {};
SEC(".data.losses")
__u64 pending_losses[PENDING_LOSSES] = {};

static __always_inline void pending_lost(enum pending_loss why)
{
	atomic_add(&pending_losses[why], 1);
}

/* The common begin of entries, with or without a payload. */
#define pending_head(entry) ((struct pending *)(entry))

static __always_inline PENDING *pending_entries_of(__u64 key)
{
	key >>= PENDING_SHIFT;
	asm volatile("%0 &= %1"
		     : "+r"(key)
		     : "i"(PATCH_PENDING_MASK));
	return (void *)slot_begin(pending_entries) + key;
}

/*
 * All entries of the key are in use: replaces the oldest, which most likely never ends. That one is lost or, if
 * another processor was quicker, the one that begins now.
 */
static __always_inline PENDING *pending_evict(PENDING *entries, __u64 key)
{
	PENDING *oldest = entries;
	__u64 owner;

	pending_lost(PENDING_NO_ROOM);
#pragma unroll
	for (int i = 1; i < PENDING_WAYS; i++)
		if (pending_head(&entries[i])->start < pending_head(oldest)->start)
			oldest = &entries[i];
	owner = pending_head(oldest)->key;
	return __sync_val_compare_and_swap(&pending_head(oldest)->key, owner, key) == owner ? oldest : NULL;
}

/*
 * Claims an entry: a free one, or one that the same key has from before, whose end was not seen. Kernels before
 * 5.12 have no compare-and-swap: for these user space replaces it by a load. So the key is also written afterwards,
 * which changes nothing if the swap has written it.
 */
static __always_inline PENDING *pending_claim(__u64 key)
{
	PENDING *entries = pending_entries_of(key), *entry = NULL;

#pragma unroll
	for (int i = 0; i < PENDING_WAYS; i++) {
		__u64 owner = __sync_val_compare_and_swap(&pending_head(&entries[i])->key, 0, key);

		if (owner && owner != key)
			continue;
		if (owner)
			pending_lost(PENDING_NO_END);
		entry = &entries[i];
		goto found;
	}
	entry = pending_evict(entries, key);
	if (!entry)
		return NULL;
found:
	pending_head(entry)->key = key;
	return entry;
}

static __always_inline PENDING *pending_find(__u64 key)
{
	PENDING *entries = pending_entries_of(key);

#pragma unroll
	for (int i = 0; i < PENDING_WAYS; i++)
		if (pending_head(&entries[i])->key == key)
			return &entries[i];
	return NULL;
}

/*
 * Frees an entry that was read. read: a value computed from all words that were read. It makes the store depend on
 * those loads, so that no processor executes it before them.
 */
static __always_inline void pending_free(PENDING *entry, __u64 read)
{
#if defined(__TARGET_ARCH_x86)
	pending_head(entry)->key = 0;
#else
	asm volatile("%0 ^= %0"
		     : "+r"(read));
	pending_head(entry)->key = read;
#endif
}

/* now - start, at least 0: clocks of processors differ a little. */
static __always_inline __u64 pending_time(__u64 start, __u64 now)
{
	return now > start ? now - start : 0;
}

/* Copies an entry and frees it. */
static __always_inline void pending_copy(PENDING *entry, PENDING *copy)
{
	__u64 read = 0;

	*copy = *entry;
#pragma unroll
	for (unsigned int i = 1; i < sizeof(PENDING) / sizeof(__u64); i++)
		read ^= ((__u64 *)copy)[i];
	pending_free(entry, read);
}

/* --- by id --- */

/* Mixes the bits, which spreads similar ids over the table. Different ids have different keys. */
#define pending_key(id) ((__u64)(id)*PENDING_MIX)

/* Begins; if the id is pending, replaces its start time. NULL: no room, which is counted. */
static __always_inline PENDING *pending_begin(__u64 id, __u64 now)
{
	PENDING *entry = pending_find(pending_key(id));

	if (!entry)
		entry = pending_claim(pending_key(id));
	if (entry)
		pending_head(entry)->start = now;
	return entry;
}

/* Begins; if the id is pending, keeps its first start time. */
static __always_inline void pending_begin_once(__u64 id, __u64 now)
{
	if (!pending_find(pending_key(id)))
		pending_begin(id, now);
}

/* Ends; *began is the start time. False: the id is not pending. */
static __always_inline bool pending_end(__u64 id, __u64 *began)
{
	PENDING *entry = pending_find(pending_key(id));

	if (!entry)
		return false;
	*began = pending_head(entry)->start;
	pending_free(entry, *began);
	return true;
}

/* Ends; *copy is the whole entry. False: the id is not pending. */
static __always_inline bool pending_take(__u64 id, PENDING *copy)
{
	PENDING *entry = pending_find(pending_key(id));

	if (!entry)
		return false;
	pending_copy(entry, copy);
	return true;
}

#endif
