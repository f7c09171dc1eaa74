/* SPDX-License-Identifier: BSD-2-Clause */
/* Goes through the parts of a tree. */
#ifndef SONDE_LANG_TREE_AST_WALK_H
#define SONDE_LANG_TREE_AST_WALK_H

#include "ast.h"

/* May replace *child; its `next` must stay then. */
typedef void (*ast_fn)(struct ast **child, void *ctx);
/* Calls fn for each direct part of ast, those of the types that are written in it among them. */
void ast_walk(struct ast *ast, ast_fn fn, void *ctx);
/* A copy in pool, of a tree that nobody has checked. Types as they are written are shared. NULL stays NULL. */
struct ast *ast_copy(struct pool *pool, const struct ast *ast);

#endif
