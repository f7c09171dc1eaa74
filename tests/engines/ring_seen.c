// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>

#include "attach/quirks.h"
#include "base/base.h"
#include "bpf/ring.h"
#include "tests/engines/fail.h"
#include "tests/engines/ring_seen.h"

struct seen seen;

static void see_once(uint64_t seq)
{
	uint64_t thread = seq >> SEEN_CALL_BITS, n = seq & ((1ULL << SEEN_CALL_BITS) - 1);
	uint8_t *bits = thread < SEEN_THREADS ? seen.once[thread] : NULL;

	if (!bits)
		fail("a call of no thread: %llx", (unsigned long long)seq);
	if (bits[n / 8] & 1 << n % 8)
		fail("call %llu of thread %llu was passed on twice", (unsigned long long)n, (unsigned long long)thread);
	bits[n / 8] |= 1 << n % 8;
}

static void check_words(const uint64_t *words, unsigned int n, unsigned int kind)
{
	uint64_t seq = words[RING_BODY];
	unsigned int first = n == RING_WORDS ? RING_WORDS - 1 : RING_BODY + 1;

	if (n != RING_WORDS && n != RING_BODY + 1 + (seq & (RING_TEST_WORDS - 1)))
		fail("kind %u, number %llu: %u words", kind, (unsigned long long)seq, n);
	for (unsigned int i = first; i < n; i++)
		if (words[i] != RING_TEST_WORD(kind, seq, i))
			fail("kind %u, number %llu: word %u is wrong", kind, (unsigned long long)seq, i);
}

static void check_record(const uint64_t *words)
{
	unsigned int n = ring_header_words(words[0]), kind = ring_header_kind(words[0]);

	if (n < RING_BODY + 1 || kind >= RING_TEST_KINDS || !words[RING_TIME])
		fail("a record of kind %u, %u words, time %llu", kind, n, (unsigned long long)words[RING_TIME]);
	/* without BPF_FETCH it was held up in a ring of its own, and has damaged nothing */
	if (kind != RING_TEST_LATE)
		check_words(words, n, kind);
	else if (quirk_swaps())
		fail("a record that was overwritten was passed on");
	if (kind == RING_TEST_CALL)
		see_once(words[RING_BODY]);
	if (kind == RING_TEST_BATCHED) {
		seen.first = seen.kinds[kind] ? seen.first : words[RING_BODY];
		seen.last = words[RING_BODY];
	}
	seen.kinds[kind]++;
}

int seen_run(const struct ring_run *run, void *ctx)
{
	uint64_t *next = &seen.next[(run->cpu * RING_LANES + run->lane) % ARRAY_SIZE(seen.next)];
	size_t n = 0, at = 0;

	for (; at < run->n_words; at += ring_header_words(run->words[at]), n++)
		check_record(&run->words[at]);
	if (at != run->n_words || n != run->n_records)
		fail("a run of %zu words and %zu records has %zu and %zu", run->n_words, run->n_records, at, n);
	if (*next && *next - 1 + run->lost != run->number)
		fail("record %llu follows %llu, and %llu are lost", (unsigned long long)run->number,
		     (unsigned long long)*next - 1, (unsigned long long)run->lost);
	*next = run->number + n + 1;
	seen.records += n;
	seen.lost += run->lost;
	return 0;
}

void seen_forget(void)
{
	for (size_t i = 0; i < SEEN_THREADS; i++)
		free(seen.once[i]);
	seen = (struct seen){};
}
