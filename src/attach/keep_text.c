// SPDX-License-Identifier: BSD-2-Clause
/*
 * The bytes of a description: words of 64 bits, little-endian as the machine is, and strings by their length. What is
 * read has been written on this machine since it was booted, but perhaps by another version.
 */
#include "bpf/slot.h"
#include "keep_text.h"

#define MAGIC  0x7065656b65646e73ULL /* "sndekeep" */
#define FORMAT 5		     /* of these bytes; KEEP_LAYOUT is that of the maps */

void keep_text_release(struct keep_text *text)
{
	vec_each(attach, &text->attaches) {
		free(attach->targets.v);
		free(attach->links.v);
		free(attach->copies.v);
		free(attach->missed.v);
	}
	free(text->attaches.v);
	free(text->maps.v);
	pool_release(&text->pool);
	*text = (struct keep_text){};
}

/* --- writing --- */

static void put(struct str *bytes, uint64_t value)
{
	str_addn(bytes, (const char *)&value, sizeof(value));
}

/* NULL is not the empty string. */
static void put_text(struct str *bytes, const char *text)
{
	put(bytes, text ? strlen(text) + 1 : 0);
	if (text)
		str_addn(bytes, text, strlen(text));
}

static void put_copy(struct str *bytes, const struct kept_copy *copy)
{
	put(bytes, copy->id);
	put(bytes, copy->copy.type);
	put(bytes, copy->copy.attach_type);
	put(bytes, copy->copy.btf_id);
	put(bytes, copy->copy.btf_object);
	put(bytes, copy->copy.how);
	put(bytes, copy->copy.value);
	put(bytes, copy->copy.calls);
	put(bytes, copy->copy.leaves);
	put(bytes, copy->copy.own_stack);
	put(bytes, !gate_is_open(&copy->copy.gate));
}

static void put_attach(struct str *bytes, const struct kept_attach *attach)
{
	put(bytes, attach->identity);
	put(bytes, attach->targets.n);
	vec_each(target, &attach->targets) {
		put(bytes, target->attached);
		put(bytes, target->by);
		put_text(bytes, target->why_not);
	}
	put(bytes, attach->links.n);
	vec_each(link, &attach->links) {
		put(bytes, link->kind);
		put(bytes, link->id);
		put(bytes, link->mech);
		put(bytes, link->slot);
	}
	put(bytes, attach->copies.n);
	vec_each(copy, &attach->copies)
		put_copy(bytes, copy);
	put(bytes, attach->paused);
	put(bytes, attach->missed.n);
	vec_each(missed, &attach->missed)
		put(bytes, *missed);
}

void keep_text_write(const struct keep_text *text, struct str *bytes)
{
	put(bytes, MAGIC);
	put(bytes, FORMAT);
	put(bytes, KEEP_LAYOUT);
	put_text(bytes, text->boot);
	put_text(bytes, text->line);
	put(bytes, text->number);
	put(bytes, text->history.created_ns);
	put(bytes, text->history.gap_ns);
	put(bytes, text->history.paused_ns);
	put(bytes, text->history.n_own);
	if (text->history.n_own)
		str_addn(bytes, text->history.own, text->history.n_own);
	put(bytes, text->maps.n);
	vec_each(map, &text->maps) {
		put_text(bytes, map->name);
		put(bytes, map->id);
	}
	put(bytes, text->attaches.n);
	vec_each(attach, &text->attaches)
		put_attach(bytes, attach);
	put(bytes, MAGIC);
}

/* --- reading --- */

/* After the first fault every number is 0, and every string NULL. */
struct reader {
	struct pool *pool;
	const char *at;
	size_t left;
	bool bad;
};

/* Returns the next n bytes, NULL: there are not so many. */
static const char *take(struct reader *reader, size_t n)
{
	const char *at = reader->at;

	reader->bad = reader->bad || n > reader->left;
	if (reader->bad)
		return NULL;
	reader->at += n;
	reader->left -= n;
	return at;
}

/* Returns a number of at most max. */
static uint64_t get(struct reader *reader, uint64_t max)
{
	const char *at = take(reader, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	reader->bad = reader->bad || value > max;
	return reader->bad ? 0 : value;
}

static void expect(struct reader *reader, uint64_t value)
{
	reader->bad = get(reader, UINT64_MAX) != value || reader->bad;
}

/* Returns how many elements follow. Each takes a word or more, so there are not more than words are left. */
static size_t get_count(struct reader *reader)
{
	return get(reader, reader->left / sizeof(uint64_t));
}

static const char *get_text(struct reader *reader)
{
	size_t n = get(reader, reader->left + 1);
	const char *at = n > 1 ? take(reader, n - 1) : "";
	char *text;

	if (!n || !at)
		return NULL;
	text = pool_alloc(reader->pool, n);
	memcpy(text, at, n - 1);
	reader->bad = reader->bad || strlen(text) != n - 1;
	return text;
}

/* A name that must be there. */
static const char *get_name(struct reader *reader)
{
	const char *name = get_text(reader);

	reader->bad = reader->bad || !name;
	return str_or_empty(name);
}

static void get_copy(struct reader *reader, struct kept_copy *copy)
{
	copy->id = get(reader, UINT32_MAX);
	copy->copy.type = get(reader, UINT16_MAX);
	copy->copy.attach_type = get(reader, UINT16_MAX);
	copy->copy.btf_id = get(reader, UINT32_MAX);
	copy->copy.btf_object = get(reader, UINT32_MAX);
	copy->copy.how = get(reader, SLOT_SYSCALL_TASK);
	copy->copy.value = get(reader, UINT64_MAX);
	copy->copy.calls = get(reader, LATENCY_GO);
	copy->copy.leaves = get(reader, 1);
	copy->copy.own_stack = get(reader, 1);
	copy->gated = get(reader, 1);
}

static void get_link(struct reader *reader, struct kept_link *link)
{
	link->kind = get(reader, UINT8_MAX);
	reader->bad = reader->bad || (link->kind != KEEP_LINK && link->kind != KEEP_EVENT);
	link->id = get(reader, UINT64_MAX);
	link->mech = get(reader, MECHS - 1);
	link->slot = get(reader, UINT32_MAX);
}

static void get_attach(struct reader *reader, struct kept_attach *attach)
{
	attach->identity = get(reader, UINT64_MAX);
	for (size_t n = get_count(reader); n; n--) {
		struct kept_target *target = vec_push(&attach->targets);

		target->attached = get(reader, 1);
		target->by = get(reader, MECHS - 1);
		target->why_not = get_text(reader);
	}
	for (size_t n = get_count(reader); n; n--)
		get_link(reader, vec_push(&attach->links));
	for (size_t n = get_count(reader); n; n--)
		get_copy(reader, vec_push(&attach->copies));
	attach->paused = get(reader, 1);
	for (size_t n = get_count(reader); n; n--)
		*vec_push(&attach->missed) = get(reader, UINT64_MAX);
}

static void get_own(struct reader *reader, struct keep_history *history)
{
	size_t n = get(reader, reader->left);
	const char *own = take(reader, n);

	history->n_own = own ? n : 0;
	history->own = pool_copy(reader->pool, own, history->n_own);
}

int keep_text_read(struct keep_text *text, const void *bytes, size_t n)
{
	struct reader reader = { .pool = &text->pool, .at = bytes, .left = n };

	expect(&reader, MAGIC);
	expect(&reader, FORMAT);
	expect(&reader, KEEP_LAYOUT);
	text->boot = get_name(&reader);
	text->line = get_name(&reader);
	text->number = get(&reader, UINT64_MAX);
	text->history.created_ns = get(&reader, UINT64_MAX);
	text->history.gap_ns = get(&reader, UINT64_MAX);
	text->history.paused_ns = get(&reader, UINT64_MAX);
	get_own(&reader, &text->history);
	for (size_t maps = get_count(&reader); maps && !reader.bad; maps--) {
		struct kept_map *map = vec_push(&text->maps);

		map->name = get_name(&reader);
		map->id = get(&reader, UINT32_MAX);
	}
	for (size_t attaches = get_count(&reader); attaches && !reader.bad; attaches--)
		get_attach(&reader, vec_push(&text->attaches));
	expect(&reader, MAGIC);
	return reader.bad || reader.left ? -ESTALE : 0;
}
