// SPDX-License-Identifier: BSD-2-Clause
/* Operators and casts: which types they take, and of which type the result is. */
#include <inttypes.h>

#include "checker.h"

const struct type *lang_operand_type(const struct type *a, const struct type *b)
{
	if (!type_is_integral(a) || !type_is_integral(b))
		return type_integer(8, false);
	return check_join_integers(a, b);
}

static void check_warn_signs(struct checker *c, const char *what, const struct ast *left, const struct ast *right,
			     struct span at)
{
	const struct type *is_unsigned = left->type->is_signed ? right->type : left->type;

	if (left->type->is_signed == right->type->is_signed || is_unsigned->size < 8)
		return;
	if (left->type->is_literal || right->type->is_literal || left->type->kind == TYPE_BOOL ||
	    right->type->kind == TYPE_BOOL)
		return;
	check_warning(c, at, "%s of integers of different signs: '%s' and '%s' can lead to undefined behavior", what,
		      check_show(c, left->type), check_show(c, right->type));
}

static const struct type *check_pointer_arithmetic(struct checker *c, enum ast_op op, struct ast *left,
						   struct ast *right, struct span at)
{
	const struct type *l = left->type, *r = right->type;

	if (l->kind == TYPE_POINTER && type_is_integral(r) && (op == OP_ADD || op == OP_SUB))
		return l;
	if (r->kind == TYPE_POINTER && type_is_integral(l) && op == OP_ADD)
		return r;
	if (l->kind == TYPE_POINTER && r->kind == TYPE_POINTER)
		check_error(c, at, "the '%s' operator cannot be used on two pointers", ast_operator_text(op));
	else
		check_error(c, at, "the '%s' operator cannot be used on '%s' and '%s'", ast_operator_text(op),
			    check_show(c, l), check_show(c, r));
	if (c->is_final && type_is_scalar(l) && type_is_scalar(r))
		check_hint(c, at, "cast pointers to integers first: (uint64)");
	return type_none();
}

static const struct type *check_integer_arithmetic(struct checker *c, enum ast_op op, struct ast *left,
						   struct ast *right, struct span at)
{
	const struct type *l = left->type, *r = right->type, *common = check_join_integers(l, r);

	if (op == OP_DIV || op == OP_MOD) {
		check_warn_signs(c, op == OP_DIV ? "division" : "modulo", left, right, at);
		if (right->is_constant && !right->constant)
			check_warning(c, at, "division by 0: the result is always 1");
	}
	switch (op) {
	case OP_SUB:
		return type_integer(8, true);
	case OP_SHL: /* the sum of two bytes needs more than a byte: what can grow has 64 bits */
		return type_integer(8, l->is_literal ? common->is_signed : l->is_signed);
	case OP_ADD:
	case OP_MUL:
		return type_integer(8, common->is_signed);
	case OP_SHR:
		return l->is_literal ? type_integer(8, l->is_signed) : type_integer(l->size, l->is_signed);
	default: /* a literal's type is that of its value; a variable of it is used with all 64 bits */
		return common->is_literal ? type_integer(8, true) : type_integer(common->size, common->is_signed);
	}
}

const struct type *check_arithmetic(struct checker *c, enum ast_op op, struct ast *left, struct ast *right,
				    struct span at)
{
	const struct type *l = left->type, *r = right->type, *type;

	if (l->kind == TYPE_NONE || r->kind == TYPE_NONE)
		return type_none();
	if (!type_is_integral(l) || !type_is_integral(r))
		return check_pointer_arithmetic(c, op, left, right, at);
	type = check_integer_arithmetic(c, op, left, right, at);
	/* kaddr("x") + 8 is an address of the kernel; the difference of two is a number */
	return l->space == r->space ? type : check_in_space(c, type, l->space ? l->space : r->space);
}

static bool check_is_comparison(enum ast_op op)
{
	return op >= OP_EQ && op <= OP_GE;
}

/* An expression that tests whether the number of the place is from first to last. */
static struct ast *check_place_range(struct checker *c, const struct ast *name, uint32_t first, uint32_t last)
{
	struct ast *nodes = pool_alloc(c->pool, 7 * sizeof(*nodes));
	const struct type *type = type_integer(4, false);

	for (int i = 0; i < 2; i++) {
		nodes[i] = (struct ast){ .kind = AST_BINARY, .at = name->at, .type = type_bool() };
		nodes[i].binary.op = i ? OP_LE : OP_GE;
		nodes[2 + i] = *name;
		nodes[2 + i].next = NULL;
		nodes[4 + i] = (struct ast){ .kind = AST_INTEGER, .at = name->at };
		nodes[4 + i].integer.value = i ? last : first;
		check_set_integer(&nodes[4 + i], i ? last : first, type);
		nodes[i].binary.left = &nodes[2 + i];
		nodes[i].binary.right = &nodes[4 + i];
	}
	nodes[6] = (struct ast){ .kind = AST_BINARY, .at = name->at, .type = type_bool() };
	nodes[6].binary.op = OP_LOGIC_AND;
	nodes[6].binary.left = &nodes[0];
	nodes[6].binary.right = &nodes[1];
	return &nodes[6];
}

static struct ast *check_either(struct checker *c, struct ast *left, struct ast *right)
{
	struct ast *either;

	if (!left)
		return right;
	either = pool_alloc(c->pool, sizeof(*either));
	*either = (struct ast){ .kind = AST_BINARY, .at = left->at, .type = type_bool() };
	either->binary.op = OP_LOGIC_OR;
	either->binary.left = left;
	either->binary.right = right;
	return either;
}

/*
 * probe == "kprobe:vfs_read": the numbers of the places that have this text, as comparisons of numbers. A value that was
 * kept may be a place of another probe.
 */
static const struct type *check_compare_place(struct checker *c, struct ast *ast, struct ast *name, const char *text)
{
	const struct lang_probe *probe = c->probe->probe;
	bool is_function = name->type->kind == TYPE_FUNCTION, is_here = name->kind == AST_NAME;
	uint32_t begin = is_here ? probe->first_place : 0, n = is_here ? probe->n_places : c->program->places.n;
	uint32_t end = begin + n, n_equal = 0;
	struct ast *ranges = NULL;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t first = i;

		for (; i < end; i++) {
			const struct lang_place *place = &c->program->places.v[i];

			if (!str_same(is_function ? place->function : place->probe, text))
				break;
		}
		n_equal += i - first;
		if (i > first)
			ranges = check_either(c, ranges, check_place_range(c, name, first, i - 1));
	}
	if (!n_equal || n_equal == n) {
		check_set_bool(ast, (n_equal != 0) == (ast->binary.op == OP_EQ));
		return ast->type;
	}
	if (c->is_final) { /* ranges == true, or == false for != */
		struct ast *right = pool_alloc(c->pool, sizeof(*right));

		*right = (struct ast){ .kind = AST_BOOL, .at = ast->at };
		right->integer.value = ast->binary.op == OP_EQ;
		check_set_bool(right, right->integer.value);
		ast->binary.op = OP_EQ;
		ast->binary.left = ranges;
		ast->binary.right = right;
	}
	return type_bool();
}

/* Whether == and != can compare them as wholes. */
static bool check_can_equal(struct checker *c, const struct type *l, const struct type *r)
{
	const struct type *joined;

	if (check_is_text(l) && check_is_text(r))
		return true;
	if (l->kind == TYPE_ARRAY && r->kind == TYPE_ARRAY)
		return type_is_integral(l->of) && type_is_integral(r->of) && l->of->size == r->of->size &&
		       l->count == r->count;
	if (l->kind == TYPE_TUPLE || l->kind == TYPE_RECORD)
		return l->kind == r->kind && check_join(c, l, r, &joined);
	return false;
}

static bool check_is_printed_text(const struct type *type)
{
	return type->kind >= TYPE_KSYM && type->kind <= TYPE_FUNCTION;
}

/* The argument of the program's that a side is, if it is text: $1; NULL: none is. */
static const struct ast *check_argument_text(const struct ast *binary)
{
	const struct ast *sides[] = { binary->binary.left, binary->binary.right };

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		if (sides[i]->kind == AST_POSITIONAL && check_is_known_text(sides[i]))
			return sides[i];
	return NULL;
}

static void check_mismatch(struct checker *c, const struct ast *ast, const struct type *l, const struct type *r)
{
	const struct ast *text = check_argument_text(ast);

	check_error(c, ast->at, "Type mismatch for '%s': comparing '%s' with '%s'", ast_operator_text(ast->binary.op),
		    check_show(c, l), check_show(c, r));
	if (check_is_printed_text(l) || check_is_printed_text(r))
		check_hint(c, ast->at, "the text of '%s' is made where it is printed: a program cannot compare it",
			   check_show(c, check_is_printed_text(l) ? l : r));
	else if (text && (type_is_scalar(l) || type_is_scalar(r)))
		check_hint(c, ast->at, "$%" PRId64 " is '%.64s', which is no number", text->integer.value, text->text);
	else if (type_is_scalar(l) != type_is_scalar(r) && (check_is_text(l) || check_is_text(r)))
		check_hint(c, ast->at, "str() reads the text at an address");
}

static const struct type *check_comparison(struct checker *c, struct ast *ast)
{
	struct ast *left = ast->binary.left, *right = ast->binary.right;
	const struct type *l, *r;
	bool is_equality = ast->binary.op <= OP_NE;

	if (check_is_text(right->type) || check_is_place(right->type))
		check_as_text(c, left);
	if (check_is_text(left->type) || check_is_place(left->type))
		check_as_text(c, right);
	l = left->type;
	r = right->type;
	if (l->kind == TYPE_NONE || r->kind == TYPE_NONE)
		return type_bool();
	if (type_is_scalar(l) && type_is_scalar(r)) {
		if (type_is_integral(l) && type_is_integral(r)) {
			check_warn_signs(c, "comparison", left, right, ast->at);
			check_warn_never_negative(c, ast);
			if (left->is_constant && right->is_constant)
				check_set_bool(ast, operator_compute(ast->binary.op, left->constant, right->constant,
								     lang_operand_type(l, r)->is_signed));
		}
		return type_bool();
	}
	if (is_equality && check_is_place(l) && check_is_known_text(right))
		return check_compare_place(c, ast, left, right->text);
	if (is_equality && check_is_place(r) && check_is_known_text(left))
		return check_compare_place(c, ast, right, left->text);
	if (is_equality && check_is_place(l) && (check_is_text(r) || check_is_place(r)))
		check_wrap_place(c, left);
	if (is_equality && check_is_place(r) && (check_is_text(l) || check_is_place(l)))
		check_wrap_place(c, right);
	if (is_equality && check_is_known_text(left) && check_is_known_text(right)) {
		check_set_bool(ast, !strcmp(left->text, right->text) == (ast->binary.op == OP_EQ));
		return ast->type;
	}
	if (is_equality && check_can_equal(c, left->type, right->type))
		return type_bool();
	if (check_can_equal(c, l, r))
		check_error(c, ast->at, "'%s' can only be compared with == and !=, not with %s", check_show(c, l),
			    ast_operator_text(ast->binary.op));
	else
		check_mismatch(c, ast, l, r);
	return type_bool();
}

const struct type *check_binary(struct checker *c, struct ast *ast)
{
	enum ast_op op = ast->binary.op;
	struct ast *left = ast->binary.left, *right = ast->binary.right;
	const struct type *type;

	if (op == OP_LOGIC_AND || op == OP_LOGIC_OR) {
		check_condition(c, left);
		check_condition(c, right);
		if (left->is_constant && right->is_constant)
			check_set_bool(ast, operator_compute(op, left->constant, right->constant, false));
		return type_bool();
	}
	check_value(c, left);
	check_value(c, right);
	if (check_is_comparison(op))
		return check_comparison(c, ast);
	if (op == OP_ADD && check_is_known_text(left) && check_is_known_text(right)) {
		check_set_text(c, ast, pool_addf(c->pool, "%s%s", left->text, right->text));
		return ast->type;
	}
	type = check_arithmetic(c, op, left, right, ast->at);
	if (type_is_integral(type) && left->is_constant && right->is_constant) {
		/* by 0 it is 1, as in bpftrace: check_arithmetic() warns */
		bool by_zero = (op == OP_DIV || op == OP_MOD) && !right->constant;
		int64_t value = by_zero ? 1
					: operator_compute(op, left->constant, right->constant,
							   lang_operand_type(left->type, right->type)->is_signed);

		if (left->type->is_literal && right->type->is_literal)
			type = check_literal_type(value, false);
		check_set_integer(ast, check_truncate(value, type), type);
	}
	return type;
}

/* --- unary --- */

static const struct type *check_dereference(struct checker *c, struct ast *ast, const struct type *type)
{
	struct ast *cast;

	if (type->kind == TYPE_POINTER) {
		if (type->of->kind == TYPE_VOID)
			check_error(c, ast->at,
				    "cannot dereference a pointer to void: cast it to the type of what is there");
		else if (type->of->kind == TYPE_STRUCT && !ctypes_complete(c->program->types, type->of))
			check_error(c, ast->at, "cannot dereference a pointer to '%s', which is only declared",
				    check_show(c, type->of));
		check_foreign_struct(c, type, ast->at);
		return type->of;
	}
	if (!type_is_integral(type)) {
		check_error(c, ast->at, "cannot dereference '%s': it is not a pointer", check_show(c, type));
		return type_none();
	}
	/* *N reads 64 bits at an address. */
	cast = pool_alloc(c->pool, sizeof(*cast));
	*cast = (struct ast){ .kind = AST_CAST, .at = ast->unary.operand->at };
	cast->cast.operand = ast->unary.operand;
	cast->type = type_pointer(c->pool, type_integer(8, false), type->space ? type->space : check_default_space(c));
	ast->unary.operand = cast;
	return cast->type->of;
}

static const struct type *check_address(struct checker *c, struct ast *ast)
{
	struct ast *operand = ast->unary.operand;
	const struct type *type = check_expression(c, operand);

	if (operand->kind == AST_VARIABLE && operand->variable.variable) {
		operand->variable.variable->is_addressed = true;
	} else if (operand->kind != AST_MAP) {
		check_error(c, ast->at, "the & operator takes a variable or a map");
		return type_none();
	}
	return type->kind == TYPE_NONE ? type : type_pointer(c->pool, type, SPACE_BPF);
}

const struct type *check_unary(struct checker *c, struct ast *ast)
{
	struct ast *operand = ast->unary.operand;
	enum ast_op op = ast->unary.op;
	const struct type *type;

	if (op == OP_ADDRESS)
		return check_address(c, ast);
	if (op == OP_NOT) {
		check_condition(c, operand);
		if (operand->is_constant)
			check_set_bool(ast, !operand->constant);
		return type_bool();
	}
	type = check_value(c, operand);
	if (type->kind == TYPE_NONE)
		return type;
	if (op == OP_DEREF)
		return check_dereference(c, ast, type);
	if (!type_is_integral(type)) {
		check_error(c, ast->at, "the '%s' operator cannot be used on '%s'", ast_operator_text(op),
			    check_show(c, type));
		return type_none();
	}
	if (operand->is_constant) {
		int64_t value = op == OP_NEGATE ? (int64_t) - (uint64_t)operand->constant : ~operand->constant;

		if (type->is_literal || op == OP_NEGATE)
			check_set_integer(ast, value, check_literal_type(value, false));
		else
			check_set_integer(ast, check_truncate(value, type), type);
		return ast->type;
	}
	if (op == OP_NEGATE || type->is_literal)
		return type_integer(8, true);
	return type_integer(type->size, type->is_signed);
}

/* A column that an option adds: getopt("time") ? strftime(...) : "". No type has room for both arms, or must have. */
static const struct type *check_taken_arm(struct ast *ast, const struct ast *taken)
{
	struct ast *next = ast->next;

	*ast = *taken;
	ast->next = next;
	return ast->type;
}

const struct type *check_ternary(struct checker *c, struct ast *ast)
{
	struct ast *then = ast->branch.then, *otherwise = ast->branch.otherwise;
	const struct type *a, *b, *joined;

	check_condition(c, ast->branch.condition);
	a = check_value(c, then);
	b = check_value(c, otherwise);
	if (a->kind == TYPE_NONE || b->kind == TYPE_NONE)
		return a->kind == TYPE_NONE ? b : a;
	if (check_is_place(a) && check_is_text(b))
		check_wrap_place(c, then);
	if (check_is_place(b) && check_is_text(a))
		check_wrap_place(c, otherwise);
	a = then->type;
	b = otherwise->type;
	if (!check_join(c, a, b, &joined)) {
		if (ast->branch.condition->is_constant && ast->branch.condition->kind == AST_CALL)
			return check_taken_arm(ast, ast->branch.condition->constant ? then : otherwise);
		check_error(c, ast->at, "Ternary operator must return the same type: have '%s' and '%s'",
			    check_show(c, a), check_show(c, b));
		return a;
	}
	if (ast->branch.condition->is_constant) {
		struct ast *taken = ast->branch.condition->constant ? then : otherwise;

		if (check_is_known_text(taken))
			check_set_text(c, ast, taken->text);
		else if (taken->is_constant && type_is_scalar(taken->type))
			check_set_integer(ast, taken->constant, joined);
	}
	return joined;
}

/* --- casts --- */

static bool check_cast_is_allowed(const struct type *from, const struct type *to)
{
	bool is_int = type_is_integral(to);

	if (is_int || to->kind == TYPE_POINTER)
		return type_is_scalar(from) || from->kind == TYPE_KSYM || from->kind == TYPE_NAMED ||
		       from->kind == TYPE_USER ||
		       (is_int && from->kind == TYPE_ARRAY && type_is_integral(from->of) && from->size == to->size) ||
		       (is_int && to->kind == TYPE_BOOL && from->kind == TYPE_STRING);
	if (to->kind == TYPE_ARRAY)
		return (type_is_integral(from) && from->size == to->size) ||
		       (from->kind == TYPE_ARRAY && from->size == to->size && type_is_integral(from->of)) ||
		       (from->kind == TYPE_STRING && from->size == to->size && type_is_integral(to->of));
	if (to->kind == TYPE_STRING)
		return check_is_text(from);
	return type_same(from, to);
}

/* (uint8[])x: as many elements as x has. A literal is as large as the array needs. */
static const struct type *check_cast_array(struct checker *c, struct ast *operand, const struct type *to)
{
	const struct type *from = operand->type;

	if (!type_is_integral(to->of) || !to->of->size)
		return to;
	if (!to->count)
		return from->size % to->of->size ? to : check_number_array(c, to->of, from->size / to->of->size);
	if (from->kind == TYPE_INTEGER && from->size < to->size && to->size <= 8 && from->is_literal)
		operand->type = type_integer(to->size, from->is_signed);
	return to;
}

static const struct type *check_cast_pointer(struct checker *c, const struct type *from, const struct type *to)
{
	enum type_space space = from->space;

	if (space == SPACE_NONE)
		space = check_default_space(c);
	if (space == SPACE_TRUSTED) /* the kernel no longer knows what it points to */
		space = SPACE_KERNEL;
	return to->space == space ? to : type_pointer(c->pool, to->of, space);
}

/* (struct T *)$skb->cb: an array in memory is cast by its address. Without a space: what is cast is no such array. */
static enum type_space check_array_space(const struct checker *c, const struct ast *ast)
{
	if (ast->type->kind != TYPE_ARRAY && ast->type->kind != TYPE_STRING)
		return SPACE_NONE;
	return check_memory_space(c, ast);
}

const struct type *check_cast(struct checker *c, struct ast *ast)
{
	struct ast *operand = ast->cast.operand;
	const struct type *from = check_value(c, operand), *to;
	enum type_space space;

	if (!ast->cast.as_type) /* made by check_dereference() */
		return ast->type;
	to = check_written_type(c, ast->cast.as_type);
	if (from->kind == TYPE_NONE || to->kind == TYPE_NONE)
		return to;
	if (to->kind == TYPE_ARRAY) {
		to = check_cast_array(c, operand, to);
		from = operand->type;
	}
	space = to->kind == TYPE_POINTER ? check_array_space(c, operand) : SPACE_NONE;
	if (space != SPACE_NONE)
		return type_pointer(c->pool, to->of, space);
	if (!check_cast_is_allowed(from, to)) {
		if (to->kind == TYPE_ARRAY || from->kind == TYPE_ARRAY)
			check_error(c, ast->at, "Cannot cast from \"%s\" to \"%s\": they differ in size",
				    check_show(c, from), check_show(c, to));
		else
			check_error(c, ast->at, "Cannot cast from \"%s\" to \"%s\"", check_show(c, from),
				    check_show(c, to));
		if (to->kind == TYPE_STRUCT)
			check_hint(c, ast->at, "cast to a pointer and dereference it: *(%s *)", check_show(c, to));
		return to;
	}
	if (to->kind == TYPE_POINTER)
		return check_cast_pointer(c, from, to);
	if (to->kind == TYPE_BOOL && from->kind == TYPE_STRING)
		check_condition(c, operand);
	if (type_is_integral(to) && type_is_integral(from) && operand->is_constant)
		check_set_integer(ast, check_truncate(operand->constant, to), to);
	return to;
}
