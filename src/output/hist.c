// SPDX-License-Identifier: BSD-2-Clause
/*
 * Merges histograms, computes percentiles and draws charts. The charts equal bcc's in every character and are 78
 * columns wide.
 */
#include "hist.h"

#define STARS 40
/* For values from 2^32 on, bcc's numbers take more columns and its bars half as many. */
#define NARROW_BUCKETS 32

const struct hist_rank hist_ranks[] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 } };

size_t hist_buckets(const struct hist *hist)
{
	switch (hist->kind) {
	case HIST_LINEAR:
		return HIST_LINEAR_BUCKETS;
	case HIST_PRECISE:
		return HIST_PRECISE_BUCKETS;
	case HIST_SINGLE:
		return 1;
	case HIST_BOUNDS:
		return HIST_BOUNDS_BUCKETS;
	case HIST_POWERS:
	case HIST_STEPS:
		return hist->n;
	default:
		return HIST_LOG2_BUCKETS;
	}
}

size_t hist_words(const struct hist *hist)
{
	return HIST_BUCKETS + hist_buckets(hist);
}

static uint64_t log2_low(size_t bucket)
{
	return bucket ? 1ULL << bucket : 0;
}

/* Each value below 2^bits is a part, and each greater power of two has 2^bits parts: returns the least value of one. */
static uint64_t part_low(uint64_t part, unsigned int bits)
{
	uint64_t parts = 1ULL << bits;

	return part < parts ? part : (parts + part % parts) << (part / parts - 1);
}

/* Returns the greatest value of a bucket that has a bound. */
static uint64_t bounded_high(const struct hist *hist, size_t bucket)
{
	return hist->step >> (HIST_BOUNDS_BUCKETS - 2 - bucket);
}

bool hist_has_negative(const struct hist *hist)
{
	return hist->kind == HIST_POWERS || hist->kind == HIST_STEPS;
}

uint64_t hist_low(const struct hist *hist, size_t bucket)
{
	if (!bucket)
		return hist_has_negative(hist) ? INT64_MIN : 0;
	switch (hist->kind) {
	case HIST_LINEAR:
		return bucket * hist->step;
	case HIST_PRECISE:
		return part_low(bucket, HIST_PART_BITS);
	case HIST_BOUNDS:
		return bounded_high(hist, bucket - 1) + 1;
	case HIST_POWERS:
		return part_low(bucket - 1, hist->bits);
	case HIST_STEPS:
		return bucket + 1 < hist->n ? hist->min + (int64_t)((bucket - 1) * hist->step) : hist->max;
	default:
		return log2_low(bucket);
	}
}

/* The last bucket has no upper bound. */
uint64_t hist_high(const struct hist *hist, size_t bucket)
{
	if (bucket + 1 < hist_buckets(hist))
		return hist_low(hist, bucket + 1) - 1;
	return hist_has_negative(hist) ? INT64_MAX : UINT64_MAX;
}

void hist_merge(const struct hist *hist, uint64_t *to, const uint64_t *from)
{
	size_t n = hist_words(hist);

	for (size_t i = 0; i < n; i++) {
		uint64_t value = __atomic_load_n(&from[i], __ATOMIC_RELAXED);

		if (i != HIST_MAX)
			to[i] += value;
		else if (value > to[i])
			to[i] = value;
	}
}

void hist_difference(const struct hist *hist, uint64_t *to, const uint64_t *now, const uint64_t *before)
{
	size_t n = hist_words(hist), last = 0;

	for (size_t i = 0; i < n; i++) {
		to[i] = now[i] - before[i];
		if (i >= HIST_BUCKETS && to[i])
			last = i - HIST_BUCKETS;
	}
	to[HIST_MAX] = now[HIST_MAX];
	if (now[HIST_MAX] == before[HIST_MAX] && hist_high(hist, last) < to[HIST_MAX])
		to[HIST_MAX] = hist_high(hist, last);
}

uint64_t hist_count(const struct hist *hist, const uint64_t *cells)
{
	size_t n = hist_words(hist);
	uint64_t count = 0;

	for (size_t i = HIST_BUCKETS; i < n; i++)
		count += cells[i];
	return count;
}

struct hist_used hist_used(const uint64_t *buckets, size_t n)
{
	struct hist_used used = {};

	for (size_t i = 0; i < n; i++) {
		if (!buckets[i])
			continue;
		if (!used.end)
			used.first = i;
		used.end = i + 1;
		used.most = buckets[i] > used.most ? buckets[i] : used.most;
	}
	return used;
}

static uint64_t middle_of(const struct hist *hist, const uint64_t *cells, size_t bucket)
{
	uint64_t low = hist_low(hist, bucket), high = hist_high(hist, bucket);

	/* No value is above the maximum. In the maximum's bucket, the middle below it is the better estimate. */
	if (hist->kind == HIST_PRECISE && high >= cells[HIST_MAX])
		high = cells[HIST_MAX];
	return low < high ? low + (high - low) / 2 : high;
}

uint64_t hist_percentile(const struct hist *hist, const uint64_t *cells, unsigned int thousandths)
{
	uint64_t count = hist_count(hist, cells), seen = 0;
	uint64_t rank = ((__uint128_t)count * thousandths + 999) / 1000;
	size_t n = hist_buckets(hist);

	if (!count)
		return 0;
	for (size_t i = 0; i < n; i++) {
		seen += cells[HIST_BUCKETS + i];
		if (seen >= rank)
			return middle_of(hist, cells, i);
	}
	return 0;
}

static uint64_t total(const struct hist_row *row)
{
	return row->cells[HIST_SUM] / row->hist->divisor;
}

/* Divides the sum as it was counted: an average below one unit does not become 0 because each value would. */
static uint64_t average(const struct hist_row *row)
{
	uint64_t count = hist_count(row->hist, row->cells);

	return count ? row->cells[HIST_SUM] / count / row->hist->divisor : 0;
}

/* --- data --- */

void hist_get(struct value *to, const void *row, const void *ctx)
{
	value_set_hist(to, row);
}

void hist_get_unit(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, ((const struct hist_row *)row)->hist->unit);
}

void hist_get_count(struct value *to, const void *row, const void *ctx)
{
	const struct hist_row *hist = row;

	value_set_u64(to, hist_count(hist->hist, hist->cells));
}

void hist_get_total(struct value *to, const void *row, const void *ctx)
{
	value_set_u64(to, total(row));
}

void hist_get_average(struct value *to, const void *row, const void *ctx)
{
	value_set_u64(to, average(row));
}

/* Percentiles in the order of the table above. */
struct ranks {
	uint64_t values[HIST_RANKS], max;
};

static const struct field rank_fields[] = {
	DATA(FIELD_U64, struct ranks, values[0], "p50"),
	DATA(FIELD_U64, struct ranks, values[1], "p90"),
	DATA(FIELD_U64, struct ranks, values[2], "p99"),
	DATA(FIELD_U64, struct ranks, values[3], "p99.9"),
	DATA(FIELD_U64, struct ranks, max, "max"),
};
static const struct schema rank_schema = { rank_fields, ARRAY_SIZE(rank_fields) };

void hist_get_percentiles(struct value *to, const void *row, const void *ctx)
{
	const struct hist_row *hist = row;
	struct ranks ranks = { .max = hist->cells[HIST_MAX] };

	if (hist->hist->kind != HIST_PRECISE)
		return;
	for (size_t i = 0; i < HIST_RANKS; i++)
		ranks.values[i] = hist_percentile(hist->hist, hist->cells, hist_ranks[i].thousandths);
	str_addn(to->room, (const char *)&ranks, sizeof(ranks));
	value_set_row(to, &rank_schema, to->room->data);
}

struct bucket {
	uint64_t min, max, count;
	bool has_max;
};

static const struct field bucket_fields[] = {
	DATA(FIELD_U64, struct bucket, min, "min"),
	DATA(FIELD_U64, struct bucket, max, "max", KNOWN_BY(struct bucket, has_max)),
	DATA(FIELD_U64, struct bucket, count, "count", .role = ROLE_COUNTER),
};
static const struct schema bucket_schema = { bucket_fields, ARRAY_SIZE(bucket_fields) };

void hist_get_buckets(struct value *to, const void *row, const void *ctx)
{
	const struct hist_row *hist = row;
	size_t n = hist_buckets(hist->hist), shown = 0;

	for (size_t i = 0; i < n; i++) {
		const struct bucket bucket = {
			.min = hist_low(hist->hist, i),
			.max = hist_high(hist->hist, i),
			.count = hist->cells[HIST_BUCKETS + i],
			.has_max = i + 1 < n || hist->hist->kind != HIST_LINEAR,
		};

		if (!bucket.count)
			continue;
		str_addn(to->room, (const char *)&bucket, sizeof(bucket));
		shown++;
	}
	value_set_rows(to, &bucket_schema, to->room->data, shown, sizeof(struct bucket));
}

/* --- text --- */

static void add_bar(struct str *s, uint64_t count, uint64_t most, size_t width)
{
	size_t stars = (__uint128_t)count * width / most;

	str_addf(s, " : %-8llu |", (unsigned long long)count);
	str_add_fill(s, '*', stars);
	str_add_fill(s, ' ', width - stars);
	str_add(s, "|\n");
}

static void draw_log2(struct str *s, const uint64_t *buckets, const char *unit)
{
	struct hist_used used = hist_used(buckets, HIST_LOG2_BUCKETS);
	bool narrow = used.end <= NARROW_BUCKETS;

	str_addf(s, narrow ? "     %-19s : count     distribution\n" : "               %-29s : count     distribution\n",
		 unit);
	for (size_t i = 0; i < used.end; i++) {
		unsigned long long low = log2_low(i), high = low + (i ? low : 2) - 1;

		str_addf(s, narrow ? "%10llu -> %-10llu" : "%20llu -> %-20llu", low, high);
		add_bar(s, buckets[i], used.most, narrow ? STARS : STARS / 2);
	}
}

static void draw_linear(struct str *s, const struct hist_row *row)
{
	const uint64_t *buckets = row->cells + HIST_BUCKETS;
	struct hist_used used = hist_used(buckets, HIST_LINEAR_BUCKETS);

	str_addf(s, "     %-13s : count     distribution\n", row->hist->unit);
	for (size_t i = 0; i < used.end; i++) {
		char label[32];

		snprintf(label, sizeof(label), "%llu%s", (unsigned long long)hist_low(row->hist, i),
			 i + 1 == HIST_LINEAR_BUCKETS ? "+" : "");
		str_addf(s, "        %-10s", label);
		add_bar(s, buckets[i], used.most, STARS);
	}
}

/* Each bucket lies within one power of two. */
static void draw_precise(struct str *s, const struct hist_row *row)
{
	uint64_t buckets[HIST_LOG2_BUCKETS] = {};

	for (size_t i = 0; i < HIST_PRECISE_BUCKETS; i++)
		buckets[hist_log2(hist_low(row->hist, i))] += row->cells[HIST_BUCKETS + i];
	draw_log2(s, buckets, row->hist->unit);
}

static void add_percentile_line(struct str *s, const struct hist_row *row)
{
	for (size_t i = 0; i < HIST_RANKS; i++)
		str_addf(s, "%s = %llu, ", hist_ranks[i].name,
			 (unsigned long long)hist_percentile(row->hist, row->cells, hist_ranks[i].thousandths));
	str_addf(s, "max = %llu %s\n", (unsigned long long)row->cells[HIST_MAX], row->hist->unit);
}

void hist_draw(struct str *s, const void *data)
{
	const struct hist_row *row = data;
	const char *unit = row->hist->unit;
	uint64_t count = hist_count(row->hist, row->cells);

	if (!count)
		return;
	if (!row->first)
		str_addc(s, '\n');
	if (row->key) {
		str_addf(s, "%s = ", row->title);
		str_add_shown(s, row->key, strlen(row->key));
		str_addc(s, '\n');
	}
	if (row->hist->kind == HIST_LOG2)
		draw_log2(s, row->cells + HIST_BUCKETS, unit);
	else if (row->hist->kind == HIST_LINEAR)
		draw_linear(s, row);
	else
		draw_precise(s, row);
	if (row->hist->bare && row->hist->kind != HIST_PRECISE)
		return;
	str_addc(s, '\n');
	if (row->hist->kind == HIST_PRECISE)
		add_percentile_line(s, row);
	if (row->hist->bare)
		return;
	str_addf(s, "avg = %llu %s, total: %llu %s, count: %llu\n", (unsigned long long)average(row), unit,
		 (unsigned long long)total(row), unit, (unsigned long long)count);
}
