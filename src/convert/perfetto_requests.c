// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests of a server: a track for each connection, or one that some share, below one for each server; on it a slice
 * for each request, with its steps in it. What threads did for it are slices of theirs. Arrows go from the request to
 * the first of these and from each to the next one, and from the one that asked another server to the request there.
 *
 * Slices of a track must nest. An answer is noted a little after it was sent, so that the next request may have arrived
 * by then: it is drawn from there on.
 */
#include "bpf/record.h"
#include "perfetto_part.h"

/* Ids of flows: of a request and its threads, and from who asks to the request. */
#define FLOW_THREADS(NUMBER) ((uint64_t)(NUMBER) << 1)
#define FLOW_ASKED(NUMBER)   ((uint64_t)(NUMBER) << 1 | 1)

/* What threads did: so much is kept. */
#define MOST_STRETCHES 262144

struct slice {
	uint64_t from, to;
	int64_t part, number;
};

static struct slice read_slice(const struct recording_event *event)
{
	struct slice slice = {
		.from = recording_known(event, KNOWN_F_BEGIN, 0),
		.part = recording_known(event, KNOWN_F_PART, 0),
		.number = recording_known(event, KNOWN_F_NUMBER, 0),
	};

	if (__builtin_add_overflow(slice.from, (uint64_t)recording_known(event, KNOWN_F_LASTED, 0), &slice.to))
		slice.to = UINT64_MAX;
	return slice;
}

/* Valid until p->text is used again. */
static const char *text_of(struct perfetto *p, const struct recording_event *event, enum known_field known)
{
	const struct recording_field *field = recording_field(event, known);
	size_t len = 0;
	const char *text = field && recording_has(event, field) ? recording_chars(p->r, event, field, &len) : NULL;

	str_reset(&p->text);
	if (text)
		str_addn(&p->text, text, len);
	return p->text.len ? p->text.data : "?";
}

static struct perfetto_connection *find_connection(struct perfetto *p, const struct recording_event *event)
{
	const int64_t number = recording_known(event, KNOWN_F_CONNECTION, 0);
	const uint32_t at = set_add(&p->connection_numbers, &number, sizeof(number));
	struct str name __str = {};
	uint64_t parent, server;

	if (at < p->connections.n)
		return &p->connections.v[at];
	server = recording_known(event, KNOWN_F_SERVER, 0) & 0xffffffff;
	str_addf(&name, "requests at %s", text_of(p, event, KNOWN_F_SERVER));
	parent = perfetto_named_track(p, perfetto_track_id(TRACKS_SERVERS, server), 0, name.data);
	*vec_push(&p->connections) = (struct perfetto_connection){
		.id = perfetto_named_track(p, perfetto_track_id(TRACKS_CONNECTIONS, at), parent,
					   text_of(p, event, KNOWN_F_TEXT)),
	};
	return &p->connections.v[at];
}

static void add_whole(struct perfetto *p, const struct recording_event *event, const struct slice *slice)
{
	struct perfetto_connection *connection = find_connection(p, event);
	char task[16];

	connection->begin = slice->from > connection->end ? slice->from : connection->end;
	if (slice->to <= connection->begin)
		return;
	connection->end = slice->to;
	perfetto_add_text_argument(p, "client", text_of(p, event, KNOWN_F_CLIENT));
	snprintf(task, sizeof(task), "%d", event->task);
	perfetto_add_text_argument(p, "answered_by", task);
	if (slice->part == RECORD_REQUEST_BEHIND)
		perfetto_add_flow(p, FLOW_ASKED(slice->number));
	perfetto_add_flow(p, FLOW_THREADS(slice->number));
	perfetto_add_event(p, connection->id, connection->begin, TYPE_BEGIN, "request", "request");
	perfetto_add_event(p, connection->id, connection->end, TYPE_END, NULL, NULL);
}

static void add_step(struct perfetto *p, const struct recording_event *event, const struct slice *slice)
{
	const struct perfetto_connection *connection = find_connection(p, event);
	const uint64_t from = slice->from > connection->begin ? slice->from : connection->begin;
	const uint64_t to = slice->to < connection->end ? slice->to : connection->end;

	if (to <= from)
		return;
	perfetto_add_event(p, connection->id, from, TYPE_BEGIN, "step", text_of(p, event, KNOWN_F_TEXT));
	perfetto_add_event(p, connection->id, to, TYPE_END, NULL, NULL);
}

static int by_thread(const void *pa, const void *pb)
{
	const struct perfetto_stretch *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid > b->tid ? 1 : -1;
	if (a->from != b->from)
		return a->from > b->from ? 1 : -1;
	return a->to > b->to ? 1 : -(a->to < b->to);
}

static int by_begin(const void *pa, const void *pb)
{
	const struct perfetto_stretch *a = pa, *b = pb;

	return a->from > b->from ? 1 : -(a->from < b->from);
}

/* What another request has already, the thread's next one begins behind. */
static void add_stretch(struct perfetto *p, const struct perfetto_stretch *stretch)
{
	struct perfetto_thread *thread = perfetto_find_thread(p, stretch->tid, stretch->from);
	const uint64_t from = stretch->from < thread->requested ? thread->requested : stretch->from;
	uint64_t track;

	p->cut += stretch->from < p->stretched && from != stretch->from;
	if (from >= stretch->to)
		return;
	thread->requested = stretch->to;
	track = perfetto_thread_track(p, thread, from);
	perfetto_add_text_argument(p, "client", p->texts.v[stretch->client].bytes);
	perfetto_add_flow(p, FLOW_THREADS(stretch->number));
	for (uint32_t i = 0; i < stretch->n_asked; i++)
		perfetto_add_flow(p, FLOW_ASKED(p->asked.v[stretch->asked + i]));
	perfetto_add_event(p, track, from, TYPE_BEGIN, "request", "request");
	perfetto_add_event(p, track, stretch->to, TYPE_END, NULL, NULL);
}

/* The n that began first. */
static void write_stretches(struct perfetto *p, size_t n)
{
	const size_t all = p->stretches.n, before = p->asked.n;
	const uint64_t last = n ? p->stretches.v[n - 1].from : 0;

	if (n)
		qsort(p->stretches.v, n, sizeof(*p->stretches.v), by_thread);
	for (size_t i = 0; i < n; i++)
		add_stretch(p, &p->stretches.v[i]);
	p->stretched = last > p->stretched ? last : p->stretched;
	/* what others have asked goes behind, and then to the front */
	for (size_t i = n; i < all; i++) {
		struct perfetto_stretch *stretch = &p->stretches.v[i];
		const uint32_t asked = stretch->asked;

		stretch->asked = p->asked.n - before;
		for (uint32_t k = 0; k < stretch->n_asked; k++) {
			const uint64_t number = p->asked.v[asked + k];

			*vec_push(&p->asked) = number;
		}
		p->stretches.v[i - n] = *stretch;
	}
	p->stretches.n = all - n;
	if (p->asked.n)
		memmove(p->asked.v, p->asked.v + before, (p->asked.n - before) * sizeof(*p->asked.v));
	p->asked.n -= before;
}

static void sort_stretches(struct perfetto *p)
{
	if (p->stretches.n)
		qsort(p->stretches.v, p->stretches.n, sizeof(*p->stretches.v), by_begin);
}

static void keep_stretch(struct perfetto *p, const struct recording_event *event, const struct slice *slice)
{
	const struct recording_field *field = recording_field(event, KNOWN_F_ARGS);
	const char *client = text_of(p, event, KNOWN_F_CLIENT);
	size_t n = 0;
	const uint64_t *asked = field ? recording_words(event, field, &n) : NULL;

	if (event->task <= 0 || slice->to <= slice->from)
		return;
	if (p->stretches.n == MOST_STRETCHES) {
		sort_stretches(p);
		write_stretches(p, MOST_STRETCHES / 2);
	}
	perfetto_find_thread(p, event->task, slice->from);
	*vec_push(&p->stretches) = (struct perfetto_stretch){
		.from = slice->from,
		.to = slice->to,
		.number = slice->number,
		.tid = event->task,
		/* with its end */
		.client = set_add(&p->texts, client, strlen(client) + 1),
		.asked = p->asked.n,
		.n_asked = n < RECORD_REQUEST_ASKED ? n : RECORD_REQUEST_ASKED,
	};
	for (size_t i = 0; i < p->stretches.v[p->stretches.n - 1].n_asked; i++)
		*vec_push(&p->asked) = asked[i];
}

void perfetto_requests_event(struct perfetto *p, const struct recording_event *event)
{
	const struct slice slice = read_slice(event);

	if (slice.part == RECORD_REQUEST_WHOLE || slice.part == RECORD_REQUEST_BEHIND)
		add_whole(p, event, &slice);
	else if (slice.part == RECORD_REQUEST_STEP)
		add_step(p, event, &slice);
	else if (slice.part == RECORD_REQUEST_THREAD)
		keep_stretch(p, event, &slice);
}

void perfetto_requests_end(struct perfetto *p)
{
	uint64_t time = p->stretched, track;

	sort_stretches(p);
	write_stretches(p, p->stretches.n);
	if (!p->cut)
		return;
	track = perfetto_named_track(p, perfetto_track_id(TRACKS_LOSSES, 0), 0, "lost events");
	perfetto_add_argument(p, "cut", ARGUMENT_UNSIGNED, p->cut);
	perfetto_add_event(p, track, time, TYPE_INSTANT, "loss", "requests in threads that were over too late");
}
