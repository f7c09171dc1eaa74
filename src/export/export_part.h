/* SPDX-License-Identifier: BSD-2-Clause */
/* Within export/: what the loop, the pages and --check share. */
#ifndef SONDE_EXPORT_EXPORT_PART_H
#define SONDE_EXPORT_EXPORT_PART_H

#include "budget.h"
#include "export.h"
#include "metrics/metrics_format.h"
#include "self.h"
#include "server.h"
#include "sources.h"
#include "store.h"
#include "run/systemd.h"
#include "textfile.h"

struct exporter {
	struct run *run;
	const struct export_options *options;
	struct source_host host;
	struct sources sources;
	struct self self;
	struct metrics page;   /* its memory is reused from scrape to scrape */
	struct str text;       /* the same of a page before it is compressed */
	struct budget *budget; /* NULL: none */
	struct server *server;
	struct systemd systemd;
	struct textfile file; /* with options->textfile */
	uint64_t file_next;   /* when to write it, CLOCK_MONOTONIC in ns; UINT64_MAX: never */
	struct store *store;
	bool stopping, reload;
};

/* Makes the page: totals of all sources, and the exporter's own metrics. */
void page_collect(struct exporter *exporter);
/* For struct server_pages: the page in the format and encoding that the client wants. ctx: the exporter. */
int page_make(void *exporter, struct server_page *page);
/* The content types on offer, by enum metrics_format. Sets *n. */
const char *const *page_types(size_t *n);

/* Prepares options->textfile, if there is one. Returns 0 or -errno with err. */
int page_file_begin(struct exporter *exporter, struct err *err);
/* Writes the page to the file if it is time, and reports when that fails and when it works again. */
void page_file_turn(struct exporter *exporter, uint64_t now);

/* Prints one page on stdout and reports what each line costs. Returns the exit status. */
int check_run(struct exporter *exporter);
/* Lists the families of the exporter's sources. Returns the exit status. */
int check_families(struct exporter *exporter);
/* Lists those of all tools, with their default options. Attaches nothing. */
int check_all_families(void);

#endif
