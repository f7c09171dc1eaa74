// SPDX-License-Identifier: BSD-2-Clause
/* Values of a call for its condition. What a function does not have is not known, and so never matches by itself. */
#include "graph_if.h"
#include "probe/target.h"

static bool is_result(const char *name)
{
	return !strcmp(name, "ret") || !strcmp(name, "retval");
}

/* The number of the argument with this name; -1: the function has none. is_text: one that is read as a text. */
static int find(struct prototypes *prototypes, const struct target *function, const char *name, bool is_text)
{
	int number = function ? prototypes_argument(prototypes, function, name) : -1;
	uint8_t about = number >= 0 ? prototypes_text(prototypes, function) : 0;

	if (is_text && (!GRAPH_TEXT_KIND(about) || GRAPH_TEXT_ARGUMENT(about) != number))
		return -1;
	return number;
}

static int bind_name(struct graph_if *on, size_t number, const struct target *const *functions, size_t n_slots,
		     struct err *err)
{
	const char *name = condition_name(on->condition, number);
	bool is_text = condition_wants_text(on->condition, number), is_known = is_result(name) && !is_text;

	for (size_t i = 0; i < n_slots; i++) {
		int8_t *to = &on->numbers[i * CONDITION_NAMES + number];

		*to = find(on->prototypes, functions[i], name, is_text);
		is_known |= *to >= 0;
	}
	if (is_known)
		return 0;
	return err_set(err, -EINVAL, "--if: none of these functions has an argument '%s'%s (-a shows them)", name,
		       is_text ? " that is read as a text" : "");
}

int graph_if_bind(struct graph_if *on, const struct condition *condition, struct prototypes *prototypes,
		  const struct target *const *functions, size_t n_slots, struct err *err)
{
	int ret = 0;

	if (!condition)
		return 0;
	*on = (struct graph_if){ condition, prototypes, base_alloc(n_slots * CONDITION_NAMES + 1) };
	for (size_t i = 0; !ret && condition_name(condition, i); i++)
		ret = bind_name(on, i, functions, n_slots, err);
	return ret;
}

struct values {
	const struct graph_if *on;
	const struct graph_if_call *call;
};

/* An argument of the name "ret" comes before the result. */
static struct condition_value value_of(void *ctx, size_t number)
{
	const struct values *values = ctx;
	const struct graph_if_call *call = values->call;
	const struct graph_if *on = values->on;
	int argument = on->numbers[call->function->slot * CONDITION_NAMES + number];
	struct condition_value value = {};

	if (argument >= 0) {
		value.known = true;
		value.number = prototypes_value(on->prototypes, call->function, argument, call->args[argument],
						&value.is_unsigned);
		if (condition_wants_text(on->condition, number)) {
			value.text = call->text;
			value.known = !GRAPH_TEXT_UNREAD(call->text);
		}
	} else if (is_result(condition_name(on->condition, number)) && call->returned) {
		value.known = prototypes_result(on->prototypes, call->function, call->ret, &value.number,
						&value.is_unsigned);
	}
	return value;
}

bool graph_if_matches(const struct graph_if *on, const struct graph_if_call *call)
{
	struct values values = { on, call };

	return condition_holds(on->condition, value_of, &values);
}

void graph_if_release(struct graph_if *on)
{
	free(on->numbers);
}
