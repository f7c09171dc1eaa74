// SPDX-License-Identifier: BSD-2-Clause
/* From a note and the address of code to functions with their lines. */
#include "v8_part.h"

#define CODE_FRAMES (V8_FRAMES / 2) /* the most of one piece of code */

struct v8 *v8_new(void)
{
	return base_alloc(sizeof(struct v8));
}

void v8_free(struct v8 *v8)
{
	if (!v8)
		return;
	vec_each(script, &v8->scripts)
		v8_script_release(script);
	vec_each(function, &v8->functions)
		v8_function_release(v8, function);
	vec_each(code, &v8->codes)
		v8_code_release(code);
	free(v8->scripts.v);
	free(v8->functions.v);
	free(v8->codes.v);
	free(v8->codes.places.v);
	set_release(&v8->scripts.keys);
	set_release(&v8->functions.keys);
	set_release(&v8->codes.keys);
	set_release(&v8->codes.pcs);
	set_release(&v8->strings);
	free(v8);
}

/* Adds one function at a position. */
static bool add(struct v8 *v8, const struct v8_process *process, uint64_t shared, int position, struct v8_frame *frame)
{
	const struct v8_function *function = v8_function_at(v8, process, shared);

	if (function)
		v8_function_line(v8, function, position, frame);
	return function;
}

/* The function that a literal of the code is. */
static uint64_t literal_of(const struct v8_code *code, int number, size_t n)
{
	if (number < 0 || (size_t)number >= n || V8_IS_NUMBER(code->literals[number]))
		return 0;
	return V8_OBJECT(code->literals[number]);
}

/* The functions at a call, as V8 itself knows them. 0: it is no call, or not known. */
static int add_call(struct v8 *v8, const struct v8_process *process, const struct v8_code *code, uint64_t offset,
		    struct v8_frame *frames)
{
	struct v8_translated functions[CODE_FRAMES - 1];
	const struct v8_function *function = v8_function_at(v8, process, code->shared);
	int index = v8_code_translation(code, offset + 1);
	size_t n;

	if (!function || index < 0)
		return 0;
	n = v8_tables_translation(code->translations, code->n_translations, function->layout->opcodes, index, functions,
				  ARRAY_SIZE(functions));
	for (size_t i = 0; i < n; i++) {
		/* the outermost is the last of a translation */
		function = v8_function_at(v8, process, literal_of(code, functions[n - 1 - i].literal, code->n_literals));
		if (!function)
			return 0;
		v8_function_place(v8, function, functions[n - 1 - i].offset, &frames[i]);
	}
	return (int)n;
}

/*
 * The functions that optimized code is at, the innermost first. 0: it is not known which.
 */
static int add_optimized(struct v8 *v8, const struct v8_process *process, const struct v8_code *code, uint64_t offset,
			 struct v8_frame *frames)
{
	struct v8_place place = { .position = -1, .inlined = -1 }, call;
	int n = add_call(v8, process, code, offset, frames), number;

	if (n)
		return n;
	/* without an entry the code is before its first instruction of the source */
	if (!v8_tables_place(code->table, code->n_table, (uint32_t)offset, &place))
		place = (struct v8_place){ .position = -1, .inlined = -1 };
	for (; place.inlined >= 0; place = call) {
		if (n == CODE_FRAMES - 1 ||
		    !v8_tables_inlined(code->calls, code->n_calls, place.inlined, &call, &number) ||
		    !add(v8, process, literal_of(code, number, code->n_inlined), place.position, &frames[n++]))
			return 0;
	}
	return add(v8, process, code->shared, place.position, &frames[n]) ? n + 1 : 0;
}

/*
 * The frames of compiled code. shared: of the function whose frame it has, 0: of none. 0: they are not known. *is_other: they
 * are of another function.
 */
static int add_compiled(struct v8 *v8, const struct v8_process *process, uint64_t shared, uint64_t pc,
			struct v8_frame *frames, bool *is_other)
{
	const struct v8_code *code = pc ? v8_code_at(v8, process, pc) : NULL;
	const struct v8_function *function;
	int place;

	*is_other = code && code->shared && code->shared != shared;
	if (!code)
		return 0;
	if (code->shared)
		return add_optimized(v8, process, code, pc - code->start, frames);
	function = v8_function_at(v8, process, shared);
	if (!function || function->code != code->object)
		return 0;
	place = v8_tables_bytecode(code->table, code->n_table, function->bytecode, function->n_bytecode,
				   function->layout->sizes, (uint32_t)(pc - code->start));
	v8_function_place(v8, function, place, &frames[0]);
	return 1;
}

/* The frames of code that has called what is innermost. 0: it has not. */
static int add_caller(struct v8 *v8, const struct v8_process *process, uint64_t shared, uint64_t pc,
		      struct v8_frame *frames)
{
	bool is_other;
	int n = add_compiled(v8, process, shared, pc, frames, &is_other);

	return is_other ? 0 : n;
}

static int add_by_code(struct v8 *v8, const struct v8_process *process, uint64_t note, const uint64_t before[2],
		       struct v8_frame *frames, int *n_before)
{
	const bool maybe = note && INTERP_PLACE(note) == INTERP_PLACE_MAYBE;
	const uint64_t shared = note ? INTERP_CODE(note) : 0, pc = maybe ? before[1] : before[0];
	bool is_other = true;
	int n = 0, n_caller;

	if (pc)
		n = add_compiled(v8, process, shared, pc, frames, &is_other);
	*n_before = maybe + (n > 0);
	if (!is_other || !note || (pc && !n))
		return n;
	/* it has no frame of its own: the note is that of its caller */
	n_caller = maybe ? add_caller(v8, process, shared, before[0], frames + n) : 0;
	if (!n_caller && n && add(v8, process, shared, -1, &frames[n]))
		n_caller = 1;
	return n + n_caller;
}

int v8_frames(struct v8 *v8, const struct v8_process *process, uint64_t note, const uint64_t before[2],
	      struct v8_frame frames[V8_FRAMES], int *n_before)
{
	const unsigned int place = INTERP_PLACE(note);
	const struct v8_function *function;
	int64_t offset = -1;
	int n = 0;

	*n_before = 0;
	if (note && !v8_function_at(v8, process, INTERP_CODE(note))) {
		*n_before = place == INTERP_PLACE_MAYBE;
		return -1;
	}
	if (!note || place == INTERP_PLACE_BY_CODE || place == INTERP_PLACE_MAYBE)
		n = add_by_code(v8, process, note, before, frames, n_before);
	if (n || !note)
		return n;
	function = v8_function_at(v8, process, INTERP_CODE(note));
	if (!function)
		return -1;
	if (function->is_builtin)
		return 0;
	/* the frame has it from the pointer to the bytecode on */
	if (place < INTERP_PLACE_UNKNOWN)
		offset = (int64_t)place + 1 - function->layout->bytecode_data;
	v8_function_place(v8, function, offset, &frames[0]);
	return 1;
}
