// SPDX-License-Identifier: BSD-2-Clause
/* The types that a program can name: its own, C's and the kernel's. ctype_btf.c makes those of BTF. */
#include "ctype_part.h"
#include "kernel/kernel.h"
#include "lang/text/preprocess_constants.h"

#define STRUCTS (1U << BTF_KIND_STRUCT | 1U << BTF_KIND_FWD)
#define UNIONS	(1U << BTF_KIND_UNION | 1U << BTF_KIND_FWD)
#define ENUMS	(1U << BTF_KIND_ENUM | 1U << BTF_KIND_ENUM64)

#define TYPEDEFS (1U << BTF_KIND_TYPEDEF)

static const uint32_t kinds_of[] = {
	[CTYPE_PLAIN] = TYPEDEFS,
	[CTYPE_STRUCT] = STRUCTS,
	[CTYPE_UNION] = UNIONS,
	[CTYPE_ENUM] = ENUMS,
};

struct ctypes *ctypes_new(struct pool *pool)
{
	struct ctypes *types = base_alloc(sizeof(*types));

	types->pool = pool;
	return types;
}

void ctypes_free(struct ctypes *types)
{
	if (!types)
		return;
	kernel_types_free(types->kernel);
	set_release(&types->keys);
	free(types->made.v);
	free(types->declared.v);
	free(types->lazy.v);
	free(types->values.v);
	free(types);
}

struct kernel_types *ctypes_kernel(struct ctypes *types)
{
	if (!types->kernel)
		types->kernel = kernel_types_new();
	return types->kernel;
}

/* --- what the program declares --- */

const struct type *ctypes_declared(const struct ctypes *types, enum ctype_tag tag, const char *name)
{
	vec_each(it, &types->declared)
		if (it->tag == tag && !strcmp(it->name, name))
			return it->type;
	return NULL;
}

int ctypes_declare(struct ctypes *types, enum ctype_tag tag, const char *name, const struct type *type)
{
	if (ctypes_declared(types, tag, name))
		return -EEXIST;
	*vec_push(&types->declared) = (struct ctype_declared){ tag, pool_add(types->pool, name), type };
	return 0;
}

bool ctypes_is_kernel(const struct ctypes *types, const struct type *type)
{
	enum ctype_tag tag = type->is_union ? CTYPE_UNION : CTYPE_STRUCT;

	return type->name && type->size && !ctypes_declared(types, tag, type->name);
}

static const struct ctype_value *find_declared_value(const struct ctypes *types, const char *name)
{
	vec_each(it, &types->values)
		if (!strcmp(it->name, name))
			return it;
	return NULL;
}

int ctypes_declare_value(struct ctypes *types, const char *name, int64_t value, const struct type *type)
{
	if (find_declared_value(types, name))
		return -EEXIST;
	*vec_push(&types->values) = (struct ctype_value){ pool_add(types->pool, name), value, type };
	return 0;
}

/* --- what is in BTF --- */

struct search {
	struct ctypes *types;
	const char *name;
	uint32_t kinds, id;
	int module;
};

static bool is_definition(struct ctypes *types, int module, uint32_t id)
{
	const struct btf_type *type = id ? kernel_types_get(types->kernel, module, id) : NULL;

	return type && BTF_INFO_KIND(type->info) != BTF_KIND_FWD;
}

static int search_module(const char *name, void *ctx)
{
	struct search *search = ctx;
	int module = kernel_types_module(search->types->kernel, name, NULL);
	uint32_t id;

	if (module <= 0)
		return 0;
	id = kernel_types_find(search->types->kernel, module, search->name, search->kinds, NULL);
	if (!is_definition(search->types, module, id))
		return 0;
	search->module = module;
	search->id = id;
	return 1;
}

uint32_t ctypes_find_btf(struct ctypes *types, const char *name, uint32_t kinds, int *module, struct err *err)
{
	struct search search = { .types = types, .name = name, .kinds = kinds };

	if (kernel_types_module(ctypes_kernel(types), NULL, err) < 0)
		return 0;
	search.id = kernel_types_find(types->kernel, 0, name, kinds, err);
	if (!is_definition(types, 0, search.id))
		kernel_each_module(search_module, &search);
	*module = search.module;
	return search.id;
}

bool ctypes_locate(struct ctypes *types, struct ctype_origin *origin)
{
	if (!origin->id && origin->name)
		origin->id = ctypes_find_btf(types, origin->name, kinds_of[origin->tag], &origin->module, NULL);
	return origin->id && is_definition(types, origin->module, origin->id);
}

const struct type *ctypes_find(struct ctypes *types, enum ctype_tag tag, const char *name, struct err *err)
{
	const struct type *found = ctypes_declared(types, tag, name);
	uint32_t id;
	int module;

	if (!found && tag == CTYPE_PLAIN)
		found = ctypes_builtin(name);
	if (found)
		return found;
	id = ctypes_find_btf(types, name, kinds_of[tag], &module, err);
	return id ? ctypes_make(types, module, id, SPACE_NONE) : NULL;
}

void ctypes_use_headers(struct ctypes *types, bool used)
{
	types->uses_headers = used;
}

bool ctypes_find_value(struct ctypes *types, const char *name, int64_t *value, const struct type **type)
{
	const struct ctype_value *declared = find_declared_value(types, name);
	struct constant constant;
	uint32_t id;

	if (declared) {
		*value = declared->value;
		*type = declared->type;
		return true;
	}
	if (types->uses_headers && preprocess_constant(name, &constant)) {
		*value = constant.value;
		*type = constant.is_unsigned ? type_integer(8, false) : NULL;
		return true;
	}
	id = kernel_types_find_value(ctypes_kernel(types), 0, name, value);
	*type = id ? ctypes_make(types, 0, id, SPACE_NONE) : NULL;
	return id;
}

static const char *declared_value_name(const struct ctypes *types, const struct type *type, uint64_t value,
				       uint64_t mask)
{
	vec_each(it, &types->values)
		if (type_same(it->type, type) && !((it->value ^ value) & mask))
			return it->name;
	return NULL;
}

const char *ctypes_value_name(struct ctypes *types, const struct type *type, int64_t value)
{
	uint64_t mask = type->size >= 8 ? UINT64_MAX : (1ULL << type->size * 8) - 1;
	struct ctype_origin *origin = (void *)type->origin;
	const struct btf_type *in;

	if (!origin)
		return declared_value_name(types, type, value, mask);
	if (!ctypes_locate(types, origin))
		return NULL;
	in = kernel_types_get(types->kernel, origin->module, origin->id);
	for (uint32_t i = 0; in && i < BTF_INFO_VLEN(in->info); i++) {
		const struct btf_enum *small = (const struct btf_enum *)(in + 1) + i;
		const struct btf_enum64 *large = (const struct btf_enum64 *)(in + 1) + i;
		bool is_large = BTF_INFO_KIND(in->info) == BTF_KIND_ENUM64;
		uint64_t of = is_large ? (uint64_t)large->val_hi32 << 32 | large->val_lo32 : (uint32_t)small->val;

		if (!((of ^ (uint64_t)value) & mask))
			return kernel_types_string(types->kernel, origin->module,
						   is_large ? large->name_off : small->name_off);
	}
	return NULL;
}

static int offer(const char *name, uint32_t id, void *ctx)
{
	if (*name)
		nearest_offer(ctx, name);
	return 0;
}

void ctypes_offer(struct ctypes *types, struct nearest *nearest)
{
	vec_each(it, &types->declared)
		nearest_offer(nearest, it->name);
	kernel_types_each(ctypes_kernel(types), 0, STRUCTS | UNIONS | ENUMS | TYPEDEFS, offer, nearest, NULL);
}
