// SPDX-License-Identifier: BSD-2-Clause
/* Functions with a value that is no text to work on: str(), buf(), symbols, stacks, addresses, times, ids. */
#include <arpa/inet.h>
#include <byteswap.h>

#include "bpf/stack.h"
#include "check_part.h"

/* Makes the call the expression that it is equal to. */
static const struct type *check_replace(struct ast *call, const struct ast *by)
{
	struct ast *next = call->next;

	*call = *by;
	call->next = next;
	return call->type;
}

/* str($1 + n) is the text of $1 without its first n bytes. */
static const char *check_positional_text(struct checker *c, struct ast *arg)
{
	int64_t skip;

	if (arg->kind == AST_POSITIONAL) {
		check_as_text(c, arg);
		return check_is_known_text(arg) ? arg->text : NULL;
	}
	if (arg->kind != AST_BINARY || arg->binary.op != OP_ADD || arg->binary.left->kind != AST_POSITIONAL)
		return NULL;
	check_value(c, arg->binary.left);
	check_value(c, arg->binary.right);
	check_as_text(c, arg->binary.left);
	if (!check_is_known_text(arg->binary.left))
		return NULL;
	skip = arg->binary.right->constant;
	if (!arg->binary.right->is_constant || skip < 0 || skip > (int64_t)strlen(arg->binary.left->text)) {
		check_error(c, arg->at, "only a constant up to the length of the parameter can be added: %zu",
			    strlen(arg->binary.left->text));
		return NULL;
	}
	return arg->binary.left->text + skip;
}

static uint32_t check_size_argument(struct checker *c, struct ast *call, unsigned int n, uint32_t extra, uint32_t most)
{
	struct ast *arg = check_argument(call, n);

	if (!check_integer(c, arg, "the length") || !arg->is_constant)
		return most;
	if (arg->constant < 0) {
		check_error(c, arg->at, "%s() cannot use negative length (%lld)", call->call.name,
			    (long long)arg->constant);
		return most;
	}
	if (arg->constant > (int64_t)most - extra) {
		check_warning(c, arg->at, "%s: the length %lld is above max_strlen, which is %u", call->call.name,
			      (long long)arg->constant, c->program->config.max_strlen);
		return most;
	}
	return arg->constant + extra;
}

static const struct type *check_str(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const char *text;
	uint32_t most = c->program->config.max_strlen, size = most;
	const struct type *type;

	if (call->call.n > 1)
		size = check_size_argument(c, call, 1, 1, most);
	if (arg->kind == AST_POSITIONAL)
		check_value(c, arg);
	text = check_positional_text(c, arg);
	if (text) {
		check_set_text(c, call, text);
		if (call->type->size > size)
			check_set_text(c, call, pool_addf(c->pool, "%.*s", size - 1, text));
		return call->type;
	}
	type = check_value(c, arg);
	if (call->call.n > 1 && type->kind != TYPE_STRING && size > 1 &&
	    size < most) /* the length that is asked for has the NUL in it */
		size--;
	if (type->kind == TYPE_STRING && call->call.n == 1)
		return check_replace(call, arg);
	if (type->kind == TYPE_ARRAY && check_is_text(type))
		return type_string(c->pool, type->size + 1 < size ? type->size + 1 : size);
	if (type->kind != TYPE_NONE && !type_is_scalar(type) && type->kind != TYPE_STRING)
		check_error(c, arg->at, "str() expects an integer or a pointer type as first argument (%s provided)",
			    check_show(c, type));
	return type_string(c->pool, size);
}

static const struct type *check_buf(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);
	uint32_t most = c->program->config.max_strlen;

	if (type->kind == TYPE_NONE)
		return type;
	if (type->kind != TYPE_ARRAY && type->kind != TYPE_STRING && type->kind != TYPE_STRUCT && !type_is_scalar(type))
		check_error(c, arg->at, "buf() expects an integer, a pointer or an array (%s provided)",
			    check_show(c, type));
	if (call->call.n > 1)
		return type_buffer(c->pool, check_size_argument(c, call, 1, 0, most));
	if (type->kind == TYPE_ARRAY || type->kind == TYPE_STRING)
		return type_buffer(c->pool, type->size < most ? type->size : most);
	if (type_is_scalar(type))
		check_error(c, call->at, "buf() expects a length argument for non-array type %s", check_show(c, type));
	return type_buffer(c->pool, most);
}

/* An address or a number, of which user space makes text. */
static const struct type *check_converted(struct checker *c, struct ast *call, enum type_kind kind)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);

	if (type->kind != TYPE_NONE && !type_is_scalar(type))
		check_error(c, arg->at, "%s() expects an integer or a pointer (%s provided)", call->call.name,
			    check_show(c, type));
	return type_simple(kind);
}

static const struct type *check_stack_call(struct checker *c, struct ast *call, enum type_kind kind)
{
	static const char *const modes[] = { [STACK_BPFTRACE] = "bpftrace",
					     [STACK_PERF] = "perf",
					     [STACK_RAW] = "raw",
					     [STACK_BUILD_ID] = "build_id" };
	struct type *type = (struct type *)type_copy(c->pool, type_simple(kind));
	unsigned int n = 0;
	int64_t limit = 0;

	type->mode = c->program->config.stack_mode;
	if (call->call.args && call->call.args->kind == AST_NAME) {
		const char *name = call->call.args->name.name;
		size_t mode = 0;

		while (mode < ARRAY_SIZE(modes) && strcmp(modes[mode], name))
			mode++;
		if (mode == ARRAY_SIZE(modes))
			check_error(c, call->call.args->at,
				    "Invalid stack mode: '%s': there are bpftrace, perf, raw and build_id", name);
		else
			type->mode = mode;
		n++;
	}
	if (call->call.n > n + 1)
		check_error(c, call->at, "Invalid number of arguments: %s([mode,] [limit])", call->call.name);
	else if (call->call.n > n && check_constant_argument(c, call, n, &limit) && (limit < 0 || limit > STACK_DEPTH))
		check_error(c, check_argument(call, n)->at, "%s() limit must be from 0 to %d", call->call.name,
			    STACK_DEPTH);
	type->limit = limit;
	return type;
}

static bool check_is_bytes(const struct type *type, uint32_t n)
{
	return type->kind == TYPE_ARRAY && type->of->size == 1 && type->count == n;
}

static const struct type *check_ntop(struct checker *c, struct ast *call)
{
	struct ast *address = check_argument(call, call->call.n - 1);
	const struct type *type = check_value(c, address);

	if (call->call.n > 1)
		check_integer(c, call->call.args, "the address family");
	if (type->kind != TYPE_NONE && !type_is_integral(type) && !check_is_bytes(type, 4) &&
	    !check_is_bytes(type, 16) && !(type->kind == TYPE_STRING && (type->size == 4 || type->size == 16)) &&
	    !(type->kind == TYPE_STRUCT && (type->size == 4 || type->size == 16)))
		check_error(c, address->at, "ntop() expects an integer or array argument of 4 or 16 bytes, got '%s'",
			    check_show(c, type));
	return type_simple(TYPE_INET);
}

static const struct type *check_macaddr(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);

	if (type->kind != TYPE_NONE && !check_is_bytes(type, 6) && !(type->kind == TYPE_STRING && type->size == 6) &&
	    type->kind != TYPE_POINTER)
		check_error(c, arg->at, "macaddr() argument must be an array of 6 bytes, not '%s'",
			    check_show(c, type));
	return type_simple(TYPE_MAC);
}

/* Types whose text needs a text of the program: strftime(FORMAT, ns), cgroup_path(id, FILTER). */
static const struct type *check_with_text(struct checker *c, enum type_kind kind, const char *text)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(kind));

	type->format = check_text_number(c, text);
	return type;
}

static const struct type *check_strftime(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);

	check_integer(c, check_argument(call, 1), "the time");
	return format ? check_with_text(c, TYPE_TIME, format) : type_none();
}

static const struct type *check_cgroup_path(struct checker *c, struct ast *call)
{
	const char *filter = call->call.n > 1 ? check_text_argument(c, call, 1) : "";

	check_integer(c, call->call.args, "the id of a cgroup");
	return filter ? check_with_text(c, TYPE_CGROUP_PATH, filter) : type_none();
}

/* A word as an argument: nsecs(boot). 0 to n - 1; -1 with an error. */
static int check_word(struct checker *c, struct ast *call, const char *const *words, size_t n)
{
	const struct ast *arg = call->call.args;
	struct nearest nearest;

	if (arg->kind != AST_NAME) {
		check_error(c, arg->at, "%s() expects one of its words, as %s(%s)", call->call.name, call->call.name,
			    words[0]);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], arg->name.name))
			return i;
	check_error(c, arg->at, "Invalid argument of %s(): '%s'", call->call.name, arg->name.name);
	nearest_init(&nearest, arg->name.name);
	for (size_t i = 0; i < n; i++)
		nearest_offer(&nearest, words[i]);
	check_hint(c, arg->at, "did you mean '%s'?", nearest_name(&nearest) ? nearest_name(&nearest) : words[0]);
	return -1;
}

static const struct type *check_nsecs(struct checker *c, struct ast *call)
{
	static const char *const clocks[] = { "boot", "monotonic", "tai", "sw_tai" };
	int clock = check_word(c, call, clocks, ARRAY_SIZE(clocks));

	if (clock == LANG_CLOCK_TAI && !c->options->features.tai) {
		check_error(c, call->at, "this kernel cannot read the TAI clock in programs (Linux 6.1 can)");
		check_hint(c, call->at, "nsecs(sw_tai) is nearly the same");
	}
	return type_integer(8, false);
}

static const struct type *check_id(struct checker *c, struct ast *call)
{
	static const char *const namespaces[] = { "curr_ns", "init" };

	check_word(c, call, namespaces, ARRAY_SIZE(namespaces));
	return type_integer(4, false);
}

static const struct type *check_bswap(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type;
	uint64_t value;

	if (!check_integer(c, arg, "the argument of bswap()"))
		return type_none();
	type = type_integer(arg->type->size, false);
	value = arg->constant;
	if (arg->is_constant)
		check_set_integer(call,
				  type->size == 8   ? bswap_64(value)
				  : type->size == 4 ? bswap_32(value)
				  : type->size == 2 ? bswap_16(value)
						    : value & 0xff,
				  type);
	return type;
}

static const struct type *check_space(struct checker *c, struct ast *call, enum type_space space)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);

	if (type->kind == TYPE_POINTER)
		return type_pointer(c->pool, type->of, space);
	if (type_is_integral(type))
		return type_pointer(c->pool, type_integer(8, false), space);
	if (type->kind != TYPE_NONE)
		check_error(c, arg->at, "%s() expects a pointer (%s provided)", call->call.name, check_show(c, type));
	return type;
}

/* ppid(task), comm(pid), pcomm(task) */
static const struct type *check_of_task(struct checker *c, struct ast *call, const struct type *result)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);

	if (type->kind != TYPE_NONE && !type_is_scalar(type))
		check_error(c, arg->at, "%s() expects a %s (%s provided)", call->call.name,
			    call->call.function->id == FUNCTION_COMM ? "process id" : "pointer to struct task_struct",
			    check_show(c, type));
	return result;
}

const struct type *check_call_value(struct checker *c, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_STR:
		return check_str(c, call);
	case FUNCTION_BUF:
		return check_buf(c, call);
	case FUNCTION_KSYM:
		return check_converted(c, call, TYPE_KSYM);
	case FUNCTION_USYM:
		return check_converted(c, call, TYPE_USYM);
	case FUNCTION_KSTACK:
		return check_stack_call(c, call, TYPE_KSTACK);
	case FUNCTION_USTACK:
		return check_stack_call(c, call, TYPE_USTACK);
	case FUNCTION_NTOP:
		return check_ntop(c, call);
	case FUNCTION_MACADDR:
		return check_macaddr(c, call);
	case FUNCTION_STRFTIME:
		return check_strftime(c, call);
	case FUNCTION_STRERROR:
		return check_converted(c, call, TYPE_ERRNO);
	case FUNCTION_SYSCALL_NAME:
		return check_converted(c, call, TYPE_SYSCALL);
	case FUNCTION_CGROUP_PATH:
		return check_cgroup_path(c, call);
	case FUNCTION_NSECS:
		return check_nsecs(c, call);
	case FUNCTION_PID:
	case FUNCTION_TID:
		return check_id(c, call);
	case FUNCTION_PPID:
		return check_of_task(c, call, type_integer(4, false));
	case FUNCTION_COMM:
	case FUNCTION_PCOMM:
		return check_of_task(c, call, type_string(c->pool, 16));
	case FUNCTION_BSWAP:
		return check_bswap(c, call);
	case FUNCTION_KPTR:
		return check_space(c, call, SPACE_KERNEL);
	case FUNCTION_UPTR:
		return check_space(c, call, SPACE_USER);
	default:
		return type_none();
	}
}
