/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pending table: what has begun and not ended, such as a call, a request or a waiting task. Shared by both
 * sides.
 *
 * An entry is found by an id. The bits of its key choose a few entries, of which it may use any. Programs claim
 * entries by compare-and-swap, without a map lookup. If all entries of an id are in use, the oldest is replaced:
 * else things that never end would fill the table.
 */
#ifndef SONDE_BPF_PENDING_H
#define SONDE_BPF_PENDING_H

/* An entry. A tool with a payload has a struct that begins with this one; its size must be a power of two. */
struct pending {
	unsigned long long key;	  /* 0: free */
	unsigned long long start; /* ns */
};
_Static_assert(sizeof(struct pending) == 16, "as on the other side");

/* How many entries a key may use: a cache line of the smallest entries. */
#define PENDING_WAYS 4

/*
 * The bits of a key above this one choose its entries; PATCH_PENDING_MASK (bpf/patch.h) limits them to the size of
 * the table.
 */
#define PENDING_SHIFT 38

/* Why something was not measured: indices of pending_losses. */
enum pending_loss {
	PENDING_NO_END,	 /* another one began with the same key before this one ended */
	PENDING_NO_ID,	 /* it has no id: the register does not hold a goroutine */
	PENDING_NO_ROOM, /* its entry was replaced, or it is not followed: more are pending than the table has room for */
	PENDING_LOSSES,
};

#endif
