// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds types by name. The first search of a file notes the name and kind of each of its types, 8 bytes a type: all
 * later searches compare numbers. A name is first looked for among the file's strings, where it is only once. A
 * caller that asks for many names, such as the arguments of all functions of a pattern, gets a table of all names.
 */
#include "base/hash.h"
#include "base/lookup.h"
#include "btf_image.h"
#include "types.h"

/* Kinds that have names of their own and can be asked for. */
#define KINDS (1U << BTF_KIND_STRUCT | 1U << BTF_KIND_UNION | 1U << BTF_KIND_ENUM | 1U << BTF_KIND_ENUM64 | \
	       1U << BTF_KIND_TYPEDEF | 1U << BTF_KIND_FWD | 1U << BTF_KIND_FUNC | 1U << BTF_KIND_INT | \
	       1U << BTF_KIND_VAR)
/* After so many searches a table of all names costs less than looking through the strings, 0.3 ms each. */
#define SEARCHES_MAX 8

#define ENUMS (1U << BTF_KIND_ENUM | 1U << BTF_KIND_ENUM64)

struct module {
	char name[56]; /* "" for the kernel's own */
	struct btf_image image;
	struct btf_type **types; /* copies of those that were asked for, by id from the first of the image on */
	struct named {
		uint32_t name; /* offset of its string */
		uint32_t id : 27, kind : 5;
	} * v;
	size_t n, cap;
	unsigned int searches;
	struct lookup lookup; /* finds them by name, once there were many searches */
	int error;	      /* it cannot be read */
	struct err why;
};

struct kernel_types {
	vec(struct module *); /* [0]: the kernel's own */
};

struct kernel_types *kernel_types_new(void)
{
	return base_alloc(sizeof(struct kernel_types));
}

static void module_free(struct module *module)
{
	for (uint32_t i = 0; module->types && i < module->image.n_types; i++)
		free(module->types[i]);
	free(module->types);
	free(module->v);
	lookup_release(&module->lookup);
	btf_image_release(&module->image);
	free(module);
}

void kernel_types_free(struct kernel_types *types)
{
	if (!types)
		return;
	for (size_t i = types->n; i--;)
		module_free(types->v[i]);
	free(types->v);
	free(types);
}

static int note(const struct btf_type *type, uint32_t id, void *ctx)
{
	*vec_push((struct module *)ctx) = (struct named){ type->name_off, id, BTF_INFO_KIND(type->info) };
	return 0;
}

static struct module *module_read(const char *name, const struct module *base)
{
	struct module *module = base_alloc(sizeof(*module));

	snprintf(module->name, sizeof(module->name), "%s", name ? name : "");
	module->error = btf_image_open(&module->image, name, base ? &base->image : NULL, &module->why);
	if (!module->error)
		module->error = btf_image_each(&module->image, KINDS, note, module, &module->why);
	if (!module->error)
		module->types = base_alloc((module->image.n_types + 1) * sizeof(*module->types));
	return module;
}

/* The module, which is read when it is asked for first; NULL with err: it cannot be read. */
static struct module *module_get(struct kernel_types *types, int number, struct err *err)
{
	struct module *module;

	if (!types->n)
		*vec_push(types) = module_read(NULL, NULL);
	module = number >= 0 && number < (int)types->n ? types->v[number] : NULL;
	if (!module || !module->error)
		return module;
	if (err)
		*err = module->why;
	return NULL;
}

const char *kernel_types_module_name(const struct kernel_types *types, int module)
{
	return module > 0 && (size_t)module < types->n ? types->v[module]->name : NULL;
}

int kernel_types_module(struct kernel_types *types, const char *name, struct err *err)
{
	const struct module *base = module_get(types, 0, err);
	struct module *module;

	if (!name || !strcmp(name, "vmlinux") || !base)
		return base ? 0 : types->v[0]->error;
	for (size_t i = 1; i < types->n; i++)
		if (!strcmp(types->v[i]->name, name))
			return i;
	if (strchr(name, '/') || strlen(name) >= sizeof(module->name))
		return err_set(err, -ENOENT, "no kernel module is called '%s'", name);
	module = module_read(name, base);
	if (module->error) {
		int error = module->error;

		if (err)
			*err = module->why;
		module_free(module);
		return error;
	}
	*vec_push(types) = module;
	return types->n - 1;
}

/*
 * Offsets of a string that types of the module can have: [0] in the module's own strings, [1] in those of the base; 0:
 * none.
 */
static void find_strings(const struct module *module, const char *text, uint32_t found[2])
{
	found[0] = *text ? btf_image_find_string(&module->image, text) : 0;
	found[1] = *text && module->image.base ? btf_image_find_string(module->image.base, text) : 0;
}

static bool is_one_of(uint32_t name, const uint32_t strings[2])
{
	return name && (name == strings[0] || name == strings[1]);
}

/* The first that is no forward declaration, or else that; 0: none. */
struct found {
	uint32_t kinds, id, forward;
};

static bool offer(struct found *found, const struct named *named)
{
	if (!(found->kinds >> named->kind & 1))
		return false;
	if (named->kind == BTF_KIND_FWD)
		found->forward = named->id;
	else
		found->id = named->id;
	return found->id;
}

static void find_by_strings(const struct module *module, const char *name, struct found *found)
{
	uint32_t strings[2];

	find_strings(module, name, strings);
	if (!strings[0] && !strings[1])
		return;
	vec_each(it, module)
		if (is_one_of(it->name, strings) && offer(found, it))
			return;
}

static void fill_lookup(struct module *module)
{
	lookup_reserve(&module->lookup, module->n);
	for (size_t i = 0; i < module->n; i++) {
		const char *name = btf_image_string(&module->image, module->v[i].name);

		if (module->v[i].name)
			lookup_add(&module->lookup, hash_bytes(name, strlen(name)), i);
	}
}

static void find_by_lookup(const struct module *module, const char *name, struct found *found)
{
	uint32_t hash = hash_bytes(name, strlen(name));

	lookup_each(it, &module->lookup, hash) {
		const struct named *named = &module->v[it.number];

		if (!strcmp(btf_image_string(&module->image, named->name), name) && offer(found, named))
			return;
	}
}

uint32_t kernel_types_find(struct kernel_types *types, int number, const char *name, uint32_t kinds, struct err *err)
{
	struct module *module = module_get(types, number, err);
	struct found found = { .kinds = kinds };

	if (!module)
		return 0;
	if (++module->searches == SEARCHES_MAX)
		fill_lookup(module);
	if (module->searches >= SEARCHES_MAX)
		find_by_lookup(module, name, &found);
	else
		find_by_strings(module, name, &found);
	return found.id ? found.id : found.forward;
}

/* Whether an enum has a constant whose name has one of these offsets. */
static bool has_value(const struct btf_type *type, const uint32_t strings[2], int64_t *value)
{
	const struct btf_enum *small = (const void *)(type + 1);
	const struct btf_enum64 *large = (const void *)(type + 1);
	bool is_large = BTF_INFO_KIND(type->info) == BTF_KIND_ENUM64, is_signed = BTF_INFO_KFLAG(type->info);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		if (!is_one_of(is_large ? large[i].name_off : small[i].name_off, strings))
			continue;
		if (is_large)
			*value = (int64_t)((uint64_t)large[i].val_hi32 << 32 | large[i].val_lo32);
		else /* before Linux 6.0 no enum says that it is signed */
			*value = is_signed || small[i].val < 0 ? small[i].val : (int64_t)(uint32_t)small[i].val;
		return true;
	}
	return false;
}

uint32_t kernel_types_find_value(struct kernel_types *types, int number, const char *name, int64_t *value)
{
	struct module *module = module_get(types, number, NULL);
	uint32_t strings[2];

	if (!module)
		return 0;
	find_strings(module, name, strings);
	if (!strings[0] && !strings[1])
		return 0;
	vec_each(it, module) {
		__free struct btf_type *type = NULL;

		if (!(ENUMS >> it->kind & 1) || btf_image_type(&module->image, it->id, &type) || !type)
			continue;
		if (has_value(type, strings, value))
			return it->id;
	}
	return 0;
}

const struct btf_type *kernel_types_get(struct kernel_types *types, int number, uint32_t id)
{
	struct module *module = module_get(types, number, NULL);
	uint32_t first;

	if (!module)
		return NULL;
	first = btf_image_first(&module->image);
	if (number && id < first)
		return kernel_types_get(types, 0, id);
	if (id < first || id - first >= module->image.n_types)
		return NULL;
	if (!module->types[id - first] && btf_image_type(&module->image, id, &module->types[id - first]))
		return NULL;
	return module->types[id - first];
}

const char *kernel_types_string(struct kernel_types *types, int number, uint32_t offset)
{
	struct module *module = module_get(types, number, NULL);

	return module ? btf_image_string(&module->image, offset) : "";
}

int kernel_types_each(struct kernel_types *types, int number, uint32_t kinds,
		      int (*fn)(const char *name, uint32_t id, void *ctx), void *ctx, struct err *err)
{
	struct module *module = module_get(types, number, err);
	int ret = 0;

	if (!module)
		return types->v[0]->error ? types->v[0]->error : -ENOENT;
	for (size_t i = 0; !ret && i < module->n; i++) {
		const struct named *it = &module->v[i];

		if (kinds >> it->kind & 1)
			ret = fn(btf_image_string(&module->image, it->name), it->id, ctx);
	}
	return ret;
}
