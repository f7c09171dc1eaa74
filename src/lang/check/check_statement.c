// SPDX-License-Identifier: BSD-2-Clause
/* Statements: blocks, conditions, loops, let, return. */
#include "checker.h"
#include "lang/tree/ast_walk.h"

#define PLAIN_TURNS 64	 /* a range with at most so many turns is no function, but a loop in place */
#define UNROLL_MAX  1000 /* the body is copied that often */
/* The largest bound of a while loop whose end the verifier shall find. */
#define VISIBLE_TURNS 1000

/* Whether it does something, so that nobody misses its value. */
static bool check_has_effect(const struct ast *ast)
{
	switch (ast->kind) {
	case AST_ASSIGN:
	case AST_STEP:
	case AST_BLOCK:
	case AST_IF:
	case AST_IF_COMPTIME:
		return true;
	case AST_TERNARY:
		return check_has_effect(ast->branch.then) || check_has_effect(ast->branch.otherwise);
	case AST_CALL:
		return ast->type->kind == TYPE_VOID || ast->type->kind == TYPE_NONE ||
		       (ast->call.function && ast->call.function->is_statement);
	default:
		return false;
	}
}

static void check_expression_statement(struct checker *c, struct ast *ast)
{
	struct ast *operand = ast->unary.operand;
	const struct type *type;

	if (operand->kind == AST_CALL)
		operand->call.is_unused = !ast->unary.discard;
	type = check_expression(c, operand);
	if (type->kind != TYPE_NONE && type->kind != TYPE_VOID && !ast->unary.discard && !check_has_effect(operand))
		check_warning(c, operand->at, "Return value discarded.");
}

static void check_let(struct checker *c, struct ast *ast)
{
	struct ast *node = ast->let.variable;
	const struct type *type = type_none(), *value = type_none();
	struct ast_variable *variable;

	for (size_t i = 0; i < c->visible.n; i++)
		if (!strcmp(c->visible.v[i]->name, node->variable.name)) {
			check_error(c, node->at, "Variable %s was already declared%s", node->variable.name,
				    i < c->block_begin ? ": it would hide the variable of the block around" : "");
			break;
		}
	if (ast->let.value)
		value = check_value(c, ast->let.value);
	variable = check_declare(c, node);
	if (ast->let.as_type) {
		type = check_written_type(c, ast->let.as_type);
		variable->is_typed = type->kind != TYPE_NONE && !str_same(ast->let.as_type->name, "string");
		/* one without a size is as long as what is assigned: it keeps what the pass before found */
		if (variable->is_typed || variable->type->kind == TYPE_NONE)
			variable->type = type;
	}
	if (value->kind != TYPE_NONE)
		check_grow_variable(c, variable, value, ast->at);
	if (type_is_integral(type) && type_is_integral(value) && ast->let.value->is_constant &&
	    check_truncate(ast->let.value->constant, type) != ast->let.value->constant)
		check_error(c, ast->at, "the value %lld does not fit into '%s'", (long long)ast->let.value->constant,
			    check_show(c, type));
	if (c->is_final && variable->type->kind == TYPE_NONE && !variable->is_assigned)
		variable->type = type_integer(8, true); /* nothing but 0 is ever in it */
	node->type = variable->type;
}

/* Asked before the statement is checked, which replaces some calls. */
static bool is_call_of_exit(const struct ast *ast)
{
	const struct ast *call = ast->kind == AST_EXPRESSION ? ast->unary.operand : NULL;

	return call && call->kind == AST_CALL && !strcmp(call->call.name, "exit");
}

void check_statements(struct checker *c, struct ast *first)
{
	for (struct ast *ast = first; ast; ast = ast->next) {
		bool is_exit = is_call_of_exit(ast);

		check_statement(c, ast);
		if (ast->next && is_exit)
			check_warning(c, ast->next->at, "All code after exit() is unreachable.");
		else if (ast->next && (ast->kind == AST_RETURN || ast->kind == AST_BREAK || ast->kind == AST_CONTINUE))
			check_warning(c, ast->next->at, "All code after a '%s' is unreachable.",
				      ast->kind == AST_RETURN  ? "return"
				      : ast->kind == AST_BREAK ? "break"
							       : "continue");
	}
}

/* Of variables whose block ends in the last pass. */
static void check_unassigned(struct checker *c)
{
	for (size_t i = c->block_begin; i < c->visible.n && !c->program->messages.errors; i++)
		if (!c->visible.v[i]->is_assigned)
			check_warning(c, c->visible.v[i]->at, "Variable %s was never assigned to.",
				      c->visible.v[i]->name);
}

const struct type *check_block(struct checker *c, struct ast *ast)
{
	size_t before = check_block_begin(c);
	const struct type *type = type_void();

	check_statements(c, ast->block.first);
	if (ast->block.value) {
		type = check_value(c, ast->block.value);
		if (ast->block.value->is_constant && !ast->block.first) {
			ast->is_constant = true;
			ast->constant = ast->block.value->constant;
			ast->text = ast->block.value->text;
		}
	}
	check_unassigned(c);
	check_block_end(c, before);
	ast->type = type;
	return type;
}

/* An arm that never runs: its types count, but fail() in it does not. */
static const struct type *check_arm(struct checker *c, struct ast *arm, bool is_dead)
{
	const struct type *type = type_void();

	c->dead += is_dead;
	if (arm && arm->kind == AST_BLOCK)
		type = check_block(c, arm);
	else if (arm)
		check_statement(c, arm), type = arm->type ? arm->type : type_void();
	c->dead -= is_dead;
	return type;
}

/* Drops the arm that never runs, so that nobody lowers it. */
static void check_prune(struct checker *c, struct ast *ast)
{
	if (ast->branch.condition->constant) {
		ast->branch.otherwise = NULL;
		return;
	}
	ast->branch.then = pool_alloc(c->pool, sizeof(struct ast));
	ast->branch.then->kind = AST_BLOCK;
	ast->branch.then->at = ast->at;
	ast->branch.then->type = type_void();
}

const struct type *check_if(struct checker *c, struct ast *ast)
{
	struct ast *condition = ast->branch.condition;
	bool is_comptime = ast->kind == AST_IF_COMPTIME, dead_then, dead_otherwise;
	const struct type *then = type_void(), *otherwise = type_void(), *joined;

	check_condition(c, condition);
	if (is_comptime && !condition->is_constant) {
		check_error(c, condition->at, "the condition of comptime must be known before the program runs");
		return type_none();
	}
	dead_then = condition->is_constant && !condition->constant;
	dead_otherwise = condition->is_constant && condition->constant;
	if (!is_comptime || !dead_then)
		then = check_arm(c, ast->branch.then, dead_then);
	if (!is_comptime || !dead_otherwise)
		otherwise = check_arm(c, ast->branch.otherwise, dead_otherwise);
	if (condition->is_constant) {
		if (c->is_final)
			check_prune(c, ast);
		return dead_then ? otherwise : then;
	}
	if (then->kind == TYPE_VOID || otherwise->kind == TYPE_VOID)
		return type_void();
	return check_join(c, then, otherwise, &joined) ? joined : type_void();
}

/* --- loops --- */

static void check_body(struct checker *c, struct ast *ast, bool is_for)
{
	struct ast *before = c->loop;

	if (is_for)
		c->loop = ast;
	c->n_loops++;
	check_block(c, ast->loop.body);
	c->n_loops--;
	c->loop = before;
}

/* The block that holds nothing but the variable of a for loop; its body is within. */
static void check_for_body(struct checker *c, struct ast *ast, const struct type *type)
{
	struct ast *before = c->loop, *node = ast->loop.variable;
	size_t block = check_block_begin(c);
	struct ast_variable *variable;

	c->loop = ast->loop.is_function ? ast : before;
	variable = check_declare(c, node);
	if (type->kind != TYPE_NONE)
		check_grow_variable(c, variable, type, node->at);
	variable->is_assigned = true;
	node->type = variable->type;
	c->loop = before;
	check_body(c, ast, ast->loop.is_function);
	check_block_end(c, block);
}

static void check_for_map(struct checker *c, struct ast *ast)
{
	struct ast *node = ast->loop.condition;
	struct lang_map *map = check_map_whole(c, node, "for");
	struct type_field fields[2] = {};
	const struct type *value;

	ast->loop.is_function = true;
	if (!map) {
		check_for_body(c, ast, type_none());
		return;
	}
	if (!c->options->features.for_each)
		check_error(c, ast->at,
			    "this kernel cannot loop over a map (Linux 5.13 can): print(%s) shows all of it",
			    map->name);
	if (!map->key) {
		check_error(c, node->at, "%s has no explicit keys (scalar map), and cannot be used for iteration",
			    map->name);
		return;
	}
	value = type_is_aggregate(map->value) ? check_aggregate_read(map->value) : map->value;
	if (!value)
		check_error(c, node->at, "Loop expression does not support type: %s", check_show(c, map->value));
	else if (value != map->value && !c->options->features.percpu_lookup)
		check_error(c, node->at,
			    "this kernel cannot read the values of all processors from %s (Linux 5.19 can)", map->name);
	if (!value || map->key->kind == TYPE_NONE) {
		check_for_body(c, ast, type_none());
		return;
	}
	fields[0].type = map->key;
	fields[1].type = value;
	check_for_body(c, ast, type_tuple(c->pool, fields, 2, false));
}

static void check_for_range(struct checker *c, struct ast *ast)
{
	struct ast *begin = ast->loop.begin, *end = ast->loop.end;
	bool has_begin = check_integer(c, begin, "the start of a range"),
	     has_end = check_integer(c, end, "the end of a range");
	const struct type *type = type_none();
	bool is_short;

	if (has_begin && has_end) {
		type = check_join_integers(begin->type, end->type);
		if (type->is_literal)
			type = type_integer(8, true);
	}
	is_short = begin->is_constant && end->is_constant &&
		   (end->constant <= begin->constant ||
		    (uint64_t)end->constant - (uint64_t)begin->constant <= PLAIN_TURNS);
	ast->loop.is_function = !is_short && c->options->features.loop;
	check_for_body(c, ast, type);
}

/* How the program changes a variable. */
struct changes {
	const struct ast_variable *variable;
	uint32_t n;	   /* places that change it */
	bool is_known;	   /* every value that it begins with is a constant, and every step */
	uint32_t loops;	   /* inner loops around the place that is looked at */
	bool may_continue; /* there is a "continue" of the loop itself */
};

static bool is_variable(const struct ast *ast, const struct ast_variable *variable)
{
	return ast->kind == AST_VARIABLE && ast->variable.variable == variable;
}

static void find_changes(struct ast **child, void *ctx)
{
	struct changes *changes = ctx;
	struct ast *ast = *child, *to = NULL, *value = NULL;
	bool is_loop = ast->kind >= AST_WHILE && ast->kind <= AST_UNROLL;

	if (ast->kind == AST_STEP)
		to = ast->step.of;
	else if (ast->kind == AST_ASSIGN) {
		to = ast->assign.to;
		value = ast->assign.value;
	} else if (ast->kind == AST_LET) {
		to = ast->let.variable;
		value = ast->let.value;
	}
	if (to && is_variable(to, changes->variable)) {
		changes->n++;
		changes->is_known &= !value || value->is_constant;
	}
	changes->may_continue |= ast->kind == AST_CONTINUE && !changes->loops;
	changes->loops += is_loop;
	ast_walk(ast, find_changes, ctx);
	changes->loops -= is_loop;
}

/* A statement that adds a constant to the variable, or subtracts one, towards the bound. */
static bool is_step(const struct ast *ast, const struct ast_variable *variable, bool is_upwards)
{
	int64_t by;

	if (ast->kind == AST_EXPRESSION)
		ast = ast->unary.operand;
	if (ast->kind == AST_STEP)
		return is_variable(ast->step.of, variable) && ast->step.is_decrement != is_upwards;
	if (ast->kind != AST_ASSIGN || (ast->assign.op != OP_ADD && ast->assign.op != OP_SUB) ||
	    !is_variable(ast->assign.to, variable) || !ast->assign.value->is_constant)
		return false;
	by = ast->assign.value->constant;
	return (ast->assign.op == OP_ADD) == is_upwards ? by > 0 : by < 0;
}

/* Whether each turn of a loop steps the variable in this way, once, and changes it nowhere else. */
static bool steps_always(const struct ast *loop, const struct ast_variable *variable, bool is_upwards)
{
	struct changes inside = { .variable = variable };
	bool is_stepped = false;

	for (struct ast *ast = loop->loop.body->block.first; ast; ast = ast->next) {
		is_stepped |= !inside.may_continue && is_step(ast, variable, is_upwards);
		find_changes(&ast, &inside);
	}
	return is_stepped && inside.n == 1;
}

/*
 * "$i < 10", where $i begins with a constant and each turn steps it towards the bound: the verifier sees the end of
 * such a loop. It gives up on some thousand turns, for it goes through each.
 */
static bool ends_visibly(struct checker *c, const struct ast *ast)
{
	const struct ast *condition = ast->loop.condition;
	struct changes changes = { .is_known = true };

	if (condition->kind != AST_BINARY || condition->binary.op < OP_LT || condition->binary.op > OP_GE ||
	    condition->binary.left->kind != AST_VARIABLE || !condition->binary.left->variable.variable ||
	    !condition->binary.right->is_constant)
		return false;
	if (condition->binary.right->constant < -VISIBLE_TURNS || condition->binary.right->constant > VISIBLE_TURNS)
		return false;
	changes.variable = condition->binary.left->variable.variable;
	ast_walk(c->probe->ast->body, find_changes, &changes);
	return changes.is_known && !changes.variable->is_captured &&
	       steps_always(ast, changes.variable, condition->binary.op <= OP_LE);
}

/*
 * A loop whose end the verifier does not see becomes a function whose turns the kernel counts. What the loop does is
 * known behind it, so this is decided for the next pass; what became a function stays one.
 */
static void check_while(struct checker *c, struct ast *ast)
{
	struct ast *before = c->loop;

	if (ast->loop.is_function)
		c->loop = ast;
	check_condition(c, ast->loop.condition);
	c->loop = before;
	check_body(c, ast, ast->loop.is_function);
	ast->loop.ends_visibly = ends_visibly(c, ast);
	if (ast->loop.ends_visibly || ast->loop.is_function || !c->options->features.loop || c->is_final)
		return;
	ast->loop.is_function = true;
	c->is_changed = true;
}

static void check_unroll(struct checker *c, struct ast *ast)
{
	struct ast *count = ast->loop.condition;

	if (check_integer(c, count, "the number of unroll")) {
		if (!count->is_constant)
			check_error(c, count->at, "unroll() needs a number that is known before the program runs");
		else if (count->constant < 1)
			check_error(c, count->at, "unroll minimum value is 1");
		else if (count->constant > UNROLL_MAX)
			check_error(c, count->at, "unroll maximum value is %d", UNROLL_MAX);
	}
	check_body(c, ast, false);
}

static void check_jump(struct checker *c, struct ast *ast)
{
	const char *name = ast->kind == AST_BREAK ? "break" : "continue";

	if (!c->n_loops)
		check_error(c, ast->at, "'%s' statement must be inside a loop", name);
}

static void check_return(struct checker *c, struct ast *ast)
{
	if (ast->unary.operand)
		check_integer(c, ast->unary.operand, "what a probe returns");
}

void check_statement(struct checker *c, struct ast *ast)
{
	switch (ast->kind) {
	case AST_EXPRESSION:
		check_expression_statement(c, ast);
		break;
	case AST_LET:
		check_let(c, ast);
		break;
	case AST_WHILE:
		check_while(c, ast);
		break;
	case AST_FOR_MAP:
		check_for_map(c, ast);
		break;
	case AST_FOR_RANGE:
		check_for_range(c, ast);
		break;
	case AST_UNROLL:
		check_unroll(c, ast);
		break;
	case AST_RETURN:
		check_return(c, ast);
		break;
	case AST_BREAK:
	case AST_CONTINUE:
		check_jump(c, ast);
		break;
	default:
		check_expression(c, ast);
		break;
	}
}
