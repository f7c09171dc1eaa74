// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copies are packed into large blocks. A kernel has 100,000 function names; with one malloc() each, malloc's own
 * bytes would take as much memory as the names.
 */
#include "pool.h"

/* A block is twice as large as the one before: a pool of a few words takes little, one of many has few blocks. */
#define BLOCK_LEAST 1024
#define BLOCK_MOST  (64 * 1024)

struct pool_block {
	struct pool_block *before;
	size_t used, size;
	char text[];
};

static char *pool_room(struct pool *pool, size_t n)
{
	struct pool_block *block = pool->last;
	char *room;

	if (!block || block->size - block->used < n) {
		size_t size = !block ? BLOCK_LEAST : block->size < BLOCK_MOST ? 2 * block->size
									      : BLOCK_MOST;

		if (size < n)
			size = n;
		block = base_alloc(sizeof(*block) + size);
		block->size = size;
		block->before = pool->last;
		pool->last = block;
	}
	room = block->text + block->used;
	block->used += n;
	return room;
}

const char *pool_add(struct pool *pool, const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(pool_room(pool, n), text, n);
}

void *pool_alloc(struct pool *pool, size_t n)
{
	uintptr_t align = _Alignof(max_align_t), room = (uintptr_t)pool_room(pool, n + align - 1);

	return (void *)((room + align - 1) / align * align);
}

const void *pool_copy(struct pool *pool, const void *data, size_t n)
{
	return n ? memcpy(pool_alloc(pool, n), data, n) : NULL;
}

const char *pool_addf(struct pool *pool, const char *fmt, ...)
{
	va_list ap, again;
	char *room;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	room = pool_room(pool, n + 1);
	vsnprintf(room, n + 1, fmt, again);
	va_end(again);
	return room;
}

void pool_release(struct pool *pool)
{
	while (pool->last) {
		struct pool_block *block = pool->last;

		pool->last = block->before;
		free(block);
	}
}
