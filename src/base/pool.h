/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates strings and small structs that are all freed together. Initialise a pool with {}. */
#ifndef SONDE_BASE_POOL_H
#define SONDE_BASE_POOL_H

#include "base.h"

struct pool_block;

struct pool {
	struct pool_block *last;
};

/*
 * Each returns a copy that is valid until pool_release(), never NULL: out of memory ends the process, as in
 * base.h.
 */
const char *pool_add(struct pool *pool, const char *text);
const char *pool_addf(struct pool *pool, const char *fmt, ...) __printf(2, 3);
/* Copies n bytes of any type, aligned for any type. NULL if n is 0; data may be NULL then. */
const void *pool_copy(struct pool *pool, const void *data, size_t n);
/* Returns zeroed memory, aligned for any type. n may be 0. */
void *pool_alloc(struct pool *pool, size_t n);
/* Frees all copies. The pool is empty then and may be used again. */
void pool_release(struct pool *pool);

#endif
