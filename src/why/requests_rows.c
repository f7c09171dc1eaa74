// SPDX-License-Identifier: BSD-2-Clause
/* The page of `sonde why --requests` as data. */
#include "requests_sums.h"
#include "waits.h"

static const char *const wheres[] = {
	[REQUESTS_OWN] = "own",
	[REQUESTS_QUEUE] = "queue",
	[REQUESTS_ACCEPT] = "accept",
	[REQUESTS_UNKNOWN] = "unknown",
	[REQUESTS_BEHIND] = "behind",
	[REQUESTS_WAY] = "way",
};

static const struct field fields[] = {
	DATA(FIELD_STR, struct why_request_row, kind, "kind", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, where, "where", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, there, "there", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, server, "server", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, cause, "cause", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, via, "via", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, lock, "lock", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, object, "object", .role = ROLE_LABEL),
	DATA(FIELD_U64, struct why_request_row, requests, "requests", .role = ROLE_COUNTER, .null = NULL_MOST),
	DATA(FIELD_U64, struct why_request_row, connections, "connections", .role = ROLE_COUNTER, .null = NULL_MOST),
	DATA(FIELD_U64, struct why_request_row, merged, "merged", .role = ROLE_COUNTER, .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, mean, "mean_ns", .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, p50, "p50_ns", .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, p99, "p99_ns", .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, max, "max_ns", .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, client_p50, "client_p50_ns", .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, client_p99, "client_p99_ns", .null = NULL_MOST),
	DATA(FIELD_U64, struct why_request_row, number, "number", .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct why_request_row, begin, "begin_ns", .null = NULL_MOST),
	DATA(FIELD_DURATION, struct why_request_row, ns, "ns", .null = NULL_MOST),
	DATA(FIELD_U64, struct why_request_row, behind, "behind", .role = ROLE_COUNTER, .null = NULL_MOST),
	DATA(FIELD_STR, struct why_request_row, client, "client", .role = ROLE_LABEL),
	DATA(FIELD_U32, struct why_request_row, tid, "tid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_U32, struct why_request_row, holder_pid, "holder_pid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_U32, struct why_request_row, holder_tid, "holder_tid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_U64, struct why_request_row, inner, "inner", .role = ROLE_COUNTER, .null = NULL_MOST),
	DATA(FIELD_U64, struct why_request_row, slower, "slower", .role = ROLE_COUNTER, .null = NULL_MOST),
	DATA(FIELD_STR, struct why_request_row, function, "function", .role = ROLE_LABEL),
	DATA(FIELD_STACK, struct why_request_row, kernel, "kernel_stack"),
	DATA(FIELD_STACK, struct why_request_row, user, "user_stack"),
};

const struct schema why_requests_schema = { fields, ARRAY_SIZE(fields) };

/* All numbers are null. */
static struct why_request_row make_row(const char *kind)
{
	return (struct why_request_row){
		.kind = kind,
		.requests = UINT64_MAX,
		.connections = UINT64_MAX,
		.merged = UINT64_MAX,
		.mean = UINT64_MAX,
		.p50 = UINT64_MAX,
		.p99 = UINT64_MAX,
		.max = UINT64_MAX,
		.client_p50 = UINT64_MAX,
		.client_p99 = UINT64_MAX,
		.begin = UINT64_MAX,
		.ns = UINT64_MAX,
		.behind = UINT64_MAX,
		.inner = UINT64_MAX,
		.slower = UINT64_MAX,
	};
}

static void put_total(const struct requests_page *page, struct output *out)
{
	const struct requests_counts *counts = &page->counts;
	struct why_request_row row = make_row("total");

	row.requests = counts->requests;
	row.connections = counts->connections;
	row.merged = counts->merged;
	row.inner = counts->inner;
	if (page->why->settings->slower)
		row.slower = counts->slower;
	if (counts->requests) {
		row.mean = counts->ns / counts->requests;
		row.p50 = page->server.p50;
		row.max = counts->max;
	}
	if (counts->requests && !page->merged)
		row.p99 = page->server.p99;
	if (page->client.n)
		row.client_p50 = page->client.p50;
	if (page->client.n && !page->merged)
		row.client_p99 = page->client.p99;
	output_row(out, &row);
}

static void put_cells(const struct requests_page *page, struct output *out, struct why_request_row row, const double *ns)
{
	row.mean = ns[REQUESTS_MEAN];
	row.p50 = ns[REQUESTS_MIDDLE];
	if (!page->merged)
		row.p99 = ns[REQUESTS_SLOWEST_ONE];
	output_row(out, &row);
}

static const char *name_there(uint8_t where, uint8_t inner)
{
	return where == REQUESTS_BEHIND && inner != REQUESTS_BEHIND ? wheres[inner] : NULL;
}

static const char *name_via(uint8_t via)
{
	return via == REQUESTS_DIRECT ? NULL : why_sums_cause(via);
}

static void put_lines(const struct requests_page *page, struct output *out)
{
	vec_each(line, &page->lines) {
		struct why_request_row row = make_row("part");

		row.where = wheres[line->where];
		row.there = name_there(line->where, line->inner);
		row.cause = why_sums_cause(line->class);
		row.via = name_via(line->via);
		row.lock = line->lock;
		put_cells(page, out, row, line->all.ns);
		row.kind = "function";
		row.function = line->in.name;
		if (row.function)
			put_cells(page, out, row, line->in.all.ns);
		row.function = NULL;
		row.kind = "object";
		vec_each(object, &line->objects) {
			row.object = object->name;
			put_cells(page, out, row, object->ns);
		}
	}
}

/* Who has ended the sleeps that other threads have ended. */
static void put_holders(const struct requests_page *page, struct output *out)
{
	vec_each(sum, &page->sums) {
		struct why_request_row row = make_row("holder");

		if (sum->where != REQUESTS_OWN || sum->via == REQUESTS_DIRECT)
			continue;
		row.where = wheres[sum->where];
		row.via = name_via(sum->via);
		row.lock = sum->lock;
		vec_each(object, &sum->objects) {
			row.object = object->name;
			put_cells(page, out, row, object->ns);
		}
	}
}

static void put_groups(const struct requests_page *page, struct output *out)
{
	vec_each(by, &page->groups) {
		struct why_request_row row = make_row("group");
		struct str name __str = {};

		requests_page_add_group(page->why, &name, by->group);
		row.object = name.data;
		row.where = wheres[by->where];
		row.cause = why_sums_cause(by->class);
		row.requests = by->all.n;
		row.mean = by->all.ns / by->all.n;
		row.p50 = by->times.p50;
		row.max = by->all.max;
		if (!page->merged)
			row.p99 = by->times.p99;
		output_row(out, &row);
	}
}

/* The names of a state, which the caller keeps. */
static void name_state(struct why *why, struct why_request_row *row, const struct requests_state *state, struct str *name,
		       struct str *server)
{
	const bool behind = state->where == REQUESTS_BEHIND;
	const struct why_requests_held *held = requests_page_held(why, state->ended);
	const uint64_t thread = requests_behind_of(why, state);

	row->lock = held ? held->lock : requests_page_lock(why, state);
	requests_page_add_object(why, name, state);
	requests_page_add_name(why, server, behind ? state->server : REQUESTS_NONE);
	row->where = wheres[state->where];
	row->there = name_there(state->where, state->inner);
	row->cause = why_sums_cause(state->class);
	row->via = name_via(state->via);
	row->object = name->len ? name->data : NULL;
	row->server = server->len ? server->data : NULL;
	row->tid = state->tid;
	row->holder_pid = thread >> 32;
	row->holder_tid = thread;
}

struct named_part {
	struct why_request_row row;
	struct str name, server;
};

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* What else tells states apart, as the stacks of a lock's waits, is not in a row: such parts are one. */
static bool is_same_row(const struct why_request_row *a, const struct why_request_row *b)
{
	return a->tid == b->tid && a->holder_tid == b->holder_tid && a->holder_pid == b->holder_pid && a->where == b->where &&
	       a->there == b->there && a->cause == b->cause && a->via == b->via && is_same(a->lock, b->lock) &&
	       is_same(a->object, b->object) && is_same(a->server, b->server);
}

static void put_parts(struct why *why, struct output *out, size_t number, const struct requests_request *request)
{
	__free struct named_part *parts = base_alloc((request->n_parts + 1) * sizeof(*parts));
	size_t n = 0, same;

	for (uint32_t i = 0; i < request->n_parts; i++) {
		struct named_part *part = &parts[n];

		*part = (struct named_part){ .row = make_row("request part") };
		name_state(why, &part->row, &request->parts[i].state, &part->name, &part->server);
		for (same = 0; same < n && !is_same_row(&parts[same].row, &part->row); same++)
			;
		if (same < n) {
			parts[same].row.ns += request->parts[i].ns;
			str_release(&part->name);
			str_release(&part->server);
			continue;
		}
		part->row.number = number;
		part->row.ns = request->parts[i].ns;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		output_row(out, &parts[i].row);
		str_release(&parts[i].name);
		str_release(&parts[i].server);
	}
}

/* n: so many steps are one. */
static void put_step(struct why *why, struct output *out, size_t number, const struct requests_step *step, size_t n)
{
	struct why_request_row row = make_row("request step");
	struct str name __str = {}, server __str = {};
	struct stacks_named named = {};

	name_state(why, &row, &step->state, &name, &server);
	row.number = number;
	row.begin = step->from - why->began;
	row.ns = step[n - 1].to - step->from;
	if (step->state.class == WHY_RUNNING)
		row.function = requests_ran_of_steps(why, step, n);
	else if (step->stack && stacks_find(why->stacks, step->stack, &named)) {
		row.kernel = named.kernel;
		row.user = named.user;
	}
	output_row(out, &row);
}

static void put_slowest(const struct requests_page *page, struct output *out)
{
	struct why *why = page->why;

	for (size_t i = 0; i < page->n_slowest; i++) {
		const struct requests_request *request = &page->slowest[i];
		struct why_request_row row = make_row("request");
		struct str client __str = {};

		requests_page_add_name(why, &client, request->from);
		row.number = i + 1;
		row.begin = request->arrived - why->began;
		row.ns = request->ns;
		row.merged = request->merged;
		row.behind = request->behind;
		row.client = client.data;
		row.tid = request->tid;
		output_row(out, &row);
		put_parts(why, out, i + 1, request);
		for (size_t s = 0, n; s < request->n_steps; s += n) {
			n = requests_run(&request->steps[s], request->n_steps - s, WHY_RUNNING);
			put_step(why, out, i + 1, &request->steps[s], n);
		}
	}
}

void requests_page_put(const struct requests_page *page, struct output *out)
{
	put_total(page, out);
	put_lines(page, out);
	put_holders(page, out);
	put_groups(page, out);
	put_slowest(page, out);
}
