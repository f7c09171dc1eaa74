/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets to links. A plan (plan.h) says which images are attached to which targets. Targets that one mechanism cannot attach fall
 * through to the next; any left over have a reason, which attach_why_not() gives.
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
/* Attaches nothing yet: plan.h. The set stays the caller's, must outlive the result, and has all targets by now. */
struct attach *attach_new(const struct target_set *set, const struct attach_options *options);

/* Of a target by its index in the set, after plan_run(): whether it is attached, and why it is not (NULL: it is). */
bool attach_is_attached(const struct attach *attach, size_t target);
const char *attach_why_not(const struct attach *attach, size_t target);
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

/* How often the kernel skipped a program because one was running on the processor; 0 where the kernel does not count that. */
uint64_t attach_program_missed(int program_fd);

/* Detaches all; waits until no program runs any more. */
void attach_free(struct attach *attach);

/*
 * May a second run of one program begin on a processor while the first is at work there? Then an increment
 * that is not atomic can be lost. True with user functions (preemptible), and with trampolines and raw
 * tracepoints where the kernel does not keep an interrupt from running the program once more.
 */
bool attach_needs_atomic(const struct target_set *set);

#endif
