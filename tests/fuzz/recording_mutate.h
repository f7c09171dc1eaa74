/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How libFuzzer changes a recording. Bytes changed anywhere mostly give a file whose sections have wrong lengths, and
 * nothing behind them is read. So sections and records are found first, one of them is changed, repeated, moved or
 * removed, and the lengths around it are set again.
 */
#ifndef SONDE_TESTS_FUZZ_RECORDING_MUTATE_H
#define SONDE_TESTS_FUZZ_RECORDING_MUTATE_H

#include "fuzz.h"
#include "record/layout.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

/* A part of the input. */
struct part {
	size_t at, n;
};

struct parts {
	struct part v[256];
	size_t n;
};

struct mutation {
	uint8_t *data;
	size_t size, most;
	uint64_t random;
	struct parts sections;
};

static uint64_t pick(struct mutation *m, uint64_t n)
{
	m->random = m->random * 6364136223846793005ull + 1442695040888963407ull;
	return n ? (m->random >> 33) % n : 0;
}

static uint64_t word_at(const struct mutation *m, size_t at)
{
	uint64_t word;

	memcpy(&word, m->data + at, sizeof(word));
	return word;
}

static struct layout_section section_at(const struct mutation *m, size_t at)
{
	struct layout_section section;

	memcpy(&section, m->data + at, sizeof(section));
	return section;
}

static void find_sections(struct mutation *m)
{
	struct parts *parts = &m->sections;
	size_t at = sizeof(struct layout_header);

	while (parts->n < ARRAY_SIZE(parts->v) && at + sizeof(struct layout_section) <= m->size) {
		uint64_t bytes = section_at(m, at).bytes, n = (bytes + 7) / 8 * 8 + sizeof(struct layout_section);

		if (bytes > m->size || n > m->size - at)
			return;
		parts->v[parts->n++] = (struct part){ at, n };
		at += n;
	}
}

/* A section of the type, any if that is 0; one without bytes if there is none. */
static struct part pick_section(struct mutation *m, uint32_t type)
{
	size_t first = pick(m, m->sections.n);

	for (size_t i = 0; i < m->sections.n; i++) {
		struct part part = m->sections.v[(first + i) % m->sections.n];

		if (!type || section_at(m, part.at).type == type)
			return part;
	}
	return (struct part){};
}

/* Replaces a part by n bytes, NULL: zeros. False if there is no room. */
static bool replace(struct mutation *m, struct part part, const void *bytes, size_t n)
{
	size_t behind = part.at + part.n;

	if (m->size - part.n + n > m->most)
		return false;
	memmove(m->data + part.at + n, m->data + behind, m->size - behind);
	if (bytes && n)
		memcpy(m->data + part.at, bytes, n);
	else if (n)
		memset(m->data + part.at, 0, n);
	m->size += n - part.n;
	return true;
}

static void set_bytes(struct mutation *m, size_t section, uint64_t bytes)
{
	memcpy(m->data + section + offsetof(struct layout_section, bytes), &bytes, sizeof(bytes));
}

/* Repeats a part elsewhere, or takes it away. Returns the bytes that are new, or gone if below 0. */
static int64_t repeat_or_remove(struct mutation *m, struct part part, size_t elsewhere)
{
	uint8_t *copy __free = base_alloc(part.n + 1);

	if (!part.n)
		return 0;
	memcpy(copy, m->data + part.at, part.n);
	if (pick(m, 2))
		return replace(m, (struct part){ elsewhere, 0 }, copy, part.n) ? (int64_t)part.n : 0;
	replace(m, part, NULL, 0);
	return -(int64_t)part.n;
}

static void change_body(struct mutation *m, struct part section)
{
	struct part body = { section.at + sizeof(struct layout_section), section.n - sizeof(struct layout_section) };
	size_t most = body.n + 64;
	uint8_t *copy __free = base_alloc(most + 8);
	size_t n;

	memcpy(copy, m->data + body.at, body.n);
	n = LLVMFuzzerMutate(copy, body.n, most);
	memset(copy + n, 0, most + 8 - n);
	if (replace(m, body, copy, (n + 7) / 8 * 8))
		set_bytes(m, section.at, n);
}

/* The records of a chunk, as the recording's own section says where they end. */
static void find_records(struct mutation *m, struct part chunk, struct parts *records)
{
	struct part ring = pick_section(m, LAYOUT_RING);
	size_t at = chunk.at + sizeof(struct layout_section) + LAYOUT_CHUNK_HEAD, end = chunk.at + chunk.n;
	size_t body = ring.at + sizeof(struct layout_section);

	records->n = 0;
	if (ring.n < sizeof(struct layout_section) + 7 * 8)
		return;
	while (records->n < ARRAY_SIZE(records->v) && at + 16 <= end) {
		uint64_t mask = (1ull << (word_at(m, body + 40) & 15)) - 1;
		size_t n = ((word_at(m, at) >> (word_at(m, body + 32) & 63) & mask) + (word_at(m, body + 48) & 7)) * 8;

		if (n < 16 || n > end - at)
			return;
		records->v[records->n++] = (struct part){ at, n };
		at += n;
	}
}

/* A word of one record becomes that of another: the same thread, call or time. */
static void copy_word(struct mutation *m, struct part to, struct part from)
{
	size_t word = pick(m, (to.n < from.n ? to.n : from.n) / 8) * 8;

	memcpy(m->data + to.at + word, m->data + from.at + word, 8);
	if (!pick(m, 4))
		LLVMFuzzerMutate(m->data + to.at + word, 8, 8);
}

static void change_records(struct mutation *m, struct part chunk)
{
	struct parts records;
	struct part one, other;

	find_records(m, chunk, &records);
	if (!records.n)
		return change_body(m, chunk);
	one = records.v[pick(m, records.n)];
	other = records.v[pick(m, records.n)];
	if (pick(m, 2))
		copy_word(m, one, other);
	else
		set_bytes(m, chunk.at, chunk.n - sizeof(struct layout_section) + repeat_or_remove(m, one, other.at));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	struct mutation m = { .data = data, .size = size, .most = most, .random = seed };
	struct part section, other;

	find_sections(&m);
	if (!m.sections.n || !pick(&m, 16))
		return LLVMFuzzerMutate(data, size, most);
	section = pick_section(&m, pick(&m, 2) ? LAYOUT_CHUNK : 0);
	if (!section.n)
		section = pick_section(&m, 0);
	other = pick_section(&m, 0);
	if (!pick(&m, 8))
		repeat_or_remove(&m, section, other.at);
	else if (section_at(&m, section.at).type == LAYOUT_CHUNK && section.n > sizeof(struct layout_section) + LAYOUT_CHUNK_HEAD)
		change_records(&m, section);
	else
		change_body(&m, section);
	return m.size;
}

#endif
