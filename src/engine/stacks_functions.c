// SPDX-License-Identifier: BSD-2-Clause
/*
 * --top: a table of functions in place of stacks. Self is what was counted with the function innermost, total with it
 * anywhere in the stack: once for each stack, however often the function has called itself.
 */
#include "base/report.h"
#include "stacks_part.h"

#define TOP 30

struct function {
	const char *name, *module;
	uint64_t self, total;
	double self_share, total_share; /* per cent of all */
	size_t seen;			/* the last stack that it was found in, from 1 on */
};

#define SHARE(MEMBER, KEY, TITLE, WIDTH) \
	FIELD(FIELD_REAL, struct function, MEMBER, KEY, TITLE, WIDTH, .decimals = 1, .data_decimals = 3)
#define NAMES \
	FIELD(FIELD_STR, struct function, module, "module", "MODULE", -20), \
		FIELD(FIELD_STR, struct function, name, "function", "FUNCTION", -1, .role = ROLE_LABEL, .may_cut = true)

static const struct field count_fields[] = {
	FIELD(FIELD_U64, struct function, self, "self", "SELF", 9, .role = ROLE_COUNTER),
	SHARE(self_share, "self_percent", "%", 5),
	FIELD(FIELD_U64, struct function, total, "total", "TOTAL", 9, .role = ROLE_COUNTER),
	SHARE(total_share, "total_percent", "%", 5),
	NAMES,
};
static const struct field time_fields[] = {
	FIELD(FIELD_DURATION, struct function, self, "self_ns", "SELF(ms)", 10, .unit = UNIT_MS, .decimals = 1),
	SHARE(self_share, "self_percent", "%", 5),
	FIELD(FIELD_DURATION, struct function, total, "total_ns", "TOTAL(ms)", 10, .unit = UNIT_MS, .decimals = 1),
	SHARE(total_share, "total_percent", "%", 5),
	NAMES,
};
static const struct schema count_schema = { count_fields, ARRAY_SIZE(count_fields) };
static const struct schema time_schema = { time_fields, ARRAY_SIZE(time_fields) };

int stacks_set_top(void *dest, const char *arg, struct err *err)
{
	uint32_t *top = dest;
	uint64_t n = TOP;

	if (arg && (opt_u64(arg, &n) || !n || n > UINT32_MAX))
		return err_set(err, -EINVAL, "--top=N takes a number of functions, not '%s'", arg);
	*top = n;
	return 0;
}

const struct schema *stacks_functions_schema(const struct stacks *stacks)
{
	return stacks->source->by_time ? &time_schema : &count_schema;
}

/* --- adding up --- */

struct functions {
	struct set names;
	struct str key, text;
	struct pool strings;
	vec(struct function);
};

/* The end of an interpreted function's name is " (FILE:LINE)": without the line, it is one function. */
static void add_name(struct str *to, const struct frame *frame)
{
	const char *name = frame_name(frame), *colon = strrchr(name, ':');
	size_t digits = colon && frame->kind == FRAME_INTERPRETED ? strspn(colon + 1, "0123456789+") : 0;

	if (digits && !strcmp(colon + 1 + digits, ")"))
		str_addf(to, "%.*s)", (int)(colon - name), name);
	else
		str_add(to, name);
}

static const char *module_of(const struct frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;

	if (frame->file)
		return slash ? slash + 1 : frame->file;
	return frame->kind == FRAME_KERNEL ? "[kernel]" : frame->kind == FRAME_JIT ? "[jit]"
										   : NULL;
}

static struct function *function_of(struct functions *functions, const struct frame *frame)
{
	const char *module = module_of(frame);
	struct function *function;
	uint32_t number;

	str_reset(&functions->text);
	add_name(&functions->text, frame);
	str_reset(&functions->key);
	str_addf(&functions->key, "%c%s", 'a' + frame->kind, str_or_empty(module));
	str_addn(&functions->key, "", 1);
	str_add(&functions->key, functions->text.data);
	number = set_add(&functions->names, functions->key.data, functions->key.len);
	if (number < functions->n)
		return &functions->v[number];
	function = vec_push(functions);
	function->name = pool_add(&functions->strings, functions->text.data);
	function->module = module;
	return function;
}

static void add_part(struct functions *functions, const struct frame_stack *part, uint64_t value, size_t stack)
{
	for (size_t i = 0; i < part->n; i++) {
		struct function *function = function_of(functions, part->frames[i]);

		if (function->seen == stack)
			continue;
		function->seen = stack;
		function->total += value;
	}
}

/* The kernel's part is the inner one. */
static void add_stack(struct functions *functions, const struct stacks_row *row, uint64_t value, size_t stack)
{
	const struct frame_stack *inner = row->kernel.n ? &row->kernel : &row->user;

	if (inner->n)
		function_of(functions, inner->frames[0])->self += value;
	add_part(functions, &row->kernel, value, stack);
	add_part(functions, &row->user, value, stack);
}

static int by_self(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void release(struct functions *functions)
{
	set_release(&functions->names);
	str_release(&functions->key);
	str_release(&functions->text);
	pool_release(&functions->strings);
	free(functions->v);
}

/* The number of functions, sorted; their shares are of `all`. */
static size_t finish(struct functions *functions, uint64_t all)
{
	if (functions->n)
		qsort(functions->v, functions->n, sizeof(*functions->v), by_self);
	for (size_t i = 0; i < functions->n; i++) {
		functions->v[i].self_share = all ? 100.0 * functions->v[i].self / all : 0;
		functions->v[i].total_share = all ? 100.0 * functions->v[i].total / all : 0;
	}
	return functions->n;
}

void stacks_hottest(struct stacks *stacks, uint32_t slot, size_t n, stacks_hot_fn fn, void *ctx)
{
	__cleanup(release) struct functions functions = {};
	uint64_t all = 0;

	stacks_name_all(stacks);
	for (size_t i = 0; i < stacks->entries.n; i++) {
		const struct stack_key *key = stacks->keys.v[i].bytes;
		struct stacks_named named = {};
		struct stacks_row row;

		if (key->slot != slot || !key->stack)
			continue;
		named = stacks_named(stacks, key->stack);
		if (named.kernel.n || !named.user.n)
			continue;
		row = (struct stacks_row){ .user = named.user };
		all += stacks->entries.v[i].count;
		add_stack(&functions, &row, stacks->entries.v[i].count, i + 1);
	}
	n = finish(&functions, all) < n ? functions.n : n;
	for (size_t i = 0; i < n && functions.v[i].self; i++)
		fn(functions.v[i].name, functions.v[i].module, functions.v[i].self_share, functions.v[i].total_share, ctx);
}

void stacks_functions_print(struct stacks *stacks, const struct stacks_row *rows, size_t n)
{
	__cleanup(release) struct functions functions = {};
	bool by_time = stacks->source->by_time;
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = by_time ? rows[i].ns : rows[i].count;

		all += value;
		add_stack(&functions, &rows[i], value, i + 1);
	}
	n = finish(&functions, all);
	for (size_t i = 0; i < n && i < stacks->settings->top; i++)
		output_row(stacks->instance->ctx->out, &functions.v[i]);
}
