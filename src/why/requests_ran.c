// SPDX-License-Identifier: BSD-2-Clause
/*
 * In which function threads ran while requests waited for them: by samples. Knows stacks, not requests.
 */
#include "engine/stacks.h"
#include "requests_sums.h"

uint64_t requests_ran_stack(const struct why *why, const struct requests_state *state)
{
	const struct why_key *key;

	if (state->class != WHY_RUNNING || state->object >= why->path.keys.n)
		return 0;
	key = (const void *)why->path.keys.v[state->object].bytes;
	return key->call == OBJECTS_RAN ? key->a : 0;
}

void requests_ran_add(struct requests_ran *ran, uint64_t stack, double ns, const double *shares)
{
	uint32_t number;

	if (!stack)
		return;
	number = set_add(&ran->stacks, &stack, sizeof(stack));
	if (number == ran->cells.n)
		vec_push(&ran->cells);
	for (size_t c = 0; c < REQUESTS_COLUMNS; c++)
		ran->cells.v[number].ns[c] += ns * shares[c];
}

void requests_ran_release(struct requests_ran *ran)
{
	set_release(&ran->stacks);
	free(ran->cells.v);
}

/* --- functions --- */

struct function {
	const struct frame *frame; /* where it was for longest */
	double most;		   /* there */
	double weight, votes;
	struct requests_cell all;
	size_t seen; /* the last stack that it was found in, from 1 on */
};

struct functions {
	struct why *why;
	struct set names;
	vec(struct function) found;
	enum requests_column of;
	double weight;
};

static void release(struct functions *functions)
{
	set_release(&functions->names);
	free(functions->found.v);
}

/* The end of an interpreted function's name is its line, which differs within the function. */
static size_t length_of(const struct frame *frame)
{
	const char *colon = frame->kind == FRAME_INTERPRETED ? strrchr(frame->name, ':') : NULL;

	return colon ? (size_t)(colon - frame->name) : strlen(frame->name);
}

static struct function *function_of(struct functions *functions, const struct frame *frame)
{
	struct str key __str = {};
	uint32_t number;

	str_addf(&key, "%c%s", 'a' + frame->kind, frame->file ? frame->file : "");
	str_addn(&key, "", 1);
	str_addn(&key, frame->name, length_of(frame));
	number = set_add(&functions->names, key.data, key.len);
	return number < functions->found.n ? &functions->found.v[number] : vec_push(&functions->found);
}

/* Each function of a stack has all of its time, once. */
static void add_stack(struct functions *functions, const struct frame_stack *user, const struct requests_cell *cell, size_t stack)
{
	const double weight = cell->ns[functions->of];

	functions->weight += weight;
	for (size_t i = 0; i < user->n; i++) {
		struct function *function = function_of(functions, user->frames[i]);

		if (function->seen == stack)
			continue;
		if (function->frame != user->frames[i] && (!function->frame || weight > function->most)) {
			function->frame = user->frames[i];
			function->most = weight;
		}
		function->seen = stack;
		function->weight += weight;
		for (size_t c = 0; c < REQUESTS_COLUMNS; c++)
			function->all.ns[c] += cell->ns[c];
	}
}

/*
 * The innermost function of the stack that has half of all time: of an interpreted language, if there is one. What such
 * a function calls may have other names each time.
 */
static struct function *find_inner(struct functions *functions, const struct frame_stack *user)
{
	struct function *native = NULL;

	for (size_t i = 0; i < user->n; i++) {
		const struct frame *frame = user->frames[i];
		struct function *function = function_of(functions, frame);

		if (function->weight < functions->weight / 2 || frame->kind == FRAME_MARK || !*frame->name)
			continue;
		if (frame->kind == FRAME_INTERPRETED)
			return function;
		if (!native && !objects_is_wrapper(frame))
			native = function;
	}
	return native;
}

struct requests_function requests_ran_in(struct why *why, const struct requests_ran *ran, enum requests_column of)
{
	__cleanup(release) struct functions functions = { .why = why, .of = of };
	const struct function *first = NULL;
	struct stacks_named named;
	uint64_t stack;

	for (size_t i = 0; i < ran->cells.n; i++) {
		memcpy(&stack, ran->stacks.v[i].bytes, sizeof(stack));
		if (stacks_find(why->stacks, stack, &named) && named.user.n)
			add_stack(&functions, &named.user, &ran->cells.v[i], i + 1);
	}
	for (size_t i = 0; i < ran->cells.n && functions.weight > 0; i++) {
		struct function *inner = NULL;

		memcpy(&stack, ran->stacks.v[i].bytes, sizeof(stack));
		if (stacks_find(why->stacks, stack, &named))
			inner = find_inner(&functions, &named.user);
		if (inner)
			inner->votes += ran->cells.v[i].ns[of];
	}
	vec_each(it, &functions.found)
		if (it->votes > (first ? first->votes : 0))
			first = it;
	return first ? (struct requests_function){ first->frame->name, first->all } : (struct requests_function){};
}

const char *requests_ran_of_steps(struct why *why, const struct requests_step *steps, size_t n)
{
	static const double once[REQUESTS_COLUMNS] = { [REQUESTS_MEAN] = 1 };
	__cleanup(requests_ran_release) struct requests_ran ran = {};

	for (size_t i = 0; i < n; i++)
		requests_ran_add(&ran, requests_ran_stack(why, &steps[i].state), steps[i].to - steps[i].from, once);
	return requests_ran_in(why, &ran, REQUESTS_MEAN).name;
}
