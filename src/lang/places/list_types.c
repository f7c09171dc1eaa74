// SPDX-License-Identifier: BSD-2-Clause
/*
 * Types and arguments as text of C. libbpf writes C of BTF, for which it reads the whole file: some milliseconds, which
 * only -v costs.
 */
#include <bpf/btf.h>

#include "base/set.h"
#include "kernel/kernel_files.h"
#include "list_part.h"
#include "probe/match.h"
#include "probes_part.h"

static void write_text(void *ctx, const char *fmt, va_list ap)
{
	str_addv(ctx, fmt, ap);
}

static struct btf *open_btf(const char *module, struct btf *base)
{
	__free char *path = base_printf("/sys/kernel/btf/%s", module ?: "vmlinux");
	__close int fd = kernel_open(path, O_RDONLY);
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return fd < 0 ? NULL : btf__parse_raw_split(name, base);
}

static void dump_release(struct list_dump *dump)
{
	btf_dump__free(dump->dump);
	btf__free(dump->btf);
	*dump = (struct list_dump){};
}

void list_types_release(struct list *list)
{
	dump_release(&list->dumps[1]);
	dump_release(&list->dumps[0]);
	str_release(&list->text);
}

/* What writes types of the kernel (NULL) or of a module; NULL: its BTF cannot be read. */
static struct list_dump *dump_of(struct list *list, const char *module)
{
	struct list_dump *dump = &list->dumps[module != NULL];

	if (module && !dump_of(list, NULL))
		return NULL;
	if (dump->dump && str_same(dump->module, module))
		return dump;
	dump_release(dump);
	dump->module = module ? pool_add(&list->pool, module) : NULL;
	dump->btf = open_btf(module, module ? list->dumps[0].btf : NULL);
	dump->dump = dump->btf ? btf_dump__new(dump->btf, write_text, &list->text, NULL) : NULL;
	return dump->dump ? dump : NULL;
}

/* --- arguments --- */

/* "    struct file * file" */
static void show_argument(struct list *list, struct list_dump *dump, uint32_t type, const char *name, struct str *to)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = "");

	str_reset(&list->text);
	btf_dump__emit_type_decl(dump->dump, type, &opts);
	str_addf(to, "    %s %s\n", list->text.len ? list->text.data : "", name);
}

void list_show_arguments(struct list *list, enum lang_probe_kind kind, const struct target *target, struct str *to)
{
	bool is_return = kind == PROBE_FEXIT || kind == PROBE_KRETPROBE;
	struct proto proto = { .types = list->types };
	const struct btf_param *params;
	struct list_dump *dump;

	if (arguments_find_proto(kind, target, &proto, NULL))
		return;
	dump = dump_of(list, kernel_types_module_name(ctypes_kernel(list->types), proto.module));
	if (!dump)
		return;
	params = (const void *)(proto.type + 1);
	for (uint32_t i = proto.skip; i < BTF_INFO_VLEN(proto.type->info) && params[i].type; i++) {
		const char *name = kernel_types_string(ctypes_kernel(list->types), proto.module, params[i].name_off);
		char number[16];

		if (kind == PROBE_KRETPROBE)
			break;
		snprintf(number, sizeof(number), "arg%u", i - proto.skip);
		show_argument(list, dump, params[i].type, *name && kind != PROBE_KPROBE ? name : number, to);
	}
	if (is_return && proto.type->type)
		show_argument(list, dump, proto.type->type, "retval", to);
}

void list_show_format(const struct target *target, struct str *to)
{
	struct str text __str = {};

	if (kernel_tracepoint_format(target->object, target->name, &text) || !text.len)
		return;
	for (char *line = text.data, *next; line; line = next) {
		char *field = strstr(line, "field:"), *end;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		field = strstr(line, "field:");
		end = field ? strchr(field, ';') : NULL;
		if (!end)
			continue;
		*end = 0;
		if (!strstr(field, " common_"))
			str_addf(to, "    %s\n", field + strlen("field:"));
	}
}

/* A note has sizes and signs. What comes behind a form that is not known is left out. */
void list_show_usdt(const struct target *target, struct str *to)
{
	struct lang_usdt_argument v[LANG_USDT_MAX];
	size_t n = ARRAY_SIZE(v);

	lang_usdt_parse(target->usdt_args, v, &n);
	for (size_t i = 0; i < n; i++)
		str_addf(to, "    %s%d arg%zu\n", v[i].is_signed ? "int" : "uint", 8 * v[i].size, i);
}

/* The first member of an unnamed union is what programs see; all iterators have a meta of their own. */
const char *list_show_iterator(struct list *list, const char *object)
{
	__free char *name = base_printf("bpf_iter__%s", object);
	struct list_dump *dump = list->detail ? dump_of(list, NULL) : NULL;
	int id = dump ? btf__find_by_name_kind(dump->btf, name, BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(dump->btf, id) : NULL;
	struct str text __str = {};

	for (int i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_member *member = &btf_members(t)[i];
		const struct btf_type *in = btf__type_by_id(dump->btf, member->type);

		if (!member->name_off && btf_is_union(in) && btf_vlen(in))
			member = btf_members(in);
		name = (free(name), base_strdup(btf__name_by_offset(dump->btf, member->name_off)));
		if (*name && strcmp(name, "meta"))
			show_argument(list, dump, member->type, name, &text);
	}
	if (!text.len)
		return NULL;
	text.data[text.len - 1] = 0;
	return pool_add(&list->pool, text.data);
}

/* --- types --- */

static uint32_t kinds_of(const char *pattern)
{
	if (!strncmp(pattern, "struct ", 7))
		return 1U << BTF_KIND_STRUCT;
	return strncmp(pattern, "union ", 6) ? 1U << BTF_KIND_ENUM | 1U << BTF_KIND_ENUM64 : 1U << BTF_KIND_UNION;
}

static void add_text(struct list *list, const char *text)
{
	*vec_push(list) = (struct list_entry){ text, NULL };
}

struct types {
	struct list *list;
	struct match *match;
	const char *pattern;
	const char *module;	/* NULL: the kernel's own types */
	struct list_dump *dump; /* NULL: names only */
	struct set names;	/* of the types that match, in one file */
	vec(uint32_t);		/* their ids, by the number of the name */
};

/* "cxgb4: struct adapter {": a module's types say whose they are, for others may have the same name. */
static void add_definition(struct types *types, const char *definition, uint32_t id)
{
	struct str text __str = {};

	if (types->module)
		str_addf(&text, "%s: ", types->module);
	if (types->list->detail == LANG_LIST_OFFSETS)
		list_add_offsets(types->dump->btf, id, definition, &text);
	else
		str_add(&text, definition);
	add_text(types->list, pool_add(&types->list->pool, text.data));
}

/*
 * Takes the definitions of the wanted types out of what was written, which has all the types that these need as well. A
 * definition ends with the first line that begins with a brace.
 */
static void take_definitions(struct types *types)
{
	size_t n = strcspn(types->pattern, " ") + 1;

	for (const char *line = types->list->text.data, *next; line && *line; line = next) {
		const char *name = line + n, *brace = strstr(line, " {"), *end = strchr(line, '\n');
		__free char *definition = NULL;
		uint32_t number;

		next = end ? end + 1 : NULL;
		if (strncmp(line, types->pattern, n) || !brace || !end || brace > end)
			continue;
		if (end[-1] != ';') {
			end = strstr(end, "\n}");
			end = end ? strchr(end + 1, '\n') : NULL;
		}
		next = end ? end + 1 : NULL;
		number = set_find(&types->names, name, brace - name);
		if (!end || number == SET_NONE)
			continue;
		definition = base_strndup(line, end + 1 - line);
		add_definition(types, definition, types->v[number]);
	}
}

static int offer_type(const char *name, uint32_t id, void *ctx)
{
	struct types *types = ctx;
	int tag = strcspn(types->pattern, " ") + 1;

	if (!*name || !match_test(types->match, name))
		return 0;
	if (!types->dump) {
		add_text(types->list, pool_addf(&types->list->pool, "%.*s%s", tag, types->pattern, name));
		return 0;
	}
	if (set_add(&types->names, name, strlen(name)) == types->n)
		*vec_push(types) = id;
	btf_dump__dump_type(types->dump->dump, id);
	return 0;
}

/* The types of the kernel (NULL), or those of a module. */
static int list_types_of(struct types *types, const char *module, struct err *err)
{
	struct kernel_types *kernel = ctypes_kernel(types->list->types);
	int number = kernel_types_module(kernel, module, err), ret;

	if (number < 0)
		return number;
	types->module = module;
	types->dump = types->list->detail ? dump_of(types->list, module) : NULL;
	str_reset(&types->list->text);
	ret = kernel_types_each(kernel, number, kinds_of(types->pattern), offer_type, types, err);
	if (types->dump)
		take_definitions(types);
	set_release(&types->names);
	types->names = (struct set){};
	types->n = 0;
	return ret;
}

static int list_types_of_module(const char *module, void *ctx)
{
	list_types_of(ctx, module, NULL); /* many have no BTF */
	return 0;
}

int list_types(struct list *list, const char *pattern, struct err *err)
{
	const char *name = strchr(pattern, ' ') + 1;
	struct types types = { .list = list, .match = match_new(name, false, err), .pattern = pattern };
	int ret;

	if (!types.match)
		return err->code;
	ret = list_types_of(&types, NULL, err);
	if (!ret)
		kernel_each_module(list_types_of_module, &types);
	match_free(types.match);
	free(types.v);
	return ret;
}
