// SPDX-License-Identifier: BSD-2-Clause
/* x.name, x->name, x.0 and x[i]: members of structs, tuples, records and `args`, elements of arrays. */
#include "checker.h"

/* Reports that there is no such member, with the name that is nearest. */
static void check_no_field(struct checker *c, struct ast *ast, const struct type *type, const char *of)
{
	struct nearest nearest;

	check_error(c, ast->at, "%s does not have a field named '%s'", of, ast->field.name);
	if (!c->is_final)
		return;
	nearest_init(&nearest, ast->field.name);
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (type->fields[i].name)
			nearest_offer(&nearest, type->fields[i].name);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
}

/* An element of a tuple, by its number. */
static const struct type *check_element(struct checker *c, struct ast *ast, const struct type *type, int64_t index)
{
	if (index < 0 || index >= type->n_fields) {
		check_error(c, ast->at, "Invalid tuple index: %lld. Found %u elements in tuple.", (long long)index,
			    type->n_fields);
		return type_none();
	}
	if (ast->kind == AST_FIELD)
		ast->field.found = type->fields[index];
	return type->fields[index].type;
}

/* The value of a member of a record that is written there and has nothing but constants, as `config`. */
static void check_known_member(struct checker *c, struct ast *ast)
{
	const struct ast *found = NULL;

	if (ast->field.of->kind != AST_RECORD)
		return;
	for (const struct ast *member = ast->field.of->list.first; member; member = member->next) {
		if (!member->named.value->is_constant)
			return;
		if (str_same(member->named.name, ast->field.name))
			found = member->named.value;
	}
	if (found && check_is_known_text(found))
		check_set_text(c, ast, found->text);
	else if (found && type_is_scalar(found->type))
		check_set_integer(ast, found->constant, found->type);
}

static const struct type *check_record_field(struct checker *c, struct ast *ast, const struct type *type)
{
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (str_same(type->fields[i].name, ast->field.name)) {
			ast->field.found = type->fields[i];
			check_known_member(c, ast);
			return type->fields[i].type;
		}
	check_no_field(c, ast, type, "the record");
	return type_none();
}

static const struct type *check_struct_field(struct checker *c, struct ast *ast, const struct type *type,
					     enum type_space space)
{
	struct ctypes *types = c->program->types;
	const char *name = ast->field.name;

	if (!ctypes_complete(types, type)) {
		check_error(c, ast->at, "'%s' is only declared: its fields are not known", check_show(c, type));
		return type_none();
	}
	if (!ctypes_field(types, type, name, space, &ast->field.found)) {
		check_no_field(c, ast, type, pool_addf(c->pool, "'%s'", check_show(c, type)));
		return type_none();
	}
	return ast->field.found.type;
}

enum type_space check_memory_space(const struct checker *c, const struct ast *ast)
{
	for (;;) {
		const struct ast *of = ast->kind == AST_FIELD	? ast->field.of
				       : ast->kind == AST_INDEX ? ast->index.of
				       : ast->kind == AST_UNARY ? ast->unary.operand
								: NULL;

		if (!of || !of->type)
			return SPACE_NONE;
		if (of->type->kind == TYPE_POINTER)
			return of->type->space == SPACE_NONE ? check_default_space(c) : of->type->space;
		ast = of;
	}
}

/* Whose memory a struct lies in that is no pointer: as the pointer that led to it. */
static enum type_space check_struct_space(const struct checker *c, const struct ast *ast)
{
	enum type_space space = check_memory_space(c, ast);

	return space == SPACE_NONE ? check_default_space(c) : space;
}

/* Structs of system calls and of the network, which C libraries have as the kernel has them. */
static bool check_is_shared_struct(const char *name)
{
	static const char *const names[] = {
		"epoll_event", "in6_addr", "in_addr", "iovec", "pollfd", "rlimit",
		"sockaddr", "sockaddr_in", "sockaddr_in6", "sockaddr_nl", "sockaddr_un"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool check_is_user_probe(const struct checker *c)
{
	enum lang_probe_kind kind = c->probe->probe->kind;

	return kind == PROBE_UPROBE || kind == PROBE_URETPROBE || kind == PROBE_USDT;
}

void check_foreign_struct(struct checker *c, const struct type *pointer, struct span at)
{
	const struct type *of = pointer->of;
	enum type_space space = pointer->space == SPACE_NONE ? check_default_space(c) : pointer->space;

	if (!check_is_user_probe(c) || space != SPACE_USER || of->kind != TYPE_STRUCT || !c->is_final ||
	    !ctypes_is_kernel(c->program->types, of) || check_is_shared_struct(of->name))
		return;
	vec_each(name, &c->foreign)
		if (!strcmp(*name, of->name))
			return;
	*vec_push(&c->foreign) = of->name;
	check_warning(c, at, "'%s' is the kernel's struct, but this is the memory of a program", check_show(c, of));
	check_hint(c, at, "the program's struct of that name may differ: declare it here, or include its header");
}

const struct type *check_field(struct checker *c, struct ast *ast)
{
	const struct type *type = check_value(c, ast->field.of);
	bool is_args = builtin_is(ast->field.of, "args");

	if (type->kind == TYPE_NONE)
		return type;
	if (type->kind == TYPE_TUPLE && !ast->field.name)
		return check_element(c, ast, type, ast->field.index);
	if (!ast->field.name || type->kind == TYPE_TUPLE) {
		check_error(c, ast->at, "'%s' has no field '%s': the elements of a tuple have numbers",
			    check_show(c, type),
			    ast->field.name ? ast->field.name : pool_addf(c->pool, "%u", ast->field.index));
		return type_none();
	}
	if (is_args) {
		for (uint32_t i = 0; i < type->n_fields; i++)
			if (str_same(type->fields[i].name, ast->field.name)) {
				ast->field.found = type->fields[i];
				ast->field.found.at = c->probe->arguments.v[i].at;
				return type->fields[i].type;
			}
		check_no_field(c, ast, type, pool_addf(c->pool, "args of %s", check_place_name(c)));
		return type_none();
	}
	if (type->kind == TYPE_RECORD)
		return check_record_field(c, ast, type);
	if (type->kind == TYPE_STRUCT)
		return check_struct_field(c, ast, type, check_struct_space(c, ast->field.of));
	if (type->kind == TYPE_POINTER)
		check_foreign_struct(c, type, ast->at);
	if (type->kind == TYPE_POINTER && type->of->kind == TYPE_STRUCT)
		return check_struct_field(c, ast, type->of,
					  type->space == SPACE_NONE ? check_default_space(c) : type->space);
	check_error(c, ast->at, "Can not access field '%s' on expression of type '%s'", ast->field.name,
		    check_show(c, type));
	if (type_is_integral(type))
		check_hint(c, ast->at, "cast it to a pointer to a struct: ((struct NAME *)x).%s", ast->field.name);
	else if (!c->options->features.btf)
		check_hint(c, ast->at, "the kernel's types are not known: there is no /sys/kernel/btf/vmlinux here");
	return type_none();
}

const struct type *check_index(struct checker *c, struct ast *ast)
{
	struct ast *index = ast->index.index;
	const struct type *type = check_value(c, ast->index.of);

	if (!check_integer(c, index, "an index") || type->kind == TYPE_NONE)
		return type_none();
	if (type->kind == TYPE_TUPLE) {
		if (index->is_constant)
			return check_element(c, ast, type, index->constant);
		check_error(c, index->at, "the index of a tuple must be a constant");
		return type_none();
	}
	if (type->kind == TYPE_POINTER)
		check_foreign_struct(c, type, ast->at);
	if (type->kind == TYPE_POINTER && type->of->size)
		return type->of;
	if (type->kind == TYPE_STRING)
		return type_integer(1, true);
	if (type->kind != TYPE_ARRAY) {
		check_error(c, ast->at,
			    "The array index operator [] can only be used on arrays, pointers and tuples, found '%s'",
			    check_show(c, type));
		return type_none();
	}
	if (index->is_constant && type->count && (uint64_t)index->constant >= type->count) {
		check_error(c, index->at, "the index %lld is out of bounds for an array of %u elements",
			    (long long)index->constant, type->count);
		return type_none();
	}
	return type->of;
}
