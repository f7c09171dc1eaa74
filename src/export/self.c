// SPDX-License-Identifier: BSD-2-Clause
/* The exporter's metrics about itself. Names of process_* and their meaning are those of Prometheus's own clients. */
#include <dirent.h>
#include <sys/resource.h>

#include "self.h"

/* At most so many probes that are not attached are listed, for each line. */
#define PROBES_MOST 64

static void begin(struct metrics *page, const char *name, const char *unit, enum metrics_type type, const char *help,
		  uint64_t created)
{
	const struct metrics_info info = { name, unit, help, type };

	metrics_begin(page, metrics_family(page, &info), created);
}

static void label(struct metrics *page, const char *name, const char *value)
{
	metrics_label(page, name, value, strlen(value));
}

static void gauge(struct metrics *page, const char *name, const char *unit, const char *help,
		  struct metrics_number value)
{
	begin(page, name, unit, METRICS_GAUGE, help, 0);
	metrics_set(page, value);
}

/* --- of each line --- */

struct line {
	struct metrics *page;
	struct source *source;
};

static void add_line(const struct line *line, const char *name, const char *unit, enum metrics_type type,
		     const char *help, uint64_t value)
{
	begin(line->page, name, unit, type, help, type == METRICS_COUNTER ? source_began(line->source) : 0);
	label(line->page, "line", source_label(line->source));
	metrics_set(line->page, metrics_u64(value));
}

static void add_unattached(const char *probe, const char *why, void *ctx)
{
	const struct line *line = ctx;

	begin(line->page, "sonde_probe_attached", NULL, METRICS_GAUGE,
	      "0 for each probe that could not be attached.", 0);
	label(line->page, "line", source_label(line->source));
	label(line->page, "probe", probe);
	label(line->page, "reason", why);
	metrics_set(line->page, metrics_u64(0));
}

static void add_stats(const struct line *line)
{
	struct engine_stats stats;

	source_stats(line->source, &stats);
	add_line(line, "sonde_missed_hits", NULL, METRICS_COUNTER, "Hits of probes that the kernel skipped.",
		 source_missed(line->source));
	for (size_t i = 0; i < stats.n_lost; i++) {
		begin(line->page, "sonde_lost", NULL, METRICS_COUNTER, "Values that are missing in the line's metrics.",
		      source_began(line->source));
		label(line->page, "line", source_label(line->source));
		label(line->page, "cause", stats.lost[i].cause);
		metrics_set(line->page, metrics_u64(stats.lost[i].n));
	}
	add_line(line, "sonde_hits", NULL, METRICS_COUNTER, "How often the line's programs ran, roughly.", stats.hits);
	add_line(line, "sonde_other_values", NULL, METRICS_COUNTER,
		 "Values that went to the row of all other keys.", stats.other);
	add_line(line, "sonde_memory_bytes", "bytes", METRICS_GAUGE, "Memory of the line's maps in the kernel.",
		 stats.memory);
}

static void add_source(struct metrics *page, struct source *source)
{
	struct line line = { page, source };
	bool up = source_is_up(source);

	add_line(&line, "sonde_line_up", NULL, METRICS_GAUGE, "Whether the line counts.",
		 up && !source_is_paused(source));
	if (!up) {
		add_unattached("", source_why_down(source), &line);
		return;
	}
	add_line(&line, "sonde_probes_attached", NULL, METRICS_GAUGE, "How many probes of the line are attached.",
		 source_attached(source));
	source_each_unattached(source, PROBES_MOST, add_unattached, &line);
	add_stats(&line);
}

/* --- of the process --- */

/* Two numbers of /proc/self/statm: pages of virtual memory, and those that are resident. */
static void add_memory(struct metrics *page)
{
	FILE *file __fclose = fopen("/proc/self/statm", "re");
	unsigned long size, resident;
	uint64_t bytes = sysconf(_SC_PAGESIZE);

	if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
		return;
	gauge(page, "process_resident_memory_bytes", "bytes", "Resident memory size in bytes.",
	      metrics_u64(resident * bytes));
	gauge(page, "process_virtual_memory_bytes", "bytes", "Virtual memory size in bytes.",
	      metrics_u64(size * bytes));
}

static void add_files(struct metrics *page)
{
	struct rlimit limit;
	DIR *dir = opendir("/proc/self/fd");
	uint64_t n = 0;

	/* ".", ".." and the directory's own are not counted */
	for (; dir && readdir(dir); n++)
		;
	if (dir && !closedir(dir) && n >= 3)
		gauge(page, "process_open_fds", NULL, "Number of open file descriptors.", metrics_u64(n - 3));
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		gauge(page, "process_max_fds", NULL, "Maximum number of open file descriptors.",
		      metrics_u64(limit.rlim_cur));
}

static uint64_t ns_of(const struct timeval *time)
{
	return time->tv_sec * UINT64_C(1000000000) + time->tv_usec * UINT64_C(1000);
}

static void add_process(const struct self *self, struct metrics *page)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	begin(page, "process_cpu_seconds", "seconds", METRICS_COUNTER,
	      "Total user and system CPU time spent in seconds.", self->started);
	metrics_set(page, metrics_seconds(ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime)));
	gauge(page, "process_start_time_seconds", "seconds", "Start time of the process since unix epoch in seconds.",
	      metrics_seconds(self->started));
	add_memory(page);
	add_files(page);
}

/* --- of the exporter --- */

static void add_exporter(const struct self *self, struct metrics *page)
{
	begin(page, "sonde_build", NULL, METRICS_INFO, "The version of sonde.", 0);
	label(page, "version", SONDE_VERSION);
	metrics_set(page, metrics_u64(1));
	begin(page, "sonde_scrape_seconds", "seconds", METRICS_SUMMARY,
	      "How long it took to make the pages before this one.", self->started);
	metrics_set_summary(page, self->scrapes, metrics_seconds(self->scrape_ns));
	begin(page, "sonde_failed_reads", NULL, METRICS_COUNTER, "Lines whose totals could not be read for a page.",
	      self->started);
	metrics_set(page, metrics_u64(self->failed_reads));
	gauge(page, "sonde_config_reload_success", NULL,
	      "Whether the configuration that was read last is the one that runs.", metrics_u64(self->reloaded));
	gauge(page, "sonde_config_reload_timestamp_seconds", "seconds", "When the running configuration was read.",
	      metrics_seconds(self->reloaded_at));
}

void self_reserve(struct metrics *page)
{
	static const char *const names[] = {
		"sonde_probe_attached",
		"sonde_lost",
		"sonde_budget_ratio",
		"sonde_cost_ratio",
		"sonde_sampling_ratio",
		"sonde_gap_seconds",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		metrics_family(page, &(struct metrics_info){ .name = names[i] });
}

void self_collect(const struct self *self, const struct sources *sources, struct metrics *page)
{
	add_exporter(self, page);
	for (size_t i = 0; i < sources->n; i++)
		add_source(page, sources->v[i]);
	if (!self->embedded)
		add_process(self, page);
}
