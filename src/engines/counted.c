// SPDX-License-Identifier: BSD-2-Clause
/* Events to counts by their labels. The key of a row is the text of its labels. */
#include <search.h>

#include "counted.h"

struct row {
	const char *key;
	const void *record;
	uint64_t count;
};

struct counted {
	const struct schema *schema;
	void *tree; /* finds rows by key */
	vec(struct row *);
	struct str key; /* of the event that is being added */
	uint64_t lost;
};

struct counted *counted_new(const struct schema *schema)
{
	struct counted *counted = base_alloc(sizeof(*counted));

	counted->schema = schema;
	return counted;
}

static void keep(void *row)
{
}

static void forget(struct counted *counted)
{
	tdestroy(counted->tree, keep);
	counted->tree = NULL;
	vec_each(row, counted)
		free(*row);
	counted->n = 0;
}

void counted_free(struct counted *counted)
{
	if (!counted)
		return;
	forget(counted);
	free(counted->v);
	str_release(&counted->key);
	free(counted);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->key, ((const struct row *)b)->key);
}

/* The texts are escaped: no control character is in them, so one can separate them. */
static const char *key_of(struct counted *counted, const void *record)
{
	const struct schema *schema = counted->schema;

	str_reset(&counted->key);
	for (size_t i = 0; i < schema->n; i++) {
		if (field_role(&schema->fields[i]) != ROLE_LABEL)
			continue;
		output_add_text(&counted->key, &schema->fields[i], record, NULL);
		str_addc(&counted->key, '\n');
	}
	return str_or_empty(counted->key.data);
}

/* One block of memory: the row, the record, the key. */
static void add_row(struct counted *counted, const char *key, const void *record, size_t size)
{
	struct {
		struct row row;
		_Alignas(uint64_t) char room[];
	} *own = base_alloc(sizeof(*own) + size + strlen(key) + 1);

	own->row = (struct row){ .key = strcpy(own->room + size, key), .record = own->room, .count = 1 };
	memcpy(own->room, record, size);
	if (!tsearch(&own->row, &counted->tree, by_key))
		abort();
	*vec_push(counted) = &own->row;
}

void counted_add(struct counted *counted, const void *record, size_t size)
{
	const struct row wanted = { .key = key_of(counted, record) };
	void *node = tfind(&wanted, &counted->tree, by_key);

	if (node)
		(*(struct row **)node)->count++;
	else if (counted->n < COUNTED_MAX)
		add_row(counted, wanted.key, record, size);
	else
		counted->lost++;
}

static int by_count(const void *pa, const void *pb)
{
	const struct row *a = *(struct row *const *)pa, *b = *(struct row *const *)pb;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return strcmp(a->key, b->key);
}

void counted_print(struct counted *counted, struct output *out)
{
	if (counted->n)
		qsort(counted->v, counted->n, sizeof(*counted->v), by_count);
	vec_each(row, counted) {
		output_set_context(out, &(*row)->count);
		output_row(out, (*row)->record);
	}
	output_set_context(out, NULL);
	forget(counted);
}

uint64_t counted_lost(const struct counted *counted)
{
	return counted->lost;
}

void counted_get(struct value *to, const void *record, const void *count)
{
	value_set_u64(to, *(const uint64_t *)count);
}
