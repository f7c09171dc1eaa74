/* SPDX-License-Identifier: BSD-2-Clause */
/* Some pages that replace the memory of the kernel at an address. */
#ifndef SONDE_TESTS_UNIT_MEMORY_FIXTURE_H
#define SONDE_TESTS_UNIT_MEMORY_FIXTURE_H

#include "kernel/memory.h"

#define BASE 0xffffffff81000000ULL

static uint8_t arena[0xa000];

static inline int arena_copy(const struct memory *memory, uint64_t addr, void *to, size_t n)
{
	if (addr < BASE || addr - BASE > sizeof(arena) || n > sizeof(arena) - (addr - BASE))
		return -EFAULT;
	memcpy(to, arena + (addr - BASE), n);
	return 0;
}

static inline void put(size_t at, const void *data, size_t n)
{
	memcpy(arena + at, data, n);
}

static inline void put_u64(size_t at, uint64_t value)
{
	put(at, &value, sizeof(value));
}

#endif
