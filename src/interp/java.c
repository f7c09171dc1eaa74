// SPDX-License-Identifier: BSD-2-Clause
/* From a frame to methods with their lines. */
#include "java_part.h"

#define CODES_MAX (64 * 1024)
#define HEAD_SIZE 512
#define NAME_SIZE 64

struct java *java_new(void)
{
	return base_alloc(sizeof(struct java));
}

static void code_release(struct java *java, struct java_code *code)
{
	java->bytes -= code->n_stops * sizeof(*code->stops) + code->n_scopes + code->n_methods * sizeof(*code->methods);
	free(code->stops);
	free(code->scopes);
	free(code->methods);
	*code = (struct java_code){};
}

void java_free(struct java *java)
{
	if (!java)
		return;
	vec_each(method, &java->methods)
		free(method->lines);
	vec_each(code, &java->codes)
		code_release(java, code);
	free(java->methods.v);
	free(java->codes.v);
	set_release(&java->methods.keys);
	set_release(&java->codes.keys);
	set_release(&java->strings);
	free(java);
}

static bool add(struct java *java, const struct java_process *process, uint64_t address, int bci,
		struct java_frame *frame)
{
	const struct java_method *method = java_method_at(java, process, address);

	if (!method)
		return false;
	*frame = (struct java_frame){ .method = method->name, .file = method->file };
	if (bci >= 0 && (uint32_t)bci < method->code_size)
		frame->line = java_tables_line(method->lines, method->n_lines, method->minus, (uint32_t)bci);
	return true;
}

/* --- pieces of code --- */

static uint64_t word_of(const uint8_t head[HEAD_SIZE], uint32_t offset)
{
	uint64_t word;

	if (offset > HEAD_SIZE - sizeof(word))
		return 0;
	memcpy(&word, head + offset, sizeof(word));
	return word;
}

static int32_t int_of(const uint8_t head[HEAD_SIZE], uint32_t offset)
{
	return (int32_t)(uint32_t)word_of(head, offset);
}

/* Where the tables of code are: at an old version behind each other in the code, at a new one elsewhere. */
struct places {
	uint64_t stops, stops_end, scopes, scopes_end, methods, methods_end;
};

static void find_places(const struct java_layout *layout, const uint8_t head[HEAD_SIZE], uint64_t at,
			struct places *places)
{
	uint64_t base = at;

	if (layout->is_new)
		base = word_of(head, layout->immutable);
	places->stops = base + (uint64_t)(int64_t)int_of(head, layout->places);
	places->stops_end = base + (uint64_t)(int64_t)int_of(head, layout->places_end);
	if (layout->is_new) {
		places->scopes = places->stops_end;
		places->scopes_end = base + (uint64_t)(int64_t)int_of(head, layout->immutable_size);
		places->methods = word_of(head, layout->mutable) + (uint64_t)(int64_t)int_of(head, layout->relocations);
		places->methods_end = word_of(head, layout->mutable) + (uint64_t)(int64_t)int_of(head, layout->mutable_size);
		return;
	}
	places->scopes = word_of(head, layout->scopes);
	places->scopes_end = places->stops;
	places->methods = at + (uint64_t)(int64_t)int_of(head, layout->metadata);
	places->methods_end = places->scopes;
}

static void read_tables(struct java *java, const struct java_process *process, const uint8_t head[HEAD_SIZE],
			uint64_t at, struct java_code *code)
{
	struct places places;

	find_places(&process->runtime->java, head, at, &places);
	/* whole ones */
	places.stops_end -= (places.stops_end - places.stops) % sizeof(*code->stops);
	places.methods_end -= (places.methods_end - places.methods) % sizeof(*code->methods);
	code->stops = java_copy(java, process, places.stops, places.stops_end - places.stops);
	code->scopes = java_copy(java, process, places.scopes, places.scopes_end - places.scopes);
	code->methods = java_copy(java, process, places.methods, places.methods_end - places.methods);
	code->n_stops = code->stops ? (places.stops_end - places.stops) / sizeof(*code->stops) : 0;
	code->n_scopes = code->scopes ? places.scopes_end - places.scopes : 0;
	code->n_methods = code->methods ? (places.methods_end - places.methods) / 8 : 0;
}

enum kind {
	KIND_UNREAD,
	KIND_METHOD,
	KIND_OTHER,
};

/* What is no code of a method has a name in HotSpot. */
static enum kind read_name(struct java *java, const struct java_process *process, uint64_t at, struct java_code *code)
{
	char name[NAME_SIZE + 3] = "[";
	size_t got = at ? process->peek->read(process->peek->ctx, at, name + 1, NAME_SIZE) : 0, n;

	name[1 + got] = '\0';
	for (n = 1; name[n]; n++)
		if (name[n] < ' ' || name[n] > '~')
			name[n] = '?';
	/* it is cut off where memory is absent, or there is none */
	if (n < 2 || (n == 1 + got && got < NAME_SIZE))
		return KIND_UNREAD;
	if (!strcmp(name + 1, "nmethod") || !strcmp(name + 1, "native nmethod"))
		return KIND_METHOD;
	name[n] = ']';
	name[n + 1] = '\0';
	code->name = java_string(java, strncmp(name + 1, "RuntimeStub - ", 14) ? name : memmove(name + 14, "[", 1));
	return code->name ? KIND_OTHER : KIND_UNREAD;
}

static bool read_low(const struct java_process *process, uint64_t *low)
{
	const uint64_t at = process->state + (uint64_t)(int64_t)(int32_t)process->runtime->java.low;

	return peek_copy(process->peek, at, low, sizeof(*low));
}

/* False: it is not the code with that number, or is none that is believed. */
static bool read_code(struct java *java, const struct java_process *process, uint64_t number, struct java_code *code)
{
	const struct java_layout *layout = &process->runtime->java;
	uint8_t head[HEAD_SIZE] = {};

	code->state = process->state;
	if (!read_low(process, &code->low))
		return false;
	code->at = code->low + ((number & ((1ULL << JAVA_NUMBER_SHIFT) - 1)) << 3);
	if (!process->peek->read(process->peek->ctx, code->at, head, sizeof(head)))
		return false;
	code->number = int_of(head, layout->number);
	if ((uint16_t)code->number != (uint16_t)(number >> JAVA_NUMBER_SHIFT))
		return false;
	if (read_name(java, process, word_of(head, layout->name), code) == KIND_OTHER)
		return true;
	/* so it is too if its name is not in memory: a class that has the method says enough */
	code->method = word_of(head, layout->code_method);
	if (!java_method_at(java, process, code->method))
		return false;
	code->minus = layout->minus;
	code->begin = layout->is_new ? int_of(head, layout->code_at)
				     : (int64_t)(word_of(head, layout->code_at) - code->at);
	read_tables(java, process, head, code->at, code);
	return true;
}

/* Whether known code is still there, as far as memory can be read. */
static bool is_there(const struct java_process *process, const struct java_code *code)
{
	const struct java_layout *layout = &process->runtime->java;
	uint8_t head[HEAD_SIZE] = {};
	uint64_t method;

	if (code->state != process->state)
		return false;
	if (!process->peek->read(process->peek->ctx, code->at, head, sizeof(head)))
		return true;
	method = word_of(head, layout->code_method);
	/* code that is given up has no method any more */
	return int_of(head, layout->number) == code->number && (code->name || !method || method == code->method);
}

/* Whether known code is of a process that has had its id before. */
static bool is_of_another(const struct java_process *process, const struct java_code *code)
{
	uint64_t low;

	return code->state != process->state || (read_low(process, &low) && low != code->low);
}

/* The code of a frame. What a process had and has not any more is as it was. */
static const struct java_code *code_at(struct java *java, const struct java_process *process, uint64_t number)
{
	const uint64_t key[] = { (uint64_t)process->pid, number };
	const uint32_t k = set_find(&java->codes.keys, key, sizeof(key));
	struct java_code new = {}, *known = k == SET_NONE ? NULL : &java->codes.v[k];

	if (process->runtime && !(known && is_there(process, known))) {
		if (!known && java->codes.n >= CODES_MAX)
			return NULL;
		if (read_code(java, process, number, &new)) {
			if (!known) {
				set_add(&java->codes.keys, key, sizeof(key));
				known = vec_push(&java->codes);
				*known = (struct java_code){};
			}
			code_release(java, known);
			*known = new;
		} else if (known && is_of_another(process, known)) {
			code_release(java, known);
		}
	}
	return known && known->at ? known : NULL;
}

/* The methods at an offset, the innermost first. 0: they are not known. */
static int add_scopes(struct java *java, const struct java_process *process, const struct java_code *code,
		      uint32_t offset, struct java_frame frames[JAVA_FRAMES])
{
	uint32_t at = code->n_stops ? java_tables_stop(code->stops, code->n_stops, offset) : 0;
	struct java_scope scope = {};
	uint64_t method = 0;
	int n = 0;

	for (; at; at = scope.sender) {
		if (n == JAVA_FRAMES || !java_tables_scope(code->scopes, code->n_scopes, at, code->minus, &scope) ||
		    scope.method > code->n_methods)
			return 0;
		method = code->methods[scope.method - 1];
		if (!add(java, process, method, scope.bci < 0 ? 0 : scope.bci, &frames[n++]))
			return 0;
	}
	/* the outermost is the one that was compiled */
	return method == code->method ? n : 0;
}

int java_frames(struct java *java, const struct java_process *process, uint64_t frame,
		struct java_frame frames[JAVA_FRAMES])
{
	const unsigned int place = INTERP_PLACE(frame), offset = place & JAVA_OFFSET_MAX;
	const struct java_code *code;
	int n = 0;

	if (!(place & JAVA_COMPILED))
		return add(java, process, INTERP_CODE(frame), place <= JAVA_BCI_MAX ? (int)place : -1, &frames[0]) ? 1 : -1;
	code = code_at(java, process, INTERP_CODE(frame) >> 3);
	if (!code)
		return -1;
	if (code->name) {
		frames[0] = (struct java_frame){ .method = code->name, .file = "" };
		return 1;
	}
	/* tables have the places of calls only: which of the inlined methods a place between them is of, nothing says */
	if (offset != JAVA_OFFSET_MAX && !(place & JAVA_EXACT) && offset >= code->begin)
		n = add_scopes(java, process, code, (uint32_t)(offset - code->begin), frames);
	if (n)
		return n;
	return add(java, process, code->method, -1, &frames[0]) ? 1 : -1;
}
