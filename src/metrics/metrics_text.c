// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints the text formats, 0.0.4 and OpenMetrics 1.0.0. They differ in the lines above a family, in the names of
 * counters and infos there, in _created, and in the last line.
 */
#include "metrics_format.h"
#include "metrics_number.h"

struct text {
	struct str *to;
	const struct metrics *page;
	const struct metrics_family *family;
	bool openmetrics;
	struct str labels; /* of one sample, as text, without braces */
};

/* Both formats escape these three in values of labels. 0.0.4 leaves quotes in help as they are. */
static void add_escaped(struct str *s, const char *text, size_t n, const char *escaped)
{
	while (n) {
		size_t plain = 0;

		while (plain < n && !strchr(escaped, text[plain]))
			plain++;
		str_addn(s, text, plain);
		if (plain < n) {
			str_addc(s, '\\');
			str_addc(s, text[plain] == '\n' ? 'n' : text[plain]);
			plain++;
		}
		text += plain;
		n -= plain;
	}
}

static void make_labels(struct text *text, const struct metrics_sample *sample)
{
	const struct metrics *page = text->page;

	str_reset(&text->labels);
	for (size_t i = 0; i < sample->n_labels; i++) {
		const struct metrics_label *label = &page->labels.v[sample->labels + i];

		if (i)
			str_addc(&text->labels, ',');
		str_addn(&text->labels, page->text.data + label->name.at, label->name.n);
		str_addn(&text->labels, "=\"", 2);
		add_escaped(&text->labels, page->text.data + label->value.at, label->value.n, "\\\"\n");
		str_addc(&text->labels, '"');
	}
}

/* Begins a line: name, suffix, labels, and a blank. */
static void begin_line(struct text *text, const char *suffix)
{
	str_add(text->to, text->family->info.name);
	str_add(text->to, suffix);
	if (text->labels.len) {
		str_addc(text->to, '{');
		str_addn(text->to, text->labels.data, text->labels.len);
		str_addc(text->to, '}');
	}
	str_addc(text->to, ' ');
}

static void add_line(struct text *text, const char *suffix, struct metrics_number number)
{
	begin_line(text, suffix);
	metrics_number_add(text->to, number);
	str_addc(text->to, '\n');
}

static void add_bucket(struct text *text, const struct str *head, const char *le, uint64_t count)
{
	str_addn(text->to, head->data, head->len);
	str_add(text->to, le);
	str_addn(text->to, "\"} ", 3);
	str_add_u64(text->to, count);
	str_addc(text->to, '\n');
}

/* `le` holds what is counted up to a bound, so each line has the sum of the lines before. */
static void add_buckets(struct text *text, const struct metrics_sample *sample)
{
	const struct metrics_bounds *bounds = &text->family->bounds;
	const uint64_t *counts = text->page->counts.v + sample->counts;
	__str struct str head = {};
	uint64_t below = 0;
	size_t bucket = 0;

	str_addf(&head, "%s_bucket{", text->family->info.name);
	str_addn(&head, str_or_empty(text->labels.data), text->labels.len);
	str_add(&head, text->labels.len ? ",le=\"" : "le=\"");
	for (const struct metrics_le *le = bounds->le; le < bounds->le + bounds->n_le; le++) {
		while (bucket <= le->bucket)
			below += counts[bucket++];
		add_bucket(text, &head, le->text, below);
	}
	add_bucket(text, &head, "+Inf", sample->count);
}

/*
 * OpenMetrics wants sums that never fall, so none of values that may be negative, and no count of a histogram without a
 * sum: the last bucket has it.
 */
static void add_count_and_sum(struct text *text, const struct metrics_sample *sample)
{
	const struct metrics_bounds *bounds = &text->family->bounds;
	bool is_histogram = text->family->info.type == METRICS_HISTOGRAM;
	bool falls = is_histogram && bounds->n > 1 && bounds->upper[0] < 0;
	bool has_sum = !(text->openmetrics && falls);

	if (has_sum || !text->openmetrics || !is_histogram)
		add_line(text, "_count", metrics_u64(sample->count));
	if (has_sum)
		add_line(text, "_sum", sample->number);
}

static bool has_created(enum metrics_type type)
{
	return type == METRICS_COUNTER || type == METRICS_SUMMARY || type == METRICS_HISTOGRAM;
}

static void add_sample(struct text *text, const struct metrics_sample *sample)
{
	enum metrics_type type = text->family->info.type;

	make_labels(text, sample);
	switch (type) {
	case METRICS_COUNTER:
		add_line(text, "_total", sample->number);
		break;
	case METRICS_GAUGE:
		add_line(text, "", sample->number);
		break;
	case METRICS_INFO:
		add_line(text, "_info", metrics_u64(1));
		break;
	case METRICS_HISTOGRAM:
		add_buckets(text, sample);
		/* fall through */
	case METRICS_SUMMARY:
		add_count_and_sum(text, sample);
		break;
	}
	if (text->openmetrics && has_created(type) && sample->created)
		add_line(text, "_created", metrics_seconds(sample->created));
}

static void add_about(struct text *text)
{
	const struct metrics_info *info = &text->family->info;
	bool as_gauge = !text->openmetrics && info->type == METRICS_INFO;
	/* in 0.0.4 the family has the name of its samples, and an info is a gauge */
	const char *suffix = text->openmetrics ? "" : metrics_format_suffix(info->type);

	if (*info->help) {
		str_addf(text->to, "# HELP %s%s ", info->name, suffix);
		add_escaped(text->to, info->help, strlen(info->help), text->openmetrics ? "\\\"\n" : "\\\n");
		str_addc(text->to, '\n');
	}
	str_addf(text->to, "# TYPE %s%s %s\n", info->name, suffix, as_gauge ? "gauge" : metrics_type_name(info->type));
	if (text->openmetrics && info->unit)
		str_addf(text->to, "# UNIT %s %s\n", info->name, info->unit);
}

void metrics_text_print(struct str *to, const struct metrics *page, bool openmetrics)
{
	struct text text = { .to = to, .page = page, .openmetrics = openmetrics };

	vec_each(family, page) {
		text.family = family;
		if (family->n)
			add_about(&text);
		vec_each(sample, family)
			add_sample(&text, sample);
	}
	if (openmetrics)
		str_add(to, "# EOF\n");
	str_release(&text.labels);
}
