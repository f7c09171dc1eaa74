// SPDX-License-Identifier: BSD-2-Clause
/* The tree as text: (kind parts...), with ":type" behind an expression whose type is known. */
#include "tests/lang/show.h"

static void show(const struct ast *node, struct str *to);

static void show_name(const char *name, struct str *to)
{
	const char *mark = strchr(name, LANG_HYGIENE);

	if (mark)
		str_addf(to, "%.*s#%s", (int)(mark - name), name, mark + 1);
	else
		str_add(to, name);
}

static void show_part(const struct ast *node, struct str *to)
{
	str_addc(to, ' ');
	show(node, to);
}

static void show_list(const struct ast *first, struct str *to)
{
	for (const struct ast *node = first; node; node = node->next)
		show_part(node, to);
}

static void show_written(const struct ast_type *type, struct str *to)
{
	static const char *const tags[] = {
		[WRITTEN_PLAIN] = "",
		[WRITTEN_STRUCT] = "struct ",
		[WRITTEN_UNION] = "union ",
		[WRITTEN_ENUM] = "enum ",
		[WRITTEN_TYPEOF] = "typeof",
		[WRITTEN_TUPLE] = "",
		[WRITTEN_RECORD] = "",
	};
	bool has_members = type->tag == WRITTEN_TUPLE || type->tag == WRITTEN_RECORD;

	str_addf(to, "%s%s", tags[type->tag], str_or_empty(type->name));
	if (type->of_type || type->of) {
		str_addc(to, '(');
		if (type->of_type)
			show_written(type->of_type, to);
		else
			show(type->of, to);
		str_addc(to, ')');
	}
	if (has_members)
		str_addc(to, '(');
	for (const struct ast_type *member = type->members; member; member = member->next) {
		if (member->member)
			str_addf(to, "%s:", member->member);
		show_written(member, to);
		if (member->next)
			str_addc(to, ',');
	}
	if (has_members)
		str_addc(to, ')');
	str_add_fill(to, '*', type->pointers);
	for (uint32_t i = 0; i < type->n_dims; i++)
		if (type->dims[i] == UINT32_MAX)
			str_add(to, "[]");
		else
			str_addf(to, "[%u]", type->dims[i]);
}

static void show_typed(const char *word, const struct ast_type *type, const struct ast *operand, struct str *to)
{
	str_addf(to, "(%s", word);
	if (type) {
		str_add(to, " <");
		show_written(type, to);
		str_addc(to, '>');
	}
	if (operand)
		show_part(operand, to);
	str_addc(to, ')');
}

static void show_branch(const char *word, const struct ast *node, struct str *to)
{
	str_addf(to, "(%s", word);
	show_part(node->branch.condition, to);
	show_part(node->branch.then, to);
	if (node->branch.otherwise)
		show_part(node->branch.otherwise, to);
	str_addc(to, ')');
}

static void show_loop(const char *word, const struct ast *node, struct str *to)
{
	const struct ast *parts[] = { node->loop.variable, node->loop.condition, node->loop.begin, node->loop.end,
				      node->loop.body };

	str_addf(to, "(%s", word);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i])
			show_part(parts[i], to);
	str_addc(to, ')');
}

/* (word first rest), each of which may be missing. */
static void show_parts(const char *word, const struct ast *first, const struct ast *rest, struct str *to)
{
	str_addf(to, "(%s", word);
	if (first)
		show_part(first, to);
	if (rest)
		show_part(rest, to);
	str_addc(to, ')');
}

static void show_field(const struct ast *node, struct str *to)
{
	show(node->field.of, to);
	if (node->field.name)
		str_addf(to, "%s%s", node->field.is_arrow ? "->" : ".", node->field.name);
	else
		str_addf(to, ".%u", node->field.index);
}

static void show_block(const struct ast *node, struct str *to)
{
	str_addc(to, '{');
	show_list(node->block.first, to);
	if (node->block.value) {
		str_add(to, " =");
		show_part(node->block.value, to);
	}
	str_add(to, " }");
}

static void show_leaf(const struct ast *node, struct str *to)
{
	switch (node->kind) {
	case AST_INTEGER:
		if (node->integer.is_unsigned)
			str_add_u64(to, node->integer.value);
		else
			str_add_s64(to, node->integer.value);
		break;
	case AST_BOOL:
		str_add(to, node->integer.value ? "true" : "false");
		break;
	case AST_STRING:
		str_add_json(to, node->string.text, node->string.len);
		break;
	case AST_NAME:
		str_add(to, node->name.name);
		break;
	case AST_VARIABLE:
		show_name(node->variable.name, to);
		break;
	case AST_POSITIONAL:
		if (node->integer.value)
			str_addf(to, "$%d", (int)node->integer.value);
		else
			str_add(to, "$#");
		break;
	case AST_BREAK:
		str_add(to, "(break)");
		break;
	case AST_CONTINUE:
		str_add(to, "(continue)");
		break;
	default:
		break;
	}
}

static void show_compound(const struct ast *node, struct str *to)
{
	switch (node->kind) {
	case AST_MAP:
		str_add(to, node->map.name);
		if (node->map.keys) {
			str_addc(to, '[');
			for (const struct ast *key = node->map.keys; key; key = key->next) {
				show(key, to);
				if (key->next)
					str_addc(to, ',');
			}
			str_addc(to, ']');
		}
		break;
	case AST_CALL:
		str_addf(to, "(%s", node->call.name);
		show_list(node->call.args, to);
		str_addc(to, ')');
		break;
	case AST_FIELD:
		show_field(node, to);
		break;
	case AST_INDEX:
		show_parts("index", node->index.of, node->index.index, to);
		break;
	case AST_TUPLE:
	case AST_RECORD:
		str_add(to, node->kind == AST_TUPLE ? "(tuple" : "(record");
		show_list(node->list.first, to);
		str_addc(to, ')');
		break;
	case AST_NAMED:
		str_addf(to, "%s=", node->named.name);
		show(node->named.value, to);
		break;
	case AST_BLOCK:
		show_block(node, to);
		break;
	case AST_OFFSETOF:
		show_typed("offsetof", node->offsetof.of_type, node->offsetof.of, to);
		str_addf(to, ".%s", node->offsetof.path);
		break;
	default:
		show_leaf(node, to);
		break;
	}
}

static void show_assignment(const struct ast *node, struct str *to)
{
	char word[8];

	snprintf(word, sizeof(word), "%s=", ast_operator_text(node->assign.op));
	show_parts(word, node->assign.to, node->assign.value, to);
}

static void show_let(const struct ast *node, struct str *to)
{
	str_add(to, "(let");
	show_part(node->let.variable, to);
	if (node->let.as_type) {
		str_add(to, " <");
		show_written(node->let.as_type, to);
		str_addc(to, '>');
	}
	if (node->let.value)
		show_part(node->let.value, to);
	str_addc(to, ')');
}

static void show_statement(const struct ast *node, struct str *to)
{
	switch (node->kind) {
	case AST_IF:
		show_branch("if", node, to);
		break;
	case AST_IF_COMPTIME:
		show_branch("if-comptime", node, to);
		break;
	case AST_EXPRESSION:
		show_parts(node->unary.discard ? "discard" : "do", node->unary.operand, NULL, to);
		break;
	case AST_RETURN:
		show_parts("return", node->unary.operand, NULL, to);
		break;
	case AST_LET:
		show_let(node, to);
		break;
	case AST_WHILE:
		show_loop("while", node, to);
		break;
	case AST_FOR_MAP:
		show_loop("for", node, to);
		break;
	case AST_FOR_RANGE:
		show_loop("for-range", node, to);
		break;
	case AST_UNROLL:
		show_loop("unroll", node, to);
		break;
	default:
		show_compound(node, to);
		break;
	}
}

static void show(const struct ast *node, struct str *to)
{
	static const char *const steps[] = { "++x", "x++", "--x", "x--" };

	switch (node->kind) {
	case AST_UNARY:
		show_parts(ast_operator_text(node->unary.op), node->unary.operand, NULL, to);
		break;
	case AST_BINARY:
		show_parts(ast_operator_text(node->binary.op), node->binary.left, node->binary.right, to);
		break;
	case AST_TERNARY:
		show_branch("?", node, to);
		break;
	case AST_CAST:
		show_typed("cast", node->cast.as_type, node->cast.operand, to);
		break;
	case AST_SIZEOF:
		show_typed("sizeof", node->cast.as_type, node->cast.operand, to);
		break;
	case AST_TYPEOF:
		show_typed("typeof", node->cast.as_type, node->cast.operand, to);
		break;
	case AST_ASSIGN:
		show_assignment(node, to);
		break;
	case AST_STEP:
		show_parts(steps[node->step.is_decrement * 2 + node->step.is_postfix], node->step.of, NULL, to);
		break;
	default:
		show_statement(node, to);
		break;
	}
	if (node->type) {
		str_addc(to, ':');
		type_show(node->type, to);
	}
}

static void show_probe(const struct ast_probe *probe, struct str *to)
{
	str_add(to, "(probe");
	for (const struct ast_attach *attach = probe->attach; attach; attach = attach->next) {
		str_addc(to, ' ');
		if (attach->name)
			str_addf(to, "%s=", attach->name);
		str_add_json(to, attach->text, strlen(attach->text));
	}
	if (probe->predicate) {
		str_add(to, " /");
		show_part(probe->predicate, to);
		str_add(to, " /");
	}
	show_part(probe->body, to);
	str_add(to, ")\n");
}

void ast_show(const struct ast_program *program, struct str *to)
{
	for (const struct ast_setting *setting = program->settings; setting; setting = setting->next)
		str_addf(to, "(config %s %s)\n", setting->name, setting->value);
	for (const struct ast_map_declaration *map = program->maps; map; map = map->next)
		str_addf(to, "(map %s %s %llu)\n", map->name, map->kind, (unsigned long long)map->entries);
	for (const struct ast_probe *probe = program->probes; probe; probe = probe->next)
		show_probe(probe, to);
}
