// SPDX-License-Identifier: BSD-2-Clause
/*
 * glibc describes itself for debuggers (nptl_db/): _thread_db_sizeof_pthread is the size of struct pthread, and
 * _thread_db_pthread_specific { bits, elements, offset } says where that has pointers to all blocks of keys. The first
 * block is before them.
 */
#include "binary/binary.h"
#include "bpf/interp.h"
#include "thread_keys.h"

#define BLOCK_SIZE (INTERP_KEYS * INTERP_KEY_SIZE)
#if defined(__x86_64__)
#define FROM_END 0
#else
#define FROM_END 1 /* a boolean */
#endif
#define THREAD_MAX 65536 /* bytes of struct pthread; some 2,300 on x86-64, 1,850 on arm64 */

static bool read_exported(struct binary *binary, const char *name, void *to, size_t n)
{
	struct binary_exported found;
	uint64_t offset;

	return !binary_find_exported(binary, name, &found) && found.size == n &&
	       !binary_offset_of(binary, found.vaddr, false, &offset) && !binary_read(binary, offset, to, n);
}

int thread_keys_read(struct binary *binary)
{
	uint32_t size, specific[3];

	if (!read_exported(binary, "_thread_db_sizeof_pthread", &size, sizeof(size)) ||
	    !read_exported(binary, "_thread_db_pthread_specific", specific, sizeof(specific)) || size > THREAD_MAX ||
	    specific[2] > size || specific[2] < BLOCK_SIZE)
		return 0;
	return (int)specific[2] - BLOCK_SIZE - FROM_END * (int)size;
}
