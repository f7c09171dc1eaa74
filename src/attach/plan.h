/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plan is an ordered list of steps: which targets are attached by which images, and by which mechanisms. A step is for those of its
 * targets that no earlier step has attached, so that a later step is what to fall back to.
 */
#ifndef SONDE_PLAN_H
#define SONDE_PLAN_H

#include "attach.h"

enum plan_how {
	PLAN_EACH,    /* each target by itself: copies of `image` */
	PLAN_SESSION, /* entry and return of a function by one program, where the kernel has such mechanisms */
	PLAN_PAIR,    /* entry and return of a function by two programs and one mechanism */
};

/* What is pointed to stays the caller's. */
struct plan_step {
	enum plan_how how;
	const struct image *image; /* PLAN_PAIR: at the entry */
	const struct image *ret;   /* PLAN_PAIR: at the return */
	/* Indices in the set. NULL: PLAN_EACH takes all targets of the set. */
	const uint32_t *targets;
	const uint32_t *returns; /* else: the target at the return of each function whose entry `targets` has */
	size_t n;
	enum mech mech; /* the only mechanism, where that would be chosen; MECH_AUTO: any, from the best to the last */
	bool insist;	/* `mech` also where another one would be chosen */
	bool fallback;	/* only targets in whose slot nothing is attached yet */
};

/*
 * Carries out the steps in their order. For each target a step tries the mechanisms from the best to the last. A pair's return comes
 * first, so that no call begins whose end is not seen; its entry is attached by the same mechanism, and only if the return was.
 *
 * Returns 0 if these steps have attached at least one target. Else -errno, and err says why the first target of the first step is not
 * attached: -EINTR where options.progress() has ended it, -EINVAL for an image with a patch site that nobody has filled. After an error,
 * too, attach_free() detaches.
 */
int plan_run(struct attach *attach, const struct plan_step *steps, size_t n, struct err *err);

#endif
