// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fields, elements and what pointers point to. Nothing is read before it is needed: `$p->a.b[2]` is one place in
 * memory, and only a pointer on the way is read.
 */
#include <linux/bpf.h>

#include "lowering.h"

static bool is_user_probe(const struct lang_probe *probe)
{
	return probe->kind == PROBE_UPROBE || probe->kind == PROBE_URETPROBE || probe->kind == PROBE_USDT;
}

static enum type_space lower_space(struct lower *l, const struct type *pointer, bool *is_unsure)
{
	static const char entries[] = "tracepoint:syscalls:";

	*is_unsure = false;
	if (pointer->space != SPACE_NONE)
		return pointer->space;
	if (is_user_probe(l->probe))
		return SPACE_USER;
	if (l->probe->kind == PROBE_TRACEPOINT && l->probe->attach &&
	    !strncmp(l->probe->attach->text, entries, sizeof(entries) - 1))
		return SPACE_USER;
	*is_unsure = true;
	return SPACE_KERNEL;
}

struct low_memory lower_target(struct lower *l, struct ir_value pointer, const struct type *type)
{
	struct low_memory memory = lower_pointed(pointer, SPACE_NONE);

	memory.space = lower_space(l, type, &memory.is_unsure);
	/* The verifier has forgotten what a pointer from a variable or a map points to: the helper reads anything. */
	if (memory.space == SPACE_TRUSTED || memory.space == SPACE_BPF || memory.space == SPACE_CONTEXT)
		memory.space = SPACE_KERNEL;
	return memory;
}

struct low_value lower_dereference(struct lower *l, struct ast *ast)
{
	struct ast *of = ast->unary.operand;
	struct ir_value pointer = lower_number(l, of);

	return lower_at_memory(lower_target(l, pointer, of->type), ast->type);
}

/* A field of a tuple or a struct that is a value. */
static struct low_value field_of_value(struct lower *l, const struct low_value *of, const struct ast *ast)
{
	struct low_value value;

	if (of->kind == LOW_TUPLE) {
		for (uint32_t i = 0; i < of->type->n_fields; i++)
			if (ast->field.name ? of->type->fields[i].name &&
						      !strcmp(of->type->fields[i].name, ast->field.name)
					    : i == ast->field.index)
				return of->elements[i];
	}
	if (of->kind == LOW_OPTIONAL) {
		struct low_memory place = lower_place(l, of, of->type);

		value = lower_at_memory(place, ast->type);
	} else {
		value = lower_at_memory(of->memory, ast->type);
	}
	value.memory.at += ast->field.found.at;
	value.memory.bit_at = ast->field.found.bit_at;
	value.memory.bit_count = ast->field.found.bit_count;
	return value;
}

/* An array as the value of a pointer's type: the address. */
static struct low_value as_field(const struct low_memory *memory, const struct ast *ast)
{
	struct low_value value = lower_at_memory(*memory, ast->type);

	value.memory.at += ast->field.found.at;
	value.memory.bit_at = ast->field.found.bit_at;
	value.memory.bit_count = ast->field.found.bit_count;
	return value;
}

struct low_value lower_field(struct lower *l, struct ast *ast)
{
	struct ast *of = ast->field.of;
	struct low_value value;

	if (builtin_is(of, "args"))
		return lower_args_field(l, ast);
	if (lower_trusted_field(l, ast, &value))
		return value;
	value = lower_expression(l, of);
	if (of->type->kind == TYPE_POINTER) {
		struct low_memory memory;

		if (builtin_is(of, "ctx"))
			memory = lower_pointed(lower_use(l, &value), SPACE_CONTEXT);
		else
			memory = lower_target(l, lower_use(l, &value), of->type);
		return as_field(&memory, ast);
	}
	return field_of_value(l, &value, ast);
}

/* --- elements --- */

/*
 * An element whose number is known only when the program runs, of an array in the program's own memory: the verifier of
 * old kernels takes no variable offset in the frame, so the helper reads it. Behind the end is 0.
 */
static struct low_value element_of_own(struct lower *l, struct low_memory array, struct ir_value index, uint32_t count,
				       const struct type *type)
{
	uint32_t inside = ir_new_block(&l->b), outside = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct low_memory to = lower_temp(l, type->size), from;
	struct ir_value offset;

	ir_branch(&l->b, IR_LT, index, ir_imm(count), inside, outside);
	lower_at(l, inside);
	offset = type->size == 1 ? index : ir_binary(&l->b, IR_MUL, index, ir_imm(type->size));
	from = lower_pointed(ir_binary(&l->b, IR_ADD, lower_address(l, &array), offset), SPACE_KERNEL);
	lower_read(l, &to, &from, ir_imm(type->size));
	ir_jump(&l->b, done);
	lower_at(l, outside);
	lower_zero(l, &to, type->size);
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_at_memory(to, type);
}

static struct low_value element_at(struct lower *l, struct low_memory array, struct ir_value index, uint32_t count,
				   const struct type *type)
{
	if (index.is_const) {
		array.at += index.imm * type->size;
		return lower_at_memory(array, type);
	}
	if (array.space != SPACE_KERNEL && array.space != SPACE_USER)
		return element_of_own(l, array, index, count, type);
	if (type->size != 1)
		index = ir_binary(&l->b, IR_MUL, index, ir_imm(type->size));
	array.base = ir_binary(&l->b, IR_ADD, array.base, index);
	return lower_at_memory(array, type);
}

struct low_value lower_index(struct lower *l, struct ast *ast)
{
	struct ast *of = ast->index.of;
	struct low_value value = lower_expression(l, of);
	struct ir_value index;

	if (of->type->kind == TYPE_TUPLE || of->type->kind == TYPE_RECORD) {
		uint32_t i = ast->index.index->constant;
		struct ast field = { .kind = AST_FIELD, .type = ast->type };

		field.field.index = i;
		field.field.found = of->type->fields[i];
		return field_of_value(l, &value, &field);
	}
	if (of->type->kind == TYPE_POINTER) {
		struct ir_value base = lower_use(l, &value);

		index = lower_number(l, ast->index.index);
		return element_at(l, lower_target(l, base, of->type), index, 0, ast->type);
	}
	if (value.kind != LOW_MEMORY)
		value = lower_at_memory(lower_place(l, &value, value.type), value.type);
	index = lower_number(l, ast->index.index);
	if (value.type->kind == TYPE_BUFFER)
		value.memory.at += 4;
	return element_at(l, value.memory, index, of->type->kind == TYPE_ARRAY ? of->type->count : of->type->size,
			  ast->type);
}
