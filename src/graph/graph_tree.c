// SPDX-License-Identifier: BSD-2-Clause
/* Lines of a tree: of calls that are in each other, by their depth. */
#include "graph_tree.h"

/* Levels of a tree that are indented; a recursion may be deeper than a terminal is wide. */
#define INDENT_MAX 24

void graph_tree_line(struct graph_tree *tree, struct graph_row *row, const char *fmt, ...)
{
	va_list ap;

	str_reset(&tree->line);
	str_add_fill(&tree->line, ' ', 2 * (row->depth < INDENT_MAX ? row->depth : INDENT_MAX));
	va_start(ap, fmt);
	str_addv(&tree->line, fmt, ap);
	va_end(ap);
	row->line = tree->line.data;
	output_row(tree->out, row);
}

/* The stack stands below the line with which a tree ends. */
static void print_begin(struct graph_tree *tree, size_t i)
{
	struct graph_row row;

	tree->describe(tree->ctx, i, &row);
	row.ended = false;
	row.stack = (struct frame_stack){};
	graph_tree_line(tree, &row, "%s(%s) {", row.function, str_or_empty(row.args));
}

static void print_end(struct graph_tree *tree, size_t i)
{
	struct graph_row row;

	tree->describe(tree->ctx, i, &row);
	if (!row.ended)
		graph_tree_line(tree, &row, "} /* has not returned */");
	else
		graph_tree_line(tree, &row, "}%s%s", row.result ? " = " : "", str_or_empty(row.result));
}

/* A call without others in it. */
static void print_leaf(struct graph_tree *tree, size_t i)
{
	struct graph_row row;

	tree->describe(tree->ctx, i, &row);
	graph_tree_line(tree, &row, "%s(%s)%s%s%s", row.function, str_or_empty(row.args), row.result ? " = " : "",
			str_or_empty(row.result), row.ended ? "" : " /* has not returned */");
}

/* Ends the open calls that one at this depth is not in. */
static void close_calls(struct graph_tree *tree, const size_t *open, size_t *n, uint32_t depth)
{
	while (*n && tree->depth(tree->ctx, open[*n - 1]) >= depth)
		print_end(tree, open[--*n]);
}

static void print_text(struct graph_tree *tree, size_t n)
{
	__free size_t *open = base_alloc((n + 1) * sizeof(*open));
	size_t n_open = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t depth = tree->depth(tree->ctx, i);

		close_calls(tree, open, &n_open, depth);
		if (i + 1 < n && tree->depth(tree->ctx, i + 1) > depth) {
			print_begin(tree, i);
			open[n_open++] = i;
		} else {
			print_leaf(tree, i);
		}
	}
	close_calls(tree, open, &n_open, 0);
}

void graph_tree_print(struct graph_tree *tree, size_t n)
{
	if (output_is_text(tree->out)) {
		print_text(tree, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct graph_row row;

		tree->describe(tree->ctx, i, &row);
		output_row(tree->out, &row);
	}
}

void graph_tree_release(struct graph_tree *tree)
{
	str_release(&tree->line);
}
