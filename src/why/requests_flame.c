// SPDX-License-Identifier: BSD-2-Clause
/*
 * --requests with files of stacks: the time of all requests, by where the server listens, what they were in, thread,
 * and stack, with the cause as the innermost frame. All times add up to those of the requests. A thread that runs has
 * the stacks of its samples.
 */
#include "engine/stacks.h"
#include "output/files.h"
#include "requests_sums.h"
#include "waits.h"

/* More are not kept apart. */
#define MOST_DRAWN 262144
/* In place of enum requests_where: something was lost while it lasted. */
#define NOT_SPLIT UINT8_MAX

/* What is drawn as one. It has no padding. */
struct drawn {
	uint64_t stack;
	uint32_t at;
	struct requests_state state;
};
_Static_assert(sizeof(struct drawn) == 32, "its bytes are a key");

/* --- while requests come --- */

static void add(struct why *why, const struct drawn *drawn, uint64_t ns)
{
	struct why_requests *requests = &why->requests;
	struct drawn key = *drawn;
	uint32_t number;

	number = set_add_most(&requests->drawn, &key, sizeof(key), MOST_DRAWN);
	if (number == SET_NONE) {
		requests->undrawn++;
		key.stack = 0;
		key.state.tid = 0;
		number = set_add(&requests->drawn, &key, sizeof(key));
	}
	if (number == requests->drawn_ns.n)
		vec_push(&requests->drawn_ns);
	requests->drawn_ns.v[number] += ns;
}

void why_flame_request(struct why *why, const struct requests_done *done)
{
	struct drawn drawn = { .at = done->at, .state = { .object = REQUESTS_NONE } };

	if (!why->stacks_source.keyed || done->inner || done->short_one)
		return;
	for (size_t i = 0; i < done->n_steps; i++) {
		const struct requests_step *step = &done->steps[i];

		drawn.state = step->state;
		/* in place of the object, the stack says what it is */
		drawn.state.object = REQUESTS_NONE;
		drawn.state.ended = 0;
		drawn.stack = step->state.where == REQUESTS_UNKNOWN ? 0 : step->stack;
		add(why, &drawn, step->to - step->from);
	}
	drawn.state.where = NOT_SPLIT;
	if (!done->n_steps)
		add(why, &drawn, done->ended - done->arrived);
}

/* --- at the end --- */

struct drawing {
	struct why *why;
	char names[WHY_CLASSES][32];
	struct frame causes[WHY_CLASSES];
	struct tree marks; /* frames that are no code */
	/* of one stack, the innermost first: those that are no kernel's */
	const struct frame *frames[STACK_DEPTH + 5];
	size_t n;
};

static const struct frame *mark_of(struct drawing *d, const char *text)
{
	return tree_named(&d->marks, FRAME_MARK, text, strlen(text));
}

/* Towards the root: the thread, and what the request is in, if that is not its own thread's time. */
static void add_outer(struct drawing *d, const struct requests_state *state)
{
	const bool behind = state->where == REQUESTS_BEHIND;
	const uint8_t where = behind ? state->inner : state->where;
	struct str text __str = {};

	if (where == REQUESTS_OWN || where == REQUESTS_QUEUE) {
		requests_page_add_thread(d->why, &text, state->tid);
		d->frames[d->n++] = mark_of(d, text.len ? text.data : "?");
	}
	if (state->via != REQUESTS_DIRECT && state->where != NOT_SPLIT) {
		str_reset(&text);
		str_addf(&text, "waits for another thread: %s", why_sums_cause(state->via));
		d->frames[d->n++] = mark_of(d, text.data);
	}
	if (where == REQUESTS_QUEUE)
		d->frames[d->n++] = mark_of(d, "queue: behind requests");
	if (!behind)
		return;
	str_reset(&text);
	str_add(&text, "waits for ");
	requests_page_add_name(d->why, &text, state->server);
	d->frames[d->n++] = mark_of(d, text.data);
}

/* What is no class of waits has the color of one, so that a picture does not take it for running. */
static const struct frame *odd_cause(struct drawing *d, const char *text, uint32_t class)
{
	const struct frame frame = { .name = text, .kind = FRAME_MARK, .color = &waits_of(class)->color };

	return tree_frame(&d->marks, &frame);
}

/* The innermost frame. */
static const struct frame *cause_of(struct drawing *d, const struct requests_state *state)
{
	switch (state->where == REQUESTS_BEHIND ? state->inner : state->where) {
	case REQUESTS_ACCEPT:
		return odd_cause(d, "[not accepted]", WHY_BEFORE);
	case REQUESTS_UNKNOWN:
		return odd_cause(d, "[not known for what]", WHY_UNKNOWN);
	case REQUESTS_BEHIND:
		return odd_cause(d, "[not measured]", WHY_NETWORK);
	case REQUESTS_WAY:
		return odd_cause(d, "[on the way]", WHY_NETWORK);
	case NOT_SPLIT:
		return odd_cause(d, "[not split]", WHY_UNKNOWN);
	default:
		return &d->causes[state->class];
	}
}

static void draw(struct drawing *d, const struct drawn *drawn, uint64_t ns)
{
	const struct requests_state *state = &drawn->state;
	const struct frame *kernel[STACK_DEPTH + 1] = { cause_of(d, state) };
	struct stacks_named named = {};
	struct str root __str = {};
	struct why_row row = { .count = 1, .ns = ns };

	requests_page_add_name(d->why, &root, drawn->at);
	d->n = 0;
	if (drawn->stack)
		named = stacks_named(d->why->stacks, drawn->stack);
	for (size_t i = 0; i < named.user.n; i++)
		d->frames[d->n++] = named.user.frames[i];
	add_outer(d, state);
	for (size_t i = 0; i < named.kernel.n; i++)
		kernel[i + 1] = named.kernel.frames[i];
	row.comm = root.len ? root.data : "?";
	row.user = (struct frame_stack){ d->frames, d->n };
	row.kernel = (struct frame_stack){ kernel, named.kernel.n + 1 };
	files_row(stacks_files(d->why->stacks), &why_schema, &row, NULL);
}

void why_flame_draw_requests(struct why *why)
{
	struct drawing d = { .why = why };
	struct drawn drawn;

	why_flame_causes(d.causes, d.names);
	for (size_t i = 0; i < why->requests.drawn.n; i++) {
		memcpy(&drawn, why->requests.drawn.v[i].bytes, sizeof(drawn));
		draw(&d, &drawn, why->requests.drawn_ns.v[i]);
	}
	/* while the frames live */
	stacks_write_files(why->stacks);
	tree_release(&d.marks);
}
