// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints protobuf: messages io.prometheus.client.MetricFamily, each with its length in front.
 * https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto
 */
#include "base/protobuf.h"
#include "metrics_format.h"
#include "metrics_number.h"

#define NS_PER_S 1000000000ULL
/* A gap of so many empty buckets costs no more as zeros than as the begin of another span. */
#define GAP_MOST 2

/* Numbers of fields and values, as metrics.proto has them. */
enum {
	LABEL_NAME = 1,
	LABEL_VALUE
};
enum {
	VALUE_VALUE = 1, /* of Gauge and Counter */
	COUNTER_CREATED = 3
};
enum {
	SUMMARY_COUNT = 1,
	SUMMARY_SUM,
	SUMMARY_CREATED = 4
};
enum {
	BUCKET_CUMULATIVE = 1,
	BUCKET_UPPER
};
enum {
	SPAN_OFFSET = 1,
	SPAN_LENGTH
};
enum {
	HISTOGRAM_COUNT = 1,
	HISTOGRAM_SUM,
	HISTOGRAM_BUCKET,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD,
	HISTOGRAM_ZERO_COUNT,
	HISTOGRAM_POSITIVE_SPAN = 12,
	HISTOGRAM_POSITIVE_DELTA,
	HISTOGRAM_CREATED = 15
};
enum {
	METRIC_LABEL = 1,
	METRIC_GAUGE,
	METRIC_COUNTER,
	METRIC_SUMMARY,
	METRIC_HISTOGRAM = 7
};
enum {
	FAMILY_NAME = 1,
	FAMILY_HELP,
	FAMILY_TYPE,
	FAMILY_METRIC,
	FAMILY_UNIT
};
enum {
	TIMESTAMP_SECONDS = 1,
	TIMESTAMP_NANOS
};
enum {
	TYPE_COUNTER,
	TYPE_GAUGE,
	TYPE_SUMMARY,
	TYPE_HISTOGRAM = 4
};

/* Messages that are being made, one for each depth: their memory is used again. */
struct protobuf {
	const struct metrics *page;
	struct str family, metric, value, small, deltas;
};

static void add_created(struct protobuf *protobuf, unsigned int field, uint64_t ns)
{
	if (!ns)
		return;
	str_reset(&protobuf->small);
	protobuf_add_number(&protobuf->small, TIMESTAMP_SECONDS, ns / NS_PER_S);
	protobuf_add_number(&protobuf->small, TIMESTAMP_NANOS, ns % NS_PER_S);
	protobuf_add_message(&protobuf->value, field, &protobuf->small);
}

/* --- histograms --- */

static void add_buckets(struct protobuf *protobuf, const struct metrics_bounds *bounds, const uint64_t *counts)
{
	uint64_t below = 0;
	size_t bucket = 0;

	for (const struct metrics_le *le = bounds->le; le < bounds->le + bounds->n_le; le++) {
		while (bucket <= le->bucket)
			below += counts[bucket++];
		str_reset(&protobuf->small);
		protobuf_add_number(&protobuf->small, BUCKET_CUMULATIVE, below);
		protobuf_add_double(&protobuf->small, BUCKET_UPPER, bounds->upper[le->bucket]);
		protobuf_add_message(&protobuf->value, HISTOGRAM_BUCKET, &protobuf->small);
	}
}

/* Native buckets as they are written: spans of neighbours, and for each bucket the difference to the one before. */
struct spans {
	struct protobuf *protobuf;
	int32_t end;	 /* the bucket behind the last one */
	int32_t offset;	 /* of the open span, from the end of the span before */
	uint32_t length; /* of the open span; 0: there is none */
	uint64_t last;	 /* count of the last bucket */
};

static void end_span(struct spans *spans)
{
	struct str *small = &spans->protobuf->small;

	if (!spans->length)
		return;
	str_reset(small);
	protobuf_add_signed(small, SPAN_OFFSET, spans->offset);
	protobuf_add_number(small, SPAN_LENGTH, spans->length);
	protobuf_add_message(&spans->protobuf->value, HISTOGRAM_POSITIVE_SPAN, small);
	spans->length = 0;
}

static void add_to_span(struct spans *spans, uint64_t count)
{
	protobuf_add_sint(&spans->protobuf->deltas, count - spans->last);
	spans->last = count;
	spans->length++;
	spans->end++;
}

static void add_native_bucket(struct spans *spans, int32_t index, uint64_t count)
{
	int32_t gap = index - spans->end;

	if (!spans->length || gap > GAP_MOST) {
		end_span(spans);
		spans->offset = gap;
		spans->end = index;
	}
	while (spans->end < index)
		add_to_span(spans, 0);
	add_to_span(spans, count);
}

static void add_native(struct protobuf *protobuf, const struct metrics_bounds *bounds, const uint64_t *counts)
{
	struct spans spans = { .protobuf = protobuf };

	str_reset(&protobuf->deltas);
	for (size_t i = 1; i < bounds->n; i++) {
		int32_t index = bounds->index[i];
		uint64_t count = counts[i];

		/* several of our buckets may lie in one native bucket */
		while (i + 1 < bounds->n && bounds->index[i + 1] == index)
			count += counts[++i];
		if (count)
			add_native_bucket(&spans, index, count);
	}
	end_span(&spans);
	if (protobuf->deltas.len)
		protobuf_add_message(&protobuf->value, HISTOGRAM_POSITIVE_DELTA, &protobuf->deltas);
	protobuf_add_signed(&protobuf->value, HISTOGRAM_SCHEMA, bounds->schema);
	protobuf_add_double(&protobuf->value, HISTOGRAM_ZERO_THRESHOLD, bounds->zero_threshold);
	protobuf_add_number(&protobuf->value, HISTOGRAM_ZERO_COUNT, counts[0]);
}

static void make_histogram(struct protobuf *protobuf, const struct metrics_bounds *bounds,
			   const struct metrics_sample *sample)
{
	const uint64_t *counts = protobuf->page->counts.v + sample->counts;

	protobuf_add_number(&protobuf->value, HISTOGRAM_COUNT, sample->count);
	protobuf_add_double(&protobuf->value, HISTOGRAM_SUM, metrics_number_real(sample->number));
	add_buckets(protobuf, bounds, counts);
	if (bounds->native)
		add_native(protobuf, bounds, counts);
	add_created(protobuf, HISTOGRAM_CREATED, sample->created);
}

/* --- samples and families --- */

static const struct kind {
	unsigned int type, field;
} kinds[] = {
	[METRICS_COUNTER] = { TYPE_COUNTER, METRIC_COUNTER },
	[METRICS_GAUGE] = { TYPE_GAUGE, METRIC_GAUGE },
	[METRICS_INFO] = { TYPE_GAUGE, METRIC_GAUGE },
	[METRICS_SUMMARY] = { TYPE_SUMMARY, METRIC_SUMMARY },
	[METRICS_HISTOGRAM] = { TYPE_HISTOGRAM, METRIC_HISTOGRAM },
};

static void make_value(struct protobuf *protobuf, const struct metrics_family *family,
		       const struct metrics_sample *sample)
{
	struct str *value = &protobuf->value;
	double real = metrics_number_real(sample->number);

	str_reset(value);
	switch (family->info.type) {
	case METRICS_COUNTER:
		protobuf_add_double(value, VALUE_VALUE, real);
		add_created(protobuf, COUNTER_CREATED, sample->created);
		break;
	case METRICS_GAUGE:
	case METRICS_INFO:
		protobuf_add_double(value, VALUE_VALUE, family->info.type == METRICS_INFO ? 1 : real);
		break;
	case METRICS_SUMMARY:
		protobuf_add_number(value, SUMMARY_COUNT, sample->count);
		protobuf_add_double(value, SUMMARY_SUM, real);
		add_created(protobuf, SUMMARY_CREATED, sample->created);
		break;
	case METRICS_HISTOGRAM:
		make_histogram(protobuf, &family->bounds, sample);
		break;
	}
}

static void add_label(struct protobuf *protobuf, const struct metrics_label *label)
{
	const char *text = protobuf->page->text.data;

	str_reset(&protobuf->small);
	protobuf_add_bytes(&protobuf->small, LABEL_NAME, text + label->name.at, label->name.n);
	protobuf_add_bytes(&protobuf->small, LABEL_VALUE, text + label->value.at, label->value.n);
	protobuf_add_message(&protobuf->metric, METRIC_LABEL, &protobuf->small);
}

static void add_metric(struct protobuf *protobuf, const struct metrics_family *family,
		       const struct metrics_sample *sample)
{
	str_reset(&protobuf->metric);
	for (size_t i = 0; i < sample->n_labels; i++)
		add_label(protobuf, &protobuf->page->labels.v[sample->labels + i]);
	make_value(protobuf, family, sample);
	protobuf_add_message(&protobuf->metric, kinds[family->info.type].field, &protobuf->value);
	protobuf_add_message(&protobuf->family, FAMILY_METRIC, &protobuf->metric);
}

static void make_family(struct protobuf *protobuf, const struct metrics_family *family)
{
	const struct metrics_info *info = &family->info;

	str_reset(&protobuf->family);
	str_reset(&protobuf->small);
	str_addf(&protobuf->small, "%s%s", info->name, metrics_format_suffix(info->type));
	protobuf_add_message(&protobuf->family, FAMILY_NAME, &protobuf->small);
	protobuf_add_bytes(&protobuf->family, FAMILY_HELP, info->help, strlen(info->help));
	protobuf_add_number(&protobuf->family, FAMILY_TYPE, kinds[info->type].type);
	vec_each(sample, family)
		add_metric(protobuf, family, sample);
	if (info->unit)
		protobuf_add_bytes(&protobuf->family, FAMILY_UNIT, info->unit, strlen(info->unit));
}

void metrics_protobuf_print(struct str *to, const struct metrics *page)
{
	struct protobuf protobuf = { .page = page };

	vec_each(family, page) {
		if (!family->n)
			continue;
		make_family(&protobuf, family);
		protobuf_add_varint(to, protobuf.family.len);
		str_addn(to, protobuf.family.data, protobuf.family.len);
	}
	str_release(&protobuf.family);
	str_release(&protobuf.metric);
	str_release(&protobuf.value);
	str_release(&protobuf.small);
	str_release(&protobuf.deltas);
}
