// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the code that has an address: its instructions follow a head that points to an object, which says where they
 * begin. Reads which functions were inlined in it.
 */
#include "v8_part.h"

#define CODES_MAX (64 * 1024)
#define PCS_MAX	  (512 * 1024)
#define BYTES_MAX (64 * 1024 * 1024) /* of tables */
/* How far the begin of the code is searched for, and how many things that look like one are looked at. */
#define PAGE	  4096
#define PAGES_MAX 256
#define LOOKS_MAX 32
#define CODE_SIZE 80
#define KIND_MASK 15

/* Members of the array for deoptimisation, which follow its head. */
enum {
	DATA_N_INLINED = 1,
	DATA_LITERALS = 2,
	DATA_SHARED = 6,
	DATA_CALLS = 7,
	DATA_WORDS = 8,
};
#define INLINED_MAX 1024

static uint64_t word_at(const uint8_t *object, uint16_t offset)
{
	uint64_t word;

	memcpy(&word, object + offset, sizeof(word));
	return word;
}

/* Whether the instructions of an object have an address. head: where they would have their head. */
static bool read_object(const struct v8_process *process, uint64_t pointer, uint64_t head, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	uint8_t object[CODE_SIZE];
	int32_t size;

	if (v8_type(process, pointer) != layout->code_type ||
	    !peek_copy(process->peek, V8_OBJECT(pointer), object, sizeof(object)))
		return false;
	memcpy(&size, object + layout->code_size, sizeof(size));
	*code = (struct v8_code){
		.start = word_at(object, layout->code_start),
		.size = size > 0 ? (uint64_t)size : 0,
		.object = V8_OBJECT(pointer),
		.kind = object[layout->code_kind] & KIND_MASK,
	};
	memcpy(code->words, object + 8, sizeof(code->words));
	return code->start == head + layout->stream_start && word_at(object, layout->code_stream) == head + 1;
}

/* Searches for the head of the instructions that an address is of. */
static bool find_head(const struct v8_process *process, uint64_t pc, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	const uint64_t place = layout->stream_align - layout->stream_start;
	uint64_t page = pc & ~(uint64_t)(PAGE - 1), words[PAGE / 8];
	int looks = 0;

	for (int i = 0; i < PAGES_MAX && page; i++, page -= PAGE) {
		if (!peek_copy(process->peek, page, words, sizeof(words)))
			return false;
		for (int64_t at = PAGE - layout->stream_align + (int64_t)place; at >= 0; at -= layout->stream_align) {
			const uint64_t *head = &words[at / 8];

			if (page + (uint64_t)at >= pc || !V8_IS_POINTER(head[0]) ||
			    !V8_IS_POINTER(head[layout->stream_code / 8]))
				continue;
			if (read_object(process, head[layout->stream_code / 8], page + (uint64_t)at, code))
				return pc - code->start < code->size;
			if (++looks == LOOKS_MAX)
				return false;
		}
	}
	return false;
}

static void read_inlined(const struct v8_process *process, uint64_t pointer, int32_t n, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	struct v8_object head;

	if (n <= 0 || n > INLINED_MAX || v8_type(process, pointer) != layout->weak_type ||
	    !peek_copy(process->peek, V8_OBJECT(pointer), &head, sizeof(head)) || V8_NUMBER(head.length) < n)
		return;
	code->inlined = base_alloc((size_t)n * sizeof(*code->inlined));
	code->n_inlined = (size_t)n;
	if (!peek_copy(process->peek, V8_OBJECT(pointer) + sizeof(head), code->inlined, (size_t)n * 8))
		code->n_inlined = 0;
	for (size_t i = 0; i < code->n_inlined; i++)
		code->inlined[i] = V8_OBJECT(code->inlined[i]);
}

static void read_tables(const struct v8_process *process, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	const uint64_t data = code->words[layout->code_data / 8 - 1];
	uint64_t members[DATA_WORDS];
	struct v8_object head;

	code->table = v8_copy_bytes(process, code->words[layout->code_positions / 8 - 1], &code->n_table);
	if (code->kind - layout->kind_optimized >= layout->kinds_optimized || code->kind < layout->kind_optimized ||
	    v8_type(process, data) != layout->array_type ||
	    !peek_copy(process->peek, V8_OBJECT(data), &head, sizeof(head)) || V8_NUMBER(head.length) < DATA_WORDS ||
	    !peek_copy(process->peek, V8_OBJECT(data) + sizeof(head), members, sizeof(members)))
		return;
	code->shared = V8_IS_POINTER(members[DATA_SHARED]) ? V8_OBJECT(members[DATA_SHARED]) : 0;
	code->calls = v8_copy_bytes(process, members[DATA_CALLS], &code->n_calls);
	if (V8_IS_NUMBER(members[DATA_N_INLINED]))
		read_inlined(process, members[DATA_LITERALS], V8_NUMBER(members[DATA_N_INLINED]), code);
}

static size_t bytes_of(const struct v8_code *code)
{
	return code->n_table + code->n_calls + code->n_inlined * sizeof(*code->inlined);
}

void v8_code_release(struct v8_code *code)
{
	free(code->table);
	free(code->calls);
	free(code->inlined);
	*code = (struct v8_code){};
}

/* Keeps code that was found. Returns its number, or SET_NONE. */
static uint32_t keep(struct v8 *v8, const struct v8_process *process, struct v8_code *found)
{
	uint64_t key[] = { (uint64_t)process->pid, found->start };
	struct v8_codes *codes = &v8->codes;
	uint32_t number = set_add_most(&codes->keys, key, sizeof(key), CODES_MAX);
	struct v8_code *code;

	if (number == SET_NONE)
		return number;
	if (number == codes->n)
		*vec_push(codes) = (struct v8_code){};
	code = &codes->v[number];
	if (code->size && !memcmp(code->words, found->words, sizeof(code->words)))
		return number;
	codes->bytes -= bytes_of(code);
	v8_code_release(code);
	read_tables(process, found);
	if (codes->bytes + bytes_of(found) > BYTES_MAX)
		v8_code_release(found);
	*code = *found;
	codes->bytes += bytes_of(code);
	return number;
}

/* Whether code that was read is still there. */
static bool is_same(const struct v8_process *process, const struct v8_code *code)
{
	uint64_t words[ARRAY_SIZE(code->words)];

	return peek_copy(process->peek, code->object + 8, words, sizeof(words)) &&
	       !memcmp(words, code->words, sizeof(words));
}

const struct v8_code *v8_code_at(struct v8 *v8, const struct v8_process *process, uint64_t pc)
{
	uint64_t key[] = { (uint64_t)process->pid, pc };
	struct v8_codes *codes = &v8->codes;
	struct v8_code found;
	uint32_t place = set_find(&codes->pcs, key, sizeof(key)), number;
	const struct v8_code *code = NULL;

	if (place != SET_NONE)
		code = &codes->v[codes->places.v[place]];
	if (code && pc - code->start >= code->size)
		code = NULL;
	if (!process->runtime || (code && is_same(process, code)))
		return code;
	if (!find_head(process, pc, &found))
		return NULL;
	number = keep(v8, process, &found);
	if (number == SET_NONE || !codes->v[number].size)
		return NULL;
	place = set_add_most(&codes->pcs, key, sizeof(key), PCS_MAX);
	if (place == codes->places.n)
		vec_push(&codes->places);
	if (place != SET_NONE)
		codes->places.v[place] = number;
	return &codes->v[number];
}
