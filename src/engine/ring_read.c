// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads rings while programs write into them. Nobody stops a program, so every look may be out of date at once:
 *
 * - A record is complete if its header names its own place. Its words are copied after that, and the copy is good if
 *   the head, read afterwards, is no more than a ring's size ahead of it.
 * - A program that was held up while others filled the whole ring damages newer records. As long as the reader keeps
 *   up there is none: it does not go past a record that is not complete. Otherwise it waits for a moment when no
 *   program is within a record (struct ring_state, `complete`), and looks whether one was late.
 */
#include <sched.h>

#include <bpf/libbpf.h>

#include "ring_part.h"

/* The most words that are copied at a time. */
#define COPY_WORDS 32768
/* How often to look for a moment when no program is within a record. */
#define CALM_TRIES 10000
/* How much of a ring to give up in front of its writer: it goes on writing. */
#define STREAM_PART   4
#define SNAPSHOT_PART 64

/* More than programs write within a moment, and so few that hardly an old head is taken for a new one. */
#define SOON_WORDS (1ULL << 30)

#define load(word) __atomic_load_n(word, __ATOMIC_ACQUIRE)

/* All bits of a number of which those in the mask are known. It is at most `last`. */
static uint64_t widen_below(uint64_t last, uint64_t bits, uint64_t mask)
{
	return last - ((last - bits) & mask);
}

/* Of an earlier head, as programs store it. */
static struct spot earlier(struct spot head, uint64_t note)
{
	uint64_t carried = head.number + (head.place >> RING_PLACE_BITS);
	struct spot at = { .place = widen_below(head.place, note, RING_PLACE_MASK) };

	at.number = widen_below(carried, note >> RING_PLACE_BITS, RING_NUMBER_MASK) - (at.place >> RING_PLACE_BITS);
	return at;
}

/*
 * A carry out of the place has counted as a record (every 8 TB), which the number does not. Without a reader, places
 * lack their upper bits after that; then all numbers are too high by the same.
 */
static struct spot ring_head(const struct ring_one *ring)
{
	uint64_t base = load(&ring->state->number), head = load(&ring->state->head);
	struct spot at = { .place = ring->at.place + ((head - ring->at.place) & RING_PLACE_MASK) };

	at.number = base + (((head >> RING_PLACE_BITS) - base) & RING_NUMBER_MASK) - (at.place >> RING_PLACE_BITS);
	return at;
}

static const uint64_t *block_of(const struct ring_set *set, const struct ring_one *ring, uint64_t place)
{
	uint64_t i = place >> set->sizes.block_bits & (ring->words / set->sizes.block_words - 1);

	return (const uint64_t *)(ring->blocks + i * set->sizes.block_bytes);
}

static const uint64_t *words_at(const struct ring_set *set, const struct ring_one *ring, uint64_t place)
{
	const uint64_t *words = block_of(set, ring, place) + sizeof(struct ring_state) / sizeof(uint64_t);

	return words + (place & (set->sizes.block_words - 1));
}

/* Returns the words of the record at a place, 0: it is not complete, or it is not there any more. */
static uint32_t record_words(const struct ring_set *set, const struct ring_one *ring, struct spot at)
{
	uint64_t header = load(words_at(set, ring, at.place)), words = ring_header_words(header);
	uint64_t number = at.number + (at.place >> RING_PLACE_BITS);
	uint64_t head = (at.place & RING_PLACE_MASK) | number << RING_PLACE_BITS;

	return header == RING_HEADER(head, ring_header_kind(header), words) && words >= RING_BODY ? words : 0;
}

/* Steps over complete records of one block, up to a place. Returns how far. */
static struct spot walk(const struct ring_set *set, const struct ring_one *ring, uint64_t to)
{
	struct spot at = ring->at;

	while (at.place < to && !((at.place ^ ring->at.place) >> set->sizes.block_bits)) {
		uint32_t words = record_words(set, ring, at);

		if (!words || at.place + words > to || at.place + words - ring->at.place > COPY_WORDS)
			break;
		at.place += words;
		at.number++;
	}
	return at;
}

static bool is_overrun(const struct ring_one *ring, struct spot head)
{
	return head.place - ring->at.place > ring->words;
}

/*
 * Finds the begin of a record behind a place, and its number, in the tables of pages. The head, if there is none
 * before it: tables are written a moment after the head.
 */
static struct spot find_begin(const struct ring_set *set, const struct ring_one *ring, uint64_t from, struct spot head)
{
	for (uint64_t page = from >> RING_PAGE_SHIFT; (page + 1) << RING_PAGE_SHIFT <= head.place; page++) {
		const uint64_t *block = block_of(set, ring, page << RING_PAGE_SHIFT);
		const uint64_t *table = block + set->sizes.table / sizeof(uint64_t);
		uint64_t note = load(&table[page & ((set->sizes.block_words >> RING_PAGE_SHIFT) - 1)]);
		struct spot at = earlier(head, note);

		if (at.place >> RING_PAGE_SHIFT == page + 1)
			return at;
	}
	return head;
}

/* The reader goes on at another place: what is between is lost. */
static void skip_to(struct ring_one *ring, struct spot at)
{
	if (ring->ends && at.place > ring->end.place)
		at = ring->end;
	ring->unpassed += at.number - ring->at.number;
	ring->at = at;
}

/*
 * Waits for a moment when no program is within a record: as many are complete as have begun. *head is where they were.
 * False: there was none, or hardly any.
 */
static bool is_calm(const struct ring_one *ring, struct spot *head)
{
	for (int i = 0; i < CALM_TRIES; i++) {
		/* in this order: what is complete now has begun before */
		uint64_t complete = load(&ring->state->complete);

		*head = ring_head(ring);
		if (complete == head->number + (head->place >> RING_PLACE_BITS))
			return true;
		if (i % 16 == 15)
			sched_yield();
	}
	return false;
}

/* Is a head, as programs store it, from a moment after another that was just read? */
static bool is_later(uint64_t head, struct spot than)
{
	uint64_t ahead = (head - than.place) & RING_PLACE_MASK;

	return ahead && ahead < SOON_WORDS;
}

/* The reader was too slow. False: what is left may be damaged; it is lost, or another call finds out. */
static bool catch_up(const struct ring_set *set, struct ring_one *ring)
{
	struct spot head;
	uint64_t late;

	if (!is_calm(ring, &head))
		return false;
	late = load(&ring->state->late);
	if (late != ring->late && is_later(late, head))
		return true; /* look again: it was after that moment */
	if (late != ring->late)
		skip_to(ring, head);
	else if (is_overrun(ring, head))
		skip_to(ring, find_begin(set, ring, head.place - ring->words + ring->words / STREAM_PART, head));
	ring->late = late;
	return true;
}

static int pass_on(struct ring_set *set, struct ring_one *ring, struct spot to, ring_fn fn, void *ctx)
{
	struct ring_run run = {
		.cpu = ring->cpu,
		.lane = ring->lane,
		.number = ring->at.number,
		.lost = ring->unpassed,
		.words = set->copy,
		.n_words = to.place - ring->at.place,
		.n_records = to.number - ring->at.number,
	};

	ring->at = to;
	ring->unpassed = 0;
	return fn(&run, ctx);
}

/* Copies the words up to a place. False: they were overwritten meanwhile. */
static bool copy(struct ring_set *set, const struct ring_one *ring, struct spot to)
{
	if (!set->copy)
		set->copy = base_alloc(COPY_WORDS * sizeof(*set->copy));
	memcpy(set->copy, words_at(set, ring, ring->at.place), (to.place - ring->at.place) * sizeof(*set->copy));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !is_overrun(ring, ring_head(ring));
}

/* last: no program writes any more. */
static int read_ring(struct ring_set *set, struct ring_one *ring, bool last, ring_fn fn, void *ctx)
{
	struct spot end = ring->ends ? ring->end : ring_head(ring), to;
	int ret = 0;

	while (!ret && ring->at.place < end.place) {
		if (is_overrun(ring, ring_head(ring))) {
			if (catch_up(set, ring))
				continue;
			if (!last)
				break;
			skip_to(ring, end);
			break;
		}
		to = walk(set, ring, end.place);
		if (to.number == ring->at.number) {
			if (!last)
				break;
			skip_to(ring, find_begin(set, ring, ring->at.place, end));
		} else if (copy(set, ring, to)) {
			ret = pass_on(set, ring, to, fn, ctx);
		}
	}
	if (ring->at.place < end.place)
		set->waiting += end.number - ring->at.number;
	__atomic_store_n(&ring->state->tail, ring->at.place & RING_PLACE_MASK, __ATOMIC_RELAXED);
	if (!ret && last && ring->unpassed)
		ret = pass_on(set, ring, ring->at, fn, ctx);
	return ret;
}

static int read_all(struct ring_set *set, bool last, ring_fn fn, void *ctx)
{
	int ret = 0;

	ring_buffer__consume(set->bell);
	set->waiting = 0;
	for (size_t i = 0; !ret && i < set->n; i++) {
		struct ring_one *ring = &set->rings[i];

		__atomic_store_n(&ring->state->rung, 0, __ATOMIC_RELAXED);
		ret = read_ring(set, ring, last, fn, ctx);
	}
	return ret;
}

int ring_read(struct ring_set *set, ring_fn fn, void *ctx)
{
	return read_all(set, false, fn, ctx);
}

uint64_t ring_waiting(const struct ring_set *set)
{
	return set->waiting;
}

void ring_end(struct ring_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct ring_one *ring = &set->rings[i];

		ring->end = ring_head(ring);
		ring->ends = true;
	}
}

uint64_t ring_unreported(const struct ring_set *set)
{
	uint64_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += set->rings[i].unpassed;
	return n;
}

int ring_read_last(struct ring_set *set, ring_fn fn, void *ctx)
{
	return read_all(set, true, fn, ctx);
}

/*
 * The oldest record that is surely whole, when the head was at `head` and no program was within a record. Whoever was
 * late before has damaged only what was older than the head at that time.
 */
static struct spot oldest(const struct ring_set *set, const struct ring_one *ring, struct spot head)
{
	uint64_t late = load(&ring->state->late), from = head.place - ring->words + ring->words / SNAPSHOT_PART;
	struct spot damaged = earlier(head, late);

	if (late && is_later(late, head))
		return head;
	if (late && damaged.place > from)
		return damaged;
	return is_overrun(ring, head) ? find_begin(set, ring, from, head) : ring->at;
}

/* ring: a copy of the one in the set. */
static int snapshot(struct ring_set *set, struct ring_one *ring, ring_fn fn, void *ctx)
{
	struct spot end, to, head;
	bool calm = is_calm(ring, &end);
	int ret = 0;

	ring->at = oldest(set, ring, end);
	if (!calm)
		skip_to(ring, end);
	while (!ret && ring->at.place < end.place) {
		head = ring_head(ring);
		to = walk(set, ring, end.place);
		if (is_overrun(ring, head) || to.number == ring->at.number) {
			uint64_t from = head.place - ring->words + ring->words / SNAPSHOT_PART;

			to = find_begin(set, ring, is_overrun(ring, head) ? from : ring->at.place, head);
			skip_to(ring, to.place < end.place ? to : end);
		} else if (copy(set, ring, to)) {
			ret = pass_on(set, ring, to, fn, ctx);
		}
	}
	return ret || !ring->unpassed ? ret : pass_on(set, ring, ring->at, fn, ctx);
}

int ring_snapshot(struct ring_set *set, ring_fn fn, void *ctx)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < set->n; i++) {
		struct ring_one ring = set->rings[i];

		ret = snapshot(set, &ring, fn, ctx);
	}
	return ret;
}
