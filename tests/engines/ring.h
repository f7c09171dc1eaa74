/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests/engines/ring.c and its program share. */
#ifndef SONDE_TESTS_ENGINES_RING_H
#define SONDE_TESTS_ENGINES_RING_H

enum ring_test_kind {
	RING_TEST_CALL,
	RING_TEST_INTERRUPT,
	RING_TEST_BATCHED,
	RING_TEST_LATE,
	RING_TEST_KINDS,
};

/* The most words behind the time, a power of two, and the most records of one run of `batch`. */
#define RING_TEST_WORDS 8
#define RING_TEST_BATCH 40

/* The word with this index of a record with this number. */
#define RING_TEST_WORD(kind, seq, i) \
	((((unsigned long long)(seq) + (i)) * 0x9e3779b97f4a7c15ULL) ^ (unsigned long long)(kind) << 56)

struct ring_test {
	unsigned long long pid, syscall; /* whose calls, and of what */
};

#endif
