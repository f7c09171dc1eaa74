// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pointers whose type the kernel knows: arguments of trampolines and members of an iterator's context, and what they
 * point to. Programs load through them, which takes one instruction where a helper takes a hundred. The kernel looks
 * for the member that a load reads; some versions take the first member of a union, so those are left to the helper.
 */
#include "lowering.h"

/* Whether all kernels find exactly one member of that size there. */
static bool is_plain_member(struct lower *l, const struct type *type, uint64_t at, uint32_t size)
{
	if (type->kind != TYPE_STRUCT || type->is_union || !ctypes_complete(l->program->types, type))
		return false;
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct type_field *field = &type->fields[i];

		if (field->bit_count || at < field->at || at + size > (uint64_t)field->at + field->type->size)
			continue;
		if (field->type->kind == TYPE_STRUCT)
			return is_plain_member(l, field->type, at - field->at, size);
		return at == field->at && size == field->type->size && lower_is_word(field->type);
	}
	return false;
}

static const struct lang_argument *argument_of(const struct lower *l, const struct ast *ast)
{
	const struct lang_arguments *args = &l->checked->arguments;

	if (ast->kind != AST_FIELD || !builtin_is(ast->field.of, "args"))
		return NULL;
	for (size_t i = 0; i < args->n; i++)
		if (!strcmp(args->v[i].name, ast->field.name))
			return &args->v[i];
	return NULL;
}

/* x->a.b is a member of what x points to: returns x. *at: the offset. NULL: it is something else. */
static struct ast *pointer_of(struct ast *ast, uint64_t *at)
{
	*at = 0;
	while (ast->kind == AST_FIELD && ast->field.of->type) {
		*at += ast->field.found.at;
		if (ast->field.of->type->kind == TYPE_POINTER)
			return ast->field.of;
		ast = ast->field.of;
	}
	return NULL;
}

/* Whether a pointer comes from an argument, over pointers to structs only. */
static bool is_trusted(struct lower *l, struct ast *ast)
{
	const struct lang_argument *argument = argument_of(l, ast);
	struct ast *base;
	uint64_t at;

	if (ast->type->kind != TYPE_POINTER || ast->type->space != SPACE_TRUSTED)
		return false;
	if (argument)
		return (l->probe->kind == PROBE_FENTRY || l->probe->kind == PROBE_FEXIT) && !argument->by_read;
	base = pointer_of(ast, &at);
	return base && is_trusted(l, base) && is_plain_member(l, base->type->of, at, 8);
}

static struct ir_value trusted_argument(struct lower *l, const struct lang_argument *argument)
{
	l->probe->needs.trampoline = true;
	return ir_load(&l->b, 64, false, l->f->context, 8 * (int64_t)argument->at);
}

/* The value of a pointer that is_trusted(). */
static struct ir_value load_trusted(struct lower *l, struct ast *ast)
{
	const struct lang_argument *argument = argument_of(l, ast);
	struct ast *base;
	uint64_t at;

	if (argument)
		return trusted_argument(l, argument);
	base = pointer_of(ast, &at);
	return ir_load(&l->b, 64, false, load_trusted(l, base), at);
}

bool lower_trusted_field(struct lower *l, struct ast *ast, struct low_value *value)
{
	const struct type *type = ast->type;
	uint64_t at;
	struct ast *base = pointer_of(ast, &at);
	bool is_struct = type->kind == TYPE_POINTER && type->of && type->of->kind == TYPE_STRUCT;

	if (!base || !lower_is_word(type) || !is_trusted(l, base))
		return false;
	if (ast->field.found.bit_count || is_struct || !is_plain_member(l, base->type->of, at, type->size)) {
		/* As a number, by the helper: a pointer to a struct would be one that nobody may compute with. */
		*value = lower_at_memory(lower_behind(lower_pointed(load_trusted(l, base), SPACE_KERNEL), at), type);
		value->memory.bit_at = ast->field.found.bit_at;
		value->memory.bit_count = ast->field.found.bit_count;
		return true;
	}
	*value = lower_scalar(ir_load(&l->b, type->size * 8, type->is_signed, load_trusted(l, base), at), type);
	return true;
}

/* --- for helpers that want such pointers --- */

/* A member of an iterator's context may be NULL, which the kernel wants to see checked. */
static struct ir_value trusted_member(struct lower *l, struct ast *ast)
{
	struct ir_value v = ir_load(&l->b, 64, false, l->f->context, ast->field.found.at);
	uint32_t next = ir_new_block(&l->b);

	ir_branch(&l->b, IR_NE, v, ir_imm(0), next, l->f->exit);
	lower_at(l, next);
	return v;
}

struct ir_value lower_trusted(struct lower *l, struct ast *ast)
{
	const struct lang_argument *argument = argument_of(l, ast);
	struct ir_value base;

	if (ast->kind != AST_FIELD) {
		lower_error(l, ast->at, "the kernel wants a member of args or ctx here, as args.file.f_path");
		return ir_imm(0);
	}
	if (argument)
		return trusted_argument(l, argument);
	if (builtin_is(ast->field.of, "ctx"))
		return trusted_member(l, ast);
	base = lower_trusted(l, ast->field.of);
	if (base.is_const)
		return base;
	if (ast->type->kind == TYPE_POINTER)
		return ir_load(&l->b, 64, false, base, ast->field.found.at);
	return ast->field.found.at ? ir_binary(&l->b, IR_ADD, base, ir_imm(ast->field.found.at)) : base;
}
