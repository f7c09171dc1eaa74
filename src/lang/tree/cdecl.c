// SPDX-License-Identifier: BSD-2-Clause
/*
 * Declarations of C in a program and in its headers: structs, unions, enums, typedefs. Functions and variables of
 * headers are skipped. Layout is in cdecl_layout.c.
 */
#include "base/word.h"
#include "cdecl.h"

#define MAX_DIMENSIONS 8

static bool is_operator_at(struct parser *p, uint32_t at, const char *text)
{
	const struct token *token = parse_peek(p, at);

	return token->kind == TOKEN_OPERATOR && !strcmp(token->text, text);
}

static bool is_one_of(struct parser *p, const char *words)
{
	return parse_peek(p, 0)->kind == TOKEN_NAME && word_is_in(parse_peek(p, 0)->text, words);
}

/* --- what is skipped --- */

/* Goes over everything up to the bracket that closes the next one. */
static void skip_brackets(struct parser *p)
{
	uint32_t depth = 0;

	do {
		struct token token = parse_take(p);

		if (token.kind == TOKEN_END)
			return;
		if (token.kind == TOKEN_OPERATOR && strchr("([{", token.text[0]))
			depth++;
		else if (token.kind == TOKEN_OPERATOR && strchr(")]}", token.text[0]))
			depth--;
	} while (depth);
}

/* Words without meaning here, and __attribute__((...)); *is_packed: packed is among them. */
static void skip_attributes(struct parser *p, bool *is_packed)
{
	static const char words[] =
		"const volatile static inline extern __inline __inline__ __extension__ restrict __restrict "
		"register __user __rcu __iomem __percpu __packed";
	static const char calls[] = "__attribute__ __attribute __aligned _Alignas __asm__ asm";

	for (;;) {
		if (parse_is_word(p, "__packed"))
			*is_packed = true;
		if (is_one_of(p, words)) {
			parse_take(p);
			continue;
		}
		if (!is_one_of(p, calls) || !is_operator_at(p, 1, "("))
			return;
		for (uint32_t i = 2; i < 6; i++) {
			const struct token *token = parse_peek(p, i);

			if (token->kind == TOKEN_NAME &&
			    (!strcmp(token->text, "packed") || !strcmp(token->text, "__packed__")))
				*is_packed = true;
		}
		parse_take(p);
		skip_brackets(p);
	}
}

/* Ends a declaration of a header that is of no use here: up to its ';' or the end of a function. */
static void skip_declaration(struct parser *p)
{
	while (!p->failed && parse_peek(p, 0)->kind != TOKEN_END && !parse_accept(p, ";")) {
		bool is_body = parse_is(p, "{");

		if (!is_body && !parse_is(p, "(") && !parse_is(p, "[")) {
			parse_take(p);
			continue;
		}
		skip_brackets(p);
		/* "= { 1, 2 };" goes on, a function's body does not. */
		if (is_body && !parse_is(p, ";") && !parse_is(p, ","))
			return;
	}
}

/* --- types by name --- */

/* Reports a second declaration of a name, and too many of them. */
static void check_declared(struct parser *p, const char *name, struct span at, int ret)
{
	if (ret == -EEXIST)
		parse_fail(p, at, "'%s' is declared already", name);
	else if (++p->n_declared > PARSE_MAX_DECLARED)
		parse_fail(p, at, "the program declares more than %d types and values", PARSE_MAX_DECLARED);
}

static void declare(struct parser *p, enum ctype_tag tag, const char *name, const struct type *type, struct span at)
{
	if (!p->failed && p->types)
		check_declared(p, name, at, ctypes_declare(p->types, tag, name, type));
}

static const struct type *find_type(struct parser *p, enum ctype_tag tag, const char *name)
{
	struct err err = {};

	return p->types ? ctypes_find(p->types, tag, name, &err) : NULL;
}

static struct parse_name *struct_name(struct parser *p, enum ctype_tag tag, const char *name)
{
	return parse_name(p, pool_addf(p->pool, "%s %s", tag == CTYPE_UNION ? "union" : "struct", name));
}

/*
 * A struct that is only named: one of the program, of the kernel, or one that a pointer may point to all the same. The
 * program may declare it below, and then means its own; so the kernel's is copied into the object for that one.
 */
static const struct type *named_struct(struct parser *p, enum ctype_tag tag, const char *name)
{
	struct type **opaque = &struct_name(p, tag, name)->opaque;
	const struct type *found = *opaque;

	if (found)
		return found;
	found = find_type(p, tag, name);
	if (found && !found->origin)
		return found;
	*opaque = pool_alloc(p->pool, sizeof(**opaque));
	**opaque = (struct type){ .kind = TYPE_STRUCT, .name = name, .is_union = tag == CTYPE_UNION, .align = 1 };
	if (found)
		**opaque = *found;
	return *opaque;
}

/* The object for a struct that is declared now; earlier pointers to it may have made it. */
static struct type *declared_struct(struct parser *p, enum ctype_tag tag, const char *name, struct span at)
{
	struct type *made;
	struct parse_name *known;

	if (!name) {
		made = pool_alloc(p->pool, sizeof(*made));
		*made = (struct type){ .kind = TYPE_STRUCT, .is_union = tag == CTYPE_UNION, .align = 1 };
		return made;
	}
	known = struct_name(p, tag, name);
	if (known->is_whole)
		parse_fail(p, at, "'%s %s' is a field above, where it is the kernel's: declare it before that",
			   tag == CTYPE_UNION ? "union" : "struct", name);
	made = known->opaque ? known->opaque : pool_alloc(p->pool, sizeof(*made));
	*made = (struct type){ .kind = TYPE_STRUCT, .is_union = tag == CTYPE_UNION, .name = name, .align = 1 };
	known->opaque = made;
	known->is_whole = false;
	declare(p, tag, name, made, at);
	return made;
}

/* --- structs --- */

/* What declarators build on. */
struct base {
	const struct type *type;
	bool is_definition; /* a body was there */
	bool is_char;	    /* an array of C's char is a text */
};

static void parse_base(struct parser *p, struct base *base);

/* "[4][2]"; returns how many there are. */
static uint32_t parse_dimensions(struct parser *p, uint32_t *dims)
{
	uint32_t n = 0;

	while (parse_accept(p, "[")) {
		int64_t value = 0;

		if (!parse_is(p, "]") && !parse_constant(p, parse_expression(p), &value))
			return 0;
		if (n == MAX_DIMENSIONS || value < 0 || value > INT32_MAX)
			parse_fail(p, p->last, "an array has up to %d dimensions of up to 2 GB", MAX_DIMENSIONS);
		else
			dims[n++] = value;
		if (!parse_expect(p, "]", "after the size of an array"))
			return 0;
	}
	return n;
}

/*
 * Pointers and arrays around a type, and the name: "*x[4]", "(*x)(int)". Returns the type; *name NULL: there is none.
 */
static const struct type *parse_declarator(struct parser *p, const struct base *base, const char **name,
					   struct span *at)
{
	bool is_packed, is_function = false, is_char = base->is_char;
	const struct type *type = base->type;
	uint32_t dims[MAX_DIMENSIONS], n;

	*name = NULL;
	for (skip_attributes(p, &is_packed); parse_accept(p, "*"); skip_attributes(p, &is_packed)) {
		type = type_pointer(p->pool, type, SPACE_NONE);
		is_char = false;
	}
	if (parse_is(p, "(") && is_operator_at(p, 1, "*")) {
		is_function = true;
		parse_take(p);
		parse_take(p);
		skip_attributes(p, &is_packed);
	}
	*at = parse_peek(p, 0)->at;
	if (parse_peek(p, 0)->kind == TOKEN_NAME)
		*name = parse_take(p).text;
	n = parse_dimensions(p, dims);
	if (is_function) {
		parse_expect(p, ")", "after a pointer to a function");
		if (parse_is(p, "("))
			skip_brackets(p);
		type = type_pointer(p->pool, type_void(), SPACE_NONE);
	}
	for (; n && !p->failed; n--, is_char = false) {
		if (cdecl_bytes(type, dims[n - 1]) > INT32_MAX)
			parse_fail(p, *at, "this array is larger than 2 GB");
		else if (is_char && !is_function && dims[n - 1])
			type = type_string(p->pool, dims[n - 1]);
		else
			type = type_array(p->pool, type, dims[n - 1]);
	}
	skip_attributes(p, &is_packed);
	return type;
}

static void parse_bits(struct parser *p, struct cdecl_member *member)
{
	struct span at = parse_peek(p, 0)->at;
	int64_t bits;

	if (!parse_constant(p, parse_expression(p), &bits))
		return;
	member->is_bits = true;
	member->bits = bits;
	if (!type_is_integral(member->type))
		parse_fail(p, at, "only integers have bit fields");
	else if (bits < 0 || bits > (int64_t)member->type->size * 8)
		parse_fail(p, at, "a bit field of this type has up to %u bits", member->type->size * 8);
	else if (!bits && member->name)
		parse_fail(p, at, "a bit field of 0 bits has no name");
}

/* The type of a field: from now on the struct of that name cannot become another one. */
static void note_whole(struct parser *p, const struct type *type)
{
	while (type->kind == TYPE_ARRAY)
		type = type->of;
	if (type->kind == TYPE_STRUCT && type->name && type->origin)
		struct_name(p, type->is_union ? CTYPE_UNION : CTYPE_STRUCT, type->name)->is_whole = true;
}

/* "int a, *b, c : 3;" or an unnamed struct, whose fields are the outer one's. */
static void parse_member(struct parser *p, struct cdecl_members *members, struct set *names)
{
	struct base base;

	parse_base(p, &base);
	do {
		struct cdecl_member *member = vec_push(members);
		size_t n_names = names->n;
		struct span at;

		member->type = parse_declarator(p, &base, &member->name, &at);
		if (p->failed)
			return;
		note_whole(p, member->type);
		if (parse_accept(p, ":"))
			parse_bits(p, member);
		else if (!member->name && base.type->kind != TYPE_STRUCT)
			parse_fail_expected(p, "a field's name");
		else if (member->type->kind == TYPE_VOID ||
			 (member->type->kind == TYPE_STRUCT && !cdecl_is_complete(p, member->type)))
			parse_fail(p, at, "the size of this field is not known: its type is declared nowhere");
		if (member->name && set_add(names, member->name, strlen(member->name)) < n_names)
			parse_fail(p, at, "the field '%s' is there twice", member->name);
	} while (!p->failed && parse_accept(p, ","));
	parse_expect(p, ";", "after a field");
}

static void parse_body(struct parser *p, struct type *made, bool is_packed)
{
	struct cdecl_members members = {};
	struct set names = {};

	parse_take(p);
	while (!p->failed && !parse_is(p, "}")) {
		if (parse_peek(p, 0)->kind == TOKEN_END)
			parse_fail_expected(p, "'}' at the end of a declaration");
		else if (!parse_accept(p, ";"))
			parse_member(p, &members, &names);
	}
	parse_accept(p, "}");
	skip_attributes(p, &is_packed);
	if (!p->failed && !cdecl_layout(p->pool, made, &members, is_packed))
		parse_fail(p, p->last, "this struct is larger than 2 GB");
	free(members.v);
	set_release(&names);
}

static const struct type *parse_struct(struct parser *p, enum ctype_tag tag, bool *is_definition)
{
	struct span at = parse_take(p).at;
	const char *name = NULL;
	bool is_packed = false;
	struct type *made;

	skip_attributes(p, &is_packed);
	if (parse_peek(p, 0)->kind == TOKEN_NAME) {
		at = parse_peek(p, 0)->at;
		name = parse_take(p).text;
	}
	if (!parse_is(p, "{")) {
		if (!name)
			parse_fail_expected(p, "the name of a struct, or '{'");
		return named_struct(p, tag, str_or_empty(name));
	}
	*is_definition = true;
	made = declared_struct(p, tag, name, at);
	if (!p->failed)
		parse_body(p, made, is_packed);
	return made;
}

/* --- enums --- */

static void parse_values(struct parser *p, struct type *made)
{
	int64_t value = 0;
	bool fits = true;

	while (!p->failed && !parse_is(p, "}")) {
		struct span at = parse_peek(p, 0)->at;
		const char *name;

		if (parse_peek(p, 0)->kind != TOKEN_NAME) {
			parse_fail_expected(p, "the name of an enum's value");
			return;
		}
		name = parse_take(p).text;
		if (parse_accept(p, "=") && !parse_constant(p, parse_expression(p), &value))
			return;
		if (p->types)
			check_declared(p, name, at, ctypes_declare_value(p->types, name, value, made));
		made->is_signed |= value < 0;
		fits &= value >= INT32_MIN && value <= UINT32_MAX;
		value = (uint64_t)value + 1;
		if (!parse_accept(p, ","))
			break;
	}
	if (!fits)
		made->size = made->align = 8;
	parse_expect(p, "}", "after the values of an enum");
}

static const struct type *parse_enum(struct parser *p, bool *is_definition)
{
	struct span at = parse_take(p).at;
	const struct type *found;
	const char *name = NULL;
	bool is_packed;
	struct type *made;

	skip_attributes(p, &is_packed);
	if (parse_peek(p, 0)->kind == TOKEN_NAME) {
		at = parse_peek(p, 0)->at;
		name = parse_take(p).text;
	}
	if (!parse_is(p, "{")) {
		found = name ? find_type(p, CTYPE_ENUM, name) : NULL;
		if (!name)
			parse_fail_expected(p, "the name of an enum, or '{'");
		return found ? found : type_integer(4, false);
	}
	*is_definition = true;
	made = pool_alloc(p->pool, sizeof(*made));
	*made = (struct type){ .kind = TYPE_ENUM, .size = 4, .align = 4, .name = name };
	if (name)
		declare(p, CTYPE_ENUM, name, made, at);
	parse_take(p);
	parse_values(p, made);
	skip_attributes(p, &is_packed);
	return made;
}

/* --- declarations --- */

static const struct type *parse_plain(struct parser *p, bool *is_char)
{
	struct ast_type *written = parse_type_name(p);
	const struct type *found;

	if (p->failed)
		return type_void();
	*is_char = !strcmp(written->name, "char") || parse_name(p, written->name)->is_char;
	if (!strcmp(written->name, "void"))
		return type_void();
	found = find_type(p, CTYPE_PLAIN, written->name);
	if (!found)
		parse_fail(p, written->at, "there is no type '%s', neither in this program nor in the kernel",
			   written->name);
	return found ? found : type_void();
}

static void parse_base(struct parser *p, struct base *base)
{
	bool is_packed;

	*base = (struct base){ .type = type_void() };
	if (parse_enter(p)) {
		skip_attributes(p, &is_packed);
		if (parse_is_word(p, "struct"))
			base->type = parse_struct(p, CTYPE_STRUCT, &base->is_definition);
		else if (parse_is_word(p, "union"))
			base->type = parse_struct(p, CTYPE_UNION, &base->is_definition);
		else if (parse_is_word(p, "enum"))
			base->type = parse_enum(p, &base->is_definition);
		else
			base->type = parse_plain(p, &base->is_char);
		skip_attributes(p, &is_packed);
	}
	parse_leave(p);
}

static void parse_typedef(struct parser *p)
{
	struct base base;

	parse_take(p);
	parse_base(p, &base);
	do {
		const struct type *type;
		const char *name;
		struct span at;

		type = parse_declarator(p, &base, &name, &at);
		/* A function's type: only pointers to it exist. */
		if (parse_is(p, "("))
			skip_brackets(p);
		if (!name) {
			parse_fail_expected(p, "the name of a typedef");
			return;
		}
		parse_name(p, name)->is_type = true;
		parse_name(p, name)->is_char = base.is_char && type == base.type;
		declare(p, CTYPE_PLAIN, name, type, at);
	} while (!p->failed && parse_accept(p, ","));
	parse_expect(p, ";", "after a typedef");
}

bool cdecl_is_next(struct parser *p)
{
	return is_one_of(p, "struct union enum typedef");
}

void cdecl_parse(struct parser *p, bool is_header)
{
	struct base base;

	if (parse_accept(p, ";"))
		return;
	if (parse_is_word(p, "typedef")) {
		parse_typedef(p);
	} else if (cdecl_is_next(p)) {
		parse_base(p, &base);
		/* In a program, the ';' behind '}' may be missing. */
		if (parse_accept(p, ";"))
			return;
		if (is_header)
			skip_declaration(p);
		else if (!base.is_definition)
			parse_fail_expected(p, "'{' or ';' after the name of a struct");
	} else {
		skip_declaration(p);
	}
}

bool cdecl_size(struct parser *p, const struct ast_type *written, int64_t *size)
{
	static const enum ctype_tag tags[] = {
		[WRITTEN_PLAIN] = CTYPE_PLAIN,
		[WRITTEN_STRUCT] = CTYPE_STRUCT,
		[WRITTEN_UNION] = CTYPE_UNION,
		[WRITTEN_ENUM] = CTYPE_ENUM,
	};
	const struct type *type;

	if (written->tag > WRITTEN_ENUM || written->n_dims)
		return false;
	type = written->pointers ? NULL : find_type(p, tags[written->tag], written->name);
	*size = written->pointers ? 8 : type ? type->size
					     : 0;
	return *size;
}
