/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks merged from the root on: stacks that begin alike share nodes. Each node has the sums of the stacks that end
 * there, and of all above it.
 */
#ifndef SONDE_OUTPUT_TREE_H
#define SONDE_OUTPUT_TREE_H

#include "base/set.h"
#include "base/str.h"
#include "frame.h"

/* The most frames from the root to a leaf: two tasks' names, and user and kernel frames of both, with marks between. */
#define TREE_DEPTH (4 * 127 + 8)

struct tree_sum {
	uint64_t count, ns;
};

struct tree_node {
	const struct frame *frame; /* NULL: the root, node 0, where all stacks begin */
	uint32_t parent;	   /* < the node's own number */
	uint32_t depth;		   /* of the root: 0 */
	struct tree_sum self;	   /* of the stacks that end here */
	/* set by tree_finish() */
	uint32_t child, next;  /* its first child and its next sibling, in the order of their names; 0: none */
	struct tree_sum total; /* self and all children */
};

/* Nodes are v[0] to v[n - 1], a child after its parent; none until the first tree_add(). Initialise with {}. */
struct tree {
	vec(struct tree_node);
	struct set nodes;  /* by parent and frame */
	struct set frames; /* of tree_frame() */
	vec(struct frame *) made;
	struct str key; /* of the last one asked for */
};

/*
 * Returns the node of the frame above node `parent` (0: the root), or `parent` if that is TREE_DEPTH deep. Frames are
 * the same if their addresses are.
 */
uint32_t tree_add(struct tree *tree, uint32_t parent, const struct frame *frame);
/*
 * Returns a frame that stands for all of this name and kind: in a tree of such frames, functions are merged whatever
 * their addresses. like: copied on the first call, all but its addresses; its strings must stay valid. The frame is
 * valid until tree_release().
 */
const struct frame *tree_frame(struct tree *tree, const struct frame *like);
/* The same for a name of n bytes, which is copied. */
const struct frame *tree_named(struct tree *tree, enum frame_kind kind, const char *name, size_t n);
/* Sets the totals and the order of siblings. tree_add() may follow; then call it again. */
void tree_finish(struct tree *tree);
/* After tree_finish(): returns the node after this one, parents before children, in the order of names. 0: the last. */
uint32_t tree_next(const struct tree *tree, uint32_t node);
/* Writes the frames from the root to the node into path. Returns how many there are. */
size_t tree_path(const struct tree *tree, uint32_t node, const struct frame *path[TREE_DEPTH]);
void tree_release(struct tree *tree);

#endif
