// SPDX-License-Identifier: BSD-2-Clause
/* The page of `sonde why --requests`, and its rows as data. */
#include "bpf/request.h"
#include "output/address.h"
#include "waits.h"
#include "why_part.h"

#define MS(ns)	    ((double)(ns) / 1e6)
#define SECONDS(ns) ((double)(ns) / 1e9)
/* Of the parts of a request, what is less than this share of both the mean and the slowest ones has no line. */
#define LEAST 0.01
/* If more requests than this are batches, what one of them lasts is not known: in percent. */
#define MOST_MERGED 5
/* The columns in front of objects, and the least that these have in a terminal. */
#define COLUMNS_BEFORE 66
#define LEAST_ROOM     14
/* How many objects a line names. */
#define OBJECTS 3

enum column {
	MEAN,
	MIDDLE,	 /* of the middle 10 % */
	SLOWEST, /* of the slowest 1 % */
	COLUMNS,
};

struct cell {
	double ns[COLUMNS];
};

/* A cause, with all requests' time in it. */
struct line {
	struct cell all;
	uint8_t where, class;
	vec(struct line_object {
		char *name;
		double ns[COLUMNS];
	}) objects;
};

struct page {
	struct why *why;
	const struct requests_request *all;
	const struct requests_part *parts;
	size_t n;
	const struct requests_request **cut; /* that have parts, the quickest first */
	size_t n_cut;
	vec(struct line) lines;
	struct cell sum, queue; /* of all lines, and of those of queues */
	struct requests_counts counts;
	bool merged; /* too many: no percentile of the slowest */
};

static const char *const wheres[] = {
	[REQUESTS_OWN] = "own",
	[REQUESTS_QUEUE] = "queue",
	[REQUESTS_ACCEPT] = "accept",
	[REQUESTS_UNKNOWN] = "unknown",
	[REQUESTS_BEHIND] = "behind",
};

/* --- sums --- */

static int by_ns(const void *pa, const void *pb)
{
	const struct requests_request *a = *(const struct requests_request *const *)pa;
	const struct requests_request *b = *(const struct requests_request *const *)pb;

	return a->ns > b->ns ? 1 : -(a->ns < b->ns);
}

static int by_number(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a > b ? 1 : -(a < b);
}

static void add_client(struct why *why, struct str *s, uint32_t from)
{
	const struct why_client *client;
	uint64_t key;

	if (from == REQUESTS_NONE)
		return;
	client = (const void *)why->requests.clients.v[from].bytes;
	if (client->version == REQUEST_UNIX) {
		str_addf(s, "%.16s %u", (const char *)client->address, client->port);
		return;
	}
	if (client->version == WHY_UNIX_NAME) {
		memcpy(&key, client->address, sizeof(key));
		str_add(s, why_requests_name(why, key));
		return;
	}
	str_add(s, client->version == 6 ? "[" : "");
	address_add(s, client->version, client->address);
	str_addf(s, "%s:%u", client->version == 6 ? "]" : "", client->port);
}

/* The name of what a part is for; "": it has none. */
static void name_part(struct why *why, struct str *s, const struct requests_part *part)
{
	uint32_t task;

	if (part->where == REQUESTS_BEHIND) {
		add_client(why, s, part->object);
		return;
	}
	task = set_find(&why->sums.tids, &part->tid, sizeof(part->tid));

	if (part->class == WHY_RUNNING && task != SET_NONE) {
		str_addf(s, "%.16s", why->sums.tasks.v[why->sums.latest.v[task]].comm);
	} else if (part->object != REQUESTS_NONE) {
		const struct why_key *key = (const void *)why->path.keys.v[part->object].bytes;
		const struct why_found *found = objects_find(why, key);
		const struct why_object none = {};

		objects_name(why, s, key, found ? &found->object : &none);
	}
}

static struct line *line_of(struct page *page, uint8_t where, uint8_t class)
{
	struct line *line;

	/* what is not known has one line, whatever it looks like */
	if (where == REQUESTS_UNKNOWN)
		class = WHY_UNKNOWN;
	vec_each(it, &page->lines)
		if (it->where == where && it->class == class)
			return it;
	line = vec_push(&page->lines);
	line->where = where;
	line->class = class;
	return line;
}

static void add_object(struct page *page, struct line *line, const struct requests_part *part, const double *shares)
{
	struct str name __str = {};
	struct line_object *object = NULL;

	name_part(page->why, &name, part);
	if (!name.len)
		return;
	vec_each(it, &line->objects)
		if (!strcmp(it->name, name.data))
			object = it;
	if (!object) {
		object = vec_push(&line->objects);
		object->name = base_printf("%s", name.data);
	}
	for (size_t c = 0; c < COLUMNS; c++)
		object->ns[c] += part->ns * shares[c];
}

/* shares: of the request in each column. */
static void add_request(struct page *page, const struct requests_request *request, const double *shares)
{
	for (uint32_t i = 0; i < request->n_parts; i++) {
		const struct requests_part *part = &page->parts[request->part + i];
		struct line *line = line_of(page, part->where, part->class);

		for (size_t c = 0; c < COLUMNS; c++) {
			const double ns = part->ns * shares[c];

			line->all.ns[c] += ns;
			page->sum.ns[c] += ns;
			page->queue.ns[c] += part->where == REQUESTS_QUEUE ? ns : 0;
		}
		add_object(page, line, part, shares);
	}
}

static int by_slowest(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	return a->all.ns[SLOWEST] > b->all.ns[SLOWEST] ? -1 : a->all.ns[SLOWEST] < b->all.ns[SLOWEST];
}

static int by_mean(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	return a->all.ns[MEAN] > b->all.ns[MEAN] ? -1 : a->all.ns[MEAN] < b->all.ns[MEAN];
}

static int by_object(const void *pa, const void *pb)
{
	const struct line_object *a = pa, *b = pb;

	return a->ns[MEAN] > b->ns[MEAN] ? -1 : a->ns[MEAN] < b->ns[MEAN];
}

/* Which requests are in which column: of ranks 0 to n, from..to. */
static void add_all(struct page *page)
{
	const size_t n = page->n_cut, few = n / 100 ? n / 100 : 1;
	const size_t from = n / 2 - (n / 20 < n / 2 ? n / 20 : n / 2);
	const size_t to = n / 2 + n / 20 + 1 < n ? n / 2 + n / 20 + 1 : n;

	for (size_t i = 0; i < n; i++) {
		const double shares[COLUMNS] = {
			[MEAN] = 1.0 / n,
			[MIDDLE] = i >= from && i < to ? 1.0 / (to - from) : 0,
			[SLOWEST] = i + few >= n ? 1.0 / few : 0,
		};

		add_request(page, page->cut[i], shares);
	}
	if (page->lines.n)
		qsort(page->lines.v, page->lines.n, sizeof(*page->lines.v), page->merged ? by_mean : by_slowest);
	vec_each(line, &page->lines)
		if (line->objects.n)
			qsort(line->objects.v, line->objects.n, sizeof(*line->objects.v), by_object);
}

static void make_page(struct page *page, struct why *why)
{
	*page = (struct page){ .why = why };
	page->all = requests_all(why->requests.found, &page->n);
	page->parts = requests_parts(why->requests.found);
	page->counts = requests_count(why->requests.found);
	page->merged = page->counts.merged * 100 > page->n * MOST_MERGED;
	page->cut = base_alloc((page->n + 1) * sizeof(*page->cut));
	for (size_t i = 0; i < page->n; i++)
		if (page->all[i].n_parts)
			page->cut[page->n_cut++] = &page->all[i];
	if (page->n_cut)
		qsort(page->cut, page->n_cut, sizeof(*page->cut), by_ns);
	add_all(page);
}

static void free_page(struct page *page)
{
	vec_each(line, &page->lines) {
		vec_each(object, &line->objects)
			free(object->name);
		free(line->objects.v);
	}
	free(page->lines.v);
	free(page->cut);
}

/* --- percentiles --- */

struct percentiles {
	size_t n;
	uint64_t mean, p50, p99, max;
};

/* The rank of p in percent among n: the smallest value that p percent do not exceed. */
static uint64_t at_percent(const uint64_t *sorted, size_t n, unsigned int p)
{
	return sorted[(n * p + 99) / 100 - 1];
}

static struct percentiles find_percentiles(const struct page *page, bool of_client)
{
	__free uint64_t *ns = base_alloc((page->n + 1) * sizeof(*ns));
	struct percentiles found = {};

	for (size_t i = 0; i < page->n; i++)
		if (!of_client || page->all[i].client_ns)
			ns[found.n++] = of_client ? page->all[i].client_ns : page->all[i].ns;
	if (!found.n)
		return found;
	qsort(ns, found.n, sizeof(*ns), by_number);
	for (size_t i = 0; i < found.n; i++)
		found.mean += ns[i];
	found.mean /= found.n;
	found.p50 = at_percent(ns, found.n, 50);
	found.p99 = at_percent(ns, found.n, 99);
	found.max = ns[found.n - 1];
	return found;
}

/* --- text --- */

static void print_head(const struct page *page, struct output *out)
{
	const struct percentiles server = find_percentiles(page, false), client = find_percentiles(page, true);
	const uint64_t found = page->n + page->counts.not_kept;
	const struct why *why = page->why;

	output_line(out, "%llu request%s on %llu connection%s in %.1f s", (unsigned long long)found, str_plural(found),
		    (unsigned long long)page->counts.connections, str_plural(page->counts.connections),
		    SECONDS(why->ended - why->began));
	if (!page->n)
		return;
	if (page->merged)
		output_line(out, "server's view: p50 %.3f ms; merged %.0f %%, so there is no p99", MS(server.p50),
			    100.0 * page->counts.merged / page->n);
	else
		output_line(out, "server's view: p50 %.3f ms, p99 %.3f ms, max %.3f ms", MS(server.p50),
			    MS(server.p99), MS(server.max));
	if (client.n && page->merged)
		output_line(out, "client's view: p50 %.3f ms (%zu on this machine)", MS(client.p50), client.n);
	else if (client.n)
		output_line(out, "client's view: p50 %.3f ms, p99 %.3f ms, max %.3f ms (%zu on this machine)",
			    MS(client.p50), MS(client.p99), MS(client.max), client.n);
}

static void print_cells(const struct page *page, struct output *out, const char *label, const struct cell *cell,
			const char *objects)
{
	const enum column of = page->merged ? MEAN : SLOWEST;
	const double whole = page->sum.ns[of], share = whole ? 100 * cell->ns[of] / whole : 0;
	char slowest[32] = "-";

	if (!page->merged)
		snprintf(slowest, sizeof(slowest), "%.3f", MS(cell->ns[SLOWEST]));
	output_line(out, "  %-26s %9.3f %9.3f %9s %3.0f %%%s%s", label, MS(cell->ns[MEAN]), MS(cell->ns[MIDDLE]),
		    slowest, share, objects[0] ? "  " : "", objects);
}

static void add_objects(const struct line *line, struct str *s)
{
	size_t named = 0;

	vec_each(object, &line->objects) {
		if (named++ == OBJECTS) {
			str_add(s, ", ...");
			break;
		}
		str_addf(s, "%s%s", s->len ? ", " : line->class == WHY_PROCESSOR ? "behind "
										 : "",
			 object->name);
	}
}

/* In a terminal a line has what fits behind the columns before. */
static void cut_to_fit(struct output *out, struct str *s, size_t before)
{
	size_t width = output_width(out), room = width > before + LEAST_ROOM ? width - before : LEAST_ROOM;

	if (!width || s->len <= room)
		return;
	s->len = room - strlen("...");
	/* not within a character of several bytes */
	while (s->len && ((unsigned char)s->data[s->len] & 0xc0) == 0x80)
		s->len--;
	str_add(s, "...");
}

static bool is_small(const struct page *page, const struct cell *cell)
{
	for (size_t c = 0; c < COLUMNS; c++)
		if (cell->ns[c] > LEAST * page->sum.ns[c])
			return false;
	return true;
}

static void add_cell(struct cell *to, const struct cell *from)
{
	for (size_t c = 0; c < COLUMNS; c++)
		to->ns[c] += from->ns[c];
}

static void print_line(const struct page *page, struct output *out, const struct line *line)
{
	static const char *const names[] = {
		[REQUESTS_ACCEPT] = "queue: not accepted",
		[REQUESTS_UNKNOWN] = "waits, not known for what",
		[REQUESTS_BEHIND] = "waits for a server behind",
	};
	struct str objects __str = {}, label __str = {};

	add_objects(line, &objects);
	cut_to_fit(out, &objects, COLUMNS_BEFORE);
	if (line->where == REQUESTS_QUEUE)
		str_add(&label, "  ");
	str_add(&label, names[line->where] ? names[line->where] : why_sums_cause(line->class));
	print_cells(page, out, label.data, &line->all, str_or_empty(objects.data));
}

/* The lines of queues follow their sum; what is small is one line. */
static void print_lines(const struct page *page, struct output *out)
{
	struct cell others = {};
	bool queue = is_small(page, &page->queue);

	output_line(out, "WHERE A REQUEST'S TIME GOES   mean(ms)       p50       p99   of %s",
		    page->merged ? "mean" : "p99");
	vec_each(line, &page->lines) {
		if (line->where == REQUESTS_QUEUE && !queue) {
			queue = true;
			print_cells(page, out, "queue: behind requests", &page->queue, "");
			vec_each(it, &page->lines)
				if (it->where == REQUESTS_QUEUE && !is_small(page, &it->all))
					print_line(page, out, it);
		} else if (line->where != REQUESTS_QUEUE && !is_small(page, &line->all)) {
			print_line(page, out, line);
		} else if (line->where != REQUESTS_QUEUE) {
			add_cell(&others, &line->all);
		}
	}
	if (is_small(page, &page->queue))
		add_cell(&others, &page->queue);
	if (others.ns[MEAN] > 0)
		print_cells(page, out, "other", &others, "");
	print_cells(page, out, "sum", &page->sum, "");
}

static int by_part(const void *pa, const void *pb)
{
	const struct requests_part *a = pa, *b = pb;

	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

/* Its largest parts. */
static void add_parts(const struct page *page, struct str *s, const struct requests_request *request)
{
	static const char *const before[] = {
		[REQUESTS_OWN] = "",
		[REQUESTS_QUEUE] = "queue: ",
		[REQUESTS_UNKNOWN] = "not known: ",
		[REQUESTS_BEHIND] = "behind: ",
	};
	__free struct requests_part *parts = base_alloc((request->n_parts + 1) * sizeof(*parts));

	memcpy(parts, page->parts + request->part, request->n_parts * sizeof(*parts));
	qsort(parts, request->n_parts, sizeof(*parts), by_part);
	for (uint32_t i = 0; i < request->n_parts && i < OBJECTS; i++) {
		struct str name __str = {};

		name_part(page->why, &name, &parts[i]);
		str_add(s, i ? ", " : "");
		if (parts[i].where == REQUESTS_ACCEPT) {
			str_addf(s, "not accepted %.3f", MS(parts[i].ns));
			continue;
		}
		str_addf(s, "%s%s%s%s %.3f", before[parts[i].where], why_sums_cause(parts[i].class), name.len ? " " : "",
			 str_or_empty(name.data), MS(parts[i].ns));
	}
}

static void print_slowest(const struct page *page, struct output *out)
{
	struct why *why = page->why;
	const size_t most = why->settings->worst;

	if (page->n_cut && most)
		output_line(out, "SLOWEST (ms)");
	for (size_t i = 0; i < page->n_cut && i < most; i++) {
		const struct requests_request *request = page->cut[page->n_cut - 1 - i];
		struct str client __str = {}, parts __str = {};

		add_client(why, &client, request->from);
		add_parts(page, &parts, request);
		cut_to_fit(out, &parts, strlen("      "));
		output_line(out, "%3zu. %9.3f  from %s at %.3f s", i + 1, MS(request->ns), str_or_empty(client.data),
			    SECONDS(request->arrived - why->began));
		output_line(out, "      %s", str_or_empty(parts.data));
	}
}

/* --- data --- */

static const struct field fields[] = {
	DATA(FIELD_STR, struct why_request_row, kind, "kind", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, where, "where", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct why_request_row, cause, "cause", .role = ROLE_LABEL),
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
	};
}

static void put_total(const struct page *page, struct output *out)
{
	const struct percentiles server = find_percentiles(page, false), client = find_percentiles(page, true);
	struct why_request_row row = make_row("total");

	row.requests = page->n + page->counts.not_kept;
	row.connections = page->counts.connections;
	row.merged = page->counts.merged;
	if (server.n) {
		row.mean = server.mean;
		row.p50 = server.p50;
		row.max = server.max;
	}
	if (server.n && !page->merged)
		row.p99 = server.p99;
	if (client.n)
		row.client_p50 = client.p50;
	if (client.n && !page->merged)
		row.client_p99 = client.p99;
	output_row(out, &row);
}

static void put_cells(const struct page *page, struct output *out, struct why_request_row row, const double *ns)
{
	row.mean = ns[MEAN];
	row.p50 = ns[MIDDLE];
	if (!page->merged)
		row.p99 = ns[SLOWEST];
	output_row(out, &row);
}

static void put_lines(const struct page *page, struct output *out)
{
	vec_each(line, &page->lines) {
		struct why_request_row row = make_row("part");

		row.where = wheres[line->where];
		row.cause = why_sums_cause(line->class);
		put_cells(page, out, row, line->all.ns);
		row.kind = "object";
		vec_each(object, &line->objects) {
			row.object = object->name;
			put_cells(page, out, row, object->ns);
		}
	}
}

static void put_slowest(const struct page *page, struct output *out)
{
	struct why *why = page->why;

	for (size_t i = 0; i < page->n_cut && i < why->settings->worst; i++) {
		const struct requests_request *request = page->cut[page->n_cut - 1 - i];
		struct why_request_row row = make_row("request");
		struct str client __str = {};

		add_client(why, &client, request->from);
		row.number = i + 1;
		row.begin = request->arrived - why->began;
		row.ns = request->ns;
		row.merged = request->merged;
		row.behind = request->behind;
		row.client = client.data;
		output_row(out, &row);
		for (uint32_t p = 0; p < request->n_parts; p++) {
			const struct requests_part *part = &page->parts[request->part + p];
			struct why_request_row of = make_row("request part");
			struct str name __str = {};

			name_part(why, &name, part);
			of.number = i + 1;
			of.where = wheres[part->where];
			of.cause = why_sums_cause(part->class);
			of.object = name.len ? name.data : NULL;
			of.ns = part->ns;
			output_row(out, &of);
		}
	}
}

void why_requests_print(struct why *why, struct output *out)
{
	struct page page;

	make_page(&page, why);
	if (output_is_text(out)) {
		print_head(&page, out);
		if (page.n_cut)
			print_lines(&page, out);
		if (page.counts.merged && !page.merged)
			output_line(out, "merged %llu: bytes of theirs arrived after the first were read",
				    (unsigned long long)page.counts.merged);
		print_slowest(&page, out);
		output_flush(out);
	} else {
		put_total(&page, out);
		put_lines(&page, out);
		put_slowest(&page, out);
		output_table_end(out);
	}
	free_page(&page);
}
