// SPDX-License-Identifier: BSD-2-Clause
/* Functions of texts and bytes: str(), buf(), comparisons, addresses. */
#include <linux/bpf.h>
#include <sys/socket.h>

#include "lower_part.h"

static struct low_memory pointed_by(struct lower *l, struct ir_value pointer, const struct ast *ast)
{
	return lower_target(l, pointer, ast->type);
}

/*
 * A length that is known only when the program runs, between min and max: the verifier has to see that. Numbers below 0
 * are large ones.
 */
struct ir_value lower_bounded(struct lower *l, struct ir_value v, uint32_t min, uint32_t max)
{
	uint32_t n = ir_new_reg(&l->b), low = ir_new_block(&l->b), high = ir_new_block(&l->b);
	uint32_t next = ir_new_block(&l->b), done = ir_new_block(&l->b);

	if (v.is_const)
		return ir_imm((uint64_t)v.imm > max ? max : v.imm < min ? min
									: v.imm);
	ir_move(&l->b, n, v);
	ir_branch(&l->b, IR_GT, ir_reg(n), ir_imm(max), high, next);
	lower_at(l, high);
	ir_move(&l->b, n, ir_imm(max));
	ir_jump(&l->b, next);
	lower_at(l, next);
	if (min)
		ir_branch(&l->b, IR_LT, ir_reg(n), ir_imm(min), low, done);
	else
		ir_jump(&l->b, done);
	lower_at(l, low);
	ir_move(&l->b, n, ir_imm(min));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return (struct ir_value){ .reg = n, .imm = (int64_t)max << 32 | min };
}

/* str(pointer, length): read where it is written. Arrays of bytes are read where they are. */
static struct low_value lower_str(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args, *length = arg->next;
	struct low_value value = { .kind = LOW_STRING, .type = call->type }, from = lower_expression(l, arg);

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
		value.memory = pointed_by(l, value.v, arg);
	}
	value.limit = ir_imm(call->type->size);
	value.is_part = length;
	if (length && !length->is_constant)
		value.limit = lower_bounded(l, lower_number(l, length), 1, call->type->size);
	return value;
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
		value.memory = pointed_by(l, value.v, arg);
	}
	value.limit = length ? lower_bounded(l, lower_number(l, length), 0, most) : ir_imm(most);
	return value;
}

/* --- comparisons --- */

static struct ir_value truth(struct lower *l, uint32_t yes, uint32_t no, int64_t if_yes, int64_t if_no)
{
	uint32_t dst = ir_new_reg(&l->b), done = ir_new_block(&l->b);

	lower_at(l, yes);
	ir_move(&l->b, dst, ir_imm(if_yes));
	ir_jump(&l->b, done);
	lower_at(l, no);
	ir_move(&l->b, dst, ir_imm(if_no));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(dst);
}

/* strncmp(a, b, n): 0 if the first n bytes are the same up to a NUL. */
static struct low_value lower_strncmp(struct lower *l, struct ast *call)
{
	struct ast *left = call->call.args, *right = left->next, *length = right->next;
	struct low_value x = lower_expression(l, left), y = lower_expression(l, right);
	struct low_memory a, b;
	struct ir_value a_address, b_address;
	uint32_t size = x.type->size < y.type->size ? x.type->size : y.type->size;
	uint32_t n = length && length->constant < size ? length->constant : size;

	if (!length && (x.kind == LOW_LITERAL || y.kind == LOW_LITERAL)) {
		uint32_t yes = ir_new_block(&l->b), no = ir_new_block(&l->b);

		lower_compare_texts(l, &x, &y, yes, no);
		return lower_scalar(truth(l, yes, no, 0, 1), call->type);
	}
	a = lower_place_words(l, &x, x.type);
	b = lower_place_words(l, &y, y.type);
	a_address = lower_address(l, &a);
	b_address = lower_address(l, &b);
	return lower_scalar(lower_library(l, LANG_FN_compare, 3, a_address, b_address, ir_imm(n)), call->type);
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

/* The verifier runs through the search: a text's bytes by the other's are at most as many. */
#define SEARCH_MAX (48 * 1024)

/* The index of y in x, or -1. A short literal is one number. */
static struct ir_value find_text(struct lower *l, const struct low_value *x, const struct low_value *y, struct place at)
{
	struct low_memory a = lower_place(l, x, x->type), b;
	struct ir_value a_address = lower_address(l, &a), b_address;
	uint64_t word = 0;

	if (y->kind == LOW_LITERAL && !y->len)
		return ir_imm(0);
	if (y->kind != LOW_LITERAL || y->len > sizeof(word)) {
		if ((uint64_t)x->type->size * y->type->size > SEARCH_MAX)
			lower_error(l, at,
				    "a text of %u bytes in one of %u bytes is too long a search for the kernel: a "
				    "length, as in "
				    "str(x, 64), makes texts shorter",
				    y->type->size, x->type->size);
		b = lower_place(l, y, y->type);
		b_address = lower_address(l, &b);
		return lower_library(l, LANG_FN_find, 4, a_address, ir_imm(x->type->size), b_address,
				     ir_imm(y->type->size));
	}
	for (uint32_t i = 0; i < y->len; i++)
		word = word << 8 | (uint8_t)y->text[i];
	return lower_library(l, LANG_FN_find_word, 4, a_address, ir_imm(x->type->size), ir_imm(word), ir_imm(y->len));
}

/* strcontains(), strstr(): the library searches in the program's memory. */
static struct low_value lower_search(struct lower *l, struct ast *call)
{
	struct ast *left = call->call.args, *right = left->next;
	struct low_value x = lower_expression(l, left), y = lower_expression(l, right);
	struct ir_value found = find_text(l, &x, &y, call->at);
	uint32_t yes, no;

	if (call->call.function->id == FUNCTION_STRSTR || call->call.function->id == FUNCTION_INDEX)
		return lower_scalar(found, call->type);
	yes = ir_new_block(&l->b);
	no = ir_new_block(&l->b);
	ir_branch(&l->b, IR_SGE, found, ir_imm(0), yes, no);
	return lower_scalar(truth(l, yes, no, 1, 0), call->type);
}

static struct low_value lower_strlen(struct lower *l, struct ast *call)
{
	struct low_value x = lower_expression(l, call->call.args);
	struct low_memory a = lower_place_words(l, &x, x.type);

	return lower_scalar(lower_library(l, LANG_FN_length, 2, lower_address(l, &a), ir_imm(x.type->size)),
			    call->type);
}

/* --- addresses --- */

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

static struct low_value lower_macaddr(struct lower *l, struct ast *call)
{
	struct low_value value = lower_expression(l, call->call.args);
	struct low_memory to = lower_temp(l, 8), from;

	if (value.kind == LOW_MEMORY && !lower_is_word(value.type)) {
		lower_copy(l, &to, &value.memory, 6);
	} else if (lower_is_word(value.type)) {
		from = pointed_by(l, lower_use(l, &value), call->call.args);
		lower_read(l, &to, &from, ir_imm(6));
	} else {
		lower_write(l, &value, &to, value.type);
	}
	return lower_at_memory(to, call->type);
}

/* struct lang_time */
static struct low_value lower_strftime(struct lower *l, struct ast *call)
{
	struct low_memory to = lower_temp(l, sizeof(struct lang_time)), clock = lower_behind(to, 8);
	struct ast *time = call->call.args->next;
	enum lang_clock number = LANG_CLOCK_BOOT;

	if (time->kind == AST_CALL && time->call.function->id == FUNCTION_NSECS && time->call.args) {
		const char *name = time->call.args->name.name;

		number = !strcmp(name, "monotonic") ? LANG_CLOCK_MONOTONIC : !strcmp(name, "tai") ? LANG_CLOCK_TAI
								     : !strcmp(name, "sw_tai")	  ? LANG_CLOCK_SW_TAI
												  : LANG_CLOCK_BOOT;
	}
	lower_store(l, &to, 64, lower_number(l, time));
	lower_store(l, &clock, 64, ir_imm(number));
	return lower_at_memory(to, call->type);
}

/* The kernel lets programs call its d_path() in these functions only. */
static bool allows_path(const struct lower *l, uint32_t place)
{
	static const char *const functions[] = { "vfs_truncate",
						 "vfs_fallocate",
						 "vfs_getattr",
						 "dentry_open",
						 "filp_close",
						 "security_file_permission",
						 "security_inode_getattr",
						 "security_file_open",
						 "security_path_truncate" };
	const char *name = str_or_empty(l->program->places.v[place].function);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i], name))
			return true;
	return false;
}

/* path(p): the kernel wants a pointer whose type it knows, straight from the arguments. */
static struct low_value lower_path(struct lower *l, struct ast *call)
{
	struct low_memory to = lower_temp(l, call->type->size);
	struct ir_value from = lower_trusted(l, call->call.args);

	for (uint32_t i = 0; l->probe->kind != PROBE_ITER && i < l->probe->n_places; i++)
		if (!allows_path(l, l->probe->first_place + i)) {
			lower_error(
				l, call->at,
				"the kernel allows path() only in a few functions such as filp_close, vfs_getattr and "
				"security_file_open; elsewhere str(p.dentry->d_name.name) is the file's name");
			break;
		}
	if (l->probe->kind == PROBE_ITER && !l->options->features.fetching_atomics) /* of the same kernel */
		lower_error(l, call->at, "this kernel does not let iterators call path() (Linux 5.12 does)");
	lower_zero(l, &to, call->type->size);
	lower_helper(l, BPF_FUNC_d_path, 3, from, lower_address(l, &to), ir_imm(call->type->size));
	return lower_at_memory(to, call->type);
}

/* What does the same as a function that is not supported. */
static const char *instead_of(uint32_t function)
{
	switch (function) {
	case FUNCTION_STRTOK:
		return "index() finds where a part ends, and substr() cuts it out";
	case FUNCTION_SKBOUTPUT:
		return "printf(\"%r\\n\", buf(skb->data, 64)) shows the bytes of a packet";
	case FUNCTION_UADDR:
		return "reg(\"ip\") and the distance between the two symbols, which nm shows, are the address";
	case FUNCTION_UNWATCH:
		return "a map that the probe's predicate tests switches it off";
	default:
		return "its use here is unknown";
	}
}

struct low_value lower_call_text(struct lower *l, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_STR:
		return lower_str(l, call);
	case FUNCTION_BUF:
		return lower_buf(l, call);
	case FUNCTION_STRNCMP:
	case FUNCTION_STRCMP:
		return lower_strncmp(l, call);
	case FUNCTION_MEMCMP:
		return lower_memcmp(l, call);
	case FUNCTION_STRCONTAINS:
	case FUNCTION_STRSTR:
	case FUNCTION_INDEX:
		return lower_search(l, call);
	case FUNCTION_STRLEN:
		return lower_strlen(l, call);
	case FUNCTION_NTOP:
		return lower_ntop(l, call);
	case FUNCTION_MACADDR:
		return lower_macaddr(l, call);
	case FUNCTION_STRFTIME:
		return lower_strftime(l, call);
	case FUNCTION_COMM:
		if (call->call.args)
			lower_error(
				l, call->at,
				"comm() of another process is not supported: str(task.comm) reads it from its task");
		return (struct low_value){ .kind = LOW_COMM, .type = call->type };
	case FUNCTION_PATH:
		return lower_path(l, call);
	case FUNCTION_SUBSTR:
		return lower_substr(l, call);
	case FUNCTION_BASENAME:
	case FUNCTION_DIRNAME:
		return lower_path_part(l, call);
	case FUNCTION_GLOBMATCH:
		return lower_glob(l, call);
	default:
		lower_error(l, call->at, "%s() is not supported: %s", call->call.name,
			    instead_of(call->call.function->id));
		return lower_scalar(ir_imm(0), call->type);
	}
}
