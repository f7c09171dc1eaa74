/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within graph/: prints calls as a tree. Text has a line where a call begins and one where it ends, or one for both;
 * data has a row for each call.
 */
#ifndef SONDE_GRAPH_GRAPH_TREE_H
#define SONDE_GRAPH_GRAPH_TREE_H

#include "graph.h"

struct graph_tree {
	struct output *out;
	/* Of call i: its depth; and its row but for the line, valid until the next one is asked for. */
	uint32_t (*depth)(void *ctx, size_t i);
	void (*describe)(void *ctx, size_t i, struct graph_row *row);
	void *ctx;
	struct str line; /* {} at first */
};

/* Prints n calls, which are in the order of their begins, a caller before its calls. */
void graph_tree_print(struct graph_tree *tree, size_t n);
/* Prints a row of text whose line is made by fmt, indented by its depth. */
void graph_tree_line(struct graph_tree *tree, struct graph_row *row, const char *fmt, ...) __printf(3, 4);
void graph_tree_release(struct graph_tree *tree);

#endif
