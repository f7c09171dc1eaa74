// SPDX-License-Identifier: BSD-2-Clause
/* Charts of histograms and of series, as bpftrace draws them; and which values a bucket has. */
#include <time.h>

#include "base/clock.h"
#include "output/hist.h"
#include "script_print.h"

#define BAR_WIDTH    52
#define SERIES_WIDTH 52
#define SERIES_STAMP 19 /* hh:mm:ss.ns */

/* --- buckets --- */

uint64_t script_print_total(const struct type *type, const uint64_t *buckets)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < type->hist.buckets; i++)
		total += buckets[i];
	return total;
}

bool script_print_range(const struct type *type, const uint64_t *buckets, uint32_t *first, uint32_t *last)
{
	bool found = false;

	for (uint32_t i = 0; i < type->hist.buckets; i++) {
		if (!buckets[i])
			continue;
		if (!found)
			*first = i;
		*last = i;
		found = true;
	}
	return found;
}

/*
 * Of hist(): bucket 0 has the values below 0; then each value below 2^bits has a bucket of its own, and each power of
 * two above is divided into 2^bits equal parts.
 */
static uint64_t log2_low(uint32_t bits, uint32_t bucket)
{
	uint64_t index = bucket - 1, parts = 1ULL << bits;

	if (index < parts)
		return index;
	return (parts + index % parts) << (index / parts - 1);
}

bool script_print_low(const struct type *type, uint32_t bucket, int64_t *low)
{
	if (!bucket)
		return false;
	if (type->kind == TYPE_HIST)
		*low = log2_low(type->hist.bits, bucket);
	else
		*low = bucket + 1 < type->hist.buckets ? type->hist.min + (int64_t)(bucket - 1) * type->hist.step
						       : type->hist.max;
	return true;
}

bool script_print_high(const struct type *type, uint32_t bucket, int64_t *high)
{
	if (type->kind == TYPE_LHIST) {
		*high = type->hist.min + (int64_t)bucket * type->hist.step - 1;
		*high = *high < type->hist.max ? *high : type->hist.max - 1;
		return bucket + 1 < type->hist.buckets;
	}
	*high = bucket ? (int64_t)(log2_low(type->hist.bits, bucket + 1) - 1) : -1;
	return true;
}

/* --- labels --- */

/* Of hist(): in the largest unit of which all parts of the power of two are multiples: 1K; with parts 1024, 1536K. */
static void add_power(struct str *to, const struct type *type, uint64_t number)
{
	static const char suffixes[] = "KMGTPE";
	uint64_t power = hist_log2(number);
	uint64_t decade = power > type->hist.bits ? (power - type->hist.bits) / 10 : 0;

	str_add_u64(to, number >> (10 * decade));
	if (decade)
		str_addc(to, suffixes[decade - 1]);
}

static void add_log2_label(struct str *to, const struct type *type, uint32_t bucket)
{
	int64_t low, high;

	if (!bucket) {
		str_add(to, "(..., 0)");
		return;
	}
	script_print_low(type, bucket, &low);
	script_print_high(type, bucket, &high);
	str_addc(to, '[');
	if (low == high) {
		str_add_u64(to, low);
		str_addc(to, ']');
		return;
	}
	add_power(to, type, low);
	str_add(to, ", ");
	add_power(to, type, (uint64_t)high + 1);
	str_addc(to, ')');
}

/* Numbers of lhist() in K or M if its step is a multiple of that. */
static void add_linear(struct str *to, const struct type *type, int64_t number)
{
	int64_t unit = type->hist.step % (1 << 20) == 0 ? 1 << 20 : type->hist.step % (1 << 10) == 0 ? 1 << 10
												     : 1;

	str_add_s64(to, number / unit);
	if (unit > 1 && number)
		str_addc(to, unit == 1 << 20 ? 'M' : 'K');
}

static void add_linear_label(struct str *to, const struct type *type, uint32_t bucket)
{
	const struct type_hist *hist = &type->hist;
	int64_t low = hist->min + (int64_t)(bucket - 1) * hist->step;

	if (!bucket) {
		str_add(to, "(..., ");
		add_linear(to, type, hist->min);
		str_addc(to, ')');
		return;
	}
	str_addc(to, '[');
	add_linear(to, type, bucket + 1 < hist->buckets ? low : hist->max);
	if (hist->step == 1 && bucket + 1 < hist->buckets) {
		str_addc(to, ']');
		return;
	}
	str_add(to, ", ");
	if (bucket + 1 < hist->buckets)
		add_linear(to, type, low + hist->step < hist->max ? low + hist->step : hist->max);
	else
		str_add(to, "...");
	str_addc(to, ')');
}

/* --- bars --- */

static void add_bar(struct str *to, const char *label, uint64_t count, uint64_t most, uint64_t div)
{
	size_t bar = most ? (unsigned __int128)count * BAR_WIDTH / most : 0;

	str_addf(to, "%-16s%8llu |", label, (unsigned long long)(div ? count / div : count));
	str_add_fill(to, '@', bar);
	str_add_fill(to, ' ', BAR_WIDTH - bar);
	str_add(to, "|\n");
}

static void add_hist(struct str *to, const struct type *type, const uint64_t *buckets, uint64_t div)
{
	uint32_t first = 0, last = 0;
	uint64_t most = 0;

	if (!script_print_range(type, buckets, &first, &last))
		return;
	for (uint32_t i = first; i <= last; i++)
		most = buckets[i] > most ? buckets[i] : most;
	for (uint32_t i = first; i <= last; i++) {
		__str struct str label = {};

		if (type->kind == TYPE_LHIST)
			add_linear_label(&label, type, i);
		else
			add_log2_label(&label, type, i);
		add_bar(to, label.data, buckets[i], most, div);
	}
}

/* --- series --- */

static int by_number(const void *pa, const void *pb)
{
	const struct lang_moment *a = pa, *b = pb;

	return a->number < b->number ? -1 : a->number > b->number;
}

size_t script_print_moments(const struct type *type, const struct lang_moment *from, struct lang_moment *v)
{
	uint64_t latest = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < type->hist.buckets; i++)
		if (from[i].count && from[i].number > latest)
			latest = from[i].number;
	/* what the ring still holds of an earlier turn is too old */
	for (uint32_t i = 0; i < type->hist.buckets; i++)
		if (from[i].count && latest - from[i].number < type->hist.buckets)
			v[n++] = from[i];
	if (n)
		qsort(v, n, sizeof(*v), by_number);
	return n;
}

int64_t script_print_moment(const struct type *type, const struct lang_moment *moment)
{
	if (type->hist.of == TYPE_AVG && moment->count)
		return (int64_t)moment->value / (int64_t)moment->count;
	return moment->value;
}

void script_chart_add_time(struct str *to, const char *format, uint64_t wall_ns)
{
	time_t seconds = wall_ns / NS_PER_SEC;
	char text[32];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), format, &tm);
	str_addf(to, "%s.%09llu", text, (unsigned long long)(wall_ns % NS_PER_SEC));
}

static void add_scale(struct str *to, int64_t least, int64_t most)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)least);
	str_add_fill(to, ' ', SERIES_STAMP);
	str_addf(to, "%-*s%lld\n", SERIES_WIDTH, text, (long long)most);
}

static void add_rule(struct str *to, const char *head, char end)
{
	str_addf(to, "%-*s%c", SERIES_STAMP, head, end);
	str_add_fill(to, '_', SERIES_WIDTH - 1);
	str_addf(to, "%c\n", end);
}

static size_t place_of(int64_t value, int64_t least, int64_t most)
{
	unsigned __int128 span = (unsigned __int128)((__int128)most - least);

	return span ? (unsigned __int128)((__int128)value - least) * SERIES_WIDTH / span : 0;
}

static void add_moment(struct str *to, uint64_t wall_ns, const int64_t *value, int64_t least, int64_t most)
{
	char line[SERIES_WIDTH + 2];

	memset(line, ' ', sizeof(line));
	line[0] = line[SERIES_WIDTH] = '|';
	line[SERIES_WIDTH + 1] = '\0';
	if (least < 0 && most > 0)
		line[place_of(0, least, most)] = '.';
	if (value)
		line[place_of(*value, least, most)] = '*';
	script_chart_add_time(to, "%H:%M:%S", wall_ns);
	str_addf(to, " %s ", line);
	if (value)
		str_addf(to, "%lld\n", (long long)*value);
	else
		str_add(to, "-\n");
}

static void add_series(struct str *to, const struct type *type, const struct lang_moment *from)
{
	__free struct lang_moment *v = base_alloc(type->hist.buckets * sizeof(*v));
	size_t n = script_print_moments(type, from, v);
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		int64_t value = script_print_moment(type, &v[i]);

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	if (!n)
		return;
	if (least == most) { /* in the middle */
		least -= least > INT64_MIN;
		most += most < INT64_MAX;
	}
	add_scale(to, least, most);
	add_rule(to, "hh:mm:ss.ns", '|');
	for (size_t i = 0; i < n; i++) {
		int64_t value = script_print_moment(type, &v[i]);
		uint64_t until = i + 1 < n ? v[i + 1].number : v[i].number + 1;

		add_moment(to, v[i].number * type->hist.interval, &value, least, most);
		for (uint64_t gap = v[i].number + 1; gap < until; gap++)
			add_moment(to, gap * type->hist.interval, NULL, least, most);
	}
	add_rule(to, "", 'v');
	add_scale(to, least, most);
}

/* --- percentiles --- */

static void add_quantiles(struct str *to, const struct type *type, const uint64_t *buckets)
{
	static const struct {
		const char *name;
		unsigned int thousandths;
	} parts[] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 } };
	const struct hist hist = { .kind = HIST_PRECISE, .step = 1, .divisor = 1 };
	__free uint64_t *cells = base_alloc(hist_words(&hist) * sizeof(*cells));
	uint32_t n = type->hist.buckets < HIST_PRECISE_BUCKETS ? type->hist.buckets : HIST_PRECISE_BUCKETS;

	memcpy(cells + HIST_BUCKETS, buckets, n * sizeof(*cells));
	cells[HIST_MAX] = UINT64_MAX; /* not known */
	str_addf(to, "count %llu", (unsigned long long)script_print_total(type, buckets));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		str_addf(to, ", %s %llu", parts[i].name,
			 (unsigned long long)hist_percentile(&hist, cells, parts[i].thousandths));
}

void script_chart_add(struct str *to, const struct type *type, const void *value, uint64_t div)
{
	if (type->kind == TYPE_TSERIES)
		add_series(to, type, value);
	else if (type->kind == TYPE_QUANTILES)
		add_quantiles(to, type, value);
	else
		add_hist(to, type, value, div);
}
