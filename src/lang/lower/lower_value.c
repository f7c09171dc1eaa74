// SPDX-License-Identifier: BSD-2-Clause
/* Values: into registers, into memory, converted from one type to another of the same kind. */
#include <linux/bpf.h>

#include "lowering.h"

bool lower_is_word(const struct type *type)
{
	switch (type->kind) {
	case TYPE_KSYM:
	case TYPE_KSTACK:
	case TYPE_CGROUP_PATH:
	case TYPE_NAMED:
	case TYPE_USER:
	case TYPE_PROBE:
	case TYPE_FUNCTION:
		return true;
	default:
		return type_is_scalar(type);
	}
}

struct low_value lower_scalar(struct ir_value v, const struct type *type)
{
	return (struct low_value){ .kind = LOW_SCALAR, .type = type, .v = v };
}

struct low_value lower_at_memory(struct low_memory memory, const struct type *type)
{
	return (struct low_value){ .kind = LOW_MEMORY, .type = type, .memory = memory };
}

struct ir_value lower_cut(struct lower *l, struct ir_value v, const struct type *type)
{
	if (type->kind == TYPE_BOOL || !type->size || type->size >= 8 || !lower_is_word(type))
		return v;
	if (v.is_const) {
		uint32_t shift = 64 - type->size * 8;

		v.imm = type->is_signed ? (int64_t)((uint64_t)v.imm << shift) >> shift
					: (int64_t)((uint64_t)v.imm << shift >> shift);
		return v;
	}
	return ir_unary(&l->b, type->is_signed ? IR_SIGN : IR_ZERO, type->size * 8, v);
}

/* What a place in a map's value holds; 0 if there is none. */
static struct ir_value use_optional(struct lower *l, const struct low_value *value)
{
	uint32_t there = ir_new_block(&l->b), done = ir_new_block(&l->b), dst = ir_new_reg(&l->b);

	ir_move(&l->b, dst, ir_imm(0));
	ir_branch(&l->b, IR_NE, value->memory.base, ir_imm(0), there, done);
	lower_at(l, there);
	ir_move(&l->b, dst, lower_load_scalar(l, &value->memory, value->type));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(dst);
}

static struct ir_value use(struct lower *l, const struct low_value *value)
{
	switch (value->kind) {
	case LOW_SCALAR:
		return value->v;
	case LOW_MEMORY:
		return lower_is_word(value->type) ? lower_load_scalar(l, &value->memory, value->type)
						  : lower_address(l, &value->memory);
	case LOW_OPTIONAL:
		return use_optional(l, value);
	default:
		return ir_imm(0);
	}
}

struct ir_value lower_use(struct lower *l, const struct low_value *value)
{
	struct span outer = l->b.at;
	struct ir_value v;

	if (value->at.end)
		l->b.at = value->at;
	v = use(l, value);
	l->b.at = outer;
	return v;
}

/* Whether the value can be kept until later as it is. */
static bool lower_is_stable(const struct low_value *value)
{
	return value->kind != LOW_MEMORY && value->kind != LOW_OPTIONAL;
}

/* --- texts --- */

static void write_literal(struct lower *l, const struct low_value *value, const struct low_memory *to, uint32_t size)
{
	bool is_text = value->type->kind == TYPE_STRING;
	uint32_t len = value->len < size ? value->len : is_text ? size - 1
								: size;
	char bytes[LOWER_OBJECT_MAX * 2];

	if (!size)
		return;
	if (size > sizeof(bytes)) {
		struct low_memory rest;
		uint32_t whole = (len + 8) & ~7U;

		whole = whole < size ? whole : size;
		rest = lower_behind(*to, whole);
		if (whole <= sizeof(bytes))
			write_literal(l, value, to, whole);
		else
			for (uint32_t i = 0; i < whole; i += 8) {
				struct low_memory part = lower_behind(*to, i);

				memset(bytes, 0, 8);
				memcpy(bytes, value->text + i, len > i ? (len - i < 8 ? len - i : 8) : 0);
				lower_bytes(l, &part, bytes, whole - i < 8 ? whole - i : 8);
			}
		lower_zero(l, &rest, size - whole);
		return;
	}
	memset(bytes, 0, size);
	memcpy(bytes, value->text, len);
	lower_bytes(l, to, bytes, size);
}

/* A text of from bytes, the last of them NUL at the latest, to a place of size bytes. */
static void write_text(struct lower *l, const struct low_memory *from, uint32_t from_size, const struct low_memory *to,
		       uint32_t size)
{
	uint32_t n = from_size < size ? from_size : size;
	struct low_memory rest = lower_behind(*to, n);

	lower_copy(l, to, from, n);
	if (size > n)
		lower_zero(l, &rest, size - n);
	if (size < from_size) {
		rest = lower_behind(*to, size - 1);
		lower_store(l, &rest, 8, ir_imm(0));
	}
}

static void write_comm(struct lower *l, const struct low_memory *to, uint32_t size)
{
	if (!size)
		return;
	if (size < 16) {
		struct low_mark mark = lower_mark(l);
		struct low_memory whole = lower_temp(l, 16);

		write_comm(l, &whole, 16);
		write_text(l, &whole, 16, to, size);
		lower_release(l, mark);
		return;
	}
	/* Linux 5.19 to 6.2 leave what is behind the name as it was. */
	lower_zero(l, to, size);
	lower_helper(l, BPF_FUNC_get_current_comm, 2, lower_address(l, to), ir_imm(16));
}

static void read_string(struct lower *l, const struct low_value *value, const struct low_memory *to,
			struct ir_value size)
{
	enum lang_space space = LANG_SPACE_KERNEL;
	struct ir_value length;

	if (value->memory.is_unsure)
		space = LANG_SPACE_UNSURE;
	else if (value->memory.space == SPACE_USER)
		space = LANG_SPACE_USER;
	length = lower_library(l, LANG_FN_str, 4, lower_address(l, to), size, value->v, ir_imm(space));
	lower_check_read(l, space == LANG_SPACE_KERNEL ? "probe_read_kernel_str" : "probe_read_user_str", length, true);
}

static void write_string(struct lower *l, const struct low_value *value, const struct low_memory *to, uint32_t size)
{
	if (!value->limit.is_const) { /* at least 1 and at most the value's size: see lower_bounded() */
		lower_zero(l, to, size);
		if (size >= value->type->size)
			read_string(l, value, to, lower_bounded(l, value->limit, 1, size));
		return;
	}
	if (value->limit.imm < size) {
		uint32_t limit = value->limit.imm > 0 ? value->limit.imm : 1;
		struct low_memory rest = lower_behind(*to, limit);

		lower_zero(l, &rest, size - limit);
		size = limit;
	}
	read_string(l, value, to, ir_imm(size));
}

/* u32 length, bytes, zeros. */
static void write_buffer(struct lower *l, const struct low_value *value, const struct low_memory *to, uint32_t size)
{
	struct low_memory bytes = lower_behind(*to, 4), from = lower_pointed(value->v, value->memory.space);

	lower_zero(l, to, size);
	lower_store(l, to, 32, value->limit);
	lower_read(l, &bytes, &from, lower_bounded(l, value->limit, 0, size - 4));
}

/* --- tuples --- */

static void write_padding(struct lower *l, const struct low_memory *to, uint32_t from, uint32_t until)
{
	struct low_memory gap = lower_behind(*to, from);

	if (until > from)
		lower_zero(l, &gap, until - from);
}

static void write_tuple(struct lower *l, const struct low_value *value, const struct low_memory *to,
			const struct type *type)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < type->n_fields && i < value->type->n_fields; i++) {
		const struct type_field *field = &type->fields[i], *from = &value->type->fields[i];
		struct low_memory place = lower_behind(*to, field->at);
		struct low_value element;

		if (value->kind == LOW_TUPLE)
			element = value->elements[i];
		else
			element = lower_at_memory(lower_behind(value->memory, from->at), from->type);
		write_padding(l, to, done, field->at);
		lower_write(l, &element, &place, field->type);
		done = field->at + field->type->size;
	}
	write_padding(l, to, done, type->size);
}

/* --- all --- */

static void write_scalar(struct lower *l, struct ir_value v, const struct low_memory *to, uint32_t size)
{
	struct low_memory part = *to;

	if ((!to->is_object && !to->is_frame) || to->at % size == 0) {
		lower_store(l, to, size * 8, v);
		return;
	}
	for (uint32_t i = 0; i < size; i++) {
		part.at = to->at + i;
		lower_store(l, &part, 8, i ? ir_binary(&l->b, IR_SHR, v, ir_imm(i * 8)) : v);
	}
}

static void write_optional(struct lower *l, const struct low_value *value, const struct low_memory *to,
			   const struct type *type)
{
	uint32_t there = ir_new_block(&l->b), none = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct low_value found = *value;

	found.kind = LOW_MEMORY;
	ir_branch(&l->b, IR_NE, value->memory.base, ir_imm(0), there, none);
	lower_at(l, there);
	lower_write(l, &found, to, type);
	ir_jump(&l->b, done);
	lower_at(l, none);
	lower_zero(l, to, type->size);
	ir_jump(&l->b, done);
	lower_at(l, done);
}

static void write_memory(struct lower *l, const struct low_value *value, const struct low_memory *to,
			 const struct type *type)
{
	uint32_t size = value->type->size < type->size ? value->type->size : type->size;

	if (type->kind == TYPE_STRING && value->type->kind == TYPE_STRING) {
		write_text(l, &value->memory, value->type->size, to, type->size);
	} else if ((type->kind == TYPE_TUPLE || type->kind == TYPE_RECORD) && value->type->n_fields &&
		   !type_same(type, value->type)) {
		write_tuple(l, value, to, type);
	} else {
		lower_copy(l, to, &value->memory, size);
		write_padding(l, to, size, type->size);
	}
}

static void write_value(struct lower *l, const struct low_value *value, const struct low_memory *to,
			const struct type *type)
{
	if (value->kind == LOW_OPTIONAL && !lower_is_word(type)) {
		write_optional(l, value, to, type);
	} else if (lower_is_word(type) || value->kind == LOW_SCALAR) {
		if (type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8)
			write_scalar(l, lower_use(l, value), to, type->size);
		else
			lower_zero(l, to, type->size);
	} else if (value->kind == LOW_LITERAL) {
		write_literal(l, value, to, type->size);
	} else if (value->kind == LOW_COMM) {
		write_comm(l, to, type->size);
	} else if (value->kind == LOW_STRING) {
		write_string(l, value, to, type->size);
	} else if (value->kind == LOW_BUFFER) {
		write_buffer(l, value, to, type->size);
	} else if (value->kind == LOW_TUPLE) {
		write_tuple(l, value, to, type);
	} else {
		write_memory(l, value, to, type);
	}
}

void lower_write(struct lower *l, const struct low_value *value, const struct low_memory *to, const struct type *type)
{
	struct span outer = l->b.at;

	if (value->at.end)
		l->b.at = value->at;
	write_value(l, value, to, type);
	l->b.at = outer;
}

struct low_memory lower_place(struct lower *l, const struct low_value *value, const struct type *type)
{
	struct low_memory place;

	if (value->kind == LOW_MEMORY && value->memory.space == SPACE_BPF && !value->memory.bit_count &&
	    type_same(value->type, type))
		return value->memory;
	place = lower_temp(l, type->size);
	lower_write(l, value, &place, type);
	return place;
}

static bool is_read_late(const struct low_value *value)
{
	if (value->kind == LOW_TUPLE)
		for (uint32_t i = 0; i < value->type->n_fields; i++)
			if (is_read_late(&value->elements[i]) || !lower_is_stable(&value->elements[i]))
				return true;
	return value->kind == LOW_STRING && value->is_own;
}

void lower_write_over(struct lower *l, const struct low_value *value, const struct low_memory *to,
		      const struct type *type)
{
	struct low_value copy;

	if (!is_read_late(value)) {
		lower_write(l, value, to, type);
		return;
	}
	copy = lower_at_memory(lower_place(l, value, type), type);
	lower_write(l, &copy, to, type);
}

struct low_memory lower_place_words(struct lower *l, const struct low_value *value, const struct type *type)
{
	struct low_memory place = lower_place(l, value, type);
	struct low_value there = lower_at_memory(place, type);

	if ((!place.is_object && !place.is_frame) || place.at % 8 == 0)
		return place;
	place = lower_temp(l, type->size);
	lower_write(l, &there, &place, type);
	return place;
}
