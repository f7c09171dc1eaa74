// SPDX-License-Identifier: BSD-2-Clause
/*
 * The libelf.a of elfutils 0.192 (Debian 13) lacks the four functions below, which its own members call
 * (sourceware bug 32293). They form a search tree as in <search.h>, whose root is the first member of the struct
 * that the pointer points to. The struct's lock matters only in thread-safe builds of libelf, and Debian's is not
 * one. This file becomes an archive that the linker reads after libelf.a: if libelf is complete, nothing is taken
 * from here.
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
