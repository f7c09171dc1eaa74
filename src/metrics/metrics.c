// SPDX-License-Identifier: BSD-2-Clause
/* Keeps a page of metrics: families and samples, which are found by their labels. Knows no format. */
#include <ctype.h>

#include "base/hash.h"
#include "metrics.h"

void metrics_reset(struct metrics *page)
{
	vec_each(family, page) {
		lookup_reset(&family->lookup);
		family->n = 0;
	}
	page->labels.n = page->counts.n = 0;
	page->fields.schema = NULL;
	str_reset(&page->text);
}

static void free_info(const struct metrics_info *info)
{
	free((char *)info->name);
	free((char *)info->unit);
	free((char *)info->help);
}

void metrics_release(struct metrics *page)
{
	vec_each(family, page) {
		free_info(&family->info);
		metrics_bounds_release(&family->bounds);
		lookup_release(&family->lookup);
		free(family->v);
	}
	free(page->v);
	free(page->labels.v);
	free(page->counts.v);
	free(page->fields.v);
	str_release(&page->fields.base);
	str_release(&page->text);
	*page = (struct metrics){};
}

size_t metrics_family(struct metrics *page, const struct metrics_info *info)
{
	__str struct str help = {};

	for (size_t i = 0; i < page->n; i++)
		if (!strcmp(page->v[i].info.name, info->name))
			return i;
	/* that of a script is foreign */
	str_add_plain(&help, str_or_empty(info->help), strlen(str_or_empty(info->help)));
	vec_push(page)->info = (struct metrics_info){
		.name = base_strdup(info->name),
		.unit = info->unit ? base_strdup(info->unit) : NULL,
		.help = base_strdup(str_or_empty(help.data)),
		.type = info->type,
	};
	return page->n - 1;
}

void metrics_begin(struct metrics *page, size_t family, uint64_t created)
{
	struct metrics_sample *sample = vec_push(&page->v[family]);

	page->family = family;
	sample->labels = page->labels.n;
	sample->created = created;
}

static struct metrics_sample *last_sample(struct metrics *page)
{
	struct metrics_family *family = &page->v[page->family];

	return &family->v[family->n - 1];
}

void metrics_add_name(struct str *s, const char *name)
{
	if (isdigit((unsigned char)*name) || !*name)
		str_addc(s, '_');
	for (; *name; name++)
		str_addc(s, isascii(*name) && isalnum(*name) ? *name : '_');
}

void metrics_label(struct metrics *page, const char *name, const char *value, size_t n)
{
	struct metrics_label *label;

	if (!n)
		return;
	label = vec_push(&page->labels);
	label->name.at = page->text.len;
	metrics_add_name(&page->text, name);
	label->value.at = page->text.len;
	label->name.n = label->value.at - label->name.at;
	str_add_plain(&page->text, value, n);
	label->value.n = page->text.len - label->value.at;
	last_sample(page)->n_labels++;
}

/* --- samples by their labels --- */

/* Where the text of a sample's labels begins, and how many bytes it has: labels are added one after the other. */
static struct metrics_part text_of(const struct metrics *page, const struct metrics_sample *sample)
{
	const struct metrics_label *labels;
	const struct metrics_part *end;

	if (!sample->n_labels)
		return (struct metrics_part){};
	labels = page->labels.v + sample->labels;
	end = &labels[sample->n_labels - 1].value;
	return (struct metrics_part){ labels->name.at, end->at + end->n - labels->name.at };
}

static bool same_labels(const struct metrics *page, const struct metrics_sample *a, const struct metrics_sample *b)
{
	struct metrics_part text = text_of(page, a), other = text_of(page, b);

	if (a->n_labels != b->n_labels || text.n != other.n)
		return false;
	for (size_t i = 0; i < a->n_labels; i++) {
		const struct metrics_label *la = &page->labels.v[a->labels + i], *lb = &page->labels.v[b->labels + i];

		if (la->name.n != lb->name.n || la->value.n != lb->value.n)
			return false;
	}
	return !text.n || !memcmp(page->text.data + text.at, page->text.data + other.at, text.n);
}

/* Returns the number of the last sample, or of an earlier one of the family with the same labels. */
static uint32_t find_number(struct metrics *page)
{
	struct metrics_family *family = &page->v[page->family];
	const struct metrics_sample *sample = last_sample(page);
	struct metrics_part text = text_of(page, sample);
	uint32_t hash = hash_bytes(text.n ? page->text.data + text.at : "", text.n);

	lookup_each(it, &family->lookup, hash)
		if (same_labels(page, &family->v[it.number], sample))
			return it.number;
	lookup_add(&family->lookup, hash, family->n - 1);
	return family->n - 1;
}

static void remove_last(struct metrics *page)
{
	const struct metrics_sample *sample = last_sample(page);

	if (sample->n_labels)
		page->text.len = text_of(page, sample).at;
	page->labels.n = sample->labels;
	page->v[page->family].n--;
}

/* Returns the sample that has begun, or instead of it an earlier one that has the same labels. */
static struct metrics_sample *end_sample(struct metrics *page, bool *is_new)
{
	struct metrics_family *family = &page->v[page->family];
	uint32_t number = find_number(page);

	*is_new = number == family->n - 1;
	if (!*is_new)
		remove_last(page);
	return &family->v[number];
}

/* --- values --- */

/* A new number is 0 of any type. */
static void add_number(struct metrics_number *to, struct metrics_number by)
{
	to->type = by.type;
	if (to->type == METRICS_REAL)
		to->real += by.real;
	else
		to->u64 += by.u64;
}

void metrics_set(struct metrics *page, struct metrics_number value)
{
	bool is_new;
	struct metrics_sample *sample = end_sample(page, &is_new);

	if (page->v[page->family].info.type == METRICS_COUNTER)
		add_number(&sample->number, value);
	else
		sample->number = value;
}

void metrics_set_summary(struct metrics *page, uint64_t count, struct metrics_number sum)
{
	bool is_new;
	struct metrics_sample *sample = end_sample(page, &is_new);

	sample->count += count;
	add_number(&sample->number, sum);
}

/* Returns the number of the first of n counts, which are 0. */
static size_t add_counts(struct metrics *page, size_t n)
{
	size_t first = page->counts.n, need = first + n;

	if (need > page->counts.cap) {
		page->counts.cap = 2 * need;
		page->counts.v = base_realloc(page->counts.v, page->counts.cap, sizeof(*page->counts.v));
	}
	memset(page->counts.v + first, 0, n * sizeof(*page->counts.v));
	page->counts.n = need;
	return first;
}

struct metrics_number metrics_hist_sum(const struct hist *hist, bool seconds, const uint64_t *cells)
{
	if (seconds)
		return metrics_seconds(cells[HIST_SUM]);
	return hist->is_signed ? metrics_s64(cells[HIST_SUM]) : metrics_u64(cells[HIST_SUM]);
}

void metrics_set_histogram(struct metrics *page, const struct metrics_scale *scale, const uint64_t *cells)
{
	struct metrics_family *family = &page->v[page->family];
	bool is_new;
	struct metrics_sample *sample = end_sample(page, &is_new);
	uint64_t *counts;

	metrics_bounds_set(&family->bounds, scale);
	if (is_new)
		sample->counts = add_counts(page, family->bounds.n);
	counts = page->counts.v + sample->counts;
	for (size_t i = 0; i < family->bounds.n; i++) {
		counts[i] += cells[HIST_BUCKETS + i];
		sample->count += cells[HIST_BUCKETS + i];
	}
	add_number(&sample->number, metrics_hist_sum(scale->hist, scale->seconds, cells));
}
