// SPDX-License-Identifier: BSD-2-Clause
/* Arguments and results by the kernel's BTF. */
#include <linux/btf.h>

#include "bpf/event.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#include "kernel/types.h"
#include "output/words.h"
#include "probe/target.h"
#include "prototype.h"

/* Without types so many registers are shown: most functions have no more arguments. */
#define ARGS_UNKNOWN 3
/* Kernel errors are the last page of numbers (include/linux/err.h). */
#define ERRNO_MAX 4095

/* A function's type, in the BTF of its module. */
struct proto {
	struct kernel_types *types;
	int module;
	const struct btf_type *type; /* NULL: not known */
	bool is_read;
};

struct prototypes {
	struct kernel_types *types;
	struct proto *v; /* by slot */
};

struct prototypes *prototypes_new(size_t n_slots)
{
	struct prototypes *prototypes = base_alloc(sizeof(*prototypes));

	prototypes->v = base_alloc((n_slots + 1) * sizeof(*prototypes->v));
	prototypes->types = kernel_types_new();
	return prototypes;
}

void prototypes_free(struct prototypes *prototypes)
{
	if (!prototypes)
		return;
	kernel_types_free(prototypes->types);
	free(prototypes->v);
	free(prototypes);
}

static struct proto read_proto(struct prototypes *prototypes, const struct target *target)
{
	struct proto proto = { .types = prototypes->types, .is_read = true };
	const struct btf_type *t;
	uint32_t id;

	if (target->kind != TARGET_KERNEL)
		return proto;
	proto.module = kernel_types_module(proto.types, target->object, NULL);
	if (proto.module < 0)
		return proto;
	id = kernel_types_find(proto.types, proto.module, target->name, 1U << BTF_KIND_FUNC, NULL);
	t = id ? kernel_types_get(proto.types, proto.module, id) : NULL;
	t = t ? kernel_types_get(proto.types, proto.module, t->type) : NULL;
	if (t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC_PROTO)
		proto.type = t;
	return proto;
}

/* BTF of a module that cannot be read is looked for once for each function. */
static struct proto proto_of(struct prototypes *prototypes, const struct target *target)
{
	struct proto *proto = &prototypes->v[target->slot];

	if (!proto->is_read)
		*proto = read_proto(prototypes, target);
	return *proto;
}

void prototypes_forget(struct prototypes *prototypes, uint32_t slot)
{
	prototypes->v[slot].is_read = false;
}

/* The type without typedefs and qualifiers; NULL: void. */
static const struct btf_type *plain(const struct proto *proto, uint32_t id)
{
	const struct btf_type *t = kernel_types_get(proto->types, proto->module, id);

	/* a bound: BTF of a broken module may be a circle */
	for (int i = 0; t && i < 32; i++) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = kernel_types_get(proto->types, proto->module, t->type);
			continue;
		}
		break;
	}
	return t;
}

static const char *name_of(const struct proto *proto, const struct btf_type *t)
{
	return kernel_types_string(proto->types, proto->module, t->name_off);
}

static enum graph_text text_of(const struct proto *proto, uint32_t id)
{
	static const struct {
		const char *name;
		enum graph_text text;
	} known[] = {
		{ "filename", GRAPH_FILENAME },
		{ "dentry", GRAPH_DENTRY },
		{ "path", GRAPH_PATH },
		{ "file", GRAPH_FILE },
	};
	const struct btf_type *t = plain(proto, id);

	t = t && BTF_INFO_KIND(t->info) == BTF_KIND_PTR ? plain(proto, t->type) : NULL;
	if (!t)
		return GRAPH_NO_TEXT;
	if (BTF_INFO_KIND(t->info) == BTF_KIND_INT)
		return t->size == 1 && !strcmp(name_of(proto, t), "char") ? GRAPH_CHARS : GRAPH_NO_TEXT;
	for (size_t i = 0; BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT && i < ARRAY_SIZE(known); i++)
		if (!strcmp(name_of(proto, t), known[i].name))
			return known[i].text;
	return GRAPH_NO_TEXT;
}

/* Structs by value take several registers or none: what comes behind them is not known. */
static uint32_t count_args(const struct proto *proto)
{
	const struct btf_param *params = (const void *)(proto->type + 1);
	uint32_t n = 0;

	for (; n < BTF_INFO_VLEN(proto->type->info) && n < GRAPH_ARGS && params[n].type; n++) {
		const struct btf_type *t = plain(proto, params[n].type);

		if (t && (BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT || BTF_INFO_KIND(t->info) == BTF_KIND_UNION))
			break;
	}
	return n;
}

/* The number of the first argument that stands for a text; GRAPH_ARGS: none does. */
static uint32_t text_argument(const struct proto *proto)
{
	const struct btf_param *params = (const void *)(proto->type + 1);
	uint32_t n = count_args(proto);

	for (uint32_t i = 0; i < n; i++)
		if (text_of(proto, params[i].type))
			return i;
	return GRAPH_ARGS;
}

uint8_t prototypes_text(struct prototypes *prototypes, const struct target *target)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_param *params;
	uint32_t i;

	if (!proto.type)
		return 0;
	i = text_argument(&proto);
	params = (const void *)(proto.type + 1);
	return i < GRAPH_ARGS ? GRAPH_TEXT_OF(i, text_of(&proto, params[i].type)) : 0;
}

enum prototypes_result prototypes_result_of(struct prototypes *prototypes, const struct target *target)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_type *t = proto.type ? plain(&proto, proto.type->type) : NULL;

	if (!t)
		return proto.type ? PROTOTYPES_NONE : PROTOTYPES_UNKNOWN;
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
		if (BTF_INT_ENCODING(*(const uint32_t *)(t + 1)) & BTF_INT_BOOL)
			return PROTOTYPES_BOOL;
		return t->size > 4 ? PROTOTYPES_WIDE : PROTOTYPES_INT;
	case BTF_KIND_ENUM:
		return PROTOTYPES_INT;
	case BTF_KIND_PTR:
		return PROTOTYPES_WIDE;
	}
	return PROTOTYPES_NONE;
}

int prototypes_find_argument(struct prototypes *prototypes, const struct target *target, const char *const *names,
			     size_t n,
			     size_t *which)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_param *params = proto.type ? (const void *)(proto.type + 1) : NULL;
	uint32_t args = proto.type ? count_args(&proto) : 0;

	for (uint32_t i = 0; i < args; i++) {
		const struct btf_type *t = plain(&proto, params[i].type);

		t = t && BTF_INFO_KIND(t->info) == BTF_KIND_PTR ? plain(&proto, t->type) : NULL;
		if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_STRUCT)
			continue;
		for (*which = 0; *which < n; ++*which)
			if (!strcmp(name_of(&proto, t), names[*which]))
				return i;
	}
	return -1;
}

/* --- values --- */

static void add_integer(uint32_t size, bool is_signed, uint64_t value, struct str *to)
{
	uint32_t unused = size < 8 ? 64 - 8 * size : 0;

	if (is_signed)
		str_add_s64(to, (int64_t)(value << unused) >> unused);
	else
		str_add_u64(to, value << unused >> unused);
}

/* As add_value() shows it. */
static int64_t number_of(const struct proto *proto, uint32_t id, uint64_t value, bool *is_unsigned)
{
	const struct btf_type *t = plain(proto, id);
	const uint32_t kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;
	const uint32_t encoding = kind == BTF_KIND_INT ? BTF_INT_ENCODING(*(const uint32_t *)(t + 1)) : 0;
	const bool is_signed = kind == BTF_KIND_ENUM || encoding & BTF_INT_SIGNED;
	const uint32_t unused = (kind == BTF_KIND_ENUM || kind == BTF_KIND_INT) && t->size < 8 ? 64 - 8 * t->size : 0;

	*is_unsigned = !is_signed;
	if (encoding & BTF_INT_BOOL)
		return (uint8_t)value != 0;
	return is_signed ? (int64_t)(value << unused) >> unused : (int64_t)(value << unused >> unused);
}

static bool add_enumerator(const struct proto *proto, const struct btf_type *t, uint64_t value, struct str *to)
{
	const struct btf_enum *v = (const void *)(t + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		if ((uint32_t)v[i].val != (uint32_t)value)
			continue;
		str_add(to, kernel_types_string(proto->types, proto->module, v[i].name_off));
		return true;
	}
	return false;
}

static void add_pointer(uint64_t value, struct str *to)
{
	if (value)
		str_addf(to, "0x%llx", (unsigned long long)value);
	else
		str_add(to, "NULL");
}

static void add_value(const struct proto *proto, uint32_t id, uint64_t value, struct str *to)
{
	const struct btf_type *t = plain(proto, id);
	uint32_t encoding;

	switch (t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		encoding = BTF_INT_ENCODING(*(const uint32_t *)(t + 1));
		if (encoding & BTF_INT_BOOL)
			str_add(to, (uint8_t)value ? "true" : "false");
		else
			add_integer(t->size, encoding & BTF_INT_SIGNED, value, to);
		return;
	case BTF_KIND_ENUM:
		if (!add_enumerator(proto, t, value, to))
			add_integer(t->size, true, value, to);
		return;
	case BTF_KIND_PTR:
		add_pointer(value, to);
		return;
	}
	str_addf(to, "0x%llx", (unsigned long long)value);
}

static void add_text(const char *text, struct str *to)
{
	size_t len = strnlen(text, GRAPH_TEXT - 1);

	str_addc(to, '"');
	for (size_t left = len; left;) {
		size_t part = strcspn(text, "\"\\");

		part = part < left ? part : left;
		str_add_shown(to, text, part);
		text += part;
		left -= part;
		if (!left)
			break;
		str_addf(to, "\\%c", *text++);
		left--;
	}
	str_add(to, len == GRAPH_TEXT - 1 ? "\"..." : "\"");
}

static void add_unknown(const unsigned long long *args, struct str *to)
{
	for (int i = 0; i < ARGS_UNKNOWN; i++)
		str_addf(to, "%s0x%llx", i ? ", " : "", args[i]);
}

void prototypes_add_args(struct prototypes *prototypes, const struct target *target, const unsigned long long *args,
			 const char *text, struct str *to)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_param *params;
	uint32_t n, with_text;

	if (!proto.type) {
		add_unknown(args, to);
		return;
	}
	params = (const void *)(proto.type + 1);
	n = count_args(&proto);
	with_text = text_argument(&proto);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = kernel_types_string(proto.types, proto.module, params[i].name_off);

		str_add(to, i ? ", " : "");
		if (*name)
			str_addf(to, "%s=", name);
		if (i == with_text && *text)
			add_text(text, to);
		else
			add_value(&proto, params[i].type, args[i], to);
	}
	if (n < BTF_INFO_VLEN(proto.type->info))
		str_add(to, n ? ", ..." : "...");
}

static bool add_error(int64_t value, struct str *to)
{
	const char *name = value < 0 && value >= -ERRNO_MAX ? words_error_name(value) : NULL;

	if (name)
		str_addf(to, "-%s", name);
	return name;
}

bool prototypes_add_result(struct prototypes *prototypes, const struct target *target, long long ret, struct str *to)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_type *t;

	if (!proto.type) {
		/* a function that returns an int leaves the upper half undefined */
		if (ret < INT32_MIN || ret > UINT32_MAX)
			str_addf(to, "0x%llx", ret);
		else
			str_add_s64(to, (int32_t)ret);
		return true;
	}
	t = plain(&proto, proto.type->type);
	if (!t)
		return false;
	if (BTF_INFO_KIND(t->info) == BTF_KIND_INT && t->size == 4)
		ret = (int32_t)ret;
	if (!add_error(ret, to))
		add_value(&proto, proto.type->type, ret, to);
	return true;
}

/* --- values for conditions --- */

int prototypes_argument(struct prototypes *prototypes, const struct target *target, const char *name)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_param *params;
	uint32_t n;

	if (!proto.type) {
		bool is_one = !strncmp(name, "arg", 3) && name[3] >= '0' && name[3] < '0' + ARGS_UNKNOWN && !name[4];

		return is_one ? name[3] - '0' : -1;
	}
	params = (const void *)(proto.type + 1);
	n = count_args(&proto);
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(kernel_types_string(proto.types, proto.module, params[i].name_off), name))
			return i;
	return -1;
}

int64_t prototypes_value(struct prototypes *prototypes, const struct target *target, int number,
			 unsigned long long word, bool *is_unsigned)
{
	struct proto proto = proto_of(prototypes, target);
	const struct btf_param *params = proto.type ? (const void *)(proto.type + 1) : NULL;

	*is_unsigned = true;
	return params ? number_of(&proto, params[number].type, word, is_unsigned) : (int64_t)word;
}

bool prototypes_result(struct prototypes *prototypes, const struct target *target, long long ret, int64_t *value,
		       bool *is_unsigned)
{
	struct proto proto = proto_of(prototypes, target);

	*is_unsigned = false;
	*value = ret < INT32_MIN || ret > UINT32_MAX ? ret : (int32_t)ret;
	if (!proto.type)
		return true;
	if (!plain(&proto, proto.type->type))
		return false;
	if (prototypes_result_of(prototypes, target) == PROTOTYPES_WIDE && ret < 0 && ret >= -ERRNO_MAX)
		*value = ret;
	else
		*value = number_of(&proto, proto.type->type, ret, is_unsigned);
	return true;
}
