// SPDX-License-Identifier: BSD-2-Clause
/*
 * The arguments of a place: of kernel functions, raw tracepoints and iterators from BTF, of tracepoints from tracefs.
 */
#include "base/nearest.h"
#include "probes_part.h"

#define FUNCS	(1U << BTF_KIND_FUNC)
#define STRUCTS (1U << BTF_KIND_STRUCT)

int arguments_finish(struct arguments *found, struct pool *pool, struct lang_arguments *arguments)
{
	arguments->v = pool_copy(pool, found->v, found->n * sizeof(*found->v));
	arguments->n = found->n;
	free(found->v);
	return 0;
}

/* --- functions --- */

static const struct btf_type *skip_modifiers(struct kernel_types *types, int module, uint32_t id)
{
	const struct btf_type *t = kernel_types_get(types, module, id);

	for (int i = 0; t && i < 32; i++) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = kernel_types_get(types, module, t->type);
			continue;
		}
		break;
	}
	return t;
}

/*
 * Whether every verifier lets a program load an argument of this type from ctx (btf_ctx_access() in kernel/bpf/btf.c of
 * Linux 5.10): numbers, and pointers to void, to char and to structs that are defined.
 */
static bool is_loadable(struct kernel_types *types, int module, uint32_t id)
{
	const struct btf_type *t = skip_modifiers(types, module, id);

	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_PTR)
		return true;
	t = skip_modifiers(types, module, t->type);
	if (!t)
		return true;
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return true;
	case BTF_KIND_INT:
		return !strcmp(kernel_types_string(types, module, t->name_off), "char");
	}
	return false;
}

static const struct btf_type *proto_of(struct ctypes *types, int module, uint32_t func)
{
	const struct btf_type *t = kernel_types_get(ctypes_kernel(types), module, func);

	t = t ? kernel_types_get(ctypes_kernel(types), module, t->type) : NULL;
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC_PROTO ? t : NULL;
}

static int arguments_of_proto(const struct proto *proto, struct pool *pool, struct lang_arguments *arguments)
{
	const struct btf_param *params = (const void *)(proto->type + 1);
	struct ctypes *types = proto->types;
	struct arguments found = {};
	uint32_t word = 0;

	for (uint32_t i = proto->skip; i < BTF_INFO_VLEN(proto->type->info); i++) {
		const char *name = kernel_types_string(ctypes_kernel(types), proto->module, params[i].name_off);
		struct lang_argument *argument;

		if (!params[i].type) /* "..." */
			break;
		argument = vec_push(&found);
		argument->name = *name ? pool_add(pool, name) : pool_addf(pool, "arg%u", i - proto->skip);
		argument->type = ctypes_make(types, proto->module, params[i].type, proto->space);
		argument->at = word;
		argument->by_read = proto->space == SPACE_TRUSTED &&
				    !is_loadable(ctypes_kernel(types), proto->module, params[i].type);
		word += argument->type->size > 8 ? (argument->type->size + 7) / 8 : 1;
	}
	if (proto->type->type) {
		arguments->ret = ctypes_make(types, proto->module, proto->type->type, proto->space);
		arguments->ret_at = word;
		arguments->ret_by_read = !is_loadable(ctypes_kernel(types), proto->module, proto->type->type);
	}
	return arguments_finish(&found, pool, arguments);
}

static int find_function(const struct target *target, struct proto *proto, struct err *err)
{
	struct kernel_types *kernel = ctypes_kernel(proto->types);
	uint32_t id;

	proto->module = kernel_types_module(kernel, target->object, err);
	if (proto->module < 0)
		return -ENODATA;
	id = kernel_types_find(kernel, proto->module, target->name, FUNCS, NULL);
	proto->type = id ? proto_of(proto->types, proto->module, id) : NULL;
	if (!proto->type)
		return err_set(err, -ENODATA, "the kernel's BTF does not describe the function '%s'", target->name);
	return 0;
}

/*
 * The kernel calls __traceiter_NAME for each tracepoint, with the tracepoint's own arguments and names behind a
 * pointer to its data. The typedef btf_trace_NAME has the same types without names.
 */
static const struct btf_type *raw_proto(struct ctypes *types, const char *name, int *module, struct err *err)
{
	__free char *iterates = base_printf("__traceiter_%s", name), *typedefed = base_printf("btf_trace_%s", name);
	uint32_t id = ctypes_find_btf(types, iterates, FUNCS, module, err);
	const struct btf_type *t;

	if (id)
		return proto_of(types, *module, id);
	id = ctypes_find_btf(types, typedefed, 1U << BTF_KIND_TYPEDEF, module, err);
	t = id ? skip_modifiers(ctypes_kernel(types), *module, id) : NULL;
	t = t && BTF_INFO_KIND(t->info) == BTF_KIND_PTR ? skip_modifiers(ctypes_kernel(types), *module, t->type) : NULL;
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC_PROTO ? t : NULL;
}

static int find_raw_tracepoint(const struct target *target, struct proto *proto, struct err *err)
{
	struct err why = {};

	proto->type = raw_proto(proto->types, target->name, &proto->module, &why);
	if (why.code)
		return err_set(err, -ENODATA, "%s", why.text);
	if (!proto->type)
		return err_set(err, -ENODATA, "the kernel's BTF does not describe the tracepoint '%s'", target->name);
	proto->skip = 1;
	proto->space = SPACE_KERNEL;
	return 0;
}

int arguments_find_proto(enum lang_probe_kind kind, const struct target *target, struct proto *proto, struct err *err)
{
	proto->space = SPACE_TRUSTED;
	if (kind == PROBE_RAWTRACEPOINT)
		return find_raw_tracepoint(target, proto, err);
	return find_function(target, proto, err);
}

/* --- tracepoints --- */

/*
 * Without tracefs: the struct of the record, which has the tracepoint's name unless several tracepoints share one. Text
 * of any length is described by a u32 whose name begins with __data_loc_.
 */
static int of_record(const struct target *target, struct ctypes *types, struct pool *pool,
		     struct lang_arguments *arguments, struct err *err)
{
	static const char prefix[] = "__data_loc_";
	__free char *name = base_printf("trace_event_raw_%s", target->name);
	const struct type *record = ctypes_find(types, CTYPE_STRUCT, name, NULL);
	struct arguments found = {};

	if (!record || !ctypes_complete(types, record))
		return err_set(err, -ENODATA, "the fields of the tracepoint '%s' are not known without tracefs",
			       target->label);
	for (uint32_t i = 0; i < record->n_fields; i++) {
		const struct type_field *field = &record->fields[i];
		bool is_data_loc = field->name && !strncmp(field->name, prefix, sizeof(prefix) - 1);

		if (!field->name || !strcmp(field->name, "ent") || !strcmp(field->name, "__data"))
			continue;
		*vec_push(&found) = (struct lang_argument){
			.name = field->name + (is_data_loc ? sizeof(prefix) - 1 : 0),
			.type = is_data_loc ? type_string(pool, 0) : field->type,
			.at = field->at,
			.is_data_loc = is_data_loc,
		};
	}
	return arguments_finish(&found, pool, arguments);
}

static int of_tracepoint(const struct target *target, struct ctypes *types, struct pool *pool,
			 struct lang_arguments *arguments, struct err *err)
{
	bool is_entry = !strncmp(target->name, "sys_enter_", strlen("sys_enter_"));
	struct str text __str = {};

	if (!target->object || kernel_tracepoint_format(target->object, target->name, &text) || !text.len)
		return of_record(target, types, pool, arguments, err);
	return lang_arguments_of_format(text.data, is_entry ? SPACE_USER : SPACE_KERNEL, types, pool, arguments);
}

int lang_arguments_of(enum lang_probe_kind kind, const struct target *target, struct ctypes *types, struct pool *pool,
		      struct lang_arguments *arguments, struct err *err)
{
	struct proto proto = { .types = types };
	int ret;

	*arguments = (struct lang_arguments){};
	switch (kind) {
	case PROBE_FENTRY:
	case PROBE_FEXIT:
	case PROBE_RAWTRACEPOINT:
		ret = arguments_find_proto(kind, target, &proto, err);
		if (!ret)
			arguments_of_proto(&proto, pool, arguments);
		if (kind != PROBE_FEXIT)
			arguments->ret = NULL;
		return ret;
	case PROBE_TRACEPOINT:
		return of_tracepoint(target, types, pool, arguments, err);
	default:
		return -ENOENT;
	}
}

/* --- iterators --- */

static int offer_iterator(const char *name, uint32_t id, void *ctx)
{
	static const char prefix[] = "bpf_iter__";
	struct nearest *near = ctx;

	if (!strncmp(name, prefix, sizeof(prefix) - 1))
		nearest_offer(near, name + sizeof(prefix) - 1);
	return 0;
}

static int no_iterator(const char *object, struct ctypes *types, struct err *err)
{
	struct nearest near;

	nearest_init(&near, object);
	kernel_types_each(ctypes_kernel(types), 0, STRUCTS, offer_iterator, &near, NULL);
	if (nearest_name(&near))
		return err_set(err, -ENODATA, "this kernel has no iterator '%s' (did you mean %s?)", object,
			       nearest_name(&near));
	return err_set(err, -ENODATA, "this kernel has no iterator '%s' (task, task_file, task_vma)", object);
}

int lang_arguments_of_iter(const char *object, struct ctypes *types, struct pool *pool,
			   struct lang_arguments *arguments, struct err *err)
{
	__free char *name = base_printf("bpf_iter__%s", object);
	struct err why = {};
	const struct type *context = ctypes_find(types, CTYPE_STRUCT, name, &why);
	struct arguments found = {};

	*arguments = (struct lang_arguments){};
	if (!context)
		return why.code ? err_set(err, why.code, "%s", why.text) : no_iterator(object, types, err);
	ctypes_complete(types, context);
	arguments->context = context;
	for (uint32_t i = 0; i < context->n_fields; i++) {
		const struct type_field *field = &context->fields[i];
		struct type_field found_field;

		/* each pointer is in an unnamed union, which makes it 8 bytes long for programs of 32 bits, too */
		if (!field->name && field->type->n_fields)
			field = &field->type->fields[0];
		if (field->name && ctypes_field(types, context, field->name, SPACE_TRUSTED, &found_field))
			*vec_push(&found) = (struct lang_argument){ field->name, found_field.type, found_field.at };
	}
	return arguments_finish(&found, pool, arguments);
}

/* Of a file in the mount namespace of -p, the path there. */
static const char *path_of(const struct target *target)
{
	int n = 0;

	if (sscanf(target->object, "/proc/%*d/root%n", &n) == EOF || !n || target->object[n] != '/')
		n = 0;
	return target->object + n;
}

const char *lang_target_text(enum lang_probe_kind kind, const struct lang_attach *attach, const struct target *target,
			     struct pool *pool)
{
	const char *word = lang_probe_kind_name(kind);

	switch (kind) {
	case PROBE_FENTRY:
	case PROBE_FEXIT:
		return pool_addf(pool, "%s:%s:%s", word, target->object ?: "vmlinux", target->name);
	case PROBE_TRACEPOINT:
		return pool_addf(pool, "%s:%s:%s", word, target->object ?: "*", target->name);
	case PROBE_RAWTRACEPOINT:
		return pool_addf(pool, "%s:vmlinux:%s", word, target->name);
	case PROBE_UPROBE:
	case PROBE_URETPROBE:
	case PROBE_USDT:
		return pool_addf(pool, "%s:%s:%s", word, path_of(target), target->name);
	default:
		return pool_addf(pool, "%s:%s", word, target->label);
	}
}
