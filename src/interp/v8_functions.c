// SPDX-License-Identifier: BSD-2-Clause
/* Reads functions of V8: names, bytecode and where it comes from in the source. */
#include "v8_part.h"

#define FUNCTIONS_MAX (256 * 1024)
#define BYTES_MAX     (64 * 1024 * 1024) /* of bytecode and positions; the last function may exceed it */
#define SHARED_SIZE   64		 /* at most, as far as it is read: in V8 10 and 11 nothing of it is behind the flags */
/*
 * Words of a ScopeInfo: the head, flags, parameters, locals, in V8 13 the positions; then two for each local, if there are
 * not too many.
 */
#define SCOPE_HEAD   6
#define SCOPE_LOCALS 75
#define SCOPE_WORDS  10 /* behind these: names and positions */

/* Reads a name. False: it is there, and could not be read. What is no text is no name. */
static bool read_text(const struct v8_process *process, uint64_t pointer, char *name, size_t max)
{
	const int type = V8_IS_POINTER(pointer) ? v8_type(process, pointer) : V8_STRING_TYPES;

	*name = '\0';
	if (type >= V8_STRING_TYPES)
		return true;
	return type >= 0 && v8_read_string(process, pointer, name, max);
}

/*
 * The function's name is behind the locals, a number if it has none; behind an empty one is what V8 has inferred from the
 * source. Where it begins and ends are the first two numbers in a row, or before the locals. False: it could not be read.
 */
static bool read_scope(const struct v8_process *process, uint64_t pointer, char *name, size_t max, int *begin)
{
	uint64_t head[SCOPE_HEAD], words[SCOPE_WORDS] = {}, at = V8_OBJECT(pointer);
	const size_t n_head = process->runtime->v8.scope_head;
	int locals;
	size_t got;

	if (n_head > SCOPE_HEAD || !peek_copy(process->peek, at, head, n_head * sizeof(*head)))
		return false;
	locals = V8_NUMBER(head[3]);
	if (!V8_IS_NUMBER(head[3]) || locals < 0)
		return false;
	at += 8 * n_head + 8 * (locals <= SCOPE_LOCALS ? 2 * (uint64_t)locals : 1 + (uint64_t)locals);
	got = process->peek->read(process->peek->ctx, at, words, sizeof(words)) / 8;
	if (!got || !read_text(process, words[0], name, max) || (!*name && !read_text(process, words[2], name, max)))
		return false;
	for (size_t i = 4; i + 1 < n_head; i += 2)
		*begin = V8_IS_NUMBER(head[i]) ? V8_NUMBER(head[i]) : -1;
	for (size_t i = 0; n_head == 4 && i + 1 < got; i++) {
		if (!V8_IS_NUMBER(words[i]) || !V8_IS_NUMBER(words[i + 1]) || V8_NUMBER(words[i]) < 0 ||
		    V8_NUMBER(words[i + 1]) < V8_NUMBER(words[i]))
			continue;
		*begin = V8_NUMBER(words[i]);
		break;
	}
	return true;
}

/* False: it could not be read. */
static bool read_name(struct v8 *v8, const struct v8_process *process, uint64_t pointer, struct v8_function *function)
{
	char name[NAMES_FUNCTION] = "";

	function->begin = -1;
	if (V8_IS_POINTER(pointer) && v8_type(process, pointer) == process->runtime->v8.scope_type) {
		if (!read_scope(process, pointer, name, sizeof(name), &function->begin))
			return false;
	} else if (!read_text(process, pointer, name, sizeof(name))) {
		return false;
	}
	function->name = v8_string(v8, *name ? name : "(anonymous)");
	return function->name;
}

static void forget_code(struct v8_functions *functions, struct v8_function *function)
{
	functions->bytes -= function->n_positions + function->n_bytecode;
	free(function->positions);
	free(function->bytecode);
	function->positions = function->bytecode = NULL;
	function->n_positions = function->n_bytecode = 0;
	function->code = function->at = function->table = 0;
}

void v8_function_release(struct v8 *v8, struct v8_function *function)
{
	forget_code(&v8->functions, function);
}

/* Follows what a function has as its code to its bytecode. 0: it has none. */
static uint64_t bytecode_of(const struct v8_process *process, uint64_t data, uint64_t *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	int type = v8_type(process, data);

	if (type == layout->code_type) {
		*code = V8_OBJECT(data);
		if (!peek_copy(process->peek, *code + layout->code_data, &data, sizeof(data)))
			return 0;
		type = v8_type(process, data);
	}
	if (type == layout->interpreter_type) {
		if (!peek_copy(process->peek, V8_OBJECT(data) + 8, &data, sizeof(data)))
			return 0;
		type = v8_type(process, data);
	}
	return type == layout->bytecode_type ? V8_OBJECT(data) : 0;
}

/* V8 makes positions when it first wants them: a pointer to something else stands there before. */
static void read_positions(struct v8_functions *functions, const struct v8_process *process,
			   struct v8_function *function)
{
	uint64_t table;

	if (!function->at || function->positions ||
	    !peek_copy(process->peek, function->at + function->layout->bytecode_positions, &table, sizeof(table)) ||
	    table == function->table)
		return;
	function->table = table;
	if (functions->bytes < BYTES_MAX)
		function->positions = v8_copy_bytes(process, table, &function->n_positions);
	functions->bytes += function->n_positions;
}

static void read_bytecode(struct v8_functions *functions, const struct v8_process *process, struct v8_function *function)
{
	struct v8_object head;

	forget_code(functions, function);
	function->at = bytecode_of(process, function->words[1], &function->code);
	if (!function->at || !peek_copy(process->peek, function->at, &head, sizeof(head)) ||
	    V8_NUMBER(head.length) <= 0 || V8_NUMBER(head.length) > V8_TABLE_MAX || functions->bytes >= BYTES_MAX)
		return;
	function->n_bytecode = (size_t)V8_NUMBER(head.length);
	functions->bytes += function->n_bytecode;
	function->bytecode = base_alloc(function->n_bytecode);
	if (!peek_copy(process->peek, function->at + function->layout->bytecode_data, function->bytecode,
		       function->n_bytecode))
		forget_code(functions, function);
}

/* Fills in what has changed. False: it is no function. */
static bool read_function(struct v8 *v8, const struct v8_process *process, uint64_t shared, struct v8_function *function)
{
	const struct v8_layout *layout = &process->runtime->v8;
	uint64_t object[SHARED_SIZE / 8], words[5];

	if (!peek_copy(process->peek, shared, object, layout->shared_flags + sizeof(object[0])))
		return false;
	words[0] = object[0];
	words[1] = object[layout->shared_data / 8];
	words[2] = object[layout->shared_name / 8];
	words[3] = object[layout->shared_script / 8];
	words[4] = object[layout->shared_flags / 8] | 1;
	if (words[0] != function->words[0] && v8_type(process, shared + 1) != layout->shared_type)
		return false;
	if (words[0] != function->words[0] || memcmp(&words[2], &function->words[2], 3 * sizeof(words[0]))) {
		if (!read_name(v8, process, words[2], function)) {
			memset(function->words, 0, sizeof(function->words));
			return false;
		}
		function->script = v8_script_number(v8, process, words[3]);
	}
	function->layout = layout;
	function->is_builtin = V8_IS_NUMBER(words[1]) && V8_IS_NUMBER(object[layout->shared_other / 8]);
	if (words[1] != function->words[1]) {
		function->words[1] = words[1];
		read_bytecode(&v8->functions, process, function);
	}
	memcpy(function->words, words, sizeof(words));
	read_positions(&v8->functions, process, function);
	return true;
}

struct v8_function *v8_function_at(struct v8 *v8, const struct v8_process *process, uint64_t shared)
{
	uint64_t key[] = { (uint64_t)process->pid, shared };
	struct v8_functions *functions = &v8->functions;
	struct v8_function *function;
	uint32_t number;
	uint8_t byte;

	if (!shared)
		return NULL;
	number = process->runtime ? set_add_most(&functions->keys, key, sizeof(key), FUNCTIONS_MAX)
				  : set_find(&functions->keys, key, sizeof(key));
	if (number == SET_NONE)
		return NULL;
	if (number == functions->n)
		*vec_push(functions) = (struct v8_function){ .name = "" };
	function = &functions->v[number];
	/* if it is not there any more it is none; but if the process has ended, it is as it was */
	if (process->runtime && !read_function(v8, process, shared, function) &&
	    peek_copy(process->peek, shared, &byte, 1)) {
		forget_code(functions, function);
		memset(function->words, 0, sizeof(function->words));
	}
	return function->words[4] ? function : NULL;
}

void v8_function_line(struct v8 *v8, const struct v8_function *function, int position, struct v8_frame *frame)
{
	*frame = (struct v8_frame){ .function = function->name,
				    .file = function->script ? v8->scripts.v[function->script - 1].file : "" };
	frame->line = v8_script_line(v8, function->script, position);
	if (frame->line)
		return;
	frame->line = v8_script_line(v8, function->script, function->begin);
	frame->is_begin = true;
}

void v8_function_place(struct v8 *v8, const struct v8_function *function, int64_t offset, struct v8_frame *frame)
{
	struct v8_place place;

	if (offset < 0 || (size_t)offset >= function->n_bytecode ||
	    !v8_tables_place(function->positions, function->n_positions, (uint32_t)offset, &place))
		place.position = -1;
	v8_function_line(v8, function, place.position, frame);
}
