// SPDX-License-Identifier: BSD-2-Clause
/* Decodes bodies of sections that are no chunks. Nothing in them is trusted; texts become NUL-terminated copies. */
#include "recording_part.h"

struct body {
	const unsigned char *at, *end;
	bool bad; /* read beyond the end, or over a limit; what was read is 0 or "" */
};

static uint64_t word(struct body *b)
{
	uint64_t value;

	if (b->end - b->at < 8) {
		b->bad = true;
		b->at = b->end;
		return 0;
	}
	memcpy(&value, b->at, 8);
	b->at += 8;
	return value;
}

/* The members of a struct in order; an initialiser would read them in any. */
static void words(struct body *b, uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = word(b);
}

static const char *text(struct recording *r, struct body *b)
{
	uint64_t len = word(b);
	const unsigned char *from = b->at;
	char *copy;

	if (len > LAYOUT_TEXT_MAX || (len + 7) / 8 * 8 > (uint64_t)(b->end - b->at)) {
		b->bad = true;
		b->at = b->end;
		return "";
	}
	b->at += (len + 7) / 8 * 8;
	if (!len)
		return "";
	copy = pool_alloc(&r->pool, len + 1);
	return memcpy(copy, from, len);
}

static bool is_left(const struct body *b)
{
	return !b->bad && b->at < b->end;
}

static void host(struct recording *r, struct body *b)
{
	const char *v[6];
	uint64_t numbers[2];

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = text(r, b);
	words(b, numbers, 2);
	if (!b->bad)
		r->info.host = (struct layout_host){ v[0], v[1], v[2], v[3], v[4], v[5], numbers[0], numbers[1] };
}

/* The first are those of the start, the last those of the end. */
static void clocks(struct recording *r, struct body *b)
{
	struct layout_clocks *to = r->has_clocks ? &r->info.end : &r->info.start;
	uint64_t v[3];

	words(b, v, 3);
	if (b->bad)
		return;
	*to = (struct layout_clocks){ v[0], v[1], v[2] };
	r->has_clocks = true;
}

static bool is_within(uint64_t at, uint64_t bits, uint64_t most)
{
	return bits && bits <= most && at <= 64 - bits;
}

static void ring(struct recording *r, struct body *b)
{
	uint64_t v[7];

	words(b, v, ARRAY_SIZE(v));
	b->bad |= !is_within(v[0], v[1], 64) || !is_within(v[2], v[3], 8) || !is_within(v[4], v[5], 16) || v[6] > 8;
	if (b->bad)
		return;
	r->ring = (struct layout_ring){ v[0], v[1], v[2], v[3], v[4], v[5], v[6] };
	r->has_ring = true;
}

static int find_known(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static void field(struct recording *r, struct body *b, struct recording_field *field)
{
	uint64_t v[4]; /* is, word, bit, bits */

	field->name = text(r, b);
	field->known = find_known(known_fields, KNOWN_FIELDS_N, field->name);
	words(b, v, 4);
	if (!v[3] && v[0] != LAYOUT_CHARS && v[0] != LAYOUT_WORDS && v[0] != LAYOUT_LOC)
		v[3] = 64;
	b->bad |= v[0] > UINT8_MAX || v[1] > UINT8_MAX || v[2] > 63 || v[3] > UINT8_MAX;
	/* Inline texts begin at a byte; other fields do not reach beyond their word. */
	if (v[0] == LAYOUT_CHARS)
		b->bad |= v[2] % 8;
	else if (v[0] == LAYOUT_WORDS)
		b->bad |= v[2];
	else
		b->bad |= v[2] + (v[0] == LAYOUT_LOC ? 32 : v[3]) > 64;
	field->is = v[0];
	field->word = v[1];
	field->bit = v[2];
	field->bits = v[3];
}

static struct recording_kind *new_kind(struct recording *r, uint32_t id, const char *name, uint32_t n)
{
	struct recording_kind *kind = pool_alloc(&r->pool, sizeof(*kind));

	kind->id = id;
	kind->name = name;
	kind->known = find_known(known_kinds, KNOWN_KINDS_N, name);
	kind->n = n;
	kind->fields = pool_alloc(&r->pool, n * sizeof(*kind->fields));
	memset(kind->at, -1, sizeof(kind->at));
	return kind;
}

/* Words of a field in the body, at least: the length of its name, and four numbers. */
#define FIELD_WORDS 5

/* The first description of a kind counts. */
static void kind(struct recording *r, struct body *b)
{
	uint64_t id = word(b);
	const char *name = text(r, b);
	uint64_t n = word(b);
	struct recording_kind *kind;

	b->bad |= id >= LAYOUT_KINDS_MAX || n > LAYOUT_FIELDS_MAX || n > (uint64_t)(b->end - b->at) / (8 * FIELD_WORDS);
	if (b->bad || r->by_id[id])
		return;
	kind = new_kind(r, id, name, n);
	for (uint32_t i = 0; i < n && !b->bad; i++) {
		field(r, b, &kind->fields[i]);
		if (kind->fields[i].known >= 0 && kind->at[kind->fields[i].known] < 0)
			kind->at[kind->fields[i].known] = i;
	}
	if (b->bad)
		return;
	r->by_id[id] = kind;
	*vec_push(&r->kinds) = kind;
}

struct recording_kind *recording_unknown_kind(struct recording *r, uint32_t id)
{
	struct recording_kind *kind = new_kind(r, id, pool_addf(&r->pool, "kind_%u", id), 0);

	return r->by_id[id] = kind;
}

static void tasks(struct recording *r, struct body *b)
{
	while (is_left(b)) {
		struct recording_task task;
		uint64_t v[6];

		words(b, v, 6);
		task = (struct recording_task){ v[0], v[1], v[2], v[3], v[4], v[5], text(r, b), "" };
		task.line = text(r, b);
		/* one that has no room has no name; its events are counted as lost */
		if (!b->bad)
			recording_add_task(r, &task);
	}
}

static void note_fork(struct recording *r, int64_t number, const char *name)
{
	static const char *const forks[] = { "fork", "vfork", "clone", "clone3" };

	if (find_known(forks, ARRAY_SIZE(forks), name) >= 0 && r->n_forks < ARRAY_SIZE(r->forks))
		r->forks[r->n_forks++] = number;
}

static void texts(struct recording *r, struct body *b)
{
	while (is_left(b)) {
		struct recording_text_id id;
		const char *what;
		uint32_t at;

		id.space = word(b);
		id.id = word(b);
		what = text(r, b);
		if (b->bad)
			return;
		at = set_add(&r->text_ids, &id, sizeof(id));
		if (at == r->texts.n)
			vec_push(&r->texts);
		r->texts.v[at] = what;
		if (id.space == LAYOUT_SPACE_SYSCALLS)
			note_fork(r, id.id, what);
	}
}

static void note(struct recording *r, struct body *b)
{
	const char *what = text(r, b);

	if (!b->bad)
		*vec_push(&r->notes) = what;
}

static void calls_form(struct recording *r, struct body *b)
{
	uint64_t v[2];

	words(b, v, 2);
	if (b->bad)
		return;
	r->info.has_calls = true;
	r->info.calls_form = v[0];
	r->info.calls_text = v[1];
}

static void missed(struct recording *r, struct body *b)
{
	uint64_t n = word(b);

	if (!b->bad)
		r->info.totals.missed = n;
}

static void end(struct recording *r, struct body *b)
{
	uint64_t v[5];

	words(b, v, 5);
	if (b->bad)
		return;
	r->info.totals = (struct layout_end){ v[0], v[1], v[2], v[3], v[4] };
	r->info.ended = true;
}

bool recording_section(struct recording *r, uint32_t type, const void *body, size_t n)
{
	static void (*const readers[])(struct recording *, struct body *) = {
		[LAYOUT_HOST] = host,
		[LAYOUT_CLOCKS] = clocks,
		[LAYOUT_RING] = ring,
		[LAYOUT_KIND] = kind,
		[LAYOUT_TASKS] = tasks,
		[LAYOUT_TEXTS] = texts,
		[LAYOUT_NOTE] = note,
		[LAYOUT_END] = end,
		[LAYOUT_MISSED] = missed,
		[LAYOUT_CALLS_FORM] = calls_form,
	};
	struct body b = { .at = body, .end = (const unsigned char *)body + n };

	if (type < ARRAY_SIZE(readers) && readers[type])
		readers[type](r, &b);
	return !b.bad;
}
