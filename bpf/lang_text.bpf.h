/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of bpf/lang.bpf.c: functions that search, compare and measure texts that are in the program's own memory.
 * Each is written so that the verifier follows its loops in reasonable time.
 */
#ifndef SONDE_BPF_LANG_TEXT_BPF_H
#define SONDE_BPF_LANG_TEXT_BPF_H

#include "bpf/lang.h"

/*
 * At each place, all bytes are compared without a branch: the verifier runs through every turn, and remembers every
 * branch that is open.
 */
FN lang_find(const char *text, __u64 size, const char *what, __u64 what_size)
{
	for (__u64 i = 0; i < size; i++) {
		__u64 differs = 0;

		barrier_var(i);
		if (i >= size)
			break;
		for (__u64 j = 0; j < what_size; j++) {
			__u64 w, t, is_text;

			barrier_var(j);
			if (j >= what_size || i + j >= size)
				break;
			w = (__u8)what[j];
			barrier_var(w); /* or clang makes a branch of what follows */
			t = (__u8)text[i + j];
			is_text = -w >> 63; /* not behind its end */
			barrier_var(is_text);
			differs |= (t ^ w) * is_text;
		}
		if (!differs)
			return unknown(i);
		if (!text[i])
			break;
	}
	return unknown(-1ULL);
}

/* The same for at most 8 bytes, which are `what`, the first the highest. */
FN lang_find_word(const char *text, __u64 size, __u64 what, __u64 bytes)
{
	__u64 seen = 0, mask = -1ULL >> ((64 - bytes * 8) & 63);

	for (__u64 i = 0; i < size; i++) {
		__u64 c;

		barrier_var(i);
		if (i >= size)
			break;
		c = (__u8)text[i];
		seen = seen << 8 | c;
		barrier_var(seen);
		if ((seen & mask) == what)
			return unknown(i + 1 - bytes);
		if (!c)
			break;
	}
	return unknown(-1ULL);
}

FN lang_last(const char *text, __u64 size, __u64 byte)
{
	__u64 behind = 0;

	for (__u64 i = 0; i < size; i++) {
		__u64 c, is;

		barrier_var(i);
		if (i >= size)
			break;
		c = (__u8)text[i];
		if (!c)
			break;
		/* without a branch, as in lang_find() */
		c ^= byte;
		barrier_var(c);
		is = (c - 1) >> 63;
		barrier_var(is);
		is = -is;
		behind = (behind & ~is) | ((i + 1) & is);
		barrier_var(behind);
	}
	return behind;
}

/*
 * Returns x, but the verifier no longer knows it. Before Linux 6.8 the verifier knows a constant that was stored on the
 * stack, and follows only the branches that it takes; but when it loads the constant by another pointer than the
 * frame's own, it does not note that this state of the stack mattered. It then takes another constant there for the
 * same state, skips it, and removes the branches that only this one would take. No verifier before 6.17 knows what a
 * negation gives.
 */
static __always_inline __u64 unsure(__u64 x)
{
	x = -x;
	barrier_var(x);
	return -x;
}

/*
 * Texts are compared by words: the verifier follows every turn of a loop. Where both texts are on the stack, they are
 * aligned to 8 bytes. Returns a word whose lowest bit that is set is in the first byte of x that is NUL; 0: none is.
 */
static __always_inline __u64 first_nul(__u64 x)
{
	return (x - 0x0101010101010101ULL) & ~x & 0x8080808080808080ULL;
}

/* < 0, 0, > 0; bytes are compared in the order of memory. */
static __always_inline __u64 order_of(__u64 x, __u64 y)
{
	if (x == y)
		return 0;
	return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1ULL : 1;
}

FN lang_compare(const char *a, const char *b, __u64 size)
{
	__u64 i = 0;

	for (;; i += 8) {
		__u64 x, y, end, seen;

		barrier_var(i);
		if (i + 8 > size)
			break;
		x = unsure(*(const __u64 *)(a + i));
		y = *(const __u64 *)(b + i);
		end = first_nul(x);
		seen = end ^ (end - 1); /* up to the NUL */
		barrier_var(seen);
		if ((x & seen) != (y & seen))
			return unknown(order_of(x & seen, y & seen));
		if (end)
			return unknown(0);
	}
	for (;; i++) {
		__u64 x, y;

		barrier_var(i);
		if (i >= size)
			break;
		x = unsure((__u8)a[i]);
		y = (__u8)b[i];
		if (x != y)
			return unknown(x < y ? -1ULL : 1);
		if (!x)
			break;
	}
	return unknown(0);
}

FN lang_memory_compare(const char *a, const char *b, __u64 size)
{
	__u64 i = 0;

	for (;; i += 8) {
		__u64 x, y;

		barrier_var(i);
		if (i + 8 > size)
			break;
		x = unsure(*(const __u64 *)(a + i));
		y = *(const __u64 *)(b + i);
		if (x != y)
			return unknown(order_of(x, y));
	}
	for (;; i++) {
		__u64 x, y;

		barrier_var(i);
		if (i >= size)
			break;
		x = unsure((__u8)a[i]);
		y = (__u8)b[i];
		if (x != y)
			return unknown(x < y ? -1ULL : 1);
	}
	return unknown(0);
}

FN lang_length(const char *text, __u64 size)
{
	__u64 i = 0;

	for (;; i += 8) {
		__u64 end;

		barrier_var(i);
		if (i + 8 > size)
			break;
		end = first_nul(unsure(*(const __u64 *)(text + i)));
		if (end) { /* counts the bytes below the NUL */
			end = ((end & -end) - 1) & 0x0101010101010100ULL;
			return unknown(i + (end * 0x0101010101010101ULL >> 56));
		}
	}
	for (;; i++) {
		barrier_var(i);
		if (i >= size)
			break;
		if (!unsure((__u8)text[i]))
			return unknown(i);
	}
	return unknown(size);
}

#endif
