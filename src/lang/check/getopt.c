// SPDX-License-Identifier: BSD-2-Clause
/* Finds the calls of getopt() in a program's tree. */
#include <ctype.h>

#include "getopt.h"
#include "lang/tree/ast_walk.h"
#include "lang/tree/parse.h"

/* Attach points have "$1" in them as text: any number will do here. */
static const char *const positional[] = { "1", "1", "1", "1", "1", "1", "1", "1", "1" };

static const char *text_of(const struct ast *ast)
{
	return ast && ast->kind == AST_STRING ? ast->string.text : "";
}

static enum lang_getopt_kind kind_of(const struct ast *otherwise)
{
	if (!otherwise)
		return GETOPT_FLAG;
	if (otherwise->kind == AST_BOOL)
		return otherwise->integer.value ? GETOPT_BOOL : GETOPT_FLAG;
	return otherwise->kind == AST_STRING ? GETOPT_TEXT : GETOPT_NUMBER;
}

/* Takes "-X " and "WORD: " from the begin of a description. */
static const char *take_head(struct lang_getopt *option, const char *text, struct pool *pool)
{
	size_t len;

	if (text[0] == '-' && isalnum((unsigned char)text[1]) && text[2] == ' ') {
		option->letter = text[1];
		text += 3;
	}
	for (len = 0; isupper((unsigned char)text[len]); len++)
		;
	if (len && text[len] == ':' && text[len + 1] == ' ') {
		option->argument = pool_addf(pool, "%.*s", (int)len, text);
		text += len + 2;
	}
	return text;
}

static const char *help_of(const char *text, const struct ast *otherwise, struct pool *pool)
{
	if (otherwise && otherwise->kind == AST_INTEGER && otherwise->integer.value)
		return pool_addf(pool, "%s (default: %lld)", text, (long long)otherwise->integer.value);
	if (*text_of(otherwise))
		return pool_addf(pool, "%s (default: %s)", text, text_of(otherwise));
	return pool_add(pool, text);
}

static bool is_call(const struct ast *ast, const char *name)
{
	return ast && ast->kind == AST_CALL && !strcmp(ast->call.name, name);
}

static bool is_getopt(const struct ast *ast)
{
	return is_call(ast, "getopt") && *text_of(ast->call.args);
}

/* kind: of an option that no earlier call names */
static void add_call(struct lang_about *about, const struct ast *call, enum lang_getopt_kind kind)
{
	static const char *const arguments[] = { NULL, "BOOL", "N", "TEXT", "N,N" };
	const struct ast *name = call->call.args, *otherwise = name->next;
	const char *description = text_of(otherwise ? otherwise->next : NULL);
	struct lang_getopt *option = NULL;

	vec_each(known, about)
		if (!strcmp(known->name, text_of(name)))
			option = known;
	if (!option) {
		option = vec_push(about);
		option->name = pool_add(&about->pool, text_of(name));
		option->kind = kind;
		option->argument = arguments[option->kind];
		option->help = "";
	}
	/* of several calls with one name, one has the description */
	if (*description)
		option->help = help_of(take_head(option, description, &about->pool), otherwise, &about->pool);
}

static void visit(struct ast **child, void *ctx)
{
	struct ast *ast = *child;

	if (is_call(ast, "listed") && ast->call.args && is_getopt(ast->call.args->next))
		add_call(ctx, ast->call.args->next, GETOPT_NUMBERS);
	else if (is_getopt(ast))
		add_call(ctx, ast, kind_of(ast->call.args->next));
	ast_walk(ast, visit, ctx);
}

static int first_error(const struct lang_messages *messages, const struct lang_sources *sources, struct err *err)
{
	__str struct str text = {};

	lang_messages_show(messages, sources, false, &text);
	return err_set(err, -EINVAL, "%.*s", (int)strcspn(str_or_empty(text.data), "\n"), str_or_empty(text.data));
}

int lang_about_read(struct lang_about *about, const char *name, const char *text, size_t len, struct err *err)
{
	const struct parse_options options = { positional, ARRAY_SIZE(positional), .has_btf = true };
	struct lang_sources sources = {};
	struct lang_messages messages = {};
	struct pool pool = {};
	struct ctypes *types = ctypes_new(&pool);
	struct ast_program *program;
	uint32_t index = lang_sources_add(&sources, name, text, len);
	int ret = 0;

	program = lang_parse(&sources, index, &options, types, &pool, &messages);
	if (!program)
		ret = first_error(&messages, &sources, err);
	about->comment = pool_add(&about->pool, program && program->comment ? program->comment : "");
	for (struct ast_probe *probe = program ? program->probes : NULL; probe; probe = probe->next) {
		if (probe->predicate)
			visit(&probe->predicate, about);
		visit(&probe->body, about);
	}
	ctypes_free(types);
	lang_messages_release(&messages);
	lang_sources_release(&sources);
	pool_release(&pool);
	return ret;
}

void lang_about_release(struct lang_about *about)
{
	free(about->v);
	pool_release(&about->pool);
	*about = (struct lang_about){};
}
