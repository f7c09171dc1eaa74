/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames a flame graph draws, and where. Knows neither pixels nor SVG. */
#ifndef SONDE_OUTPUT_FLAME_PLAN_H
#define SONDE_OUTPUT_FLAME_PLAN_H

#include "files.h"

/* Of all frames so many are drawn, the widest. Narrower ones beside each other become one box with their sum. */
#define FLAME_MAX_FRAMES 10000

struct flame_box {
	uint32_t node;	 /* 0: the root, or narrow frames */
	uint32_t narrow; /* how many frames this box stands for; 0: it is one */
	uint32_t depth;	 /* 0: the root */
	uint64_t start, weight;
	uint64_t old; /* its weight in the profile to compare with */
};

struct flame_plan {
	const struct files *files;
	const struct tree *tree, *old;
	bool by_time; /* weights are ns, otherwise counts */
	uint64_t total, old_total;
	uint64_t least;	 /* frames with less are narrow */
	size_t narrow;	 /* the number of narrow frames */
	uint32_t depth;	 /* of the deepest box */
	uint32_t *match; /* for each node the same in old, see baseline_match(); NULL: nothing is compared */
	/* a frame comes before those that it called, and these from the left to the right, in the order of names */
	struct flame_boxes {
		vec(struct flame_box);
	} boxes;
};

/* files must stay as they are until flame_plan_release(). */
void flame_plan_init(struct flame_plan *plan, const struct files *files);
void flame_plan_release(struct flame_plan *plan);

/* The weight of a node, and of one of old. */
uint64_t flame_plan_weight(const struct flame_plan *plan, uint32_t node);
uint64_t flame_plan_old_weight(const struct flame_plan *plan, uint32_t node);

/*
 * Lists what only the old profile has: those nodes of old whose callers the new one has, too; the heaviest first. They
 * have no place in the picture. Returns how many, and sets *nodes, which the caller frees.
 */
size_t flame_plan_gone(const struct flame_plan *plan, uint32_t **nodes);

/* What threads wait for, as the innermost frames of stacks say, with all their boxes. */
struct flame_cause {
	const struct frame *frame; /* has a color */
	uint64_t weight;
};

/* Lists the causes, the heaviest first. Returns how many, and sets *causes, which the caller frees. */
size_t flame_plan_causes(const struct flame_plan *plan, struct flame_cause **causes);

#endif
