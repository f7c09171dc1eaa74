/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets to links. For each target the best mechanism that this kernel offers, found by trying; what one
 * mechanism cannot attach goes to the next, and what none can is left with its reason in
 * target->failed. A program is a template: attach loads a copy for each way of attaching, with the
 * constants of bpf/slot.h written into it.
 */
#ifndef SONDE_ATTACH_H
#define SONDE_ATTACH_H

#include "image.h"
#include "probe/target.h"

struct attach;
struct bpf_object;

struct attach_options {
	enum mech mech;	    /* the only one to use, or MECH_AUTO */
	bool shared;	    /* programs of several slots or processors write to one shard: increments are atomic */
	pid_t pid;	    /* user functions: place them in this process only, 0 in all */
	bool registers;	    /* the programs read these, which trampolines do not give: never by those */
	bool must_not_miss; /* a hit that the kernel skips is lost: mechanisms by which it skips none come first */
	/* Called now and then while attaching; non-zero ends it with -EINTR. May be NULL. */
	int (*progress)(void *ctx, size_t done, size_t total);
	void *ctx;
};

/*
 * Sizes and fills the data of bpf/slot.bpf.h in an object that is open and not yet prepared: by it programs learn which target of
 * the set was hit.
 */
int attach_fill_slots(struct bpf_object *object, const struct target_set *set, struct err *err);
/* The set stays the caller's and must outlive the result. */
struct attach *attach_new(struct target_set *set, const struct attach_options *options);

/*
 * Attaches copies of the image to every target of the group that is not attached yet (a target that is a session
 * by a mechanism that has those). 0 when at least one is; else an
 * error that tells why the first is not. -EINTR when progress() said so. After an error, too, attach_free() detaches.
 */
int attach_targets(struct attach *attach, uint32_t group, const struct image *image, struct err *err);
/* The same by one mechanism, where that would be chosen: as a first choice before others. MECH_AUTO: by all. */
int attach_targets_by(struct attach *attach, uint32_t group, enum mech only, const struct image *image,
		      struct err *err);

size_t attach_count(const struct attach *attach); /* targets that are attached */

/*
 * Hits that the kernel did not give to a program, because one was running there already or there
 * was no memory to note a return. by_slot[slot] gets those of programs and links that serve one slot only, and is
 * not cleared first; *others the sum of the rest. -ENOTSUP where the kernel does not count them.
 */
int attach_missed(const struct attach *attach, uint64_t *by_slot, uint64_t *others);

/*
 * Whether returns hang on kretprobes of a kernel that does not tell (before 6.7) how many it missed: it follows as many calls of
 * a function at a time as there are processors, or few more, and one that sleeps counts.
 */
bool attach_hides_missed_returns(const struct attach *attach);

/*
 * Whether what something attached hangs on has been switched off for the whole kernel since: its hits are missing, and no
 * error tells. The switch, and what turns it on; NULL: none is off now.
 */
const char *attach_switched_off(const struct attach *attach);

/* What an error says with which the kernel did not load a program: that its verifier has refused it. NULL: something else. */
const char *attach_rejected(int error);

/* Detaches all; waits until no program runs any more. */
void attach_free(struct attach *attach);

/*
 * May a second run of one program begin on a processor while the first is at work there? Then an increment
 * that is not atomic can be lost. True with user functions (preemptible), and with trampolines and raw
 * tracepoints where the kernel does not keep an interrupt from running the program once more.
 */
bool attach_needs_atomic(const struct target_set *set);

#endif
