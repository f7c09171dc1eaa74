// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes types of what BTF describes. A struct is made with its size only; its members are read when somebody looks into
 * it. A type that was made once is found again by its module, id and space.
 */
#include "ctype_part.h"

/* Bounds the recursion: of pointers to pointers, arrays of arrays, typedefs of typedefs. */
#define MAX_DEPTH 32

#define MODIFIERS \
	(1U << BTF_KIND_TYPEDEF | 1U << BTF_KIND_CONST | 1U << BTF_KIND_VOLATILE | 1U << BTF_KIND_RESTRICT | \
	 1U << BTF_KIND_TYPE_TAG)

struct ctype_key {
	uint32_t module, id, space;
};

static const void *trailer(const struct btf_type *t)
{
	return t + 1;
}

/*
 * Skips const, typedef and the like. *id: of what they stand for; *tag: the last tag of the kernel ("user"), or NULL.
 */
static const struct btf_type *skip(struct ctypes *types, int module, uint32_t *id, const char **tag)
{
	const struct btf_type *t = kernel_types_get(types->kernel, module, *id);

	for (int i = 0; t && MODIFIERS >> BTF_INFO_KIND(t->info) & 1 && i < MAX_DEPTH; i++) {
		if (tag && BTF_INFO_KIND(t->info) == BTF_KIND_TYPE_TAG)
			*tag = kernel_types_string(types->kernel, module, t->name_off);
		*id = t->type;
		t = kernel_types_get(types->kernel, module, *id);
	}
	return t;
}

static const char *name_of(struct ctypes *types, int module, uint32_t offset)
{
	const char *name = kernel_types_string(types->kernel, module, offset);

	return *name ? name : NULL;
}

static const struct type *make_integer(struct ctypes *types, const struct btf_type *t)
{
	uint32_t encoding = BTF_INT_ENCODING(*(const uint32_t *)trailer(t));

	if (encoding & BTF_INT_BOOL && t->size == 1)
		return type_bool();
	if (t->size > 8) /* __int128 */
		return type_array(types->pool, type_integer(8, false), t->size / 8);
	return type_integer(t->size, encoding & BTF_INT_SIGNED);
}

/*
 * A pointer from the kernel's memory to memory that it tags as the user's stays one. Many kernels have no tags: an
 * argument that does not point to a struct, such as the name of a file to open, may be the user's.
 */
static const struct type *make_pointer(struct ctypes *types, int module, const struct btf_type *t,
				       enum type_space space)
{
	const char *tag = NULL;
	uint32_t id = t->type;
	const struct type *of;

	skip(types, module, &id, &tag);
	of = ctypes_make(types, module, t->type, space == SPACE_TRUSTED ? SPACE_KERNEL : space);
	if (space == SPACE_TRUSTED && (of->kind != TYPE_STRUCT || tag))
		space = tag ? SPACE_KERNEL : SPACE_NONE;
	if (tag && !strcmp(tag, "user"))
		space = SPACE_USER;
	return type_pointer(types->pool, of, space);
}

static bool is_char(struct ctypes *types, int module, uint32_t id)
{
	const struct btf_type *t = skip(types, module, &id, NULL);

	return t && BTF_INFO_KIND(t->info) == BTF_KIND_INT && t->size == 1 &&
	       !strcmp(kernel_types_string(types->kernel, module, t->name_off), "char");
}

/* An array of C's char is a text. One without a size, at the end of a struct, is an array of no elements. */
static const struct type *make_array(struct ctypes *types, int module, const struct btf_type *t, enum type_space space)
{
	const struct btf_array *array = trailer(t);

	if (array->nelems && is_char(types, module, array->type))
		return type_string(types->pool, array->nelems);
	return type_array(types->pool, ctypes_make(types, module, array->type, space), array->nelems);
}

/* The alignment of a struct cannot be seen from outside; its size is a multiple of it. */
static uint32_t align_of(uint32_t size)
{
	return size % 8 == 0 ? 8 : size % 4 == 0 ? 4
			   : size % 2 == 0	 ? 2
						 : 1;
}

static const struct type *make_named(struct ctypes *types, int module, uint32_t id, const struct btf_type *t)
{
	uint32_t kind = BTF_INFO_KIND(t->info);
	bool is_forward = kind == BTF_KIND_FWD, is_enum = kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
	bool is_union = kind == BTF_KIND_UNION || (is_forward && BTF_INFO_KFLAG(t->info));
	struct ctype_origin origin = { module, id, is_union ? CTYPE_UNION : CTYPE_STRUCT };
	struct type type = {
		.kind = is_enum ? TYPE_ENUM : TYPE_STRUCT,
		.size = is_forward ? 0 : t->size,
		.is_union = is_union,
		.is_signed = is_enum && BTF_INFO_KFLAG(t->info),
		.name = name_of(types, module, t->name_off),
	};

	type.align = align_of(type.size);
	if (is_forward) {
		origin.id = 0;
		origin.name = type.name;
	}
	type.origin = pool_copy(types->pool, &origin, sizeof(origin));
	return type_copy(types->pool, &type);
}

const struct type *ctypes_named(struct ctypes *types, enum ctype_tag tag, const char *name, uint32_t size)
{
	const struct type *found = ctypes_declared(types, tag, name);
	struct ctype_origin origin = { .tag = tag, .name = pool_add(types->pool, name) };
	struct type type = {
		.kind = tag == CTYPE_ENUM ? TYPE_ENUM : TYPE_STRUCT,
		.size = size,
		.align = align_of(size),
		.is_union = tag == CTYPE_UNION,
		.name = origin.name,
	};

	if (found)
		return found;
	vec_each(it, &types->lazy)
		if (it->tag == tag && it->type->size == size && !strcmp(it->name, name))
			return it->type;
	type.origin = pool_copy(types->pool, &origin, sizeof(origin));
	found = type_copy(types->pool, &type);
	*vec_push(&types->lazy) = (struct ctype_declared){ tag, origin.name, found };
	return found;
}

static const struct type *make(struct ctypes *types, int module, uint32_t id, enum type_space space)
{
	const struct btf_type *t = skip(types, module, &id, NULL);

	if (!t)
		return type_void();
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
		return make_integer(types, t);
	case BTF_KIND_PTR:
		return make_pointer(types, module, t, space);
	case BTF_KIND_ARRAY:
		return make_array(types, module, t, space);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
		return make_named(types, module, id, t);
	case BTF_KIND_FLOAT:
		return t->size == 4 || t->size == 8 ? type_float(t->size) : type_void();
	case BTF_KIND_VAR:
		return ctypes_make(types, module, t->type, space);
	default: /* functions */
		return type_void();
	}
}

/* Structs and enums do not depend on the space that they are in. */
static struct ctype_key key_of(struct ctypes *types, int module, uint32_t id, enum type_space space)
{
	const struct btf_type *t = skip(types, module, &id, NULL);
	uint32_t kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;

	return (struct ctype_key){ module, id, kind == BTF_KIND_PTR || kind == BTF_KIND_ARRAY ? space : SPACE_NONE };
}

const struct type *ctypes_make(struct ctypes *types, int module, uint32_t id, enum type_space space)
{
	struct ctype_key key = key_of(types, module, id, space);
	const struct type *type;
	uint32_t number;

	if (types->depth == MAX_DEPTH)
		return type_void();
	number = set_add(&types->keys, &key, sizeof(key));
	if (number < types->made.n && types->made.v[number])
		return types->made.v[number];
	while (types->made.n <= number)
		vec_push(&types->made);
	types->depth++;
	type = make(types, module, key.id, space);
	types->depth--;
	types->made.v[number] = type;
	return type;
}

/* --- members --- */

/*
 * Sets where a bit field is: in the unit of its type that it begins in or, in a packed struct where it crosses the end
 * of that, in one that begins with its first byte.
 */
static void set_bits(struct type_field *field, uint32_t bit, uint32_t count)
{
	uint32_t unit = field->type->size ? field->type->size * 8 : 8;

	field->at = bit / unit * field->type->size;
	if (bit - field->at * 8 + count > unit)
		field->at = bit / 8;
	field->bit_at = bit - field->at * 8;
	field->bit_count = count;
}

static struct type_field make_field(struct ctypes *types, int module, const struct btf_type *t, uint32_t i)
{
	const struct btf_member *member = (const struct btf_member *)trailer(t) + i;
	bool has_bits = BTF_INFO_KFLAG(t->info);
	uint32_t bit = has_bits ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;
	uint32_t count = has_bits ? BTF_MEMBER_BITFIELD_SIZE(member->offset) : 0;
	struct type_field field = {
		.name = name_of(types, module, member->name_off),
		.type = ctypes_make(types, module, member->type, SPACE_KERNEL),
		.at = bit / 8,
	};

	if (count)
		set_bits(&field, bit, count);
	return field;
}

/* Reads the members of a struct, and of the unnamed ones in it. */
static void read_members(struct ctypes *types, struct type *type, int module, const struct btf_type *t)
{
	uint32_t n = BTF_INFO_VLEN(t->info);
	struct type_field *fields = base_alloc((n + 1) * sizeof(*fields));

	for (uint32_t i = 0; i < n; i++) {
		fields[i] = make_field(types, module, t, i);
		if (!fields[i].name && fields[i].type->kind == TYPE_STRUCT)
			ctypes_complete(types, fields[i].type);
	}
	type->size = t->size;
	type->align = align_of(t->size);
	type->n_fields = n;
	type->fields = pool_copy(types->pool, fields, n * sizeof(*fields));
	type->origin = NULL;
	free(fields);
}

bool ctypes_complete(struct ctypes *types, const struct type *type)
{
	struct ctype_origin *origin = (void *)type->origin;
	const struct btf_type *t;

	if (!origin || type->kind != TYPE_STRUCT)
		return true;
	if (!ctypes_locate(types, origin) || types->depth == MAX_DEPTH)
		return false;
	t = kernel_types_get(types->kernel, origin->module, origin->id);
	if (!t)
		return false;
	types->depth++;
	read_members(types, (struct type *)type, origin->module, t); /* nobody has seen its members yet */
	types->depth--;
	return true;
}

/* The same type with pointers into another space. Those that the kernel tags as the user's stay. */
static const struct type *in_space(struct ctypes *types, const struct type *type, enum type_space space)
{
	struct type copy = *type;

	if (type->kind == TYPE_ARRAY) {
		copy.of = in_space(types, type->of, space);
		return copy.of == type->of ? type : type_copy(types->pool, &copy);
	}
	if (type->kind != TYPE_POINTER || type->space == SPACE_USER || type->space == space)
		return type;
	if (space == SPACE_TRUSTED && type->of->kind != TYPE_STRUCT)
		return type;
	copy.space = space;
	copy.of = in_space(types, type->of, space == SPACE_TRUSTED ? SPACE_KERNEL : space);
	return type_copy(types->pool, &copy);
}

bool ctypes_field(struct ctypes *types, const struct type *type, const char *name, enum type_space space,
		  struct type_field *field)
{
	if (!ctypes_complete(types, type) || !type_field_find(type, name, field))
		return false;
	field->type = in_space(types, field->type, space);
	return true;
}
