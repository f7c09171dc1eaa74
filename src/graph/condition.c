// SPDX-License-Identifier: BSD-2-Clause
/*
 * The language's parser makes the tree, of a program that has the condition as that of its only statement. It is walked
 * for each call: here, not in the kernel, since the callers of what matches are known only when the tree is complete.
 */
#include "condition.h"
#include "lang/tree/parse.h"
#include "output/words.h"

struct condition {
	struct pool pool;
	struct ctypes *types;
	const struct ast *tree;
	const char *names[CONDITION_NAMES];
	bool texts[CONDITION_NAMES];
	size_t n;
};

static const char takes[] = "it takes numbers, texts, errors such as ENOENT, arguments by name, ret, and operators on them";

/* --- reading --- */

static const char *name_of(const struct ast *node)
{
	if (node->kind == AST_NAME)
		return node->name.name;
	if (node->kind == AST_FIELD && node->field.name && !node->field.is_arrow && node->field.of->kind == AST_NAME &&
	    !strcmp(node->field.of->name.name, "args"))
		return node->field.name;
	return NULL;
}

/* The number of an error, NULL or a name of the condition; false: it is a name. */
static bool is_constant(const struct ast *node, int64_t *value)
{
	const char *name = name_of(node);
	struct err err;
	int number;

	if (node->kind != AST_NAME)
		return false;
	*value = 0;
	if (!strcmp(name, "NULL"))
		return true;
	if (name[0] != 'E' || strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != strlen(name))
		return false;
	number = words_find_error(name, &err);
	*value = number;
	return number > 0;
}

static size_t find_name(const struct condition *condition, const char *name)
{
	size_t i = 0;

	while (i < condition->n && strcmp(condition->names[i], name))
		i++;
	return i;
}

static int add_name(struct condition *condition, const struct ast *node, bool is_text, struct err *err)
{
	size_t i = find_name(condition, name_of(node));

	if (i == CONDITION_NAMES)
		return err_set(err, -EINVAL, "it has more than %d names", CONDITION_NAMES);
	if (i == condition->n)
		condition->names[condition->n++] = name_of(node);
	condition->texts[i] |= is_text;
	return 0;
}

static bool compares_text(const struct ast *node)
{
	const struct ast *left = node->binary.left, *right = node->binary.right;

	if (node->binary.op != OP_EQ && node->binary.op != OP_NE)
		return false;
	return (left->kind == AST_STRING && name_of(right)) || (right->kind == AST_STRING && name_of(left));
}

static int check_text(struct condition *condition, const struct ast *node, struct err *err)
{
	const struct ast *left = node->binary.left, *right = node->binary.right;

	if ((left->kind == AST_STRING ? left : right)->string.len > CONDITION_TEXT)
		return err_set(err, -EINVAL, "a text can have %d bytes: no more is read of an argument", CONDITION_TEXT);
	return add_name(condition, name_of(left) ? left : right, true, err);
}

static int check(struct condition *condition, const struct ast *node, struct err *err)
{
	int64_t unused;
	int ret;

	if (name_of(node))
		return is_constant(node, &unused) ? 0 : add_name(condition, node, false, err);
	switch (node->kind) {
	case AST_INTEGER:
	case AST_BOOL:
		return 0;
	case AST_STRING:
		return err_set(err, -EINVAL, "a text can only be compared with an argument, by == or !=");
	case AST_UNARY:
		if (node->unary.op == OP_DEREF || node->unary.op == OP_ADDRESS)
			break;
		return check(condition, node->unary.operand, err);
	case AST_BINARY:
		if (compares_text(node))
			return check_text(condition, node, err);
		ret = check(condition, node->binary.left, err);
		return ret ? ret : check(condition, node->binary.right, err);
	default:
		break;
	}
	return err_set(err, -EINVAL, "%s", takes);
}

/* The condition of the only statement of the only probe; NULL: the text has closed it. */
static const struct ast *find_condition(const struct ast_program *program)
{
	const struct ast_probe *probe = program->probes;
	const struct ast *first = probe ? probe->body->block.first : NULL;

	if (!first || probe->next || probe->predicate || first->next || first->kind != AST_IF || first->branch.otherwise ||
	    first->branch.then->block.first)
		return NULL;
	return first->branch.condition;
}

static int parse(struct condition *condition, const char *text, struct err *err)
{
	const struct parse_options options = {};
	struct lang_sources sources = {};
	struct lang_messages messages = {};
	__str struct str whole = {};
	const struct ast_program *program;
	uint32_t index;

	/* a comment ends with its line */
	str_addf(&whole, "BEGIN{if(%s\n){}}", text);
	index = lang_sources_add(&sources, "--if", whole.data, whole.len);
	program = lang_parse(&sources, index, &options, condition->types, &condition->pool, &messages);
	condition->tree = program ? find_condition(program) : NULL;
	if (!condition->tree)
		err_set(err, -EINVAL, "%s", messages.n ? messages.v[0].text : takes);
	lang_messages_release(&messages);
	lang_sources_release(&sources);
	return condition->tree ? 0 : -EINVAL;
}

struct condition *condition_new(const char *text, struct err *err)
{
	struct condition *condition = base_alloc(sizeof(*condition));
	struct err why = {};

	condition->types = ctypes_new(&condition->pool);
	if (!parse(condition, text, &why) && !check(condition, condition->tree, &why))
		return condition;
	err_set(err, -EINVAL, "--if '%s': %s", text, why.text);
	condition_free(condition);
	return NULL;
}

void condition_free(struct condition *condition)
{
	if (!condition)
		return;
	ctypes_free(condition->types);
	pool_release(&condition->pool);
	free(condition);
}

const char *condition_name(const struct condition *condition, size_t number)
{
	return number < condition->n ? condition->names[number] : NULL;
}

bool condition_wants_text(const struct condition *condition, size_t number)
{
	return condition->texts[number];
}

/* --- values --- */

struct walk {
	const struct condition *condition;
	condition_fn fn;
	void *ctx;
};

static const struct condition_value unknown = {};

static struct condition_value value_of(const struct walk *walk, const struct ast *node);

static struct condition_value number(int64_t value)
{
	return (struct condition_value){ .known = true, .number = value };
}

static bool is_true(const struct condition_value *value)
{
	return value->known && value->number;
}

static bool is_false(const struct condition_value *value)
{
	return value->known && !value->number;
}

/* What is false whatever the other side is, is known. */
static struct condition_value logic(const struct walk *walk, const struct ast *node)
{
	const bool is_or = node->binary.op == OP_LOGIC_OR;
	const struct condition_value left = value_of(walk, node->binary.left);

	if (is_or ? is_true(&left) : is_false(&left))
		return number(is_or);
	const struct condition_value right = value_of(walk, node->binary.right);

	if (is_or ? is_true(&right) : is_false(&right))
		return number(is_or);
	return left.known && right.known ? number(!is_or) : unknown;
}

static struct condition_value compare_text(const struct walk *walk, const struct ast *node)
{
	const struct ast *left = node->binary.left, *right = node->binary.right;
	const struct ast *text = left->kind == AST_STRING ? left : right;
	const struct condition_value value = value_of(walk, text == left ? right : left);

	if (!value.known || !value.text)
		return unknown;
	return number(!strcmp(value.text, text->string.text) == (node->binary.op == OP_EQ));
}

/* Numbers of either sign compare as numbers, not as C converts them. */
static struct condition_value compute(enum ast_op op, const struct condition_value *a, const struct condition_value *b)
{
	const bool mixed = a->is_unsigned != b->is_unsigned;
	const bool below = mixed && (a->is_unsigned ? b->number < 0 : a->number < 0);

	if (below && op >= OP_EQ && op <= OP_GE) {
		const int order = a->is_unsigned ? 1 : -1; /* the signed one is the smaller one */

		return number(operator_compute(op, order, 0, true));
	}
	return (struct condition_value){
		.known = true,
		.is_unsigned = (a->is_unsigned || b->is_unsigned) && !(op >= OP_EQ && op <= OP_GE),
		.number = operator_compute(op, a->number, b->number, !(a->is_unsigned || b->is_unsigned)),
	};
}

static struct condition_value value_of_unary(const struct walk *walk, const struct ast *node)
{
	struct condition_value value = value_of(walk, node->unary.operand);

	if (node->unary.op == OP_NOT)
		return value.known ? number(!value.number) : unknown;
	value.is_unsigned = value.is_unsigned && node->unary.op != OP_NEGATE;
	value.number = node->unary.op == OP_NEGATE ? (int64_t) - (uint64_t)value.number : ~value.number;
	value.text = NULL;
	return value;
}

static struct condition_value value_of_binary(const struct walk *walk, const struct ast *node)
{
	if (node->binary.op == OP_LOGIC_AND || node->binary.op == OP_LOGIC_OR)
		return logic(walk, node);
	if (compares_text(node))
		return compare_text(walk, node);
	const struct condition_value left = value_of(walk, node->binary.left), right = value_of(walk, node->binary.right);

	return left.known && right.known ? compute(node->binary.op, &left, &right) : unknown;
}

static struct condition_value value_of(const struct walk *walk, const struct ast *node)
{
	int64_t constant;

	if (is_constant(node, &constant))
		return number(constant);
	if (name_of(node))
		return walk->fn(walk->ctx, find_name(walk->condition, name_of(node)));
	if (node->kind == AST_UNARY)
		return value_of_unary(walk, node);
	if (node->kind == AST_BINARY)
		return value_of_binary(walk, node);
	return (struct condition_value){
		.known = true, .is_unsigned = node->integer.is_unsigned, .number = node->integer.value
	};
}

bool condition_holds(const struct condition *condition, condition_fn fn, void *ctx)
{
	const struct walk walk = { condition, fn, ctx };
	const struct condition_value value = value_of(&walk, condition->tree);

	return is_true(&value);
}
