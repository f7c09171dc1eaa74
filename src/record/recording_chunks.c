// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records of one ring, sorted by time. They are nearly sorted in the ring: a program reads the clock and reserves room,
 * and an interrupt may come between. So a few are kept back until the next chunk is in memory, too.
 */
#include "recording_part.h"

/* How far records may be out of order: interrupts nest less deep. */
#define KEPT_BACK 32

void recording_ring_reset(struct recording_ring *ring)
{
	free(ring->words);
	free(ring->entries.v);
	*ring = (struct recording_ring){ .cpu = ring->cpu, .lane = ring->lane, .chunks = ring->chunks };
}

static size_t record_words(const struct recording *r, uint64_t header)
{
	return (header >> r->ring.words_at & ((1u << r->ring.words_bits) - 1)) + r->ring.words_extra;
}

/* Moves what has not been passed on to the beginning. Returns the words that it takes. */
static size_t keep_rest(const struct recording *r, struct recording_ring *ring)
{
	size_t used = 0, left = ring->entries.n - ring->at;
	uint64_t *words __free = NULL;

	for (size_t i = 0; i < left; i++) {
		struct recording_entry *entry = &ring->entries.v[i];
		size_t n;

		*entry = ring->entries.v[ring->at + i];
		if (entry->at == RECORDING_LOSS)
			continue;
		n = record_words(r, ring->words[entry->at]);
		words = base_realloc(words, used + n, sizeof(*words));
		memcpy(words + used, ring->words + entry->at, n * sizeof(*words));
		entry->at = used;
		used += n;
	}
	if (used)
		memcpy(ring->words, words, used * sizeof(*words));
	ring->entries.n = left;
	ring->at = 0;
	return used;
}

static void grow(struct recording_ring *ring, size_t words)
{
	if (words <= ring->cap_words)
		return;
	ring->words = base_realloc(ring->words, words, sizeof(*ring->words));
	ring->cap_words = words;
}

/* How many records are missing before a chunk: those that the recorder reports, and those of a damaged chunk. */
static uint64_t missing(const struct recording_ring *ring, const struct recording_chunk *chunk)
{
	uint64_t gap = chunk->first - ring->next_number;

	/* What goes back, or leaps absurdly, is a damaged number. */
	if (!ring->has_number || gap >> 48)
		return chunk->lost;
	return gap > chunk->lost ? gap : chunk->lost;
}

/* Adds entries for the records from `at` to `end`. False if they are damaged: the rest is left out. */
static bool add_records(const struct recording *r, struct recording_ring *ring, uint64_t number, size_t at, size_t end)
{
	while (at < end) {
		size_t n = record_words(r, ring->words[at]);
		struct recording_entry *entry;

		ring->next_number = number;
		if (n < 2 || n > RECORDING_RECORD_MAX || n > end - at)
			return false;
		entry = vec_push(&ring->entries);
		entry->time = ring->words[at + 1];
		entry->number = number++;
		entry->at = at;
		if (entry->time > ring->last_time)
			ring->last_time = entry->time;
		at += n;
	}
	ring->next_number = number;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct recording_entry *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Inserts the few that are late. A foreign file may have all of them so. */
static void sort(struct recording_entry *v, size_t n)
{
	size_t moves = 0;

	for (size_t i = 0; i < n; i++)
		v[i].order = i;
	for (size_t i = 1; i < n; i++) {
		struct recording_entry entry = v[i];
		size_t to = i;

		for (; to && v[to - 1].time > entry.time && moves <= 4 * n + KEPT_BACK; to--, moves++)
			v[to] = v[to - 1];
		v[to] = entry;
		if (moves > 4 * n + KEPT_BACK) {
			qsort(v, n, sizeof(*v), compare);
			return;
		}
	}
}

/* Returns 0 or -errno. A damaged chunk is no error: its records are counted as lost when the next one comes. */
static int load(struct recording *r, struct recording_ring *ring, const struct recording_chunk *chunk)
{
	size_t used = keep_rest(r, ring), n = chunk->bytes / 8;
	uint64_t head[LAYOUT_CHUNK_HEAD / 8], lost;
	struct layout_section section;
	size_t before = ring->entries.n;
	int ret;

	grow(ring, used + n + 1);
	ret = recording_read(r, chunk->at, &section, sizeof(section));
	if (!ret)
		ret = recording_read(r, chunk->at + sizeof(section), head, sizeof(head));
	if (!ret)
		ret = recording_read(r, chunk->at + sizeof(section) + sizeof(head), ring->words + used, n * 8);
	if (ret == -ENODATA || (!ret && !recording_check(&section, head, sizeof(head), ring->words + used, n * 8))) {
		recording_note_damage(r);
		if (!ring->has_number)
			ring->next_number = chunk->first - chunk->lost;
		ring->has_number = true;
		return 0;
	}
	if (ret)
		return ret;
	lost = missing(ring, chunk);
	ring->has_number = true;
	if (lost) {
		*vec_push(&ring->entries) = (struct recording_entry){ .time = ring->last_time, .number = lost, .at = RECORDING_LOSS };
	}
	ring->next_number = chunk->first;
	if (!add_records(r, ring, chunk->first, used, used + n))
		recording_note_damage(r);
	/* A loss comes before the first record behind it. */
	if (lost && ring->entries.n > before + 1)
		ring->entries.v[before].time = ring->entries.v[before + 1].time;
	sort(ring->entries.v, ring->entries.n);
	return 0;
}

int recording_fill(struct recording *r, struct recording_ring *ring)
{
	int ret = 0;

	while (!ret && ring->entries.n - ring->at <= KEPT_BACK && ring->next_chunk < ring->chunks.n)
		ret = load(r, ring, &ring->chunks.v[ring->next_chunk++]);
	return ret;
}
