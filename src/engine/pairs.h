/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engine/: functions that are probed at both ends. Both ends of one are attached the same way or none is, and the return
 * first, so that no call is begun whose end is not seen.
 */
#ifndef SONDE_PAIRS_H
#define SONDE_PAIRS_H

#include "attach/attach.h"
#include "bpf/pending.h"

struct object;

/* Initialise with {}. */
struct pairs {
	uint64_t pending_mask;
	struct image entry, ret, session;
};

/* What was resolved becomes pairs: the set is twice as large, entries first, then their returns in the same order; the slots stay. Refuses what has no return. */
int pairs_make(struct target_set *set, struct err *err);
/*
 * Sizes the pending table of an object that is open: *mask is for its programs' PATCH_PENDING_MASK. The table has room for at least four
 * times as many calls: a key may be in few cells only. cell: bytes of one.
 */
int pairs_size(struct object *object, uint32_t calls, size_t cell, uint64_t *mask, struct err *err);
/* Of an object that is prepared, by the names of its programs: the images, with pairs->pending_mask in those that use the table. */
int pairs_load(struct pairs *pairs, const struct object *object, const char *entry, const char *ret, const char *session,
	       struct err *err);
void pairs_release(struct pairs *pairs);
/* Attaches as many as can be; an error says why the first one cannot where none is. */
int pairs_attach(const struct pairs *pairs, struct attach *attach, const struct target_set *set, struct err *err);
/* Those that are. */
size_t pairs_count(const struct attach *attach, const struct target_set *set);
/* Those that are not, and why; notes->v is the caller's to free. */
void pairs_failed(const struct attach *attach, const struct target_set *set, struct target_notes *notes);
/*
 * Calls that were not measured, and why. missed: what the kernel has skipped and is told by itself, a part of which are
 * returns; calls: that there was room for.
 */
void pairs_say_losses(const struct object *object, uint64_t missed, uint32_t calls);

#endif
