/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From text to tree: tokens, #define and #ifdef, import, declarations of C, macros, the program. Recursive descent;
 * nesting is limited to 200 levels, expansion to 100,000 tokens, imports to 50 files, each file once. Errors are in
 * messages; the tree is then of no use. C types are declared in types.
 */
#ifndef SONDE_LANG_TREE_PARSE_H
#define SONDE_LANG_TREE_PARSE_H

#include "ast.h"
#include "lang/text/parse_options.h"
#include "lang/types/ctype.h"

/*
 * Parses the text with this index. Everything is allocated in pool. Returns NULL if there were errors. `import` and
 * #include "FILE" add to sources; #include <...> is accepted and ignored, the kernel's types come from BTF.
 */
struct ast_program *lang_parse(struct lang_sources *sources, uint32_t index, const struct parse_options *options,
			       struct ctypes *types, struct pool *pool, struct lang_messages *messages);

#endif
