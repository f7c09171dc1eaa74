// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pages of metrics for programs that others wrote, and for measuring:
 *
 *	build/metric-pages text|openmetrics|protobuf	a page with all that is odd
 *	build/metric-pages bench			the time of a page of 2,000 series, in each format
 */
#include <math.h>
#include <time.h>

#include "base/gzip.h"
#include "metrics/metrics_format.h"
#include "metrics/metrics_rows.h"

#define CREATED	     1714557600123456789ULL /* 2024-05-01 10:00:00 UTC */
#define BENCH_HISTS  60
#define BENCH_COUNTS 260
#define BENCH_ROUNDS 200

static const struct hist seconds = { .kind = HIST_BOUNDS, .step = HIST_BOUND_SECONDS, .divisor = 1 };
static const struct hist bytes = { .kind = HIST_BOUNDS, .step = HIST_BOUND_NUMBERS, .divisor = 1 };
static const struct hist precise = { .kind = HIST_PRECISE, .step = 1, .divisor = 1 };
static const struct hist linear = { .kind = HIST_LINEAR, .step = 10, .divisor = 1000 };
static const struct hist steps = {
	.kind = HIST_STEPS, .min = -8, .max = 1000001, .step = 200002, .n = 7, .divisor = 1, .is_signed = true
};

static void label(struct metrics *page, const char *name, const char *value)
{
	metrics_label(page, name, value, strlen(value));
}

static void add_numbers(struct metrics *page)
{
	static const struct {
		const char *name;
		double value;
	} reals[] = {
		{ "nan", NAN },
		{ "inf", INFINITY },
		{ "-inf", -INFINITY },
		{ "tenth", 0.1 },
		{ "third", 1 / 3.0 },
		{ "least", 5e-324 },
		{ "small", -1e-300 },
		{ "large", 1e300 },
		{ "mega", 1048576 },
		{ "odd", 123456789.125 },
		{ "zero", 0 },
		{ "-zero", -0.0 },
	};
	const struct metrics_info info = { "odd_number", NULL, "Odd \\ \"numbers\"\nhere.", METRICS_GAUGE };
	size_t family = metrics_family(page, &info);

	for (size_t i = 0; i < ARRAY_SIZE(reals); i++) {
		metrics_begin(page, family, 0);
		label(page, "what", reals[i].name);
		metrics_set(page, metrics_real(reals[i].value));
	}
	metrics_begin(page, family, 0);
	label(page, "what", "int64");
	metrics_set(page, metrics_s64(INT64_MIN));
}

static void add_labels(struct metrics *page)
{
	static const char *const values[] = { "plain", "quo\"te", "back\\slash", "new\nline", "tab\tcr\r", "\\n",
					      "\xff\xfe", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\x1b[31m",
					      "{a=\"b\"}", "a,b", " blank ", "# EOF", "\xed\xa0\x80" };
	const struct metrics_info info = { "odd_labels", NULL, "Odd labels.", METRICS_COUNTER };
	size_t family = metrics_family(page, &info);

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		__str struct str number = {};

		str_add_u64(&number, i);
		metrics_begin(page, family, CREATED);
		label(page, "number", number.data);
		label(page, "odd-name", values[i]);
		metrics_set(page, metrics_u64(UINT64_MAX - i));
	}
}

static void add_rest(struct metrics *page)
{
	const struct metrics_info builds = { "odd_build", NULL, "A build.", METRICS_INFO };
	const struct metrics_info sums = { "odd_wait_seconds", "seconds", "A sum.", METRICS_SUMMARY };
	const struct metrics_info times = { "odd_time_seconds", "seconds", "Time.", METRICS_COUNTER };
	size_t build = metrics_family(page, &builds);
	size_t sum = metrics_family(page, &sums);
	size_t time = metrics_family(page, &times);

	metrics_begin(page, build, 0);
	label(page, "version", "1.2.3");
	metrics_set(page, metrics_u64(1));
	metrics_begin(page, sum, CREATED);
	metrics_set_summary(page, 3, metrics_seconds(1234567891));
	metrics_begin(page, time, CREATED);
	metrics_set(page, metrics_seconds(9007199254740993ULL));
}

static size_t bucket_of(const struct hist *hist, uint64_t value)
{
	switch (hist->kind) {
	case HIST_BOUNDS:
		return hist_bounded(value, hist->step);
	case HIST_PRECISE:
		return hist_precise(value);
	default:
		return hist_linear(value / hist->divisor, hist->step);
	}
}

/* As programs in the kernel count values (bpf/hist.bpf.h). */
static void count(const struct hist *hist, uint64_t *cells, uint64_t value)
{
	cells[HIST_SUM] += value;
	cells[HIST_BUCKETS + bucket_of(hist, value)]++;
}

static void add_hist(struct metrics *page, const struct metrics_info *info, const struct hist *hist, const char *name,
		     const uint64_t *cells)
{
	const struct metrics_scale scale = { hist, info->unit && !strcmp(info->unit, "seconds"), {} };

	metrics_begin(page, metrics_family(page, info), CREATED);
	label(page, "name", name);
	metrics_set_histogram(page, &scale, cells);
}

/* Powers of two of the second and their neighbours, and a spread of values: the reader computes the same. */
static void add_hists(struct metrics *page)
{
	static const struct {
		struct metrics_info info;
		const struct hist *hist;
	} all[] = {
		{ { "odd_bounds_seconds", "seconds", "Bounds.", METRICS_HISTOGRAM }, &seconds },
		{ { "odd_precise_seconds", "seconds", "Precise.", METRICS_HISTOGRAM }, &precise },
		{ { "odd_linear_seconds", "seconds", "Linear.", METRICS_HISTOGRAM }, &linear },
		{ { "odd_size_bytes", "bytes", "Sizes.", METRICS_HISTOGRAM }, &bytes },
	};
	const uint64_t some[] = { [HIST_SUM] = -100, [HIST_BUCKETS] = 3, 0, 1, 0, 0, 4, 2 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		__free uint64_t *cells = base_alloc(hist_words(all[i].hist) * sizeof(*cells));

		add_hist(page, &all[i].info, all[i].hist, "empty", cells);
		for (uint64_t v = 0; v < 3; v++)
			count(all[i].hist, cells, v);
		for (uint64_t k = 0, v = 1000000000; k < 12; k++, v /= 2)
			for (uint64_t by = 0; by < 3; by++)
				count(all[i].hist, cells, v - 1 + by);
		for (uint64_t k = 1, v = 1; k <= 1000; k++, v = v * 6364136223846793005ULL + 1442695040888963407ULL)
			count(all[i].hist, cells, v >> 34);
		add_hist(page, &all[i].info, all[i].hist, "full", cells);
	}
	add_hist(page, &(struct metrics_info){ "odd_steps", NULL, "Steps.", METRICS_HISTOGRAM }, &steps, "full",
		 some);
}

/* --- time --- */

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static const struct field count_fields[] = {
	FIELD(FIELD_STR, struct hist_row, key, "func", "FUNC", 20),
	FIELD(FIELD_U64, struct hist_row, cells, "count", "COUNT", 8, .role = ROLE_COUNTER),
};
static const struct field hist_fields[] = { FIELD(FIELD_STR, struct hist_row, key, "func", "FUNC", 20), HIST_FIELDS };
static const struct schema count_schema = { count_fields, ARRAY_SIZE(count_fields) };
static const struct schema hist_schema = { hist_fields, ARRAY_SIZE(hist_fields) };

/* Bounds show 26 buckets and +Inf, count and sum: 29 series each. */
static void make_page(struct metrics *page, const uint64_t *cells)
{
	const struct metrics_rows counts = {
		.base = "sonde_funccount", .help = "Calls.", .schema = &count_schema, .created = CREATED
	};
	const struct metrics_rows hists = {
		.base = "sonde_funclatency", .help = "Times.", .schema = &hist_schema, .created = CREATED
	};
	char name[32];
	struct hist_row row = { .hist = &seconds, .cells = cells, .key = name };

	metrics_reset(page);
	for (int i = 0; i < BENCH_COUNTS; i++) {
		snprintf(name, sizeof(name), "some_function_of_linux_%d", i);
		metrics_rows_add(page, &counts, &row, METRICS_KEY);
	}
	for (int i = 0; i < BENCH_HISTS; i++) {
		snprintf(name, sizeof(name), "another_function_%d", i);
		metrics_rows_add(page, &hists, &row, METRICS_KEY);
	}
}

static void bench(void)
{
	static const char *const names[] = { "text", "openmetrics", "protobuf" };
	struct metrics page = {};
	uint64_t cells[HIST_BUCKETS + HIST_BOUNDS_BUCKETS] = {}, began = cpu_ns();

	for (uint64_t v = 1; v < 100000; v++)
		count(&seconds, cells, v * v);
	began = cpu_ns();
	for (int i = 0; i < BENCH_ROUNDS; i++)
		make_page(&page, cells);
	printf("page %llu us\n", (unsigned long long)(cpu_ns() - began) / BENCH_ROUNDS / 1000);
	for (enum metrics_format format = METRICS_TEXT; format <= METRICS_PROTOBUF; format++) {
		__str struct str text = {}, packed = {};
		uint64_t printed;

		began = cpu_ns();
		for (int i = 0; i < BENCH_ROUNDS; i++) {
			str_reset(&text);
			metrics_format_print(&text, &page, format);
		}
		printed = cpu_ns();
		for (int i = 0; i < BENCH_ROUNDS; i++) {
			str_reset(&packed);
			gzip_add(&packed, &text, 1); /* the exporter's level */
		}
		printf("%s %llu us, %zu bytes; gzip %llu us, %zu bytes\n", names[format],
		       (unsigned long long)(printed - began) / BENCH_ROUNDS / 1000, text.len,
		       (unsigned long long)(cpu_ns() - printed) / BENCH_ROUNDS / 1000, packed.len);
	}
	metrics_release(&page);
}

int main(int argc, char **argv)
{
	const char *word = argc == 2 ? argv[1] : "";
	enum metrics_format format = !strcmp(word, "protobuf")	    ? METRICS_PROTOBUF
				     : !strcmp(word, "openmetrics") ? METRICS_OPENMETRICS
								    : METRICS_TEXT;
	struct metrics page = {};
	__str struct str text = {};

	if (!strcmp(word, "bench")) {
		bench();
		return 0;
	}
	if (format == METRICS_TEXT && strcmp(word, "text")) {
		fputs("usage: metric-pages text|openmetrics|protobuf|bench\n", stderr);
		return 2;
	}
	add_numbers(&page);
	add_labels(&page);
	add_rest(&page);
	add_hists(&page);
	metrics_format_print(&text, &page, format);
	metrics_release(&page);
	return fwrite(text.data, 1, text.len, stdout) != text.len;
}
