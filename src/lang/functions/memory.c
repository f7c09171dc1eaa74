// SPDX-License-Identifier: BSD-2-Clause
/* What lies at an address: str(), buf(), memcmp(), write_user(); kptr() and uptr() say whose memory it is. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

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
	if (check_is_place(type) && call->call.n == 1)
		return check_place_text(c, call);
	if (check_is_place(type)) {
		check_wrap_place(c, arg);
		type = arg->type;
	}
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

/* str(probe): where the text of the place is. The verifier has to see the bound of the number. */
static struct low_value lower_place_text(struct lower *l, struct ast *arg, const struct type *type)
{
	const struct lang_place_texts *texts =
		arg->type->kind == TYPE_PROBE ? &l->program->probe_texts : &l->program->function_texts;
	uint32_t number = ir_new_reg(&l->b), none = lower_cold_block(l), there = ir_new_block(&l->b);
	struct low_value place = lower_expression(l, arg);
	struct ir_value at;

	ir_move(&l->b, number, lower_use(l, &place));
	ir_branch(&l->b, IR_LT, ir_reg(number), ir_imm(l->program->places.n), there, none);
	lower_at(l, none);
	ir_move(&l->b, number, ir_imm(l->program->places.n));
	ir_jump(&l->b, there);
	lower_at(l, there);
	at = ir_binary(&l->b, IR_MUL, ir_reg(number), ir_imm(texts->size));
	at = ir_binary(&l->b, IR_ADD, ir_address(&l->b, IR_DATA, LANG_DATA_CELLS, texts->at), at);
	return lower_at_memory(lower_pointed(at, SPACE_BPF), type);
}

/* str(pointer, length): read where it is written. Arrays of bytes are read where they are. */
static struct low_value lower_str(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args, *length = arg->next;
	struct low_value value = { .kind = LOW_STRING, .type = call->type }, from;

	if (check_is_place(arg->type))
		return lower_place_text(l, arg, call->type);
	from = lower_expression(l, arg);
	if (from.kind == LOW_LITERAL) {
		from.type = call->type;
		from.len = from.len < call->type->size ? from.len : call->type->size - 1;
		return from;
	}
	if (!lower_is_word(from.type)) {
		if (from.kind != LOW_MEMORY)
			from = lower_at_memory(lower_place(l, &from, from.type), from.type);
		value.v = lower_address(l, &from.memory);
		value.memory = from.memory;
		if (value.memory.space != SPACE_USER)
			value.memory.space = SPACE_KERNEL;
		value.memory.is_unsure = false;
		value.is_own = true;
	} else {
		value.v = lower_use(l, &from);
		value.memory = lower_target(l, value.v, arg->type);
	}
	value.limit = ir_imm(call->type->size);
	value.is_part = length;
	value.is_quiet = call->call.is_decoded;
	if (length && !length->is_constant)
		value.limit = lower_bounded(l, lower_number(l, length), 1, call->type->size);
	return value;
}

FUNCTION(str, 1, 2, check_str, lower_str);

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

static struct low_value lower_buf(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args, *length = arg->next;
	struct low_value value = { .kind = LOW_BUFFER, .type = call->type }, from = lower_expression(l, arg);
	uint32_t most = call->type->size - 4;

	if (!lower_is_word(from.type)) {
		if (from.kind != LOW_MEMORY)
			from = lower_at_memory(lower_place(l, &from, from.type), from.type);
		value.v = lower_address(l, &from.memory);
		value.memory.space = from.memory.space == SPACE_USER ? SPACE_USER : SPACE_KERNEL;
	} else {
		value.v = lower_use(l, &from);
		value.memory = lower_target(l, value.v, arg->type);
	}
	value.limit = length ? lower_bounded(l, lower_number(l, length), 0, most) : ir_imm(most);
	value.is_quiet = call->call.is_decoded;
	return value;
}

FUNCTION(buf, 1, 2, check_buf, lower_buf);

static const struct type *check_memcmp(struct checker *c, struct ast *call)
{
	int64_t n = 0;

	for (unsigned int i = 0; i < 2; i++) {
		struct ast *arg = check_argument(call, i);
		const struct type *type = check_value(c, arg);

		if (type->kind != TYPE_NONE && type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY &&
		    type->kind != TYPE_STRING && type->kind != TYPE_STRUCT)
			check_error(c, arg->at,
				    "memcmp() expects memory: a pointer, an array or a string (%s provided)",
				    check_show(c, type));
	}
	if (!check_constant_argument(c, call, 2, &n))
		return type_integer(4, true);
	if (n < 0 || n > c->program->config.max_strlen)
		check_error(c, check_argument(call, 2)->at, "memcmp() compares at most max_strlen bytes, which is %u",
			    c->program->config.max_strlen);
	for (unsigned int i = 0; i < 2; i++) {
		struct ast *arg = check_argument(call, i);

		if (arg->type->kind != TYPE_NONE && arg->type->kind != TYPE_POINTER && n > arg->type->size)
			check_error(c, arg->at, "memcmp() cannot compare %lld bytes of %s, which has %u",
				    (long long)n, check_show(c, arg->type), arg->type->size);
	}
	return type_integer(4, true);
}

/* The address of n bytes in memory of the program: of what a pointer points to, else of the value itself. */
static struct ir_value bytes_of(struct lower *l, struct ast *arg, uint32_t n)
{
	struct low_value value = lower_expression(l, arg);
	struct low_memory at, from;

	if (value.type->kind != TYPE_POINTER) {
		at = lower_place_words(l, &value, value.type);
	} else {
		from = lower_pointed(lower_use(l, &value), value.type->space);
		at = lower_temp(l, n);
		lower_copy(l, &at, &from, n);
	}
	return lower_address(l, &at);
}

static struct low_value lower_memcmp(struct lower *l, struct ast *call)
{
	struct ast *left = call->call.args, *right = left->next;
	uint32_t n = right->next->constant;
	struct ir_value a, b;

	if (!n)
		return lower_scalar(ir_imm(0), call->type);
	a = bytes_of(l, left, n);
	b = bytes_of(l, right, n);
	return lower_scalar(lower_library(l, LANG_FN_memory_compare, 3, a, b, ir_imm(n)), call->type);
}

FUNCTION(memcmp, 3, 3, check_memcmp, lower_memcmp);

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

/* write_user(to, from, size) of what is in the program's memory. */
static struct low_value lower_write_user(struct lower *l, struct ast *call)
{
	struct ast *value = check_argument(call, 1);
	struct ir_value to = lower_number(l, call->call.args), from;
	struct low_value v = lower_expression(l, value);
	struct low_memory place = lower_place(l, &v, value->type);

	from = lower_address(l, &place);
	lower_helper(l, BPF_FUNC_probe_write_user, 3, to, from, ir_imm(value->type->size));
	return lower_nothing(l, call);
}

FUNCTION(write_user, 2, 3, check_write_user, lower_write_user, .is_statement = true, .is_unsafe = true);

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

static const struct type *check_kptr(struct checker *c, struct ast *call)
{
	return check_space(c, call, SPACE_KERNEL);
}

FUNCTION(kptr, 1, 1, check_kptr, lower_number_call);

static const struct type *check_uptr(struct checker *c, struct ast *call)
{
	return check_space(c, call, SPACE_USER);
}

FUNCTION(uptr, 1, 1, check_uptr, lower_number_call);
