// SPDX-License-Identifier: BSD-2-Clause
/* --check: one page, and what each line costs. --families: which metrics there can be. */
#include "base/report.h"
#include "export_part.h"
#include "metrics/metrics_rows.h"

/* --- one page --- */

static void say_unattached(const char *probe, const char *why, void *ctx)
{
	report_line("    %s is not attached: %s", probe, why);
	*(bool *)ctx = false;
}

/* Returns whether the line counts all that it should. */
static bool say_line(struct source *source)
{
	__free char *place = config_place(source_line(source));
	struct engine_stats stats;
	bool whole = true;

	if (!source_is_up(source)) {
		report_line("%s: %s: not attached", place, source_label(source));
		return false;
	}
	source_stats(source, &stats);
	report_line("%s: %s: %zu probe%s, %zu KB in the kernel", place, source_label(source), source_attached(source),
		    str_plural(source_attached(source)), (stats.memory + 1023) / 1024);
	source_each_unattached(source, SIZE_MAX, say_unattached, &whole);
	return whole;
}

int check_run(struct exporter *exporter)
{
	__str struct str text = {};
	bool whole = true;

	page_collect(exporter);
	metrics_format_print(&text, &exporter->page, METRICS_TEXT);
	fwrite(text.data, 1, text.len, stdout);
	for (size_t i = 0; i < exporter->sources.n; i++)
		whole &= say_line(exporter->sources.v[i]);
	return run_printed() || !whole;
}

/* --- families --- */

static void print_family(const struct metrics_info *info, const char *labels, void *ctx)
{
	(void)ctx;
	printf("%s%s\t%s\t%s\t%s\n", info->name, metrics_format_suffix(info->type), metrics_type_name(info->type),
	       info->unit ?: "-", *labels ? labels : "-");
}

int check_families(struct exporter *exporter)
{
	for (size_t i = 0; i < exporter->sources.n; i++)
		if (source_is_up(exporter->sources.v[i]))
			source_each_family(exporter->sources.v[i], print_family, NULL);
	return run_printed() || sources_up(&exporter->sources) < exporter->sources.n;
}

int check_all_families(void)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);

	for (size_t i = 0; i < n; i++) {
		__free char *name = source_default_name(tools[i]);
		const struct metrics_rows rows = { .base = name, .help = tools[i]->brief, .schema = tools[i]->schema };

		if (tools[i]->engine && tools[i]->engine->snapshot && !metrics_rows_check(&rows, NULL))
			metrics_rows_each(&rows, print_family, NULL);
	}
	return run_printed();
}
