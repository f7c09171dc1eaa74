// SPDX-License-Identifier: BSD-2-Clause
/* Merges stacks. Knows frames and sums, but no format. */
#include "tree.h"

static uint32_t push_node(struct tree *tree, uint32_t parent, const struct frame *frame)
{
	struct tree_node *node = vec_push(tree);

	node->parent = parent;
	node->frame = frame;
	node->depth = frame ? tree->v[parent].depth + 1 : 0;
	return tree->n - 1;
}

uint32_t tree_add(struct tree *tree, uint32_t parent, const struct frame *frame)
{
	const struct {
		uint64_t frame, parent;
	} key = { (uintptr_t)frame, parent };
	uint32_t number;

	if (!tree->n)
		push_node(tree, 0, NULL);
	if (tree->v[parent].depth == TREE_DEPTH)
		return parent;
	number = set_add(&tree->nodes, &key, sizeof(key)) + 1;
	return number < tree->n ? number : push_node(tree, parent, frame);
}

/* Returns the frame of this name and kind, and whether it is new: then only these two are set. */
static struct frame *make_frame(struct tree *tree, enum frame_kind kind, const char *name, size_t n, bool *is_new)
{
	uint32_t number;

	str_reset(&tree->key);
	str_addc(&tree->key, kind);
	str_addn(&tree->key, name, n);
	number = set_add(&tree->frames, tree->key.data, tree->key.len + 1);
	*is_new = number == tree->made.n;
	if (*is_new) {
		struct frame *frame = base_alloc(sizeof(*frame));

		frame->kind = kind;
		frame->name = (const char *)tree->frames.v[number].bytes + 1;
		*vec_push(&tree->made) = frame;
	}
	return tree->made.v[number];
}

const struct frame *tree_frame(struct tree *tree, const struct frame *like)
{
	bool is_new;
	struct frame *frame = make_frame(tree, like->kind, like->name, strlen(like->name), &is_new);

	if (is_new) {
		frame->symbol = like->symbol;
		frame->file = like->file;
		frame->color = like->color;
	} else if (frame->file != like->file && !str_same(frame->file, like->file)) {
		/* functions of one name in several files */
		frame->file = NULL;
	}
	return frame;
}

const struct frame *tree_named(struct tree *tree, enum frame_kind kind, const char *name, size_t n)
{
	bool is_new;

	return make_frame(tree, kind, name, n, &is_new);
}

/* Siblings side by side, in the order of their names. */
static int compare(const void *a, const void *b, void *data)
{
	const struct tree *tree = data;
	const struct tree_node *x = &tree->v[*(const uint32_t *)a], *y = &tree->v[*(const uint32_t *)b];
	int order;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	order = strcmp(x->frame->name, y->frame->name);
	return order ? order : (int)x->frame->kind - (int)y->frame->kind;
}

/* Links children and siblings; node 0 has no siblings. */
static void link_nodes(struct tree *tree)
{
	uint32_t *order __free = base_alloc(tree->n * sizeof(*order));

	for (uint32_t i = 1; i < tree->n; i++)
		order[i] = i;
	qsort_r(order + 1, tree->n - 1, sizeof(*order), compare, tree);
	for (size_t i = tree->n - 1; i; i--) {
		struct tree_node *node = &tree->v[order[i]], *parent = &tree->v[node->parent];

		node->next = parent->child;
		parent->child = order[i];
	}
}

void tree_finish(struct tree *tree)
{
	if (!tree->n)
		push_node(tree, 0, NULL);
	vec_each(node, tree) {
		node->total = node->self;
		node->child = 0;
	}
	for (size_t i = tree->n - 1; i; i--) {
		struct tree_sum *total = &tree->v[tree->v[i].parent].total;

		total->count += tree->v[i].total.count;
		total->ns += tree->v[i].total.ns;
	}
	link_nodes(tree);
}

uint32_t tree_next(const struct tree *tree, uint32_t node)
{
	if (tree->v[node].child)
		return tree->v[node].child;
	while (node && !tree->v[node].next)
		node = tree->v[node].parent;
	return tree->v[node].next;
}

size_t tree_path(const struct tree *tree, uint32_t node, const struct frame *path[TREE_DEPTH])
{
	uint32_t depth = tree->v[node].depth;

	for (; node; node = tree->v[node].parent)
		path[tree->v[node].depth - 1] = tree->v[node].frame;
	return depth;
}

void tree_release(struct tree *tree)
{
	vec_each(frame, &tree->made)
		free(*frame);
	free(tree->made.v);
	free(tree->v);
	set_release(&tree->nodes);
	set_release(&tree->frames);
	str_release(&tree->key);
	*tree = (struct tree){};
}
