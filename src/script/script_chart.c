// SPDX-License-Identifier: BSD-2-Clause
/* Charts of histograms and of series, as bpftrace draws them. Which values a bucket has, output/hist.h knows. */
#include <time.h>

#include "base/clock.h"
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

struct hist script_print_buckets(const struct type *type)
{
	return (struct hist){
		.kind = type->kind == TYPE_HIST ? HIST_POWERS : type->kind == TYPE_LHIST ? HIST_STEPS
											 : HIST_PRECISE,
		.step = type->kind == TYPE_LHIST ? type->hist.step : 1,
		.divisor = 1,
		.unit = "",
		.n = type->hist.buckets,
		.bits = type->hist.bits,
		.min = type->hist.min,
		.max = type->hist.max,
		.is_signed = true,
	};
}

/* --- labels --- */

/* Of hist(): in the largest unit of which all parts of the power of two are multiples: 1K; with parts 1024, 1536K. */
static void add_power(struct str *to, const struct hist *hist, uint64_t number)
{
	static const char suffixes[] = "KMGTPE";
	uint64_t power = hist_log2(number);
	uint64_t decade = power > hist->bits ? (power - hist->bits) / 10 : 0;

	str_add_u64(to, number >> (10 * decade));
	if (decade)
		str_addc(to, suffixes[decade - 1]);
}

/* Numbers of lhist() in K or M if its step is a multiple of that. */
static void add_linear(struct str *to, const struct hist *hist, int64_t number)
{
	int64_t unit = hist->step % (1 << 20) == 0 ? 1 << 20 : hist->step % (1 << 10) == 0 ? 1 << 10
											   : 1;

	str_add_s64(to, number / unit);
	if (unit > 1 && number)
		str_addc(to, unit == 1 << 20 ? 'M' : 'K');
}

static void add_bound(struct str *to, const struct hist *hist, int64_t number)
{
	if (hist->kind == HIST_POWERS)
		add_power(to, hist, number);
	else
		add_linear(to, hist, number);
}

/* hist() names the value alone if a bucket has one; lhist() does so with a step of 1 only. */
static void add_label(struct str *to, const struct hist *hist, size_t bucket)
{
	uint64_t low = hist_low(hist, bucket), high = hist_high(hist, bucket);
	bool is_last = hist->kind == HIST_STEPS && bucket + 1 == hist->n;
	bool is_single = hist->kind == HIST_POWERS ? low == high : hist->step == 1 && !is_last;

	str_add(to, bucket ? "[" : "(...");
	if (bucket)
		add_bound(to, hist, low);
	if (bucket && is_single) {
		str_addc(to, ']');
		return;
	}
	str_add(to, ", ");
	if (is_last)
		str_add(to, "...");
	else
		add_bound(to, hist, high + 1);
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
	const struct hist hist = script_print_buckets(type);
	struct hist_used used = hist_used(buckets, hist.n);

	for (size_t i = used.first; i < used.end; i++) {
		__str struct str label = {};

		add_label(&label, &hist, i);
		add_bar(to, label.data, buckets[i], used.most, div);
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
	const struct hist hist = script_print_buckets(type);
	__free uint64_t *cells = base_alloc(hist_words(&hist) * sizeof(*cells));
	uint32_t n = type->hist.buckets < HIST_PRECISE_BUCKETS ? type->hist.buckets : HIST_PRECISE_BUCKETS;

	memcpy(cells + HIST_BUCKETS, buckets, n * sizeof(*cells));
	cells[HIST_MAX] = UINT64_MAX; /* not known */
	str_addf(to, "count %llu", (unsigned long long)script_print_total(type, buckets));
	for (size_t i = 0; i < HIST_RANKS; i++)
		str_addf(to, ", %s %llu", hist_ranks[i].name,
			 (unsigned long long)hist_percentile(&hist, cells, hist_ranks[i].thousandths));
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
