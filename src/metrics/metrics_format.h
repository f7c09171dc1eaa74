/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The formats of a page of metrics.
 *
 * Text 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
 * OpenMetrics 1.0.0: https://prometheus.io/docs/specs/om/open_metrics_spec/
 * Protobuf: io.prometheus.client.MetricFamily, each with its length in front; histograms with classic and, where their
 * bounds allow it, native buckets. https://github.com/prometheus/client_model
 */
#ifndef SONDE_METRICS_METRICS_FORMAT_H
#define SONDE_METRICS_METRICS_FORMAT_H

#include "metrics.h"

enum metrics_format {
	METRICS_TEXT,
	METRICS_OPENMETRICS,
	METRICS_PROTOBUF,
};

/* Appends the page. Families without samples are left out. */
void metrics_format_print(struct str *to, const struct metrics *page, enum metrics_format format);
/* Returns what stands in Content-Type. */
const char *metrics_format_type(enum metrics_format format);
/* Returns what text 0.0.4 and protobuf append to the name of a family: "_total", "_info" or nothing. */
const char *metrics_format_suffix(enum metrics_type type);
/* Returns the name of a type, as texts have it: "counter". */
const char *metrics_type_name(enum metrics_type type);

/* Within metrics/: one format each. */
void metrics_text_print(struct str *to, const struct metrics *page, bool openmetrics);
void metrics_protobuf_print(struct str *to, const struct metrics *page);

#endif
