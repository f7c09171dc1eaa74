// SPDX-License-Identifier: BSD-2-Clause
/* Functions whose value is known before the program runs: addresses of symbols, ids, what type something has; lists. */
#include <arpa/inet.h>
#include <sys/stat.h>

#include "check_part.h"

uint64_t check_kernel_address(const char *name, bool *is_hidden)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t len = strlen(name);
	char line[1024];
	uint64_t addr = 0;

	*is_hidden = !f;
	while (f && !addr && !*is_hidden && fgets(line, sizeof(line), f)) {
		char *end, *symbol;

		addr = strtoull(line, &end, 16);
		symbol = strlen(end) > 3 ? end + 3 : end;
		if (strncmp(symbol, name, len) || (symbol[len] != '\n' && symbol[len] != '\t'))
			addr = 0;
		else
			*is_hidden = !addr;
	}
	if (f)
		fclose(f);
	return addr;
}

static const struct type *check_kaddr(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);
	const struct type *type = check_in_space(c, type_integer(8, false), SPACE_KERNEL);
	bool is_hidden = false;
	uint64_t addr;

	if (!name)
		return type_none();
	addr = c->is_final ? check_kernel_address(name, &is_hidden) : 0;
	if (c->is_final && is_hidden)
		check_error(c, call->at, "the kernel hides the addresses of its symbols (kptr_restrict, or not root)");
	else if (c->is_final && !addr)
		check_error(c, call->at, "Failed to resolve kernel symbol: %s", name);
	check_set_integer(call, addr, type);
	return type;
}

static const struct type *check_pton(struct checker *c, struct ast *call)
{
	const char *text = check_text_argument(c, call, 0);
	unsigned char bytes[16];
	bool is_v6;

	if (!text)
		return type_none();
	is_v6 = strchr(text, ':');
	if (inet_pton(is_v6 ? AF_INET6 : AF_INET, text, bytes) != 1) {
		check_error(c, call->at, "pton() expects a string argument of an IPv4/IPv6 address, got %s", text);
		return type_none();
	}
	/* Its bytes are known: see struct ast. */
	call->is_constant = true;
	call->text = pool_copy(c->pool, bytes, is_v6 ? 16 : 4);
	return type_array(c->pool, type_integer(1, false), is_v6 ? 16 : 4);
}

/* The id of a cgroup is the number of its inode. */
static const struct type *check_cgroupid(struct checker *c, struct ast *call)
{
	const char *path = check_text_argument(c, call, 0);
	struct stat st = {};

	if (path && stat(path, &st))
		check_error(c, call->at, "cgroupid(): %s: %s", path, strerror(errno));
	check_set_integer(call, st.st_ino, type_integer(8, false));
	return call->type;
}

static const struct type *check_static_assert(struct checker *c, struct ast *call)
{
	struct ast *condition = call->call.args;
	const char *text = call->call.n > 1 ? check_text_argument(c, call, 1) : "";

	check_condition(c, condition);
	if (condition->type->kind == TYPE_NONE)
		return type_void();
	if (!condition->is_constant)
		check_error(c, condition->at, "the condition of static_assert() must be known before the program runs");
	else if (!condition->constant && !c->dead)
		check_error(c, call->at, "static assertion failed%s%s", text && *text ? ": " : "", str_or_empty(text));
	return type_void();
}

static const struct type *check_assert_str(struct checker *c, struct ast *call)
{
	const struct type *type = check_value(c, call->call.args);

	if (type->kind != TYPE_NONE && !check_is_text(type))
		check_error(c, call->at, "this is not a string: '%s'", check_show(c, type));
	return type_void();
}

/* is_ptr() and its kin: they ask for the type of their argument, which is not evaluated. */
static const struct type *check_is(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);
	bool is = false;

	if (type->kind == TYPE_NONE)
		return type_bool();
	switch (call->call.function->id) {
	case FUNCTION_IS_ARRAY:
		is = type->kind == TYPE_ARRAY;
		break;
	case FUNCTION_IS_INTEGER:
		is = type->kind == TYPE_INTEGER;
		break;
	case FUNCTION_IS_LITERAL:
		is = arg->kind == AST_INTEGER || arg->kind == AST_STRING || arg->kind == AST_BOOL ||
		     arg->kind == AST_POSITIONAL || (arg->kind == AST_UNARY && arg->is_constant);
		break;
	case FUNCTION_IS_PTR:
		is = type->kind == TYPE_POINTER;
		break;
	case FUNCTION_IS_STR:
		is = type->kind == TYPE_STRING;
		break;
	case FUNCTION_IS_UNSIGNED:
		is = type->kind == TYPE_INTEGER && !type->is_signed;
		break;
	}
	check_set_bool(call, is);
	return call->type;
}

/* has_field(x, "name"): whether `x.name` can be written, so that a program can ask what this kernel's structs have. */
static const struct type *check_has_field(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 1);
	const struct type *type = check_value(c, call->call.args);
	struct type_field field;
	bool has = false;

	if (!name || type->kind == TYPE_NONE)
		return type_bool();
	if (type->kind == TYPE_POINTER)
		type = type->of;
	for (uint32_t i = 0; i < type->n_fields && type->kind != TYPE_TUPLE; i++)
		has |= str_same(type->fields[i].name, name);
	if (type->kind == TYPE_STRUCT && ctypes_complete(c->program->types, type))
		has = ctypes_field(c->program->types, type, name, SPACE_NONE, &field);
	else if (type->kind != TYPE_RECORD && type->kind != TYPE_STRUCT)
		check_error(c, call->at, "has_field() expects something that has fields, not '%s'",
			    check_show(c, type));
	check_set_bool(call, has);
	return call->type;
}

/* listed(x, "80,81"): whether x is one of the numbers; "" has all. lower_listed() reads them again. */
static const struct type *check_listed(struct checker *c, struct ast *call)
{
	const char *list = check_text_argument(c, call, 1), *at = list;
	char *end;

	if (!check_integer(c, call->call.args, "the first argument of listed()") || !list)
		return type_bool();
	if (!*list) {
		check_set_bool(call, true);
		return call->type;
	}
	do {
		errno = 0;
		strtoll(at, &end, 0);
		if (end == at || (*end && *end != ',') || errno) {
			check_error(c, call->at,
				    "listed() expects numbers with commas between them, as '80,443', not '%s'", list);
			break;
		}
		at = end + 1;
	} while (*end);
	return type_bool();
}

static int check_is_kfunc(const char *name, uint32_t id, void *ctx)
{
	return !strcmp(name, ctx);
}

/* kfunc_allowed() is always false: programs call no kfuncs here, so that they load on kernels that have none. */
static const struct type *check_kfunc(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);
	bool asks = call->call.function->id == FUNCTION_KFUNC_EXIST && name && c->is_final;
	struct err err;

	check_set_bool(call, asks && kernel_each_btf_func(check_is_kfunc, (void *)name, &err) == 1);
	return call->type;
}

const struct type *check_call_compile(struct checker *c, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_KADDR:
		return check_kaddr(c, call);
	case FUNCTION_UADDR:
		check_text_argument(c, call, 0);
		return type_pointer(c->pool, type_integer(8, false), SPACE_USER);
	case FUNCTION_PTON:
		return check_pton(c, call);
	case FUNCTION_CGROUPID:
		return check_cgroupid(c, call);
	case FUNCTION_GETOPT:
		return check_getopt(c, call);
	case FUNCTION_HAS_FIELD:
		return check_has_field(c, call);
	case FUNCTION_LISTED:
		return check_listed(c, call);
	case FUNCTION_STATIC_ASSERT:
		return check_static_assert(c, call);
	case FUNCTION_ASSERT_STR:
		return check_assert_str(c, call);
	case FUNCTION_DEFAULT_STR_LENGTH:
		check_set_integer(call, c->program->config.max_strlen, type_integer(8, false));
		return call->type;
	case FUNCTION_KFUNC_EXIST:
	case FUNCTION_KFUNC_ALLOWED:
		return check_kfunc(c, call);
	default:
		return check_is(c, call);
	}
}
