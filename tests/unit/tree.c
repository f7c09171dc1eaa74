// SPDX-License-Identifier: BSD-2-Clause
/* Stacks merged from the root on. */
#include <criterion/criterion.h>

#include "output/tree.h"

static uint32_t add(struct tree *tree, uint64_t count, const char *a, const char *b)
{
	uint32_t node = tree_add(tree, 0, tree_named(tree, FRAME_USER, a, strlen(a)));

	if (b)
		node = tree_add(tree, node, tree_named(tree, FRAME_USER, b, strlen(b)));
	tree->v[node].self.count += count;
	tree->v[node].self.ns += count * 10;
	return node;
}

Test(tree, of_nothing)
{
	struct tree tree = {};

	tree_finish(&tree);
	cr_expect_eq(tree.n, 1);
	cr_expect_eq(tree_next(&tree, 0), 0);
	cr_expect_eq(tree.v[0].total.count, 0);
	tree_release(&tree);
}

Test(tree, siblings_are_in_order_and_totals_add_up)
{
	static const char *const want[] = { "a", "b", "c", "a", "d" };
	static const uint64_t totals[] = { 1, 23, 7, 11, 5 };
	const struct frame *path[TREE_DEPTH];
	struct tree tree = {};
	uint32_t deep, node;
	size_t i = 0;

	add(&tree, 5, "d", NULL);
	deep = add(&tree, 7, "b", "c");
	cr_expect_eq(add(&tree, 0, "b", "c"), deep);
	add(&tree, 5, "b", NULL);
	add(&tree, 1, "a", NULL);
	add(&tree, 11, "b", "a");
	for (int twice = 0; twice < 2; twice++)
		tree_finish(&tree);
	cr_expect_eq(tree.v[0].total.count, 29);
	cr_expect_eq(tree.v[0].total.ns, 290);
	/* parents first: a, b, b's a, b's c, d */
	for (node = tree_next(&tree, 0); node; node = tree_next(&tree, node), i++)
		cr_expect(tree.v[node].parent < node);
	cr_expect_eq(i, 5);
	node = tree.v[0].child;
	cr_expect_str_eq(tree.v[node].frame->name, want[0]);
	cr_expect_eq(tree.v[node].total.count, totals[0]);
	node = tree_next(&tree, node);
	cr_expect_str_eq(tree.v[node].frame->name, want[1]);
	cr_expect_eq(tree.v[node].total.count, totals[1]);
	cr_expect_eq(tree.v[node].self.count, 5);
	cr_expect_str_eq(tree.v[tree.v[node].child].frame->name, want[3]);
	cr_expect_eq(tree.v[tree.v[node].child].total.count, totals[3]);
	cr_expect_str_eq(tree.v[tree.v[node].next].frame->name, want[4]);
	cr_expect_eq(tree_path(&tree, deep, path), 2);
	cr_expect_str_eq(path[0]->name, "b");
	cr_expect_str_eq(path[1]->name, "c");
	tree_release(&tree);
}

Test(tree, functions_are_one_whatever_their_addresses)
{
	const struct frame one = { .name = "f", .file = "/lib/a", .address = 1 },
			   two = { .name = "f", .file = "/lib/a", .address = 2 },
			   other = { .name = "f", .file = "/lib/b" }, kernel = { .name = "f", .kind = FRAME_KERNEL };
	struct tree tree = {};
	const struct frame *frame = tree_frame(&tree, &one);

	cr_expect_eq(tree_frame(&tree, &two), frame);
	cr_expect_str_eq(frame->file, "/lib/a");
	cr_expect_eq(frame->address, 0);
	cr_expect_neq(tree_frame(&tree, &kernel), frame);
	/* of several files: of none */
	cr_expect_eq(tree_frame(&tree, &other), frame);
	cr_expect_null(frame->file);
	cr_expect_eq(tree_frame(&tree, &one), frame);
	cr_expect_null(frame->file);
	cr_expect_neq(tree_add(&tree, 0, &one), tree_add(&tree, 0, &two));
	cr_expect_eq(tree_add(&tree, 0, &one), tree_add(&tree, 0, &one));
	tree_release(&tree);
}

Test(tree, is_no_deeper_than_its_readers_can_take)
{
	static const struct frame frame = { .name = "f" };
	const struct frame *path[TREE_DEPTH];
	struct tree tree = {};
	uint32_t node = 0;

	for (int i = 0; i < TREE_DEPTH + 10; i++)
		node = tree_add(&tree, node, &frame);
	cr_expect_eq(tree.n, TREE_DEPTH + 1);
	cr_expect_eq(tree.v[node].depth, TREE_DEPTH);
	cr_expect_eq(tree_path(&tree, node, path), TREE_DEPTH);
	cr_expect(path[0] == &frame && path[TREE_DEPTH - 1] == &frame);
	tree_release(&tree);
}
