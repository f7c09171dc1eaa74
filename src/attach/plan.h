/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plan is an ordered list of steps: which targets are attached by which images, and by which mechanisms. A step
 * handles those of its targets that no earlier step has attached, so a later step is a fallback.
 */
#ifndef SONDE_ATTACH_PLAN_H
#define SONDE_ATTACH_PLAN_H

#include "attach.h"

enum plan_how {
	PLAN_EACH,    /* each target on its own, by copies of `image` */
	PLAN_SESSION, /* entry and return of a function by one program, if the kernel has sessions */
	PLAN_PAIR,    /* entry and return of a function by two programs and one mechanism */
};

/* Data behind pointers stays the caller's. */
struct plan_step {
	enum plan_how how;
	const struct image *image; /* PLAN_PAIR: at the entry */
	const struct image *ret;   /* PLAN_PAIR: at the return */
	/* Indices in the set. NULL: PLAN_EACH takes all targets of the set. */
	const uint32_t *targets;
	const uint32_t *returns; /* PLAN_PAIR, PLAN_SESSION: the targets at the returns of the functions in `targets` */
	size_t n;
	enum mech mech; /* MECH_AUTO: any, from the best to the last; else only this one, if it would be chosen */
	bool insist;	/* use `mech` even if another one would be chosen */
	bool fallback;	/* only targets whose slot has nothing attached yet */
};

/*
 * Carries out the steps in order. For each target a step tries the mechanisms from the best to the last. It attaches a
 * pair's return first, so that no call starts whose end is not seen, and the entry by the same mechanism, only if the
 * return is attached. Of a function that never returns it attaches the entry alone.
 *
 * Returns 0 if the steps have attached at least one target. Otherwise -errno, and err says why the first target of the
 * first step is not attached: -ESTALE if what options.keep has kept does not fit (keep.h), -EINTR if
 * options.progress() stopped it, -EINVAL for an image with an unfilled patch
 * site. Call attach_free() after an error, too.
 */
int plan_run(struct attach *attach, const struct plan_step *steps, size_t n, struct err *err);

#endif
