/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line of the configuration at work: a tool with its parsed options, a context and an instance of its engine.
 * Sources live side by side in one process. Each attaches, fails and is closed by itself; messages of its engine begin
 * with its name.
 *
 * The options of many tools are static variables. A source keeps values of its own, and puts them in place for each
 * call of its engine; hence all calls go through this file.
 */
#ifndef SONDE_EXPORT_SOURCE_H
#define SONDE_EXPORT_SOURCE_H

#include "config.h"
#include "engine/engine.h"
#include "metrics/metrics.h"
#include "run/tool.h"

struct source;
struct store;

/* What all sources share. The caller owns it, and it outlives them. */
struct source_host {
	struct store *store;		/* what outlives us; NULL: nothing does */
	bool sampling;			/* the same */
	bool (*should_stop)(void *ctx); /* asked now and then while a source attaches; may be NULL */
	void *ctx;
};

/*
 * Finds the tool and parses its options; attaches nothing. Moves the contents of the line into the source, also if it
 * fails. Returns NULL with err, which begins with the place of the line: no such
 * tool, a tool without totals, an option without meaning for a service.
 */
struct source *source_new(struct config_line *line, struct err *err);
/* The line stands elsewhere by now: exchanges its place (file and number) with that of `line`, which means the same. */
void source_move(struct source *source, struct config_line *line);
/* Detaches and frees. */
void source_free(struct source *source);

/* What stays the same from one start to the next: of the line, see config.h. */
const struct config_line *source_line(const struct source *source);
const char *source_name(const struct source *source);  /* of its families, "sonde_runqlat"; distinct for each source */
char *source_default_name(const struct tool *tool);    /* if the line gives none; the caller frees */
const char *source_label(const struct source *source); /* the label `line`: the text of the line, shortened */

/*
 * Loads and attaches. Returns 0, or -errno with err; the source is down then, and can be opened again. -EINVAL: the
 * line is wrong, whatever the kernel. -EINTR: should_stop() said so.
 */
int source_open(struct source *source, const struct source_host *host, struct err *err);
/* Detaches; its counters are gone. Nothing happens to a source that is down. why: for messages and metrics. */
void source_close(struct source *source, const char *why);
bool source_is_up(const struct source *source);
const char *source_why_down(const struct source *source); /* NULL: it is up */
uint64_t source_began(const struct source *source);	  /* wall clock, ns: when its counters were 0 */
bool source_is_adopted(const struct source *source);	  /* it goes on with what an earlier process has stored */

/* For an engine whose programs send what tables need: the descriptor to wait for, -1: none. */
int source_fd(const struct source *source);
/* Takes what has arrived. */
void source_take(struct source *source);
/* When source_take() must be called at the latest, in ns of clock_monotonic_ns(); UINT64_MAX: never. */
uint64_t source_deadline(const struct source *source);

/*
 * Adds its families to the page: totals since the probes were armed. Nothing if it is down; if its process (-p) has
 * ended, the last totals, and it is down from then on. Returns 0 or -errno. An
 * error is reported, unless it was the last one already: pages are made every few seconds.
 */
int source_collect(struct source *source, struct metrics *metrics);
/* Calls fn for each family that it can have, see metrics_rows_each(). It is up. */
typedef void (*source_family_fn)(const struct metrics_info *info, const char *labels, void *ctx);
void source_each_family(struct source *source, source_family_fn fn, void *ctx);
/* What was lost and the like as numbers; zeros if it is down. */
void source_stats(struct source *source, struct engine_stats *stats);
/* Hits that the kernel missed so far; 0 also if it does not count them. */
uint64_t source_missed(struct source *source);
/* The n-th part of what is attached, NULL: there are no more. */
struct attach *source_attachment(struct source *source, size_t n);
/* Whether its links are closed for a while (attach_pause()). It is up then, too, and its totals stay. */
bool source_is_paused(struct source *source);
/* After a pause has begun or ended: the store must not keep closed links alive, and must have the new ones. */
void source_relinked(struct source *source);
/* How long it was paused since source_began(), in ns; also over restarts. */
uint64_t source_gap_ns(const struct source *source);
/* The word by which its programs measure a part of what happens, see engine_instance; NULL: they measure all. */
uint64_t *source_sampling(const struct source *source);
/* Calls fn for the first probes, `most` at most, that are not attached: the name, and why. */
typedef void (*source_probe_fn)(const char *probe, const char *why, void *ctx);
void source_each_unattached(struct source *source, size_t most, source_probe_fn fn, void *ctx);
/* How many probes are attached. */
size_t source_attached(struct source *source);

#endif
