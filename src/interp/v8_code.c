// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the code that has an address: its instructions follow a head that points to an object, which says where they
 * begin; up to 10.2 the head is that object. Reads which functions were inlined in it.
 */
#include "base/clock.h"
#include "v8_part.h"

#define CODES_MAX (64 * 1024)
#define PCS_MAX	  (512 * 1024)
#define BYTES_MAX (64 * 1024 * 1024) /* of tables */
/* How far the begin of the code is searched for, and how many things that look like one are looked at. */
#define PAGE	  4096
#define PAGES_MAX 64
#define LOOKS_MAX 32
#define CODE_SIZE 80
#define KIND_MASK 15

/* The first members of the array for deoptimisation; others are in the layout. */
enum {
	DATA_TRANSLATIONS,
	DATA_N_INLINED,
};
#define ENTRY_WORDS 3 /* of what follows */
#define EXIT_SIZE   4 /* bytes */
#define WORDS_MAX   (64 * 1024)

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
		.start = head + layout->stream_start,
		.size = size > 0 ? (uint64_t)size : 0,
		.object = V8_OBJECT(pointer),
		.kind = object[layout->code_kind] & KIND_MASK,
	};
	memcpy(code->words, object + 8, sizeof(code->words));
	return !layout->stream_code || (word_at(object, layout->code_start) == code->start &&
					word_at(object, layout->code_stream) == head + 1);
}

/* Searches for the head of the instructions that an address is of. */
static bool find_head(const struct v8_process *process, uint64_t pc, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	const uint64_t align = layout->stream_align, place = -(uint64_t)layout->stream_start % align;
	uint64_t page = pc & ~(uint64_t)(PAGE - 1), words[PAGE / 8];
	int looks = 0;

	for (int i = 0; i < PAGES_MAX && page; i++, page -= PAGE) {
		if (!peek_copy(process->peek, page, words, sizeof(words)))
			return false;
		for (int64_t at = (int64_t)(PAGE - align + place); at >= 0; at -= (int64_t)align) {
			const uint64_t *head = &words[at / 8], here = page + (uint64_t)at;

			if (here >= pc || !V8_IS_POINTER(head[0]) || !V8_IS_POINTER(head[1]))
				continue;
			if (read_object(process, layout->stream_code ? head[layout->stream_code / 8] : here + 1, here, code))
				return pc - code->start < code->size;
			if (++looks == LOOKS_MAX)
				return false;
		}
	}
	return false;
}

/* Copies n words from one on of an array. NULL: there are not so many. */
static uint64_t *copy_words(const struct v8_process *process, uint64_t pointer, size_t from, size_t n)
{
	const size_t piece = 4096;
	uint64_t *words = n && n <= WORDS_MAX ? base_alloc(n * sizeof(*words)) : NULL;

	for (size_t i = 0; words && i < n; i += piece) {
		size_t part = n - i < piece ? n - i : piece;

		if (!peek_copy(process->peek, V8_OBJECT(pointer) + sizeof(struct v8_object) + (from + i) * 8, words + i,
			       part * 8)) {
			free(words);
			return NULL;
		}
	}
	return words;
}

/* How many words an array of a type has; 0: it is none. */
static size_t length_of(const struct v8_process *process, uint64_t pointer, uint16_t type)
{
	struct v8_object head;

	if (v8_type(process, pointer) != type || !peek_copy(process->peek, V8_OBJECT(pointer), &head, sizeof(head)) ||
	    V8_NUMBER(head.length) < 0)
		return 0;
	return (size_t)V8_NUMBER(head.length);
}

/* The function that was compiled. 0: it is not known. */
static uint64_t shared_of(const struct v8_process *process, uint64_t pointer)
{
	const struct v8_layout *layout = &process->runtime->v8;

	if (layout->wrapper_type && (v8_type(process, pointer) != layout->wrapper_type ||
				     !peek_copy(process->peek, V8_OBJECT(pointer) + 8, &pointer, sizeof(pointer))))
		return 0;
	return V8_IS_POINTER(pointer) ? V8_OBJECT(pointer) : 0;
}

/* How Maglev says at which entry code goes on that was called: this begins its table. */
struct safepoints {
	int32_t slots, n;
	uint32_t sizes;
	int32_t tagged;
};
#define SAFEPOINTS_ENTRIES(sizes) ((sizes)&1) /* they have entries */
#define SAFEPOINTS_LIVE(sizes)	  ((sizes) >> 1 & 7)
#define SAFEPOINTS_PC(sizes)	  ((sizes) >> 4 & 7)
#define SAFEPOINTS_ENTRY(sizes)	  ((sizes) >> 7 & 7)
#define SAFEPOINTS_MAX		  4096

static uint64_t take_bytes(const uint8_t *at, size_t n)
{
	uint64_t value = 0;

	memcpy(&value, at, n);
	return value;
}

/*
 * Maglev's entries have where code goes on that was given up, in place of where a call returns to. That is in a table behind
 * the instructions: the return address, the number of the entry + 1, where it goes on, registers, and one byte.
 */
static void read_safepoints(const struct v8_process *process, struct v8_code *code)
{
	struct safepoints head;
	uint64_t at = code->start + code->size;
	size_t pc, entry, size, n;
	uint8_t *table;

	if (!peek_copy(process->peek, at, &head, sizeof(head)) || head.n <= 0 || head.n > SAFEPOINTS_MAX ||
	    !SAFEPOINTS_ENTRIES(head.sizes))
		return;
	pc = SAFEPOINTS_PC(head.sizes);
	entry = SAFEPOINTS_ENTRY(head.sizes);
	size = 2 * pc + entry + SAFEPOINTS_LIVE(head.sizes) + 1;
	n = (size_t)head.n * size;
	table = base_alloc(n);
	if (!peek_copy(process->peek, at + sizeof(head), table, n))
		n = 0;
	for (size_t i = 0; i < n / size; i++) {
		const uint64_t number = take_bytes(table + i * size + pc, entry) - 1;

		if (number < code->n_entries)
			code->entries[ENTRY_WORDS * number + 2] = take_bytes(table + i * size, pc) << 32;
	}
	free(table);
}

static void read_optimized(const struct v8_process *process, uint64_t data, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;
	const size_t n_members = layout->data_words;
	size_t n = length_of(process, data, layout->data_type), n_literals;
	uint64_t *members = n >= n_members ? copy_words(process, data, 0, n_members) : NULL;

	if (!members)
		return;
	code->shared = shared_of(process, members[layout->data_shared]);
	code->calls = v8_copy_bytes(process, members[layout->data_calls], &code->n_calls);
	n_literals = length_of(process, members[layout->data_literals], layout->weak_type);
	code->literals = copy_words(process, members[layout->data_literals], 0, n_literals);
	code->n_literals = code->literals ? n_literals : 0;
	if (V8_IS_NUMBER(members[DATA_N_INLINED]) && V8_NUMBER(members[DATA_N_INLINED]) >= 0)
		code->n_inlined = (size_t)V8_NUMBER(members[DATA_N_INLINED]);
	if (code->n_inlined > code->n_literals)
		code->n_inlined = code->n_literals;
	code->translations = v8_copy_bytes(process, members[DATA_TRANSLATIONS], &code->n_translations);
	code->entries = copy_words(process, data, n_members, n - n_members);
	code->n_entries = code->entries ? (n - n_members) / ENTRY_WORDS : 0;
	code->exits = V8_IS_NUMBER(members[layout->data_exits]) ? (uint64_t)(uint32_t)V8_NUMBER(members[layout->data_exits])
								: code->size;
	free(members);
	if (code->kind == layout->kind_maglev)
		read_safepoints(process, code);
}

static void read_tables(const struct v8_process *process, struct v8_code *code)
{
	const struct v8_layout *layout = &process->runtime->v8;

	code->table = v8_copy_bytes(process, code->words[layout->code_positions / 8 - 1], &code->n_table);
	if (code->kind >= layout->kind_optimized && code->kind - layout->kind_optimized < layout->kinds_optimized)
		read_optimized(process, code->words[layout->code_data / 8 - 1], code);
}

/*
 * Behind the code is a call for each entry, to what goes on in the interpreter. V8 puts its address in place of the return
 * address when code must not go on.
 */
static size_t entry_at(const struct v8_code *code, uint64_t offset)
{
	for (size_t i = 0; offset < code->exits && i < code->n_entries; i++) {
		const uint64_t to = code->entries[ENTRY_WORDS * i + 2];

		if (V8_IS_NUMBER(to) && V8_NUMBER(to) >= 0 && (uint64_t)V8_NUMBER(to) == offset)
			return i;
	}
	return offset < code->exits ? SIZE_MAX : (size_t)(offset - code->exits) / EXIT_SIZE;
}

int v8_code_translation(const struct v8_code *code, uint64_t offset)
{
	size_t i = entry_at(code, offset);

	return i < code->n_entries && V8_IS_NUMBER(code->entries[ENTRY_WORDS * i + 1])
		       ? V8_NUMBER(code->entries[ENTRY_WORDS * i + 1])
		       : -1;
}

static size_t bytes_of(const struct v8_code *code)
{
	return code->n_table + code->n_calls + code->n_translations + 8 * code->n_literals +
	       8 * ENTRY_WORDS * code->n_entries;
}

void v8_code_release(struct v8_code *code)
{
	free(code->table);
	free(code->calls);
	free(code->literals);
	free(code->translations);
	free(code->entries);
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

/* Whether code that was read is still there; or nothing is, since the process has ended. */
static bool is_same(const struct v8_process *process, const struct v8_code *code)
{
	const struct v8_layout *layout = process->runtime ? &process->runtime->v8 : NULL;
	uint64_t words[ARRAY_SIZE(code->words)], object;
	bool has_head;

	if (!layout)
		return true;
	/* the instructions' head points to the object, if it is not the object: another one may have taken their place */
	has_head = layout->stream_code && peek_copy(process->peek, code->start - layout->stream_start + layout->stream_code,
						    &object, sizeof(object));
	if (has_head && object != code->object + 1)
		return false;
	if (!peek_copy(process->peek, code->object + 8, words, sizeof(words)))
		return !has_head;
	return !memcmp(words, code->words, sizeof(words));
}

static struct v8_nothing *nothing_at(struct v8_codes *codes, const struct v8_process *process, uint64_t pc)
{
	return &codes->nothing[((pc ^ pc >> 8) + (uint64_t)process->pid) % V8_NOTHING];
}

/* The same search in vain is not made again and again: what a compiler makes meanwhile is found a second later. */
static bool has_nothing(struct v8_codes *codes, const struct v8_process *process, uint64_t pc)
{
	const struct v8_nothing *nothing = nothing_at(codes, process, pc);

	return nothing->pid == (uint64_t)process->pid && nothing->pc == pc && clock_monotonic_ns() < nothing->until;
}

static bool find(struct v8_codes *codes, const struct v8_process *process, uint64_t pc, struct v8_code *found)
{
	if (codes->bytes >= BYTES_MAX || has_nothing(codes, process, pc))
		return false;
	if (find_head(process, pc, found))
		return true;
	*nothing_at(codes, process, pc) = (struct v8_nothing){ (uint64_t)process->pid, pc, clock_monotonic_ns() + NS_PER_SEC };
	return false;
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
	if (code && is_same(process, code))
		return code;
	if (!process->runtime || !find(codes, process, pc, &found))
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
