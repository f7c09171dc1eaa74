// SPDX-License-Identifier: BSD-2-Clause
/* What all formats have in common: one call prints any. */
#include "metrics_format.h"

void metrics_format_print(struct str *to, const struct metrics *page, enum metrics_format format)
{
	if (format == METRICS_PROTOBUF)
		metrics_protobuf_print(to, page);
	else
		metrics_text_print(to, page, format == METRICS_OPENMETRICS);
}

const char *metrics_format_type(enum metrics_format format)
{
	static const char *const types[] = {
		[METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[METRICS_PROTOBUF] =
			"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
	};

	return types[format];
}

const char *metrics_format_suffix(enum metrics_type type)
{
	return type == METRICS_COUNTER ? "_total" : type == METRICS_INFO ? "_info"
									 : "";
}

const char *metrics_type_name(enum metrics_type type)
{
	static const char *const types[] = {
		[METRICS_COUNTER] = "counter",
		[METRICS_GAUGE] = "gauge",
		[METRICS_INFO] = "info",
		[METRICS_SUMMARY] = "summary",
		[METRICS_HISTOGRAM] = "histogram",
	};

	return types[type];
}
