// SPDX-License-Identifier: BSD-2-Clause
/* The page as a file (textfile.h), at the start and then once in every period. */
#include "base/clock.h"
#include "base/report.h"
#include "export_part.h"

#define EVERY_DEFAULT (15 * NS_PER_SEC)

int page_file_begin(struct exporter *exporter, struct err *err)
{
	const char *path = exporter->options->textfile;

	exporter->file_next = UINT64_MAX;
	if (!path)
		return exporter->options->every ? err_set(err, -EINVAL, "--every needs --textfile") : 0;
	exporter->file_next = 0;
	return textfile_init(&exporter->file, path, err);
}

/* Writes the page, and reports what has changed since the last one. */
static void write_page(struct exporter *exporter)
{
	struct err err = {};

	exporter->self.embedded = true;
	page_collect(exporter);
	exporter->self.embedded = false;
	str_reset(&exporter->text);
	metrics_format_print(&exporter->text, &exporter->page, METRICS_TEXT);
	switch (textfile_write(&exporter->file, &exporter->text, &err)) {
	case TEXTFILE_FAILED:
		report_error("%s: the page before stays", err.text);
		break;
	case TEXTFILE_WORKS:
		report_line("%s is written again", exporter->file.path);
		break;
	case TEXTFILE_NONE:
		break;
	}
}

void page_file_turn(struct exporter *exporter, uint64_t now)
{
	uint64_t every = exporter->options->every ? exporter->options->every : EVERY_DEFAULT;

	if (now < exporter->file_next)
		return;
	write_page(exporter);
	exporter->file_next = now + every;
}
