// SPDX-License-Identifier: BSD-2-Clause
/* Types as a program writes them, and the least type that holds the values of two others. */
#include "checker.h"

#define LITERAL(n, negative) \
	{ \
		TYPE_INTEGER, .size = (n), .align = (n), .is_signed = true, .is_literal = true, \
			      .is_negative = (negative) \
	}
#define LITERALS(n) \
	{ \
		LITERAL(n, false), LITERAL(n, true) \
	}
static const struct type literal_types[][2] = { LITERALS(1), LITERALS(2), LITERALS(4), LITERALS(8) };

const struct type *check_literal_type(int64_t value, bool is_unsigned)
{
	bool is_negative = value < 0;

	if (is_unsigned)
		return type_integer(8, false);
	if (value == (int8_t)value)
		return &literal_types[0][is_negative];
	if (value == (int16_t)value)
		return &literal_types[1][is_negative];
	return value == (int32_t)value ? &literal_types[2][is_negative] : &literal_types[3][is_negative];
}

const struct type *check_join_integers(const struct type *a, const struct type *b)
{
	uint32_t size = a->size > b->size ? a->size : b->size;
	const struct type *is_signed = a->is_signed ? a : b, *is_unsigned = a->is_signed ? b : a;

	if (a->is_literal && b->is_literal)
		return &literal_types[size == 1 ? 0 : size == 2 ? 1
					      : size == 4	? 2
								: 3][a->is_negative || b->is_negative];
	if (a->is_signed == b->is_signed)
		return type_integer(size, a->is_signed);
	if (is_signed->is_literal && !is_signed->is_negative)
		return type_integer(size, false);
	/* The larger signed type holds all values of both; there is none above 64 bits. */
	if (is_unsigned->size >= is_signed->size)
		size = is_unsigned->size >= 4 ? 8 : is_unsigned->size * 2;
	return type_integer(size, true);
}

const struct type *check_in_space(struct checker *c, const struct type *integer, enum type_space space)
{
	struct type *type = (struct type *)type_copy(c->pool, integer);

	type->space = space;
	return type;
}

bool check_same(const struct type *a, const struct type *b)
{
	return a == b || (type_same(a, b) && a->is_literal == b->is_literal && a->is_negative == b->is_negative &&
			  (a->kind == TYPE_POINTER || a->space == b->space));
}

static bool check_join_pointers(struct checker *c, const struct type *old, const struct type *added,
				const struct type **joined)
{
	enum type_space space = old->space == added->space ? old->space : SPACE_NONE;
	const struct type *of = old->of;

	if (old->of->kind == TYPE_VOID)
		of = added->of;
	else if (added->of->kind != TYPE_VOID && !type_same(old->of, added->of))
		return false;
	*joined = of == old->of && space == old->space ? old : type_pointer(c->pool, of, space);
	return true;
}

static bool check_join_fields(struct checker *c, const struct type *old, const struct type *added,
			      const struct type **joined)
{
	struct type_field fields[64];

	if (old->n_fields != added->n_fields || old->n_fields > ARRAY_SIZE(fields))
		return false;
	for (uint32_t i = 0; i < old->n_fields; i++) {
		if (!str_same(old->fields[i].name, added->fields[i].name))
			return false;
		fields[i] = old->fields[i];
		if (!check_join(c, old->fields[i].type, added->fields[i].type, &fields[i].type))
			return false;
	}
	*joined = type_tuple(c->pool, fields, old->n_fields, old->kind == TYPE_RECORD);
	return true;
}

static bool check_join_same_kind(struct checker *c, const struct type *old, const struct type *added,
				 const struct type **joined)
{
	switch (old->kind) {
	case TYPE_INTEGER:
		*joined = check_join_integers(old, added);
		if (old->space && old->space == added->space)
			*joined = check_in_space(c, *joined, old->space);
		return true;
	case TYPE_STRING:
	case TYPE_BUFFER:
		*joined = added->size > old->size ? added : old;
		return !old->is_const_size || added->size <= old->size;
	case TYPE_POINTER:
		return check_join_pointers(c, old, added, joined);
	case TYPE_TUPLE:
	case TYPE_RECORD:
		return check_join_fields(c, old, added, joined);
	case TYPE_SUM:
	case TYPE_MIN:
	case TYPE_MAX:
	case TYPE_AVG:
	case TYPE_STATS:
		*joined = added->is_signed ? added : old;
		return true;
	case TYPE_ENUM:
		*joined = type_same(old, added) ? old : type_integer(8, true);
		return true;
	default:
		*joined = old;
		return type_same(old, added);
	}
}

bool check_join(struct checker *c, const struct type *old, const struct type *added, const struct type **joined)
{
	*joined = old;
	if (added->kind == TYPE_NONE || old == added)
		return true;
	if (old->kind == TYPE_NONE) {
		*joined = added;
		return true;
	}
	if (old->kind == added->kind)
		return check_join_same_kind(c, old, added, joined);
	if (type_is_integral(old) && type_is_integral(added)) {
		/* Booleans and enums next to integers are integers. */
		*joined = old->kind == TYPE_BOOL     ? added
			  : added->kind == TYPE_BOOL ? old
						     : check_join_integers(old, added);
		if ((*joined)->kind == TYPE_ENUM)
			*joined = type_integer((*joined)->size, (*joined)->is_signed);
		return true;
	}
	/* `$p = 0` is how a pointer is made that points to nothing. */
	if (old->kind == TYPE_POINTER && added->is_literal)
		return true;
	if (added->kind == TYPE_POINTER && old->is_literal) {
		*joined = added;
		return true;
	}
	return false;
}

enum type_space check_default_space(const struct checker *c)
{
	const struct lang_probe *probe = c->probe->probe;

	switch (probe->kind) {
	case PROBE_UPROBE:
	case PROBE_URETPROBE:
	case PROBE_USDT:
		return SPACE_USER;
	case PROBE_TRACEPOINT:
		return !strncmp(probe->attach->text, "tracepoint:syscalls:", 20) ? SPACE_USER : SPACE_KERNEL;
	default:
		return SPACE_KERNEL;
	}
}

bool check_is_text(const struct type *type)
{
	return type->kind == TYPE_STRING ||
	       (type->kind == TYPE_ARRAY && type->of->kind == TYPE_INTEGER && type->of->size == 1);
}

/* --- types as they are written --- */

static const struct simple_name {
	const char *name;
	enum type_kind kind;
} simple_names[] = {
	{ "inet_t", TYPE_INET },
	{ "inet", TYPE_INET },
	{ "ksym_t", TYPE_KSYM },
	{ "usym_t", TYPE_USYM },
	{ "username_t", TYPE_USER },
	{ "mac_address_t", TYPE_MAC },
	{ "macaddr_t", TYPE_MAC },
	{ "timestamp", TYPE_TIME },
	{ "timestamp_t", TYPE_TIME },
	{ "cgroup_path_t", TYPE_CGROUP_PATH },
	{ "kstack_t", TYPE_KSTACK },
	{ "ustack_t", TYPE_USTACK },
};

/* Integers, bool, void and the language's own types; the other names are C's. NULL: none of them. */
static const struct type *check_own_type(struct checker *c, const struct ast_type *written)
{
	static const char *const digits[] = { "8", "16", "32", "64" };
	const char *name = written->name;
	bool is_signed = !strncmp(name, "int", 3);

	if (is_signed || !strncmp(name, "uint", 4))
		for (unsigned int i = 0; i < ARRAY_SIZE(digits); i++)
			if (!strcmp(name + (is_signed ? 3 : 4), digits[i]))
				return type_integer(1U << i, is_signed);
	if (!strcmp(name, "bool"))
		return type_bool();
	if (!strcmp(name, "void"))
		return type_void();
	for (unsigned int i = 0; i < ARRAY_SIZE(simple_names); i++)
		if (!strcmp(name, simple_names[i].name))
			return type_simple(simple_names[i].kind);
	return function_find_type(c->pool, name);
}

/* string[N], buffer[N]: the dimension is a size, 0 is as large as needed. */
static const struct type *check_sized_type(struct checker *c, const struct ast_type *written)
{
	uint32_t size = written->n_dims && written->dims[0] != UINT32_MAX ? written->dims[0] : 0;
	struct type *type;

	if (!strcmp(written->name, "string")) {
		if (!size)
			return type_string(c->pool, 1);
		type = (struct type *)type_copy(c->pool, type_string(c->pool, size));
		type->is_const_size = true;
		return type;
	}
	return strcmp(written->name, "buffer") ? NULL : type_buffer(c->pool, size);
}

static const struct type *check_c_type(struct checker *c, const struct ast_type *written)
{
	static const enum ctype_tag tags[] = { [WRITTEN_PLAIN] = CTYPE_PLAIN,
					       [WRITTEN_STRUCT] = CTYPE_STRUCT,
					       [WRITTEN_UNION] = CTYPE_UNION,
					       [WRITTEN_ENUM] = CTYPE_ENUM };
	static const char *const words[] = { "", "struct ", "union ", "enum " };
	struct err err = {};
	const struct type *type = ctypes_find(c->program->types, tags[written->tag], written->name, &err);

	if (type)
		return type;
	check_error(c, written->at, "Cannot resolve unknown type \"%s%s\"", words[written->tag], written->name);
	if (err.text[0]) {
		check_hint(c, written->at, "%s", err.text);
	} else if (c->is_final) {
		struct nearest nearest;

		nearest_init(&nearest, written->name);
		ctypes_offer(c->program->types, &nearest);
		if (nearest_name(&nearest) && strcmp(nearest_name(&nearest), written->name))
			check_hint(c, written->at, "did you mean \"%s%s\"?", words[written->tag],
				   nearest_name(&nearest));
	}
	return type_none();
}

static const struct type *check_written_members(struct checker *c, const struct ast_type *written)
{
	struct type_field fields[64] = {};
	uint32_t n = 0;

	for (const struct ast_type *member = written->members; member && n < ARRAY_SIZE(fields);
	     member = member->next) {
		fields[n].name = member->member;
		fields[n].type = check_written_type(c, member);
		if (fields[n++].type->kind == TYPE_NONE)
			return type_none();
	}
	return type_tuple(c->pool, fields, n, written->tag == WRITTEN_RECORD);
}

const struct type *check_type_argument(struct checker *c, const struct ast *ast)
{
	struct ast_type written = { .at = ast->at };
	struct err err = {};

	if (ast->kind == AST_TYPEOF)
		return check_written_type(c, ast->cast.as_type);
	if (ast->kind != AST_NAME || builtin_find(ast->name.name) || function_find(ast->name.name))
		return NULL;
	written.name = ast->name.name;
	return check_own_type(c, &written) ?: ctypes_find(c->program->types, CTYPE_PLAIN, ast->name.name, &err);
}

static const struct type *check_written_base(struct checker *c, const struct ast_type *written)
{
	const struct type *type;

	switch (written->tag) {
	case WRITTEN_TYPEOF:
		if (!written->of)
			return check_written_type(c, written->of_type);
		return check_type_argument(c, written->of) ?: check_value(c, written->of);
	case WRITTEN_TUPLE:
	case WRITTEN_RECORD:
		return check_written_members(c, written);
	case WRITTEN_PLAIN:
		type = check_own_type(c, written);
		if (type)
			return type;
		break;
	default:
		break;
	}
	return check_c_type(c, written);
}

const struct type *check_number_array(struct checker *c, const struct type *of, uint32_t count)
{
	struct type *type = (struct type *)type_array(c->pool, of, count);

	type->is_numbers = true;
	return type;
}

const struct type *check_written_type(struct checker *c, const struct ast_type *written)
{
	const struct type *type = written->tag == WRITTEN_PLAIN ? check_sized_type(c, written) : NULL;

	if (type)
		return type;
	type = check_written_base(c, written);
	if (type->kind == TYPE_NONE)
		return type;
	if (type->is_literal) /* typeof(1) is a type, not a literal that may grow */
		type = type_integer(type->size, type->is_signed);
	for (uint32_t i = 0; i < written->pointers; i++)
		type = type_pointer(c->pool, type, SPACE_NONE);
	for (uint32_t i = written->n_dims; i-- > 0;)
		type = check_number_array(c, type, written->dims[i] == UINT32_MAX ? 0 : written->dims[i]);
	return type;
}
