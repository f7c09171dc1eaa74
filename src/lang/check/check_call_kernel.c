// SPDX-License-Identifier: BSD-2-Clause
/* Functions on the kernel's or the traced process's own objects: registers, signals, paths, sockets. */
#include <signal.h>

#include "check_part.h"

static const struct type *check_path(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);
	uint32_t size = c->program->config.max_strlen;
	const struct type *of = type->kind == TYPE_POINTER ? type->of : type;
	int64_t limit;

	if (type->kind != TYPE_NONE && (of->kind != TYPE_STRUCT || strcmp(str_or_empty(of->name), "path")))
		check_error(c, arg->at, "path() only supports 'struct path' argument (%s provided)",
			    check_show(c, type));
	if (call->call.n > 1 && check_constant_argument(c, call, 1, &limit)) {
		if (limit < 1)
			check_error(c, check_argument(call, 1)->at, "path() size must be positive");
		else if (limit < size)
			size = limit;
	}
	return type_string(c->pool, size);
}

/* "SIGTERM", "TERM" or a number; 0: none of them. */
static int check_signal_number(const char *name)
{
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && !strcmp(sigabbrev_np(i), name))
			return i;
	return 0;
}

static const struct type *check_signal(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;

	check_value(c, arg);
	if (check_is_known_text(arg)) {
		int number = check_signal_number(arg->text);

		if (!number)
			check_error(c, arg->at, "%s is not a valid signal", arg->text);
		check_set_integer(arg, number, type_integer(4, false));
		return type_void();
	}
	if (check_integer(c, arg, "the number of a signal") && arg->is_constant &&
	    (arg->constant < 1 || arg->constant > 64))
		check_error(c, arg->at, "%lld is not a valid signal, allowed range: [1,64]", (long long)arg->constant);
	return type_void();
}

static const struct type *check_write_user(struct checker *c, struct ast *call)
{
	struct ast *to = check_argument(call, 0), *value = check_argument(call, 1);
	const struct type *type = check_value(c, to), *added = check_value(c, value);

	if (type->kind != TYPE_NONE && !type_is_scalar(type))
		check_error(c, to->at, "write_user() writes to an address (%s provided)", check_show(c, type));
	if (added->kind != TYPE_NONE && !type_is_scalar(added) && added->kind != TYPE_STRING &&
	    added->kind != TYPE_BUFFER)
		check_error(c, value->at, "write_user() writes an integer, a string or a buffer (%s provided)",
			    check_show(c, added));
	if (call->call.n > 2)
		check_integer(c, check_argument(call, 2), "the length");
	return type_void();
}

static const struct type *check_percpu_kaddr(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);
	struct ast *symbol = check_argument(call, 0);
	bool is_hidden = false;

	if (call->call.n > 1)
		check_integer(c, check_argument(call, 1), "the number of a processor");
	if (name && c->is_final) {
		/* Lowering adds the offset of the processor, which is in an array. */
		symbol->constant = check_kernel_address(name, &is_hidden);
		call->constant = check_kernel_address("__per_cpu_offset", &is_hidden);
		if (is_hidden)
			check_error(c, call->at,
				    "the kernel hides the addresses of its symbols (kptr_restrict, or not root)");
		else if (!symbol->constant)
			check_error(c, call->at, "Failed to resolve kernel symbol: %s", name);
	}
	return type_pointer(c->pool, type_integer(8, false), SPACE_KERNEL);
}

static const struct type *check_scalar(struct checker *c, struct ast *call, const struct type *result)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);

	if (type->kind != TYPE_NONE && !type_is_scalar(type))
		check_error(c, arg->at, "%s() expects an integer or a pointer (%s provided)", call->call.name,
			    check_show(c, type));
	return result;
}

const struct type *check_call_kernel(struct checker *c, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_PATH:
		return check_path(c, call);
	case FUNCTION_REG:
		check_text_argument(c, call, 0);
		return type_integer(8, false);
	case FUNCTION_PERCPU_KADDR:
		return check_percpu_kaddr(c, call);
	case FUNCTION_SIGNAL:
	case FUNCTION_SIGNAL_THREAD:
		return check_signal(c, call);
	case FUNCTION_WRITE_USER:
		return check_write_user(c, call);
	case FUNCTION_SOCKET_COOKIE:
		return check_scalar(c, call, type_integer(8, false));
	case FUNCTION_PROGENYOF:
		check_integer(c, call->call.args, "the id of a process");
		return type_bool();
	default: /* override, unwatch */
		return check_scalar(c, call, type_void());
	}
}
