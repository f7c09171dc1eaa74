// SPDX-License-Identifier: BSD-2-Clause
/*
 * --requests for an exporter: of each server how many requests there were, how long they lasted, and where the time of
 * all of them and of the slowest ones went. Numbers only grow, and memory is bounded: there is neither a page nor the
 * sum of any thread.
 */
#include "attach/keep.h"
#include "base/clock.h"
#include "bpf/request.h"
#include "output/hist.h"
#include "held.h"
#include "requests_slow.h"
#include "requests_sums.h"
#include "waits.h"

/* Where time goes that is no thread's own, behind the classes. */
enum {
	IN_QUEUE = WHY_CLASSES,
	IN_ACCEPT,
	IN_UNKNOWN,
	AT_SERVER, /* behind */
	ON_THE_WAY,
	CAUSES,
};

/* How many causes with time a server has, mostly. Each is a row, and the bound is one of rows. */
#define ROWS_OF_SERVER 16

/* Of a port or a unix socket. */
struct place {
	uint32_t at;
	uint64_t requests, merged, lost, slow;
	uint64_t cells[HIST_BUCKETS + HIST_BOUNDS_BUCKETS];
	uint64_t ns[CAUSES], slow_ns[CAUSES];
	struct requests_slow ranks;
};

struct why_export {
	struct set numbers; /* uint32_t; numbers index places */
	vec(struct place) places;
	struct place others; /* all that found no room */
};

static const struct hist hist = { .kind = HIST_BOUNDS, .step = HIST_BOUND_SECONDS, .divisor = 1, .unit = "nsecs" };

/* --- rows --- */

struct row {
	struct hist_row hist;
	const char *server, *cause;
	uint64_t ns, slow_ns;
	uint64_t requests, merged, lost, slow;
	uint64_t unanswered; /* at which server is not known */
};

enum table {
	TABLE_TIMES,
	TABLE_CAUSES,
	TABLE_COUNTS,
	TABLE_UNANSWERED,
};

static const struct field times[] = {
	DATA(FIELD_STR, struct row, server, "server", .role = ROLE_LABEL),
	METRIC_GET(FIELD_DURATION, hist_get, "histogram", ROLE_HISTOGRAM, GET_OF(struct row, hist)),
};
static const struct field causes[] = {
	DATA(FIELD_STR, struct row, server, "server", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct row, cause, "cause", .role = ROLE_LABEL),
	DATA(FIELD_DURATION, struct row, ns, "cause", .role = ROLE_COUNTER),
	DATA(FIELD_DURATION, struct row, slow_ns, "slow_cause", .role = ROLE_COUNTER),
};
static const struct field counts[] = {
	DATA(FIELD_STR, struct row, server, "server", .role = ROLE_LABEL),
	DATA(FIELD_U64, struct row, requests, "count", .role = ROLE_COUNTER),
	DATA(FIELD_U64, struct row, merged, "merged", .role = ROLE_COUNTER),
	DATA(FIELD_U64, struct row, lost, "lost", .role = ROLE_COUNTER),
	DATA(FIELD_U64, struct row, slow, "slow", .role = ROLE_COUNTER),
};
static const struct field unanswered[] = {
	DATA(FIELD_U64, struct row, unanswered, "unanswered", .role = ROLE_COUNTER),
};
static const struct schema schemas[] = {
	[TABLE_TIMES] = { times, ARRAY_SIZE(times) },
	[TABLE_CAUSES] = { causes, ARRAY_SIZE(causes) },
	[TABLE_COUNTS] = { counts, ARRAY_SIZE(counts) },
	[TABLE_UNANSWERED] = { unanswered, ARRAY_SIZE(unanswered) },
};
static const struct engine_table tables[] = {
	[TABLE_TIMES] = { "request", &schemas[TABLE_TIMES] },
	[TABLE_CAUSES] = { "request", &schemas[TABLE_CAUSES] },
	[TABLE_COUNTS] = { "requests", &schemas[TABLE_COUNTS] },
	[TABLE_UNANSWERED] = { "requests", &schemas[TABLE_UNANSWERED] },
};

size_t why_export_tables(const struct engine_instance *instance, const struct engine_table **to)
{
	(void)instance;
	*to = tables;
	return ARRAY_SIZE(tables);
}

static const char *name_of(int cause)
{
	static const char *const names[] = { "queue", "accept", "unknown", "upstream", "on the way" };

	return cause < WHY_CLASSES ? why_sums_cause(cause) : names[cause - WHY_CLASSES];
}

struct rows {
	struct why *why;
	bool of_others;
	engine_row_fn fn;
	void *ctx;
};

static void put_row(const struct rows *rows, enum table table, const struct row *row)
{
	struct engine_instance *instance = rows->why->instance;

	instance->table = table;
	if (rows->of_others)
		engine_row_of_others(instance, row, rows->fn, rows->ctx);
	else
		rows->fn(row, rows->ctx);
	instance->table = 0;
}

static void put_place(const struct rows *rows, const struct place *place)
{
	struct str server __str = {};
	struct row row = {
		.hist = { .hist = &hist, .cells = place->cells },
		.requests = place->requests,
		.merged = place->merged,
		.lost = place->lost,
		.slow = place->slow,
	};

	if (!rows->of_others)
		requests_page_add_name(rows->why, &server, place->at);
	row.server = server.len ? server.data : "?";
	put_row(rows, TABLE_TIMES, &row);
	put_row(rows, TABLE_COUNTS, &row);
	for (int i = 0; i < CAUSES; i++) {
		row.cause = name_of(i);
		row.ns = place->ns[i];
		row.slow_ns = place->slow_ns[i];
		if (row.ns)
			put_row(rows, TABLE_CAUSES, &row);
	}
}

int why_export_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct rows rows = { .why = instance->state, .fn = fn, .ctx = ctx };
	const struct why_export *export = rows.why->requests.export;
	const struct requests_counts all = requests_count(rows.why->requests.found);
	const struct row row = { .unanswered = all.unanswered - all.open };

	put_row(&rows, TABLE_UNANSWERED, &row);
	vec_each(place, &export->places)
		put_place(&rows, place);
	rows.of_others = true;
	if (export->others.requests)
		put_place(&rows, &export->others);
	return 0;
}

/* --- requests --- */

static int cause_of(const struct requests_state *state)
{
	switch (state->where) {
	case REQUESTS_QUEUE:
		return IN_QUEUE;
	case REQUESTS_ACCEPT:
		return IN_ACCEPT;
	case REQUESTS_UNKNOWN:
		return IN_UNKNOWN;
	case REQUESTS_BEHIND:
		return state->inner == REQUESTS_WAY ? ON_THE_WAY : AT_SERVER;
	default:
		/* who waits for what another thread is in, waits */
		return state->via == REQUESTS_DIRECT ? state->class : state->via;
	}
}

/* The first ones have their own places. Unix sockets may have ever new names. */
static struct place *find_place(struct why *why, uint32_t at)
{
	struct why_export *export = why->requests.export;
	const size_t rows = engine_max_rows(why->instance), servers = rows > ROWS_OF_SERVER ? rows / ROWS_OF_SERVER : 1;
	const size_t most = at == REQUESTS_NONE ? 0 : servers;
	const uint32_t number = set_add_most(&export->numbers, &at, sizeof(at), most);

	if (number == SET_NONE)
		return &export->others;
	if (number == export->places.n)
		*vec_push(&export->places) = (struct place){ .at = at };
	return &export->places.v[number];
}

void why_export_request(struct why *why, const struct requests_done *done)
{
	const uint64_t ns = done->ended - done->arrived;
	struct place *place;
	bool is_slow;

	if (!why->requests.export || done->inner)
		return;
	place = find_place(why, done->at);
	/* by the requests before it; --slower says it otherwise */
	is_slow = why->settings->slower ? ns >= why->settings->slower * (uint64_t)NS_PER_MS
					: requests_slow_add(&place->ranks, ns);
	place->requests++;
	place->merged += done->merged != 0;
	place->slow += is_slow;
	place->cells[HIST_SUM] += ns;
	place->cells[HIST_BUCKETS + hist_bounded(ns, HIST_BOUND_SECONDS)]++;
	place->lost += !done->n_parts;
	for (size_t i = 0; i < done->n_parts; i++) {
		const int cause = cause_of(&done->parts[i].state);

		place->ns[cause] += done->parts[i].ns;
		place->slow_ns[cause] += is_slow ? done->parts[i].ns : 0;
	}
}

/* --- life --- */

int why_export_open(struct why *why, struct err *err)
{
	struct engine_context *ctx = why->instance->ctx;
	struct why_settings *settings = why->instance->settings;

	if (!ctx->metrics)
		return 0;
	if (!settings->requests || held_wanted(why->instance) || settings->by || settings->perfetto || why_flame_wanted(settings)) {
		ctx->usage = true;
		return err_set(err, -EINVAL,
			       "of why, --requests has totals to export, without --by, --over and files: --requests --port 80");
	}
	/* the counts are not in the kernel, so nothing of it can be kept */
	if (keep_is_adopted(ctx->metrics->keep))
		return err_set(err, -ESTALE, "requests are counted anew after a restart");
	why->instance->keeps_nothing = true;
	settings->without_stacks = true;
	settings->worst = 0;
	why->requests.export = base_alloc(sizeof(*why->requests.export));
	return 0;
}

void why_export_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct why *why = instance->state;
	const struct why_export *export = why->requests.export;
	const struct request_shared *shared = why->requests.shared;
	const struct request_chain *chain =
		object_memory(&why->progs.object, ".data.request_chain", sizeof(*chain));
	uint64_t lost = export->others.lost;

	stats->hits = why->requests.hits;
	stats->other = export->others.requests;
	vec_each(place, &export->places)
		lost += place->lost;
	engine_stats_add(stats, "not_split", lost);
	engine_stats_add(stats, "records", why->path.lost);
	engine_stats_add(stats, "connections", shared->no_room);
	engine_stats_add(stats, "names", shared->no_name);
	engine_stats_add(stats, "begun_before", shared->in_midst);
	engine_stats_add(stats, "threads", why->shared->no_room);
	engine_stats_add(stats, "processes_behind", chain->no_room);
	progs_add_stats(&why->progs, stats);
}

void why_export_release(struct why *why)
{
	struct why_export *export = why->requests.export;

	if (!export)
		return;
	set_release(&export->numbers);
	free(export->places.v);
	free(export);
}
