// SPDX-License-Identifier: BSD-2-Clause
/* Calls of which only one end is known: print(args) of a program. They are printed by the table of `sonde strace`. */
#include "decode.h"

#include "lines_part.h"
#include "types.h"

/* Bytes of data that are shown, as -s says by default; structs that are longer stay addresses. */
#define DATA_MOST   32
#define STRUCT_MOST 256

_Static_assert(STRACE_DECODE_ARGS == STRACE_ARGS && LANG_MEMORIES >= STRACE_ARGS, "one memory for each argument");

static const struct strace_settings settings = { .size = 4096 };

/* The memory of one argument. False: the call does not read it, or what it reads is said elsewhere. */
static bool memory_of(const struct strace_type *type, unsigned int arg, struct lang_memory *memory)
{
	const struct strace_step *step = &type->steps[0];
	unsigned int most = step->most == MOST_TEXT ? DATA_MOST : step->most;

	*memory = (struct lang_memory){ .arg = arg, .count = -1 };
	if (type == &t_msg_out || step->from != SELF || step->when & (STRACE_IF_OK | STRACE_IF_FAILED | STRACE_IF_WHOLE))
		return false;
	memory->is_text = step->op == STRACE_STRING;
	if (memory->is_text)
		return true;
	if (step->op != STRACE_BYTES)
		return false;
	/* the size is a part of the request: as much as any struct */
	if (step->wide == STRACE_OF_REQUEST) {
		memory->size = most < STRUCT_MOST ? most : STRUCT_MOST;
		return true;
	}
	/* of a count, what is longer is cut, and then an address if it must be whole */
	if (most > STRUCT_MOST && step->count_from == STRACE_FROM_NONE)
		return false;
	memory->size = most < STRUCT_MOST ? most : STRUCT_MOST;
	if (step->count_from == STRACE_FROM_NONE) {
		memory->size = step->scale < most ? step->scale : most;
		return true;
	}
	memory->count = (int)step->count_from - SELF + (int)arg;
	return step->scale == 1 && step->count_from >= SELF - STRACE_ARGS && memory->count >= 0 &&
	       memory->count < STRACE_ARGS;
}

size_t strace_decode_memory(int number, struct lang_memory v[LANG_MEMORIES])
{
	const struct strace_call *call = strace_call_of(number);
	size_t n = 0;

	for (unsigned int arg = 0; call && arg < STRACE_ARGS && call->args[arg]; arg++)
		n += memory_of(call->args[arg], arg, &v[n]);
	return n;
}

/* Appends the blob that the programs of `sonde strace` would have made. A text has its NUL, unless it is cut. */
static void add_blob(struct str *record, const struct lang_memory *memory, const struct strace_read *read)
{
	static const char zeros[8];
	size_t n = read->n + (memory->is_text && !read->is_cut);
	const struct strace_blob blob = {
		.tag = memory->arg * STRACE_TYPE_STEPS,
		.status = read->is_cut ? STRACE_SHORT : STRACE_WHOLE,
		.n = n,
	};

	if (!read->n || n > UINT16_MAX)
		return;
	str_addn(record, (const char *)&blob, sizeof(blob));
	str_addn(record, read->data, read->n);
	str_addn(record, zeros, n - read->n + (8 - n % 8) % 8);
}

void strace_decode_call(struct str *out, int number, const uint64_t args[STRACE_DECODE_ARGS], int read_as,
			const struct strace_read *reads, size_t n)
{
	/* as of a call that has failed: what it would have filled in is an address */
	struct strace_record head = { .kind = STRACE_EXIT, .nr = number, .ret = -1 }, *record;
	struct lang_memory memory[LANG_MEMORIES], own[LANG_MEMORIES];
	struct strace_line line = { .out = out, .settings = &settings, .call = strace_call_of(number) };
	size_t n_memory = strace_decode_memory(read_as, memory), n_own = strace_decode_memory(number, own);
	__str struct str bytes = {};

	memcpy(head.args, args, sizeof(head.args));
	str_addn(&bytes, (const char *)&head, sizeof(head));
	for (size_t i = 0; i < n && i < n_memory && i < n_own; i++)
		if (memory[i].arg == own[i].arg && memory[i].is_text == own[i].is_text && memory[i].size == own[i].size)
			add_blob(&bytes, &own[i], &reads[i]);
	record = (struct strace_record *)bytes.data;
	record->size = bytes.len - sizeof(head);
	line.enter = line.exit = record;
	strace_print_name(out, record);
	str_addc(out, '(');
	strace_print_args(&line, 0, number);
	str_addc(out, ')');
}

void strace_decode_result(struct str *out, int number, int64_t ret)
{
	const struct strace_record record = { .kind = STRACE_EXIT, .nr = number, .ret = ret };
	struct strace_line line = {
		.out = out,
		.settings = &settings,
		.call = strace_call_of(number),
		.enter = &record,
		.exit = &record,
	};

	strace_print_name(out, &record);
	str_add(out, " = ");
	strace_print_result(&line);
}
