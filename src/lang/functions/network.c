// SPDX-License-Identifier: BSD-2-Clause
/* Addresses of the network, and the cookies of sockets. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <sys/socket.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static bool check_is_bytes(const struct type *type, uint32_t n)
{
	return type->kind == TYPE_ARRAY && type->of->size == 1 && type->count == n;
}

/* Bytes of an address, as in an array of words or in a struct: 4 or 16. */
static bool check_is_address(const struct type *type)
{
	bool is_array = type->kind == TYPE_ARRAY && type->of->kind == TYPE_INTEGER;

	return (is_array || type->kind == TYPE_STRING || type->kind == TYPE_STRUCT) &&
	       (type->size == 4 || type->size == 16);
}

static const struct type *check_ntop(struct checker *c, struct ast *call)
{
	struct ast *address = check_argument(call, call->call.n - 1);
	const struct type *type = check_value(c, address);

	if (call->call.n > 1)
		check_integer(c, call->call.args, "the address family");
	if (type->kind != TYPE_NONE && !type_is_integral(type) && !check_is_address(type))
		check_error(c, address->at, "ntop() expects an integer or array argument of 4 or 16 bytes, got '%s'",
			    check_show(c, type));
	return type_simple(TYPE_INET);
}

/* ntop([family,] address): 4 or 16 bytes. */
static struct low_value lower_ntop(struct lower *l, struct ast *call)
{
	struct ast *family = call->call.args->next ? call->call.args : NULL;
	struct ast *address = family ? family->next : call->call.args;
	struct low_memory to = lower_temp(l, sizeof(struct lang_inet)), bytes = lower_behind(to, 4);
	struct low_value value = lower_expression(l, address);
	uint32_t size = lower_is_word(value.type) ? 4 : value.type->size;
	struct ir_value af;

	if (size > 16)
		size = 16;
	af = family ? lower_number(l, family) : ir_imm(size == 16 ? AF_INET6 : AF_INET);
	if (lower_is_word(value.type))
		value = lower_scalar(lower_use(l, &value), type_integer(4, false));
	lower_zero(l, &to, sizeof(struct lang_inet));
	lower_store(l, &to, 32, af);
	if (value.kind == LOW_SCALAR)
		lower_store(l, &bytes, 32, value.v);
	else if (value.kind == LOW_MEMORY)
		lower_copy(l, &bytes, &value.memory, size);
	else
		lower_write(l, &value, &bytes, value.type);
	return lower_at_memory(to, call->type);
}

FUNCTION(ntop, 1, 2, check_ntop, lower_ntop);

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

FUNCTION(pton, 1, 1, check_pton, lower_nothing);

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

static struct low_value lower_macaddr(struct lower *l, struct ast *call)
{
	struct low_value value = lower_expression(l, call->call.args);
	struct low_memory to = lower_temp(l, 8), from;

	if (value.kind == LOW_MEMORY && !lower_is_word(value.type)) {
		lower_copy(l, &to, &value.memory, 6);
	} else if (lower_is_word(value.type)) {
		from = lower_target(l, lower_use(l, &value), call->call.args->type);
		lower_read(l, &to, &from, ir_imm(6));
	} else {
		lower_write(l, &value, &to, value.type);
	}
	return lower_at_memory(to, call->type);
}

FUNCTION(macaddr, 1, 1, check_macaddr, lower_macaddr);

static const struct type *check_socket_cookie(struct checker *c, struct ast *call)
{
	check_scalar_call(c, call);
	return type_integer(8, false);
}

static struct low_value lower_socket_cookie(struct lower *l, struct ast *call)
{
	if (!l->options->features.fetching_atomics) /* of the same kernel */
		lower_error(l, call->at,
			    "this kernel does not let these probes call socket_cookie() (Linux 5.12 does)");
	return lower_scalar(lower_helper(l, BPF_FUNC_get_socket_cookie, 1, lower_trusted(l, call->call.args)),
			    call->type);
}

FUNCTION(socket_cookie, 1, 1, check_socket_cookie, lower_socket_cookie, .probes = IN(FENTRY) | IN(FEXIT));
