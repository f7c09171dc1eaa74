/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evaluates a checked tree in plain C: the meaning of programs, beside which compiled code is tested. It relies on the
 * types that the checker gave, and on nothing of what lowers them. A value is its bytes, laid out as type.h says;
 * integers are also a number of 64 bits. Texts are at most EVALUATE_BYTES long.
 */
#ifndef SONDE_TESTS_LANG_PROGRAM_EVALUATE_H
#define SONDE_TESTS_LANG_PROGRAM_EVALUATE_H

#include "lang/check/check.h"
#include "lang/check/function.h"

#define EVALUATE_BYTES 256

struct eval {
	const struct type *type;
	int64_t n;
	uint8_t bytes[EVALUATE_BYTES];
};

struct evaluate_map {
	const struct lang_map *map;
	struct eval value; /* without keys */
	struct {
		struct evaluate_entry {
			struct eval key, value;
			bool is_there;
		} * v;
		size_t n, cap;
	} entries;
};

enum evaluate_flow {
	FLOW_ON,
	FLOW_BREAK,
	FLOW_CONTINUE,
	FLOW_RETURN
};

struct evaluate {
	struct evaluate_map *maps;  /* by number */
	vec(struct eval) variables; /* by number */
	uint64_t steps;
};

static inline struct eval evaluate(struct evaluate *e, struct ast *ast);
static inline enum evaluate_flow evaluate_statements(struct evaluate *e, struct ast *first);

/* --- values --- */

static inline int64_t evaluate_cut(int64_t n, const struct type *type)
{
	if (type->kind == TYPE_BOOL)
		return n != 0;
	switch (type->size) {
	case 1:
		return type->is_signed ? (int64_t)(int8_t)n : (int64_t)(uint8_t)n;
	case 2:
		return type->is_signed ? (int64_t)(int16_t)n : (int64_t)(uint16_t)n;
	case 4:
		return type->is_signed ? (int64_t)(int32_t)n : (int64_t)(uint32_t)n;
	default:
		return n;
	}
}

static inline struct eval eval_number(int64_t n, const struct type *type)
{
	struct eval v = { .type = type, .n = evaluate_cut(n, type) };

	memcpy(v.bytes, &v.n, type->size < 8 ? type->size : 8); /* little-endian */
	return v;
}

static inline struct eval eval_text(const char *text, size_t len, const struct type *type)
{
	struct eval v = { .type = type };

	memcpy(v.bytes, text, len < type->size ? len : type->size - 1);
	return v;
}

/* The value of that type which lies at some bytes. */
static inline struct eval eval_at(const uint8_t *bytes, const struct type *type)
{
	struct eval v = { .type = type };
	int64_t n = 0;

	memcpy(v.bytes, bytes, type->size);
	if (!type_is_scalar(type))
		return v;
	memcpy(&n, bytes, type->size);
	return eval_number(n, type);
}

static inline struct eval eval_as(const struct eval *from, const struct type *type)
{
	struct eval v = { .type = type };

	if (type_is_scalar(type) && type_is_scalar(from->type))
		return eval_number(from->n, type);
	if (type->kind == TYPE_STRING)
		return eval_text((const char *)from->bytes, strnlen((const char *)from->bytes, from->type->size), type);
	if (type->kind != TYPE_TUPLE || !from->type->n_fields) {
		memcpy(v.bytes, from->bytes, type->size < from->type->size ? type->size : from->type->size);
		return v;
	}
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct type_field *a = &from->type->fields[i], *b = &type->fields[i];
		struct eval part = eval_at(from->bytes + a->at, a->type);

		part = eval_as(&part, b->type);
		memcpy(v.bytes + b->at, part.bytes, b->type->size);
	}
	return v;
}

static inline bool eval_same(const struct eval *a, const struct eval *b)
{
	if (type_is_scalar(a->type))
		return a->n == b->n;
	if (a->type->kind == TYPE_STRING)
		return !strcmp((const char *)a->bytes, (const char *)b->bytes);
	for (uint32_t i = 0; i < a->type->n_fields; i++) {
		struct eval x = eval_at(a->bytes + a->type->fields[i].at, a->type->fields[i].type);
		struct eval y = eval_at(b->bytes + b->type->fields[i].at, b->type->fields[i].type);

		if (!eval_same(&x, &y))
			return false;
	}
	return true;
}

/* --- variables and maps --- */

static inline struct eval *evaluate_variable(struct evaluate *e, const struct ast_variable *variable)
{
	while (e->variables.n <= variable->number)
		vec_push(&e->variables);
	return &e->variables.v[variable->number];
}

static inline struct evaluate_entry *evaluate_entry(struct evaluate *e, const struct ast *map, struct ast *key,
						    bool makes)
{
	struct evaluate_map *of = &e->maps[map->map.map->number];
	struct eval k = evaluate(e, key);
	struct evaluate_entry *entry;

	k = eval_as(&k, of->map->key);
	vec_each(old, &of->entries)
		if (old->is_there && !memcmp(old->key.bytes, k.bytes, of->map->key->size))
			return old;
	if (!makes)
		return NULL;
	entry = vec_push(&of->entries);
	*entry = (struct evaluate_entry){ .key = k, .is_there = true };
	entry->value.type = of->map->value;
	return entry;
}

/* The place that is assigned to. */
static inline struct eval *evaluate_place(struct evaluate *e, struct ast *to, const struct type **type)
{
	struct eval *place;

	if (to->kind == AST_VARIABLE) {
		*type = to->variable.variable->type;
		place = evaluate_variable(e, to->variable.variable);
	} else {
		*type = to->map.map->value;
		place = to->map.key ? &evaluate_entry(e, to, to->map.key, true)->value
				    : &e->maps[to->map.map->number].value;
	}
	if (!place->type)
		place->type = *type;
	return place;
}

static inline struct eval evaluate_map_read(struct evaluate *e, struct ast *ast)
{
	struct evaluate_entry *entry;

	if (!ast->map.key)
		return e->maps[ast->map.map->number].value;
	entry = evaluate_entry(e, ast, ast->map.key, false);
	return entry ? entry->value : (struct eval){ .type = ast->map.map->value };
}

/* --- operators --- */

static inline int64_t evaluate_division(bool is_remainder, int64_t x, int64_t y, bool is_signed)
{
	if (!y)
		return 1;
	if (!is_signed)
		return is_remainder ? (uint64_t)x % (uint64_t)y : (uint64_t)x / (uint64_t)y;
	if (y == -1)
		return is_remainder ? 0 : (int64_t)(0 - (uint64_t)x);
	return is_remainder ? x % y : x / y;
}

/*
 * What is known when the program is compiled is shifted as a signed number, all else as in bpftrace as an unsigned
 * one.
 */
static inline int64_t evaluate_number(enum ast_op op, int64_t x, int64_t y, bool is_signed, bool is_constant)
{
	bool less = is_signed ? x < y : (uint64_t)x < (uint64_t)y;

	switch (op) {
	case OP_ADD:
		return (uint64_t)x + (uint64_t)y;
	case OP_SUB:
		return (uint64_t)x - (uint64_t)y;
	case OP_MUL:
		return (uint64_t)x * (uint64_t)y;
	case OP_DIV:
	case OP_MOD:
		return evaluate_division(op == OP_MOD, x, y, is_signed);
	case OP_AND:
		return x & y;
	case OP_OR:
		return x | y;
	case OP_XOR:
		return x ^ y;
	case OP_SHL:
		return (uint64_t)x << (y & 63);
	case OP_SHR:
		return is_constant && is_signed ? x >> (y & 63) : (int64_t)((uint64_t)x >> (y & 63));
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	case OP_LT:
		return less;
	case OP_LE:
		return less || x == y;
	case OP_GT:
		return !less && x != y;
	default:
		return !less;
	}
}

static inline struct eval evaluate_binary(struct evaluate *e, struct ast *ast)
{
	struct ast *left = ast->binary.left, *right = ast->binary.right;
	enum ast_op op = ast->binary.op;
	struct eval x = evaluate(e, left), y;
	const struct type *common;

	if (op == OP_LOGIC_AND || op == OP_LOGIC_OR) {
		if ((x.n != 0) == (op == OP_LOGIC_OR))
			return eval_number(op == OP_LOGIC_OR, ast->type);
		y = evaluate(e, right);
		return eval_number(y.n != 0, ast->type);
	}
	y = evaluate(e, right);
	if (!type_is_scalar(x.type))
		return eval_number(eval_same(&x, &y) == (op == OP_EQ), ast->type);
	common = lang_operand_type(left->type, right->type);
	return eval_number(evaluate_number(op, x.n, y.n, common->is_signed, ast->is_constant), ast->type);
}

static inline struct eval evaluate_unary(struct evaluate *e, struct ast *ast)
{
	struct eval v = evaluate(e, ast->unary.operand);

	if (ast->unary.op == OP_NOT)
		return eval_number(!v.n, ast->type);
	return eval_number(ast->unary.op == OP_NEGATE ? (int64_t)(0 - (uint64_t)v.n) : ~v.n, ast->type);
}

static inline struct eval evaluate_assign(struct evaluate *e, struct ast *ast)
{
	struct eval v = evaluate(e, ast->assign.value), *place;
	const struct type *type;

	place = evaluate_place(e, ast->assign.to, &type);
	if (ast->assign.op != OP_NONE) {
		v.n = evaluate_number(ast->assign.op, place->n, v.n,
				      lang_operand_type(type, ast->assign.value->type)->is_signed, false);
		v = eval_number(v.n, type);
	}
	return *place = eval_as(&v, type);
}

static inline struct eval evaluate_step(struct evaluate *e, struct ast *ast)
{
	const struct type *type;
	struct eval *place = evaluate_place(e, ast->step.of, &type), old = eval_as(place, type);

	*place = eval_number((uint64_t)old.n + (ast->step.is_decrement ? -1 : 1), type);
	return ast->step.is_postfix ? old : *place;
}

static inline struct eval evaluate_cast(struct evaluate *e, struct ast *ast)
{
	struct eval v = evaluate(e, ast->cast.operand);

	if (type_is_scalar(v.type) == type_is_scalar(ast->type))
		return eval_as(&v, ast->type);
	return eval_at(v.bytes, ast->type); /* an array and its bytes */
}

static inline struct eval evaluate_tuple(struct evaluate *e, struct ast *ast)
{
	struct eval v = { .type = ast->type };
	uint32_t i = 0;

	for (struct ast *item = ast->list.first; item; item = item->next, i++) {
		struct eval part = evaluate(e, item);

		part = eval_as(&part, ast->type->fields[i].type);
		memcpy(v.bytes + ast->type->fields[i].at, part.bytes, part.type->size);
	}
	return v;
}

/* --- calls --- */

static inline uint64_t evaluate_swap(uint64_t n, uint32_t size)
{
	uint64_t swapped = 0;

	for (uint32_t i = 0; i < size; i++)
		swapped = swapped << 8 | (n >> (8 * i) & 0xff);
	return swapped;
}

/* A start or a length behind the end, also one below 0, is the end. */
static inline struct eval evaluate_substr(struct evaluate *e, struct ast *call)
{
	struct eval text = evaluate(e, call->call.args), from = evaluate(e, call->call.args->next), length = {};
	size_t at = (uint64_t)from.n < text.type->size ? (uint64_t)from.n : text.type->size - 1;
	size_t n = strnlen((char *)text.bytes + at, text.type->size - at);

	if (call->call.n > 2) {
		length = evaluate(e, call->call.args->next->next);
		if ((uint64_t)length.n + 1 <= n) /* -1 is 0 */
			n = (uint64_t)length.n + 1 ? length.n : 0;
	}
	return eval_text((char *)text.bytes + at, n, call->type);
}

static inline bool is_call_of(const struct ast *call, const char *name)
{
	return !strcmp(call->call.function->name, name);
}

static inline struct eval evaluate_path_part(struct evaluate *e, struct ast *call)
{
	struct eval text = evaluate(e, call->call.args);
	const char *begin = (const char *)text.bytes, *slash = strrchr(begin, '/');

	if (is_call_of(call, "basename"))
		return eval_text(slash ? slash + 1 : begin, strlen(slash ? slash + 1 : begin), call->type);
	if (!slash)
		return eval_text(".", 1, call->type);
	return eval_text(begin, slash == begin ? 1 : slash - begin, call->type);
}

static inline struct eval evaluate_call(struct evaluate *e, struct ast *call)
{
	struct ast *first = call->call.args, *second = first ? first->next : NULL;
	struct evaluate_entry *entry;
	struct eval x, y;
	const char *found;

	if (is_call_of(call, "substr"))
		return evaluate_substr(e, call);
	if (is_call_of(call, "basename") || is_call_of(call, "dirname"))
		return evaluate_path_part(e, call);
	if (is_call_of(call, "has_key"))
		return eval_number(evaluate_entry(e, first, second, false) != NULL, call->type);
	if (is_call_of(call, "delete")) {
		entry = evaluate_entry(e, first, second ? second : first->map.key, false);
		if (entry)
			entry->is_there = false;
		return eval_number(entry != NULL, call->type);
	}
	if (is_call_of(call, "kaddr"))
		return eval_number(call->constant, call->type);
	x = evaluate(e, first);
	if (is_call_of(call, "bswap"))
		return eval_number(evaluate_swap(x.n, call->type->size), call->type);
	if (is_call_of(call, "strlen"))
		return eval_number(strlen((char *)x.bytes), call->type);
	y = evaluate(e, second);
	found = strstr((char *)x.bytes, (char *)y.bytes);
	if (is_call_of(call, "strncmp"))
		return eval_number(strncmp((char *)x.bytes, (char *)y.bytes, second->next->constant), call->type);
	if (is_call_of(call, "strcontains"))
		return eval_number(found != NULL, call->type);
	if (is_call_of(call, "strstr") || is_call_of(call, "index"))
		return eval_number(found ? found - (char *)x.bytes : -1, call->type);
	printf("evaluate: %s() is not known\n", call->call.name);
	exit(1);
}

/* --- all expressions --- */

static inline struct eval evaluate_below(struct evaluate *e, struct ast *ast)
{
	struct eval v;

	switch (ast->kind) {
	case AST_INTEGER:
	case AST_BOOL:
		return eval_number(ast->integer.value, ast->type);
	case AST_STRING:
		return eval_text(ast->string.text, ast->string.len, ast->type);
	case AST_VARIABLE:
		return *evaluate_variable(e, ast->variable.variable);
	case AST_MAP:
		return evaluate_map_read(e, ast);
	case AST_CALL:
		return evaluate_call(e, ast);
	case AST_UNARY:
		return evaluate_unary(e, ast);
	case AST_BINARY:
		return evaluate_binary(e, ast);
	case AST_TERNARY:
		v = evaluate(e, ast->branch.condition);
		v = evaluate(e, v.n ? ast->branch.then : ast->branch.otherwise);
		return eval_as(&v, ast->type);
	case AST_FIELD:
		v = evaluate(e, ast->field.of);
		return eval_at(v.bytes + v.type->fields[ast->field.index].at, v.type->fields[ast->field.index].type);
	case AST_INDEX:
		v = evaluate(e, ast->index.of);
		return eval_at(v.bytes + ast->index.index->constant * v.type->of->size, v.type->of);
	case AST_CAST:
		return evaluate_cast(e, ast);
	case AST_POSITIONAL:
	case AST_SIZEOF:
		return eval_number(ast->constant, ast->type);
	case AST_TUPLE:
		return evaluate_tuple(e, ast);
	case AST_ASSIGN:
		return evaluate_assign(e, ast);
	case AST_STEP:
		return evaluate_step(e, ast);
	default:
		printf("evaluate: kind %d is not known\n", ast->kind);
		exit(1);
	}
}

/* What the checker computed has to be what comes out. */
static inline struct eval evaluate(struct evaluate *e, struct ast *ast)
{
	struct eval v = evaluate_below(e, ast);

	e->steps++;
	if (ast->is_constant && type_is_scalar(v.type) && v.n != evaluate_cut(ast->constant, ast->type)) {
		printf("the checker computed %lld, not %lld\n", (long long)ast->constant, (long long)v.n);
		exit(1);
	}
	return v;
}

/* --- statements --- */

static inline enum evaluate_flow evaluate_while(struct evaluate *e, struct ast *ast)
{
	enum evaluate_flow flow;

	while (evaluate(e, ast->loop.condition).n) {
		flow = evaluate_statements(e, ast->loop.body->block.first);
		if (flow == FLOW_BREAK)
			break;
		if (flow == FLOW_RETURN)
			return flow;
	}
	return FLOW_ON;
}

static inline enum evaluate_flow evaluate_range(struct evaluate *e, struct ast *ast, int64_t i, int64_t end)
{
	enum evaluate_flow flow;

	for (; i < end; i++) {
		if (ast->kind == AST_FOR_RANGE) {
			const struct ast_variable *variable = ast->loop.variable->variable.variable;

			*evaluate_variable(e, variable) = eval_number(i, variable->type);
		}
		flow = evaluate_statements(e, ast->loop.body->block.first);
		if (flow == FLOW_BREAK)
			break;
		if (flow == FLOW_RETURN)
			return flow;
	}
	return FLOW_ON;
}

static inline enum evaluate_flow evaluate_statement(struct evaluate *e, struct ast *ast)
{
	struct ast *arm;

	switch (ast->kind) {
	case AST_EXPRESSION:
		evaluate(e, ast->unary.operand);
		return FLOW_ON;
	case AST_LET: {
		const struct ast_variable *variable = ast->let.variable->variable.variable;
		struct eval v = evaluate(e, ast->let.value);

		*evaluate_variable(e, variable) = eval_as(&v, variable->type);
		return FLOW_ON;
	}
	case AST_IF:
		arm = evaluate(e, ast->branch.condition).n ? ast->branch.then : ast->branch.otherwise;
		return arm ? evaluate_statements(e, arm->block.first) : FLOW_ON;
	case AST_WHILE:
		return evaluate_while(e, ast);
	case AST_FOR_RANGE: {
		int64_t begin = evaluate(e, ast->loop.begin).n;

		return evaluate_range(e, ast, begin, evaluate(e, ast->loop.end).n);
	}
	case AST_UNROLL:
		return evaluate_range(e, ast, 0, ast->loop.condition->constant);
	case AST_BREAK:
		return FLOW_BREAK;
	case AST_CONTINUE:
		return FLOW_CONTINUE;
	case AST_RETURN:
		return FLOW_RETURN;
	case AST_BLOCK:
		return evaluate_statements(e, ast->block.first);
	default:
		evaluate(e, ast);
		return FLOW_ON;
	}
}

static inline enum evaluate_flow evaluate_statements(struct evaluate *e, struct ast *first)
{
	for (struct ast *ast = first; ast; ast = ast->next) {
		enum evaluate_flow flow = evaluate_statement(e, ast);

		if (flow != FLOW_ON)
			return flow;
	}
	return FLOW_ON;
}

#endif
