/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms: the bucket of a value, and the cells of a histogram. Shared by both sides, so that the program that
 * counts and the code that prints cannot differ.
 *
 * log2: bucket i has the values from 2^i to 2^(i+1) - 1, and bucket 0 the value 0, too. linear: buckets of equal
 * width; the last one has all larger values. precise: each power of two is divided into HIST_PARTS equal buckets,
 * so that the middle of a bucket differs by less than 0.8 % from its values; each value below 2 * HIST_PARTS has a
 * bucket of its own. bounds: buckets end at powers of two of a base unit, the bound itself included: see
 * hist_bounded().
 */
#ifndef SONDE_BPF_HIST_H
#define SONDE_BPF_HIST_H

enum hist_kind {
	HIST_LOG2,
	HIST_LINEAR,
	HIST_PRECISE,
	HIST_SINGLE, /* one bucket: the number of values and their sum */
	HIST_BOUNDS, /* for exporters */
	/* of programs, counted by code that the language makes; signed: bucket 0 has what is below all others */
	HIST_POWERS, /* hist(): then a bucket for each value below 2^bits, and 2^bits for each greater power of two */
	HIST_STEPS,  /* lhist(): then equal steps from min to below max, the last bucket has max and above */
};

#define HIST_LOG2_BUCKETS    64
#define HIST_LINEAR_BUCKETS  256
#define HIST_PART_BITS	     6
#define HIST_PARTS	     (1 << HIST_PART_BITS)
#define HIST_PRECISE_BUCKETS ((64 - HIST_PART_BITS + 1) * HIST_PARTS)
#define HIST_BOUNDS_BUCKETS  65

/*
 * The greatest bound of a histogram with HIST_BOUNDS: the power of two in 2^63 to 2^64 - 1 of values in ns whose base
 * unit is the second (2^34 s), and of values that are in their base unit.
 */
#define HIST_BOUND_SECONDS (1000000000ULL << 34)
#define HIST_BOUND_NUMBERS (1ULL << 63)

/* The cells of a histogram, 64 bits each: these, then the buckets. */
enum hist_cell {
	HIST_SUM, /* of the values before they are divided by the unit */
	HIST_MAX, /* of the values after the division; precise only */
	HIST_BUCKETS,
};

#define HIST_4(n)  n, n, n, n
#define HIST_16(n) HIST_4(n), HIST_4(n), HIST_4(n), HIST_4(n)
#define HIST_64(n) HIST_16(n), HIST_16(n), HIST_16(n), HIST_16(n)

/* The number of the highest bit that is set in a byte; 0 for 0. */
static const unsigned char hist_log2_of[256] = {
	0,
	0,
	1,
	1,
	HIST_4(2),
	HIST_4(3),
	HIST_4(3),
	HIST_16(4),
	HIST_16(5),
	HIST_16(5),
	HIST_64(6),
	HIST_64(7),
	HIST_64(7),
};

/*
 * byte is below 256. The verifier needs the mask to see that. The barrier before it hides the value from the
 * compiler: clang 21 would drop the mask and compare another register than the one that it indexes with.
 */
static inline __attribute__((always_inline)) unsigned long long hist_log2_byte(unsigned long long byte)
{
	__asm__(""
		: "+r"(byte));
	return hist_log2_of[byte & 0xff];
}

/* Comparisons, the likely ones first, and a table: takes a third of the instructions of shifting bit by bit. */
static inline __attribute__((always_inline)) unsigned long long hist_log2_low(unsigned long long value)
{
	if (value < 1ULL << 16)
		return value < 1ULL << 8 ? hist_log2_byte(value) : 8 + hist_log2_byte(value >> 8);
	return value < 1ULL << 24 ? 16 + hist_log2_byte(value >> 16) : 24 + hist_log2_byte(value >> 24);
}

/* The number of the highest bit that is set; 0 for 0. */
static inline __attribute__((always_inline)) unsigned long long hist_log2(unsigned long long value)
{
	unsigned long long high = value >> 32;

	return high ? 32 + hist_log2_low(high) : hist_log2_low(value);
}

static inline __attribute__((always_inline)) unsigned long long hist_precise(unsigned long long value)
{
	unsigned long long shift;

	if (value < 2 * HIST_PARTS)
		return value;
	shift = hist_log2(value) - HIST_PART_BITS;
	return (shift << HIST_PART_BITS) + (value >> shift);
}

/*
 * The bounds are `greatest` divided by 1, 2, 4, ...: each power of two of values (2^j to 2^(j+1) - 1) holds exactly one
 * bound, and values above it belong to the next bucket. So bucket i has the values up to greatest / 2^(63 - i), a bound
 * that need not be an integer. Shifting the value up instead of the bound down compares without rounding.
 */
static inline __attribute__((always_inline)) unsigned long long hist_bounded(unsigned long long value,
									     unsigned long long greatest)
{
	unsigned long long i = hist_log2(value) & 63;

	return i + (value << (63 - i) > greatest);
}

static inline __attribute__((always_inline)) unsigned long long hist_linear(unsigned long long value,
									    unsigned long long step)
{
	unsigned long long i = value / step;

	return i < HIST_LINEAR_BUCKETS ? i : HIST_LINEAR_BUCKETS - 1;
}

#endif
