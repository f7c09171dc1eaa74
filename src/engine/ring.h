/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's side of bpf/ring.bpf.h: a ring for each processor, into which programs write records over the oldest
 * ones. Decodes nothing: records are words as they lie in the ring (bpf/ring.h).
 *
 *	ring_new(&set, &object, bytes, mode, err)	before the object is prepared
 *	object_prepare(...); ring_open(set, err)	maps the memory
 *	ring_patch(set, &image, err)			each image that records, before it is attached
 *	ring_read(), ring_snapshot(), ring_missed()
 *	ring_free(set)					before the object is released
 *
 * Every record has a number. What is passed on and what is reported as lost add up exactly to what was recorded.
 */
#ifndef SONDE_ENGINE_RING_H
#define SONDE_ENGINE_RING_H

#include "base/base.h"

struct image;
struct object;
struct ring_set;

enum ring_mode {
	RING_STREAM, /* somebody reads all the time */
	RING_FLIGHT, /* nobody reads, only snapshots are taken: nobody is woken */
};

/* Records that follow each other in one ring. Valid during the call. */
struct ring_run {
	uint32_t cpu;
	uint32_t lane;	 /* of the processor's rings: always 0 on kernels with BPF_FETCH (5.12) */
	uint64_t number; /* of the first record, from 0 */
	uint64_t lost;	 /* how many records are missing between the previous run of this ring and this one */
	const uint64_t *words;
	size_t n_words; /* may be 0, if there is only a loss to report */
	size_t n_records;
};

/* Receives runs, those of one ring in order. A result other than 0 ends the call, which returns it. */
typedef int (*ring_fn)(const struct ring_run *run, void *ctx);

/*
 * Chooses the sizes and sets them in an object that is not prepared yet. bytes: of all rings, at most; each has a power
 * of two, at least 64 KB. Returns 0, or -errno with err: -ENOMEM if it is more than half of the available memory.
 */
int ring_new(struct ring_set **set, struct object *object, uint64_t bytes, enum ring_mode mode, struct err *err);
/* Maps the rings of the prepared object, which must outlive the set. */
int ring_open(struct ring_set *set, struct err *err);
/* Fills the patch sites of an image whose program records. Returns 0, or -ENOENT with err. */
int ring_patch(const struct ring_set *set, struct image *image, struct err *err);
/* The same of an image whose program could record, but will not: constants tell the verifier so. */
int ring_patch_unused(struct image *image, struct err *err);
/* Also after an error, and of NULL. */
void ring_free(struct ring_set *set);

/*
 * A descriptor that is readable when a ring is half full since it was read: RING_STREAM only, else -1. ring_read()
 * resets it. A reader that does not wait for it should come every 40 ms.
 */
int ring_fd(const struct ring_set *set);

/*
 * Passes on what is complete, ring by ring, and forgets it. RING_STREAM only. Returns 0, or what fn() returned: then
 * that run counts as passed on.
 */
int ring_read(struct ring_set *set, ring_fn fn, void *ctx);
/*
 * How many records had begun when ring_read() came to their ring and were not complete, or are behind one that was not:
 * they stay for the next call.
 */
uint64_t ring_waiting(const struct ring_set *set);
/* From now on ring_read() leaves out what begins later. Programs may go on recording. */
void ring_end(struct ring_set *set);
/* Records that are known to be lost and were not reported with a run yet: that comes with the next one of their ring. */
uint64_t ring_unreported(const struct ring_set *set);
/* ring_read() for all that is left, when no program records any more: what was not completed is lost. */
int ring_read_last(struct ring_set *set, ring_fn fn, void *ctx);

/*
 * Passes on what the rings hold, while programs go on recording: from the oldest record to the newest one that was
 * there at the begin of the call. Forgets nothing. The first run's `lost` of each ring is 0: what was overwritten
 * before is no loss. Later ones are records that were not complete, or overwritten during the call.
 */
int ring_snapshot(struct ring_set *set, ring_fn fn, void *ctx);

/* Records that found no ring: before 5.12, if more programs interrupt each other than a processor has rings. */
uint64_t ring_missed(const struct ring_set *set);

#endif
