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

/* The programs of a pair. */
struct pair_programs {
	const struct bpf_program *entry, *ret, *session;
};

/* What was resolved becomes pairs: the set is twice as large, and the slots stay. Refuses what has no return. */
int pairs_make(struct target_set *set, struct err *err);
/*
 * Sizes the table of calls that are under way, of an object that is open, and adds the mark that belongs to
 * it. Room for at least four times as many: a key may be in few cells only. cell: bytes of one.
 */
int pairs_size(struct object *object, uint32_t calls, size_t cell, struct attach_mark *mark, struct err *err);
/* Attaches as many as can be; an error says why the first one cannot where none is. */
int pairs_attach(struct attach *attach, struct target_set *set, const struct pair_programs *programs, struct err *err);
/* Those that are. */
size_t pairs_count(const struct target_set *set);
/* Those that are not, and why; notes->v is the caller's to free. */
void pairs_failed(const struct target_set *set, struct target_notes *notes);
/*
 * Calls that were not measured, and why. missed: what the kernel has skipped and is told by itself, a part of which are
 * returns; calls: that there was room for.
 */
void pairs_say_losses(const struct object *object, uint64_t missed, uint32_t calls);

#endif
