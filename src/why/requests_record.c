// SPDX-License-Identifier: BSD-2-Clause
/*
 * --requests with --perfetto: each request that is over, its steps, and what threads did for it, as records of the
 * recording (why_record.c). Names of objects are known at the end: until then, a text is a number.
 */
#include "base/clock.h"
#include "base/report.h"
#include "bpf/record.h"
#include "bpf/ring.h"
#include "record/writer.h"
#include "requests_sums.h"

/*
 * So many connections have tracks of their own. Those that come later share lanes: of a client, without its port, at a
 * server. Of requests that find no lane there is nothing, and more different steps have no names.
 */
#define OWN_TRACKS  4096
#define MOST_LANES  61440
#define MOST_STATES 65536
/* Texts of objects begin with 0; these are of other sets. */
#define TEXT_STATES  0x40000000U
#define TEXT_CLIENTS 0x80000000U

/* What a thread does for a request without a pause in which it does something else. */
struct stretch {
	uint64_t from, to; /* to 0: there is none */
	uint32_t tid;
};

static uint32_t client_text(uint32_t number)
{
	return number == REQUESTS_NONE ? REQUESTS_NONE : TEXT_CLIENTS | number;
}

/* Where a step finds no room, it has the name of all that differ from it only in who did it, and for what. */
static uint32_t state_text(struct why *why, const struct requests_state *state)
{
	struct set *states = &why->recording.states;
	struct requests_state any = *state;
	uint32_t number;

	any.ended = 0;
	any.object = objects_key_of(why, any.object);
	number = set_add_most(states, &any, sizeof(any), MOST_STATES);
	if (number == SET_NONE) {
		why->recording.unnamed++;
		any.tid = 0;
		any.object = any.server = REQUESTS_NONE;
		number = set_add(states, &any, sizeof(any));
	}
	return TEXT_STATES | number;
}

static void put(struct why *why, const struct record_request *record, size_t asked)
{
	record_temporary_add(&why->recording.file, RECORD_REQUEST, record,
			     (RECORD_REQUEST_SHORT + asked) * sizeof(uint64_t));
}

/* n: so many steps are one, whose function is that of the longest. */
static void put_step(struct why *why, struct record_request record, const struct requests_step *step, size_t n)
{
	const struct requests_step *longest = step;

	for (size_t i = 1; i < n; i++)
		if (requests_ran_stack(why, &step[i].state) && (step[i].to - step[i].from > longest->to - longest->from ||
								!requests_ran_stack(why, &longest->state)))
			longest = &step[i];
	record.part = RECORD_REQUEST_STEP;
	record.begin = step->from;
	record.lasted = step[n - 1].to - step->from;
	record.pid = step->state.tid;
	record.text = state_text(why, &longest->state);
	put(why, &record, 0);
}

/* asked: a bit for each of done->asked that has a thread already. */
static void put_stretch(struct why *why, struct record_request record, const struct requests_done *done,
			struct stretch *stretch, uint32_t *asked)
{
	size_t n = 0;

	if (stretch->from >= stretch->to)
		return;
	record.part = RECORD_REQUEST_THREAD;
	record.begin = stretch->from;
	record.lasted = stretch->to - stretch->from;
	record.pid = stretch->tid;
	for (size_t i = 0; i < done->n_asked; i++) {
		if (*asked >> i & 1 || done->asked[i].arrived < stretch->from || done->asked[i].arrived >= stretch->to)
			continue;
		*asked |= 1U << i;
		record.asked[n++] = done->asked[i].number;
	}
	put(why, &record, n);
	stretch->to = 0;
}

/* From the first read on: before, nobody did anything for it. */
static void put_stretches(struct why *why, const struct record_request *record, const struct requests_done *done)
{
	struct stretch stretch = {};
	uint32_t asked = 0;

	for (size_t i = 0; i < done->n_steps; i++) {
		const struct requests_step *step = &done->steps[i];
		const bool own = step->state.where == REQUESTS_OWN && step->to > done->read_at;
		const bool direct = step->state.via == REQUESTS_DIRECT;

		if (!own || (direct && step->state.tid != stretch.tid))
			put_stretch(why, *record, done, &stretch, &asked);
		if (own && direct && !stretch.to)
			stretch = (struct stretch){ step->from > done->read_at ? step->from : done->read_at, 0,
						    step->state.tid };
		/* it waits for what another thread is in */
		if (own && (direct || stretch.to))
			stretch.to = step->to;
	}
	put_stretch(why, *record, done, &stretch, &asked);
}

/* The first lane on which nothing lasts. SET_NONE: there are too many. client: without its port. */
static uint32_t find_lane(struct why *why, const struct requests_done *done, uint32_t client)
{
	struct why_recording *recording = &why->recording;
	uint32_t key[] = { client, done->at, 0 }, number;

	for (;; key[2]++) {
		number = set_add_most(&recording->lanes, key, sizeof(key), MOST_LANES);
		if (number == SET_NONE)
			return SET_NONE;
		if (number == recording->lanes_ended.n)
			vec_push(&recording->lanes_ended);
		if (recording->lanes_ended.v[number] <= done->arrived)
			break;
	}
	recording->lanes_ended.v[number] = done->ended;
	return number;
}

/* Fills in the number and the name of its track. False: there is none. */
static bool find_track(struct why *why, const struct requests_done *done, struct record_request *record)
{
	const uint64_t connection[] = { done->sock, done->birth };
	uint32_t client = done->from;

	record->connection = set_add_most(&why->recording.connections, connection, sizeof(connection), OWN_TRACKS);
	record->text = record->client;
	if (record->connection != SET_NONE)
		return true;
	if (client != REQUESTS_NONE)
		client = why_requests_bare(why, *(const struct why_client *)why->requests.clients.v[client].bytes);
	record->connection = find_lane(why, done, client);
	record->text = client_text(client);
	if (record->connection == SET_NONE)
		return false;
	record->connection += OWN_TRACKS;
	return true;
}

void why_record_request(struct why *why, const struct requests_done *done)
{
	struct record_request record = {
		.time = clock_monotonic_ns(),
		.begin = done->arrived,
		.lasted = done->ended - done->arrived,
		.number = done->number,
		.pid = done->tid,
		.part = done->inner ? RECORD_REQUEST_BEHIND : RECORD_REQUEST_WHOLE,
		.client = client_text(done->from),
		.server = client_text(done->at),
	};

	if (!why->recording.file.writer)
		return;
	if (!find_track(why, done, &record)) {
		why->recording.left_out++;
		return;
	}
	put(why, &record, 0);
	for (size_t i = 0, n; i < done->n_steps; i += n) {
		n = requests_run(&done->steps[i], done->n_steps - i, WHY_RUNNING);
		put_step(why, record, &done->steps[i], n);
	}
	put_stretches(why, &record, done);
}

/* They come later than the events of processors, so they are in a ring of their own. */
void why_record_requests(struct why *why)
{
	why_record_run(why, 0, RING_LANES, 0);
}

void why_record_texts(struct why *why)
{
	struct writer *writer = why->recording.file.writer;
	struct str text __str = {};

	for (uint32_t i = 0; i < why->recording.states.n; i++) {
		struct requests_step step = { .to = 1 };
		const char *in;

		str_reset(&text);
		memcpy(&step.state, why->recording.states.v[i].bytes, sizeof(step.state));
		requests_page_add_step(why, &text, &step.state);
		in = requests_ran_of_steps(why, &step, 1);
		if (in)
			str_addf(&text, " in %s", in);
		writer_text(writer, LAYOUT_SPACE_STRINGS, TEXT_STATES | i, str_or_empty(text.data));
	}
	for (uint32_t i = 0; i < why->requests.clients.n; i++) {
		str_reset(&text);
		requests_page_add_name(why, &text, i);
		writer_text(writer, LAYOUT_SPACE_STRINGS, TEXT_CLIENTS | i, str_or_empty(text.data));
	}
}

void why_record_requests_losses(const struct why *why)
{
	const struct why_recording *recording = &why->recording;

	if (recording->left_out)
		report_note("%llu request%s missing from %s: more than %u at a time",
			    (unsigned long long)recording->left_out, str_plural(recording->left_out),
			    why->settings->perfetto, MOST_LANES);
	if (recording->unnamed)
		report_note("%llu step%s in %s without names: more are different than can be kept",
			    (unsigned long long)recording->unnamed, str_plural(recording->unnamed),
			    why->settings->perfetto);
}
