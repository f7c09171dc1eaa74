// SPDX-License-Identifier: BSD-2-Clause
/* Pages: what one scrape collects, in the format that the client wants. */
#include "base/clock.h"
#include "base/gzip.h"
#include "export_part.h"

/* A third of the time of level 6, for a few percent more bytes: the processor's time counts. */
#define GZIP_LEVEL 1

void page_collect(struct exporter *exporter)
{
	struct self *self = &exporter->self;
	uint64_t began = clock_monotonic_ns();

	metrics_reset(&exporter->page);
	for (size_t i = 0; i < exporter->sources.n; i++)
		if (source_collect(exporter->sources.v[i], &exporter->page))
			self->failed_reads++;
	self_collect(self, &exporter->sources, &exporter->page);
	budget_collect(exporter->budget, &exporter->page);
	self->scrapes++;
	self->scrape_ns += clock_monotonic_ns() - began;
}

const char *const *page_types(size_t *n)
{
	static const char *types[METRICS_PROTOBUF + 1];

	*n = ARRAY_SIZE(types);
	for (size_t i = 0; i < *n; i++)
		types[i] = metrics_format_type(i);
	return types;
}

int page_make(void *ctx, struct server_page *page)
{
	struct exporter *exporter = ctx;

	page_collect(exporter);
	if (!page->gzip) {
		metrics_format_print(&page->body, &exporter->page, page->type);
		return 0;
	}
	str_reset(&exporter->text);
	metrics_format_print(&exporter->text, &exporter->page, page->type);
	gzip_add(&page->body, &exporter->text, GZIP_LEVEL);
	return 0;
}
