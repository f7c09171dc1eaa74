// SPDX-License-Identifier: BSD-2-Clause
/* The page of `sonde why --requests` as text. */
#include "requests_sums.h"
#include "waits.h"
#include "why_page.h"

#define MS(ns)	    ((double)(ns) / 1e6)
#define SECONDS(ns) ((double)(ns) / 1e9)
/* Of the parts of a request, what is less than this share of both the mean and the slowest ones has no line. */
#define LEAST 0.01
/* The columns in front of objects, and the least that these have in a terminal. */
#define COLUMNS_BEFORE 66
#define LEAST_ROOM     14
/* The first column, and those of numbers with the blank before them. */
#define LABEL  26
#define NUMBER 10
/* A line with so many percent counts. */
#define SHARE_BELOW 10
#define BELOW	    "      "
/* How many objects a line names. */
#define OBJECTS 3
/* Of one of the slowest requests: how many steps are printed, and how long they are at least, as a part of it. */
#define STEPS	   12
#define STEP_SHARE 100

static void print_view(const struct requests_page *page, struct output *out, const char *whose,
		       const struct requests_percentiles *view, uint64_t most, const char *behind)
{
	if (page->merged)
		output_line(out, "%s: p50 %.3f ms%s", whose, MS(view->p50), behind);
	else
		output_line(out, "%s: p50 %.3f ms, p99 %.3f ms, max %.3f ms%s", whose, MS(view->p50), MS(view->p99),
			    MS(most), behind);
}

static void print_head(const struct requests_page *page, struct output *out)
{
	const struct requests_counts *counts = &page->counts;
	const struct why *why = page->why;
	char behind[64] = "";

	if (counts->inner)
		snprintf(behind, sizeof(behind), ", which made %llu of servers behind", (unsigned long long)counts->inner);
	output_line(out, "%llu request%s on %llu connection%s in %.1f s%s", (unsigned long long)counts->requests,
		    str_plural(counts->requests), (unsigned long long)counts->connections,
		    str_plural(counts->connections), SECONDS(why->ended - why->began), behind);
	if (!counts->requests)
		return;
	*behind = '\0';
	if (page->merged)
		snprintf(behind, sizeof(behind), "; merged %.0f %%, so there is no p99",
			 100.0 * counts->merged / counts->requests);
	print_view(page, out, why->settings->first_byte ? "server's view until the answer begins" : "server's view",
		   &page->server, counts->max, behind);
	/* a line of 80 columns has no room for more words */
	if (counts->with_client == counts->requests)
		snprintf(behind, sizeof(behind), " (all local)");
	else
		snprintf(behind, sizeof(behind), " (%llu local)", (unsigned long long)counts->with_client);
	if (page->client.n)
		print_view(page, out, "client's view", &page->client, page->client.max, behind);
	if (why->settings->slower)
		output_line(out, "%llu lasted for %u ms and more: the following is of these",
			    (unsigned long long)counts->slower, why->settings->slower);
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

/* A long name takes room of the number behind it; one that is still too long has a line of its own. */
static void print_label(struct output *out, struct str *line, const char *label, const struct requests_cell *cell)
{
	char mean[32];
	const int n = snprintf(mean, sizeof(mean), "%.3f", MS(cell->ns[REQUESTS_MEAN]));
	const int room = LABEL + NUMBER - 1 - n, columns = str_columns(label, strlen(label));

	if (columns > room)
		output_line(out, "  %s", label);
	/* printf counts bytes */
	str_addf(line, "  %s%*s %*s", columns > room ? "" : label, columns > room ? LABEL : columns < LABEL ? LABEL - columns
													    : 0,
		 "", columns > LABEL && columns <= room ? LABEL + NUMBER - 1 - columns : NUMBER - 1, mean);
}

/* In a terminal, what does not fit behind the columns of a line that counts has a line of its own. */
static void print_cells(const struct requests_page *page, struct output *out, const char *label,
			const struct requests_cell *cell, struct str *objects)
{
	const enum requests_column of = page->merged ? REQUESTS_MEAN : REQUESTS_SLOWEST_ONE;
	const double whole = page->sum.all.ns[of], share = whole ? 100 * cell->ns[of] / whole : 0;
	const size_t width = output_width(out);
	const bool below = width && objects->len + COLUMNS_BEFORE > width && share >= SHARE_BELOW;
	struct str line __str = {};
	char slowest[32] = "-";

	if (!below)
		cut_to_fit(out, objects, COLUMNS_BEFORE);
	if (!page->merged)
		snprintf(slowest, sizeof(slowest), "%.3f", MS(cell->ns[REQUESTS_SLOWEST_ONE]));
	print_label(out, &line, label, cell);
	output_line(out, "%s %9.3f %9s %3.0f %%%s%s", line.data, MS(cell->ns[REQUESTS_MIDDLE]), slowest, share,
		    objects->len && !below ? "  " : "", below ? "" : str_or_empty(objects->data));
	if (!below)
		return;
	cut_to_fit(out, objects, strlen(BELOW));
	output_line(out, BELOW "%s", str_or_empty(objects->data));
}

static void add_objects(const struct requests_line *line, const char *prefix, struct str *s)
{
	const size_t before = s->len;
	size_t named = 0;

	vec_each(object, &line->objects) {
		if (named++ == OBJECTS) {
			str_add(s, ", ...");
			break;
		}
		str_addf(s, "%s%s", s->len > before ? ", " : prefix, object->name);
	}
}

static bool is_small(const struct requests_page *page, const struct requests_cell *cell)
{
	for (size_t c = 0; c < REQUESTS_COLUMNS; c++)
		if (cell->ns[c] > LEAST * page->sum.all.ns[c])
			return false;
	return true;
}

/* What a state is called, behind a prefix. inner: at a server behind. */
static void add_state(struct str *s, const struct requests_line *line, bool inner)
{
	const char *via = line->via == REQUESTS_DIRECT ? "" : line->lock ? line->lock
									 : why_sums_cause(line->via);
	const char *then = *via ? " > " : "";

	switch (inner ? line->inner : line->where) {
	case REQUESTS_ACCEPT:
		str_add(s, "queue: not accepted");
		break;
	case REQUESTS_UNKNOWN:
		str_add(s, inner ? "not known for what" : "waits, not known for what");
		break;
	case REQUESTS_BEHIND:
		str_add(s, inner ? "not measured" : "waits for a server behind");
		break;
	case REQUESTS_WAY:
		str_add(s, "on the way");
		break;
	case REQUESTS_QUEUE:
		str_addf(s, "%s%s", inner ? "queue: " : "", why_sums_cause(line->class));
		break;
	default:
		str_addf(s, "%s%s%s", via, then, why_sums_cause(line->class));
	}
}

/* Whether others waited for these threads for most of a line that counts. */
static bool is_held(const struct requests_page *page, const struct requests_line *sum)
{
	const enum requests_column of = page->merged ? REQUESTS_MEAN : REQUESTS_SLOWEST_ONE;

	return sum->held && sum->held->all.ns[of] > sum->all.ns[of] / 2 && sum->all.ns[of] * 100 > SHARE_BELOW * page->sum.all.ns[of];
}

/* Which column says what matters: of requests that are merged, there is no p99. */
static enum requests_column column_of(const struct requests_page *page)
{
	return page->merged ? REQUESTS_MEAN : REQUESTS_SLOWEST_ONE;
}

/* In which function most of it was, and how much of it. */
static void add_function(const struct requests_page *page, const struct requests_line *line, struct str *s)
{
	const enum requests_column of = column_of(page);

	if (line->in.name && line->all.ns[of] > 0)
		str_addf(s, "%s%.0f %% in %s", s->len ? ", " : "", 100 * line->in.all.ns[of] / line->all.ns[of], line->in.name);
}

/* What the server's threads ran meanwhile, if that is a part of the queue that counts. */
static void add_blocked(const struct requests_page *page, const struct requests_line *sum, struct str *s)
{
	const enum requests_column of = column_of(page);

	vec_each(line, &page->lines)
		if (line->in.name && requests_page_below(line, sum) && line->in.all.ns[of] * 100 > SHARE_BELOW * sum->all.ns[of])
			str_addf(s, "blocked by %s %.3g ms", line->in.name, MS(line->in.all.ns[of]));
}

/* alone: no line of its sum stands above it. */
static void print_line(const struct requests_page *page, struct output *out, const struct requests_line *line,
		       const struct requests_line *sum, bool alone)
{
	struct str objects __str = {}, label __str = {};

	if (alone && is_held(page, sum))
		add_objects(sum->held, "of ", &objects);
	if (line->lock && line->via == REQUESTS_DIRECT)
		str_addf(&objects, "%s%s", alone && objects.len ? ": " : "", alone ? why_sums_cause(line->class) : "");
	else
		add_objects(line, objects.len ? ": " : line->class == WHY_PROCESSOR ? "behind "
										    : "",
			    &objects);
	add_function(page, line, &objects);
	if (line->where == REQUESTS_OWN && line->via != REQUESTS_DIRECT) {
		str_addf(&label, "  > %s", why_sums_cause(line->class));
	} else if (line->lock && line->via == REQUESTS_DIRECT) {
		str_add(&label, alone ? line->lock : "  not known by whom");
	} else {
		str_add(&label, line->where == REQUESTS_BEHIND || line->where == REQUESTS_QUEUE ? "  " : "");
		add_state(&label, line, line->where == REQUESTS_BEHIND);
	}
	print_cells(page, out, label.data, &line->all, &objects);
}

/* Of sums that have more than one line. */
static const char *name_sum(const struct requests_line *sum)
{
	switch (sum->where) {
	case REQUESTS_QUEUE:
		return "queue: behind requests";
	case REQUESTS_BEHIND:
		return "waits for a server behind";
	default:
		return sum->lock ? sum->lock : why_sums_cause(sum->via);
	}
}

/* A sum, with its lines below. */
static void print_sum(const struct requests_page *page, struct output *out, const struct requests_line *sum)
{
	struct str objects __str = {};
	size_t known = 0;

	if (sum->where == REQUESTS_QUEUE)
		add_blocked(page, sum, &objects);
	else
		add_objects(sum, sum->where == REQUESTS_OWN ? "by " : "", &objects);
	print_cells(page, out, name_sum(sum), &sum->all, &objects);
	vec_each(line, &page->lines)
		known += requests_page_below(line, sum) && line->inner != REQUESTS_BEHIND;
	vec_each(line, &page->lines)
		if (known && requests_page_below(line, sum) && !is_small(page, &line->all))
			print_line(page, out, line, sum, false);
}

/* The lines of a sum follow it; what is small is one line. */
static void print_lines(const struct requests_page *page, struct output *out)
{
	struct requests_cell others = {};
	struct str none = {};

	output_line(out, "WHERE A REQUEST'S TIME GOES   mean(ms)       p50       p99   of %s",
		    page->merged ? "mean" : "p99");
	vec_each(sum, &page->sums) {
		const bool alone = sum->where != REQUESTS_QUEUE && sum->where != REQUESTS_BEHIND &&
				   sum->via == REQUESTS_DIRECT;

		for (size_t c = 0; is_small(page, &sum->all) && c < REQUESTS_COLUMNS; c++)
			others.ns[c] += sum->all.ns[c];
		if (is_small(page, &sum->all))
			continue;
		if (!alone)
			print_sum(page, out, sum);
		vec_each(line, &page->lines)
			if (alone && requests_page_below(line, sum))
				print_line(page, out, line, sum, true);
	}
	if (others.ns[REQUESTS_MEAN] > 0)
		print_cells(page, out, "other", &others, &none);
	print_cells(page, out, "sum", &page->sum.all, &none);
}

/* --- groups --- */

static void print_groups(const struct requests_page *page, struct output *out)
{
	static const char *const heads[] = { "", "BY PEER", "BY PORT", "BY THREAD" };
	struct str mostly __str = {};

	if (page->groups.n)
		output_line(out, "%-30s %8s %9s %9s %9s %9s   mostly", heads[page->why->settings->by], "requests",
			    "mean(ms)", "p50", "p99", "max");
	vec_each(by, &page->groups) {
		const struct requests_line line = { .where = by->where, .class = by->class, .via = REQUESTS_DIRECT };
		struct str name __str = {};
		char slowest[32] = "-";

		str_reset(&mostly);
		requests_page_add_group(page->why, &name, by->group);
		str_add(&mostly, by->where == REQUESTS_QUEUE ? "queue: " : "");
		add_state(&mostly, &line, false);
		if (!page->merged)
			snprintf(slowest, sizeof(slowest), "%.3f", MS(by->times.p99));
		output_line(out, "  %-28s %8llu %9.3f %9.3f %9s %9.3f   %s", str_or_empty(name.data),
			    (unsigned long long)by->all.n, MS(by->all.ns / by->all.n), MS(by->times.p50), slowest,
			    MS(by->all.max), mostly.data);
	}
}

/* --- the slowest --- */

void requests_page_add_step(struct why *why, struct str *s, const struct requests_state *state)
{
	const struct requests_line line = {
		.where = state->where,
		.class = state->class,
		.inner = state->inner,
		.via = state->via,
	};
	const bool behind = line.where == REQUESTS_BEHIND;
	const struct why_requests_held *held = requests_page_held(why, state->ended);
	struct str name __str = {}, server __str = {};

	requests_page_add_object(why, &name, state);
	requests_page_add_name(why, &server, behind ? state->server : REQUESTS_NONE);
	if (behind)
		str_addf(s, "%s%s", str_or_empty(server.data), line.inner == REQUESTS_BEHIND ? "" : " > ");
	if (line.where == REQUESTS_QUEUE)
		str_add(s, "queue: ");
	/* the title is in the table */
	if (held)
		str_addf(s, "%s by %.*s > %s", held->lock ? held->lock : why_sums_cause(line.via),
			 (int)(strstr(held->who, " (") ? strstr(held->who, " (") - held->who : (ptrdiff_t)strlen(held->who)),
			 held->who, why_sums_cause(line.class));
	else if (!behind || line.inner != REQUESTS_BEHIND)
		add_state(s, &line, behind);
	if (name.len && !(behind && line.inner >= REQUESTS_BEHIND))
		str_addf(s, "%s %s", line.class == WHY_PROCESSOR ? " behind" : "", name.data);
}

/* n: so many steps are one. */
static void print_step(const struct requests_page *page, struct output *out, const struct requests_request *request,
		       const struct requests_step *step, size_t n)
{
	const bool runs = step->state.class == WHY_RUNNING;
	const char *in = runs ? requests_ran_of_steps(page->why, step, n) : NULL;
	struct str what __str = {};
	struct stacks_named named = {};

	requests_page_add_step(page->why, &what, &step->state);
	if (in)
		str_addf(&what, " in %s", in);
	cut_to_fit(out, &what, strlen("      000000.000 000000.000  "));
	output_line(out, "      %9.3f %9.3f  %s", MS(step->from - request->arrived), MS(step[n - 1].to - step->from),
		    str_or_empty(what.data));
	if (!runs && step->stack && step->state.where != REQUESTS_UNKNOWN && stacks_find(page->why->stacks, step->stack, &named))
		why_page_stack(out, &named);
}

static int by_length(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? 1 : -(a > b);
}

/* Its longest steps, in the order of time. */
static void print_path(const struct requests_page *page, struct output *out, const struct requests_request *request)
{
	__free uint64_t *ns = base_alloc((request->n_steps + 1) * sizeof(*ns));
	uint64_t least = request->ns / STEP_SHARE, left = 0;
	uint32_t n = 0, all = 0;
	size_t run;

	for (uint32_t i = 0; i < request->n_steps; i += run) {
		run = requests_run(&request->steps[i], request->n_steps - i, WHY_RUNNING);
		ns[all++] = request->steps[i + run - 1].to - request->steps[i].from;
	}
	if (all)
		qsort(ns, all, sizeof(*ns), by_length);
	if (all > STEPS && ns[STEPS - 1] > least)
		least = ns[STEPS - 1];
	for (uint32_t i = 0; i < request->n_steps; i += run) {
		uint64_t lasted;

		run = requests_run(&request->steps[i], request->n_steps - i, WHY_RUNNING);
		lasted = request->steps[i + run - 1].to - request->steps[i].from;
		if (lasted < least || n == STEPS) {
			left += lasted;
			continue;
		}
		print_step(page, out, request, &request->steps[i], run);
		n++;
	}
	if (n == STEPS && n < all)
		output_line(out, "                %9.3f  in %u more step%s", MS(left), all - n, str_plural(all - n));
}

static void print_slowest(const struct requests_page *page, struct output *out)
{
	struct why *why = page->why;

	if (page->n_slowest)
		output_line(out, "SLOWEST (ms)     at  lasted");
	for (size_t i = 0; i < page->n_slowest; i++) {
		const struct requests_request *request = &page->slowest[i];
		struct str client __str = {};

		requests_page_add_name(why, &client, request->from);
		output_line(out, "%3zu. %9.3f  from %s at %.3f s", i + 1, MS(request->ns), str_or_empty(client.data),
			    SECONDS(request->arrived - why->began));
		print_path(page, out, request);
	}
}

void why_requests_print(struct why *why, struct output *out)
{
	struct requests_page page;

	requests_page_make(&page, why);
	if (output_is_text(out)) {
		print_head(&page, out);
		if (page.n_cut)
			print_lines(&page, out);
		if (page.counts.merged && !page.merged)
			output_line(out, "merged %llu: bytes of theirs arrived after the first were read",
				    (unsigned long long)page.counts.merged);
		print_groups(&page, out);
		print_slowest(&page, out);
		output_flush(out);
	} else {
		requests_page_put(&page, out);
		output_table_end(out);
	}
	requests_page_free(&page);
}
