/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds to words to which other programs may add at the same time. */
#ifndef SONDE_BPF_ATOMIC_BPF_H
#define SONDE_BPF_ATOMIC_BPF_H

/*
 * Adds to a word of 32 or 64 bits without returning the old value: every kernel has an instruction for that. The
 * order is relaxed because clang 20 and later compile __sync_fetch_and_add() to an instruction that also fetches,
 * which Linux 5.10 refuses.
 */
#define atomic_add(word, by) ((void)__atomic_fetch_add(word, by, __ATOMIC_RELAXED))

/*
 * Others see what was stored before this, before anything behind it is loaded. word: of 64 bits, which stays as it is.
 * A locked add is that on x86, and each kernel has one. Elsewhere it is an add that fetches: before Linux 5.12 it is a load,
 * which orders nothing.
 */
#if defined(__TARGET_ARCH_x86)
#define atomic_barrier(word) \
	asm volatile("lock *(u64 *)(%0 + 0) += %1" \
		     : \
		     : "r"(word), "r"(0ULL) \
		     : "memory")
#else
#define atomic_barrier(word) \
	({ \
		unsigned long long atomic_none = 0; \
		asm volatile("" \
			     : "+r"(atomic_none)); \
		atomic_none = __sync_fetch_and_add(word, atomic_none); \
		asm volatile("" \
			     : \
			     : "r"(atomic_none) \
			     : "memory"); \
	})
#endif

#endif
