/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has begun and not ended: a call, a request, a task that waits. Both sides share the table in which programs keep it.
 *
 * An entry belongs to the id of what is under way. The table is open: an id may be in one of a few entries, which its bits
 * choose. Entries are claimed by compare-and-swap, and no map is looked up. Where all of an id's entries are taken, the
 * oldest makes room: what never ends would else fill the table.
 */
#ifndef SONDE_PENDING_H
#define SONDE_PENDING_H

/* A tool that keeps more than a time has a struct that begins with this one. Its size must be a power of two. */
struct pending {
	unsigned long long key; /* 0: free */
	unsigned long long start;
};

/* How many entries a key may be in: a cache line of the smallest ones. */
#define PENDING_WAYS 4

/* The bits of a key from there on choose its entries: PATCH_PENDING_MASK (bpf/patch.h) keeps as many as the table has. */
#define PENDING_SHIFT 38

/* Why something was not measured: the places in pending_losses. */
enum pending_loss {
	PENDING_NO_END,	 /* another began under the same key before it ended */
	PENDING_NO_ID,	 /* nothing identified it: a goroutine that its register does not hold */
	PENDING_NO_ROOM, /* others needed the entry: more are under way than there is room for */
	PENDING_LOSSES,
};

#endif
