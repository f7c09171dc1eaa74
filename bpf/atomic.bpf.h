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

#endif
