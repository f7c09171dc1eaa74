// SPDX-License-Identifier: BSD-2-Clause
/*
 * The libelf.a of elfutils 0.192 (Debian 13) was shipped without the four functions below that its own
 * members call (sourceware bug 32293). They are a search tree as in <search.h>, its root
 * the first member of what the pointer points to; the lock behind it is for builds of
 * libelf that are thread-safe, which Debian's is not. This file is an archive that the linker reads after
 * libelf.a, so that it takes nothing from here where libelf is whole.
 */
#include <search.h>
#include <stddef.h>

void eu_search_tree_init(void **root);
void eu_search_tree_fini(void **root, void (*free_node)(void *));
void *eu_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));
void *eu_tdelete(const void *key, void **root, int (*compare)(const void *, const void *));

void eu_search_tree_init(void **root)
{
	*root = NULL;
}

void eu_search_tree_fini(void **root, void (*free_node)(void *))
{
	tdestroy(*root, free_node);
	*root = NULL;
}

void *eu_tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	return tsearch(key, root, compare);
}

void *eu_tdelete(const void *key, void **root, int (*compare)(const void *, const void *))
{
	return tdelete(key, root, compare);
}
