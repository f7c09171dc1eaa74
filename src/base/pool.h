/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings and small things that live and die together. */
#ifndef SONDE_POOL_H
#define SONDE_POOL_H

#include "base.h"

struct pool_block;

struct pool {
	struct pool_block *last;
};

/* The copies are valid until pool_release(). */
const char *pool_add(struct pool *pool, const char *text);
const char *pool_addf(struct pool *pool, const char *fmt, ...) __printf(2, 3);
/* Of anything, aligned for any of it. */
const void *pool_copy(struct pool *pool, const void *data, size_t n);
void pool_release(struct pool *pool);

#endif
