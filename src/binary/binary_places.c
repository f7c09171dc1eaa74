// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the functions that places of an ELF file are in. Reads the symbol tables in pieces and keeps only the functions
 * that are asked for: the tables of a browser have 100 MB.
 */
#include "base/search.h"
#include "base/str.h"
#include "binary_part.h"

/* How many symbols are read at once. */
#define PIECE 512
/* Bounds the work for tables in which many functions overlap, or share their begin. Real ones need a hundredth. */
#define MAX_MATCHES  (1 << 26)
#define MAX_COMPARED (1 << 18)

/* A function of a table; its name is not read yet. */
struct candidate {
	struct binary_symbol function;
	const struct binary_table *table; /* NULL: none */
	uint32_t name;			  /* in the table's strings */
};

struct found {
	struct candidate covering; /* the function with a size that the place is in and that begins last */
	struct candidate nearest;  /* of those that begin between the place before and this one, the last */
};

struct search {
	struct binary *binary;
	const struct binary_place *places;
	size_t n;
	struct found *v; /* of each place */
	uint64_t matches, compared;
	struct str names[2];
};

static void search_release(struct search *search)
{
	free(search->v);
	str_release(&search->names[0]);
	str_release(&search->names[1]);
}

/* The name without its version, in `to`; "" if it has no end or is too long. */
static const char *read_name(const struct candidate *c, struct str *to)
{
	const struct binary_table *t = c->table;
	size_t left = c->name < t->strings_len ? t->strings_len - c->name : 0;

	str_reset(to);
	str_add(to, "");
	for (size_t n = 128; to->len < ELF_MAX_NAME && left; n *= 2) {
		char piece[1024];
		size_t size = n < sizeof(piece) ? n : sizeof(piece), len;

		size = size < left ? size : left;
		if (binary_image_read(t->image, t->strings_at + c->name + to->len, piece, size))
			break;
		len = strnlen(piece, size);
		str_addn(to, piece, len);
		left -= size;
		if (len == size)
			continue;
		/* ".symtab" holds names such as "memcpy@@GLIBC_2.14" */
		len = to->len ? strcspn(to->data + 1, "@") + 1 : 0;
		to->data[len] = 0;
		to->len = len;
		return to->data;
	}
	str_reset(to);
	return "";
}

static bool is_same(const struct candidate *a, const struct candidate *b)
{
	return a->table == b->table && a->name == b->name && a->function.offset == b->function.offset &&
	       a->function.size == b->function.size;
}

/* Both begin at one place. */
static bool is_preferred(struct search *search, const struct candidate *a, const struct candidate *b)
{
	struct binary_symbol first = a->function, second = b->function;

	if (search->compared++ > MAX_COMPARED)
		return false;
	first.name = read_name(a, &search->names[0]);
	second.name = read_name(b, &search->names[1]);
	return *first.name && (!*second.name || binary_compare_names(&first, &second) < 0);
}

/* A table that gives the size of one alias says where all of them end. */
static void offer_nearest(struct search *search, struct found *found, const struct candidate *c)
{
	const struct candidate *now = &found->nearest;
	const struct binary_symbol *a = &c->function, *b = &now->function;
	bool better;

	if (!now->table || a->offset != b->offset)
		better = !now->table || a->offset > b->offset;
	else if (!a->size != !b->size)
		better = a->size;
	else
		better = !a->size && is_preferred(search, c, now);
	if (better)
		found->nearest = *c;
}

/* Offers a function to the places that it covers. */
static void offer_covering(struct search *search, size_t first, const struct candidate *c)
{
	struct candidate beaten = {}, winner = {}; /* of the last comparison: neighbours often repeat it */

	for (size_t i = first; i < search->n; i++) {
		struct candidate *now = &search->v[i].covering;

		if (search->places[i].offset - c->function.offset >= c->function.size || search->matches++ > MAX_MATCHES)
			return;
		if (now->table && c->function.offset < now->function.offset)
			continue;
		if (now->table && c->function.offset == now->function.offset) {
			if (!beaten.table || (!is_same(now, &beaten) && !is_same(now, &winner))) {
				beaten = *now;
				winner = is_preferred(search, c, now) ? *c : *now;
			}
			*now = winner;
		} else {
			*now = *c;
		}
	}
}

static void offer(struct search *search, const struct candidate *c)
{
	size_t first = search_first(i, search->n, search->places[i].offset >= c->function.offset);

	if (first == search->n)
		return;
	offer_nearest(search, &search->v[first], c);
	if (c->function.size)
		offer_covering(search, first, c);
}

static int read_table(struct search *search, const struct binary_table *table, bool (*should_stop)(void *ctx), void *ctx)
{
	const struct binary_segment *last = NULL;
	Elf64_Sym piece[PIECE];

	/* symbol 0 is none */
	for (size_t at = 1; at < table->n; at += PIECE) {
		size_t n = table->n - at < PIECE ? table->n - at : PIECE;

		if (should_stop && should_stop(ctx))
			return -EINTR;
		if (binary_image_read(table->image, table->at + at * sizeof(*piece), piece, n * sizeof(*piece)))
			return -EBADMSG;
		for (size_t i = 0; i < n; i++) {
			struct candidate c = { .table = table, .name = piece[i].st_name };

			if (!piece[i].st_name || !binary_function_of(search->binary, &piece[i], &last, &c.function))
				continue;
			search->binary->has_ifuncs |= c.function.ifunc;
			offer(search, &c);
		}
	}
	return 0;
}

/* The nearest of all functions up to each place, and what it means: no function, if its size has ended. */
static void choose(struct search *search, struct binary_place *places)
{
	const struct candidate *nearest = NULL, *chosen, *before = NULL;

	for (size_t i = 0; i < search->n; i++) {
		const struct found *found = &search->v[i];
		const char *name = before ? places[i - 1].function.name : NULL;

		if (found->nearest.table)
			nearest = &found->nearest;
		chosen = found->covering.table ? &found->covering : nearest && !nearest->function.size ? nearest
												       : NULL;
		if (chosen && !(before && is_same(chosen, before))) {
			name = read_name(chosen, &search->names[0]);
			name = *name ? binary_keep_name(search->binary, name, search->names[0].len) : NULL;
		}
		places[i].function = chosen ? chosen->function : (struct binary_symbol){};
		places[i].function.name = chosen ? name : NULL;
		before = chosen;
	}
}

int binary_find_places(struct binary *binary, struct binary_place *places, size_t n, bool (*should_stop)(void *ctx), void *ctx)
{
	struct search search __cleanup(search_release) = { .binary = binary, .places = places, .n = n };
	struct binary_table full = {}, dynamic = {};
	char *looked __free = NULL;
	int ret;

	for (size_t i = 0; i < n; i++)
		places[i].function = (struct binary_symbol){};
	binary_forget(binary);
	ret = binary_tables_find(binary, false, &full, &dynamic, &looked);
	if (ret)
		return ret;
	search.v = calloc(n ? n : 1, sizeof(*search.v));
	if (!search.v)
		return -ENOMEM;
	ret = read_table(&search, &full, should_stop, ctx);
	if (!ret)
		ret = read_table(&search, &dynamic, should_stop, ctx);
	if (!ret)
		choose(&search, places);
	return ret;
}

bool binary_hides_implementations(const struct binary *binary)
{
	return binary->has_ifuncs && binary->source && !strcmp(binary->source, ".dynsym");
}
