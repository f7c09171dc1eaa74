/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For engines: functions that are probed at both ends. Both ends of a function that has two are attached by the same
 * mechanism or not at all, and the return first, so that no call starts whose end is not seen.
 */
#ifndef SONDE_ENGINE_PAIRS_H
#define SONDE_ENGINE_PAIRS_H

#include "attach/attach.h"
#include "bpf/pending.h"

struct engine_stats;
struct keep;
struct object;

/* Initialise with {}. */
struct pairs {
	uint64_t pending_mask;
	struct image entry, ret, session;
};

/*
 * Turns the resolved targets into pairs: the set is then twice as large, with the entries first, then their returns in
 * the same order. The slots stay. Refuses targets without a return, but with `endless` not functions that never return:
 * of these only the entry will be attached.
 */
int pairs_make(struct target_set *set, bool endless, struct err *err);
/*
 * Sizes the pending table of an object that is open, and sets *mask for PATCH_PENDING_MASK of its programs. The table
 * has at least four times as many entries as calls, because a key can use only a few of them. cell: bytes of an entry.
 * Returns 0; -E2BIG with err: the kernel's maps have no room for so many; or another -errno with err.
 */
int pairs_size(struct object *object, uint32_t calls, size_t cell, uint64_t *mask, struct err *err);
/* For how many calls a kept table was sized; 0: none is kept. */
uint32_t pairs_kept_calls(const struct keep *keep, size_t cell);
/* Makes the images of a prepared object, by the names of its programs, and fills in pairs->pending_mask. */
int pairs_load(struct pairs *pairs, const struct object *object, const char *entry, const char *ret, const char *session,
	       struct err *err);
void pairs_release(struct pairs *pairs);
/* Attaches as many as possible. Returns 0 if at least one is attached; otherwise err says why the first one is not. */
int pairs_attach(const struct pairs *pairs, struct attach *attach, const struct target_set *set, struct err *err);
/* Returns how many are attached. */
size_t pairs_count(const struct attach *attach, const struct target_set *set);
/* Lists those that are not attached, and why. The caller frees notes->v. */
void pairs_failed(const struct attach *attach, const struct target_set *set, struct target_notes *notes);
/* Reports how many functions may end by a jump to another function whose time is not measured with theirs. */
void pairs_say_leaves(const struct attach *attach, const struct target_set *set);
/* Why calls were not measured, as numbers. */
struct pairs_losses {
	uint64_t no_end; /* their return was not seen; so are those that the kernel missed */
	uint64_t no_id;	 /* their goroutine could not be read */
	uint64_t no_room;
};
void pairs_add_stats(const struct object *object, struct engine_stats *stats);
/*
 * Reports calls that were not measured, and why. missed: hits that the kernel skipped, which are reported on their own;
 * some of them are returns. calls: how many calls had room.
 */
void pairs_say_losses(const struct object *object, uint64_t missed, uint32_t calls);

#endif
