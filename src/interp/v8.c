// SPDX-License-Identifier: BSD-2-Clause
/* From a note and the address of code to functions with their lines. */
#include "v8_part.h"

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
		v8_function_release(function);
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
	pool_release(&v8->strings);
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
	struct v8_translated functions[V8_FRAMES - 1];
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
		if (n == V8_FRAMES - 2 ||
		    !v8_tables_inlined(code->calls, code->n_calls, place.inlined, &call, &number) ||
		    !add(v8, process, literal_of(code, number, code->n_inlined), place.position, &frames[n++]))
			return 0;
	}
	return add(v8, process, code->shared, place.position, &frames[n]) ? n + 1 : 0;
}

/* The frames of compiled code. 0: it is not of this function, or not known. */
static int add_compiled(struct v8 *v8, const struct v8_process *process, uint64_t shared, uint64_t pc,
			struct v8_frame *frames, bool maybe)
{
	const struct v8_code *code = v8_code_at(v8, process, pc);
	const struct v8_function *function;
	uint64_t offset;
	int n;

	if (!code)
		return 0;
	offset = pc - code->start;
	if (code->shared) {
		if (maybe && code->shared != shared)
			return 0;
		n = add_optimized(v8, process, code, offset, frames);
		/* code that has no frame yet has that of its caller */
		if (n && code->shared != shared && add(v8, process, shared, -1, &frames[n]))
			n++;
		return n;
	}
	function = v8_function_at(v8, process, shared);
	if (!function || function->code != code->object)
		return 0;
	v8_function_place(v8, function,
			  v8_tables_bytecode(code->table, code->n_table, function->bytecode, function->n_bytecode,
					     function->layout->sizes, (uint32_t)offset),
			  &frames[0]);
	return 1;
}

int v8_frames(struct v8 *v8, const struct v8_process *process, uint64_t note, uint64_t pc,
	      struct v8_frame frames[V8_FRAMES], bool *with_pc)
{
	const uint64_t shared = INTERP_CODE(note);
	const unsigned int place = INTERP_PLACE(note);
	const struct v8_function *function = v8_function_at(v8, process, shared);
	int64_t offset = -1;
	int n = 0;

	*with_pc = place == INTERP_PLACE_MAYBE;
	if (!function)
		return -1;
	if (pc && (place == INTERP_PLACE_BY_CODE || place == INTERP_PLACE_MAYBE))
		n = add_compiled(v8, process, shared, pc, frames, place == INTERP_PLACE_MAYBE);
	if (n) {
		*with_pc = true;
		return n;
	}
	function = v8_function_at(v8, process, shared);
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
