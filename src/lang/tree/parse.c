// SPDX-License-Identifier: BSD-2-Clause
/* What stands at the top of a program: config, declarations, macros, imports, probes. */
#include "parse_part.h"

/* --- config = { name = value; ... } --- */

static const char *parse_value(struct parser *p)
{
	bool is_negative = parse_accept(p, "-");
	struct token token = *parse_peek(p, 0);

	switch (token.kind) {
	case TOKEN_INTEGER:
		parse_take(p);
		return pool_addf(p->pool, "%s%llu", is_negative ? "-" : "", (unsigned long long)token.value);
	case TOKEN_NAME:
	case TOKEN_STRING:
		return parse_take(p).text;
	default:
		parse_fail_expected(p, "a value: a number, a word or a string");
		return "";
	}
}

static void parse_config(struct parser *p)
{
	struct span at = parse_take(p).at;

	parse_expect(p, "=", "after config");
	if (p->program->probes) {
		parse_fail(p, at, "config stands before the first probe");
		return;
	}
	parse_expect(p, "{", "after 'config ='");
	while (!p->failed && !parse_accept(p, "}")) {
		struct ast_setting *setting = pool_alloc(p->pool, sizeof(*setting));

		setting->at = parse_peek(p, 0)->at;
		if (parse_peek(p, 0)->kind != TOKEN_NAME) {
			parse_fail_expected(p, "a setting, as in max_map_keys = 100, or '}'");
			return;
		}
		setting->name = parse_take(p).text;
		parse_expect(p, "=", "after the name of a setting");
		setting->value = parse_value(p);
		setting->at = parse_since(p, setting->at);
		*p->last_setting = setting;
		p->last_setting = &setting->next;
		if (!parse_accept(p, ";") && !parse_is(p, "}"))
			parse_fail_expected(p, "';' between settings, or '}'");
	}
}

/* --- let @x = lruhash(100); --- */

static void parse_map_declaration(struct parser *p)
{
	struct ast_map_declaration *declaration = pool_alloc(p->pool, sizeof(*declaration));
	struct span at = parse_take(p).at;
	struct ast *entries;
	int64_t value = 0;

	if (parse_peek(p, 0)->kind == TOKEN_VARIABLE) {
		parse_fail(p, parse_peek(p, 0)->at,
			   "variables are declared in a block; outside of blocks there are only maps (@x)");
		return;
	}
	if (parse_peek(p, 0)->kind != TOKEN_MAP) {
		parse_fail_expected(p, "a map, as in let @x = hash(100);");
		return;
	}
	declaration->name = parse_take(p).text;
	parse_expect(p, "=", "after the name of a map");
	if (parse_peek(p, 0)->kind != TOKEN_NAME) {
		parse_fail_expected(p, "a kind of map: hash(100), lruhash(100), percpuhash(100) ...");
		return;
	}
	declaration->kind = parse_take(p).text;
	parse_expect(p, "(", "and the number of entries after the kind of a map");
	entries = parse_expression(p);
	if (!p->failed && parse_constant(p, entries, &value) && value < 1)
		parse_fail(p, entries->at, "a map has at least one entry");
	declaration->entries = value;
	parse_expect(p, ")", "after the number of entries");
	declaration->at = parse_since(p, at);
	parse_expect(p, ";", "after the declaration of a map");
	*p->last_map = declaration;
	p->last_map = &declaration->next;
}

/* --- import "FILE"; --- */

static void parse_import(struct parser *p)
{
	struct token path;

	parse_take(p);
	if (parse_peek(p, 0)->kind != TOKEN_STRING) {
		parse_fail_expected(p, "a file's name in quotes after import");
		return;
	}
	path = parse_take(p);
	/* The file's text comes next, so nothing behind the ';' may be read before. */
	if (parse_expect(p, ";", "after import") && !preprocess_import(&p->pp, path.text, path.at))
		p->failed = true;
}

/* --- the program --- */

static void parse_top(struct parser *p)
{
	struct preprocess_file *file = preprocess_file(&p->pp);

	if (file && file->is_header)
		cdecl_parse(p, true);
	else if (parse_is_word(p, "config"))
		parse_config(p);
	else if (parse_is_word(p, "let"))
		parse_map_declaration(p);
	else if (parse_is_word(p, "import"))
		parse_import(p);
	else if (parse_is_word(p, "macro"))
		macro_parse(p);
	else if (cdecl_is_next(p))
		cdecl_parse(p, false);
	else if (parse_is_word(p, "fn") || parse_is_word(p, "subprog"))
		parse_fail(p, parse_peek(p, 0)->at,
			   "functions of a program do not exist here: write macro NAME($x, y) { ... }");
	else if (!parse_accept(p, ";"))
		parse_probe(p);
}

static const char *trimmed_end(const char *line, const char *end)
{
	while (end > line && strchr(" \t\r", end[-1]))
		end--;
	return end;
}

/* The script's first comment, without its marks. */
static const char *comment_text(struct parser *p, const struct span *at)
{
	const char *line = p->sources->v[at->source].text + at->begin, *end = p->sources->v[at->source].text + at->end;
	struct str text __str = {};

	if (at->begin == at->end)
		return NULL;
	while (line < end) {
		const char *newline = memchr(line, '\n', end - line), *stop = newline ? newline : end;

		while (line < stop && strchr(" \t/*", *line))
			line++;
		stop = trimmed_end(line, stop);
		if (!newline && stop - line >= 2 && !memcmp(stop - 2, "*/", 2))
			stop = trimmed_end(line, stop - 2);
		if (text.len || stop > line) {
			str_addn(&text, line, stop - line);
			str_addc(&text, '\n');
		}
		line = newline ? newline + 1 : end;
	}
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = 0;
	return text.len ? pool_add(p->pool, text.data) : NULL;
}

static void parser_init(struct parser *p, struct lang_sources *sources, uint32_t index,
			const struct parse_options *options, struct ctypes *types, struct pool *pool,
			struct lang_messages *messages)
{
	*p = (struct parser){ .sources = sources, .messages = messages, .pool = pool, .types = types };
	p->program = pool_alloc(pool, sizeof(*p->program));
	p->last_probe = &p->program->probes;
	p->last_setting = &p->program->settings;
	p->last_map = &p->program->maps;
	preprocess_init(&p->pp, sources, index, options, pool, messages);
}

static void parser_release(struct parser *p)
{
	preprocess_release(&p->pp);
	set_release(&p->name_set);
	free(p->names.v);
}

struct ast_program *lang_parse(struct lang_sources *sources, uint32_t index, const struct parse_options *options,
			       struct ctypes *types, struct pool *pool, struct lang_messages *messages)
{
	struct span all = { index, 0, sources->v[index].len };
	struct parser p;
	bool failed;

	parser_init(&p, sources, index, options, types, pool, messages);
	while (parse_peek(&p, 0)->kind != TOKEN_END)
		parse_top(&p);
	if (!p.failed && !p.program->probes)
		parse_fail(&p, (struct span){ index, all.end, all.end },
			   "the program has no probe: expected one, as in begin { ... }");
	if (!p.failed)
		macro_expand(&p);
	p.program->comment = comment_text(&p, &p.pp.comment);
	if (types)
		ctypes_use_headers(types, p.pp.includes);
	p.program->unread = p.pp.unread;
	p.program->unread_at = p.pp.unread_at;
	failed = p.failed || messages->errors;
	parser_release(&p);
	return failed ? NULL : p.program;
}
