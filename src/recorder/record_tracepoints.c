// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints of the user's in a recording: each has a kind of its own, with the fields of its format in tracefs.
 * A tracepoint without a format is recorded without its arguments.
 */
#include "lang/places/probes.h"
#include "lang/types/ctype.h"
#include "lang/types/type.h"
#include "record/writer.h"
#include "record_part.h"

/* Behind the 8 bytes that all records of perf begin with, and in ours behind the time and two numbers. */
#define COMMON_BYTES 8
#define FIRST_WORD   (offsetof(struct record_tracepoint, record) / 8)
/* From where offsets in perf's record count. */
#define BASE_WORD (FIRST_WORD - COMMON_BYTES / 8)
#define LOC_BYTES 4

static bool is_text(const struct type *type)
{
	return type->kind == TYPE_STRING || (type->kind == TYPE_ARRAY && type->of->size == 1);
}

/* The name tells what the type does not. */
static uint8_t what_is(const struct lang_argument *argument)
{
	size_t len = strlen(argument->name);

	if (argument->type->kind == TYPE_POINTER)
		return LAYOUT_ADDRESS;
	if (!strcmp(argument->name, "dev") && argument->type->size == 4)
		return LAYOUT_DEVICE;
	if (len >= 3 && !strcmp(argument->name + len - 3, "pid") && argument->type->size == 4)
		return LAYOUT_TASK;
	return argument->type->is_signed ? LAYOUT_SIGNED : LAYOUT_NUMBER;
}

static uint32_t size_of(const struct lang_argument *argument)
{
	return argument->is_data_loc ? LOC_BYTES : argument->type->size;
}

/* False: the field cannot be shown: it is a struct, or refers to something that is no text. */
static bool describe(const struct lang_argument *argument, struct layout_field *field)
{
	uint32_t at = argument->at - COMMON_BYTES, size = size_of(argument);

	if (argument->at < COMMON_BYTES || at / 8 >= RECORD_TRACEPOINT_WORDS)
		return false;
	field->name = argument->name;
	field->word = FIRST_WORD + at / 8;
	field->bit = at % 8 * 8;
	if (argument->is_data_loc) {
		field->is = LAYOUT_LOC;
		field->bits = BASE_WORD;
		return argument->type->kind == TYPE_STRING && at % LOC_BYTES == 0;
	}
	if (is_text(argument->type)) {
		field->is = LAYOUT_CHARS;
		field->bits = size;
		return size && size < 256;
	}
	field->is = what_is(argument);
	field->bits = size * 8 % 64;
	return (size == 1 || size == 2 || size == 4 || size == 8) && at % size == 0 &&
	       argument->type->kind != TYPE_STRUCT;
}

static void add_shape(const struct lang_argument *argument, struct record_shape *shape)
{
	uint32_t end = (argument->at + size_of(argument) + 7) / 8 - COMMON_BYTES / 8, loc = argument->at / LOC_BYTES;

	if (end > shape->words)
		shape->words = end < RECORD_TRACEPOINT_WORDS ? end : RECORD_TRACEPOINT_WORDS;
	if (argument->is_data_loc && loc > shape->loc && loc <= UINT8_MAX)
		shape->loc = loc;
}

static void add_kind(struct record_probes *probes, const struct target *target, const struct lang_arguments *arguments,
		     struct record_shape *shape)
{
	struct layout_kind *kind = vec_push(&probes->kinds);
	struct layout_field *fields = pool_alloc(&probes->pool, LAYOUT_FIELDS_MAX * sizeof(*fields));
	uint32_t n = 0;

	fields[n++] = (struct layout_field){ .name = "task", .is = LAYOUT_TASK, .word = 1, .bits = 32 };
	for (size_t i = 0; i < arguments->n; i++) {
		add_shape(&arguments->v[i], shape);
		if (n < LAYOUT_FIELDS_MAX && describe(&arguments->v[i], &fields[n]))
			n++;
	}
	*kind = (struct layout_kind){
		.id = RECORD_TRACEPOINTS + target->slot,
		.name = pool_add(&probes->pool, target->label),
		.fields = fields,
		.n = n,
	};
}

bool record_tracepoints_has(const struct record_probes *probes, const struct target *target)
{
	vec_each(kind, &probes->kinds)
		if (kind->id == RECORD_TRACEPOINTS + target->slot)
			return target->kind == TARGET_TRACEPOINT;
	return false;
}

int record_tracepoints_find(struct recorder *recorder, struct err *err)
{
	struct record_probes *probes = &recorder->probes;
	struct ctypes *types = ctypes_new(&probes->pool);
	struct record_shape shapes[RECORD_TRACEPOINTS_MAX] = {};

	vec_each(target, &probes->set) {
		struct lang_arguments arguments = {};
		struct err why;

		if (target->kind != TARGET_TRACEPOINT || !target->object || target->slot >= RECORD_TRACEPOINTS_MAX ||
		    (target->mech != MECH_AUTO && target->mech != MECH_TP))
			continue;
		if (!lang_arguments_of(PROBE_TRACEPOINT, target, types, &probes->pool, &arguments, &why))
			add_kind(probes, target, &arguments, &shapes[target->slot]);
	}
	ctypes_free(types);
	return object_fill(&recorder->progs.object, ".rodata.tracepoints", shapes, sizeof(shapes), err);
}

int record_tracepoints_write(struct recorder *recorder)
{
	int ret = 0;

	vec_each(kind, &recorder->probes.kinds)
		if (!ret)
			ret = writer_kind(recorder->writer, kind);
	return ret;
}
