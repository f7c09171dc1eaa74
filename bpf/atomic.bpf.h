/* SPDX-License-Identifier: BSD-2-Clause */
/* Adding where somebody else may add at the same time. */
#ifndef SONDE_ATOMIC_BPF_H
#define SONDE_ATOMIC_BPF_H

/*
 * Adds to a word of 32 or 64 bits, and gives no value: that is an instruction that every kernel has. Relaxed, for of the stricter
 * __sync_fetch_and_add() clang 20 and later make one that also fetches what was there, and Linux 5.10 refuses that one.
 */
#define atomic_add(word, by) ((void)__atomic_fetch_add(word, by, __ATOMIC_RELAXED))

#endif
