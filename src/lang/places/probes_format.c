// SPDX-License-Identifier: BSD-2-Clause
/*
 * The arguments of tracepoints, from their format files in tracefs (Documentation/trace/events.rst in the kernel's
 * sources): a line for each field, "field:const char * filename; offset:16;      size:8; signed:0;". The size and the
 * sign of a number are given there, so only types behind pointers may need BTF, when somebody looks into them.
 */
#include <ctype.h>

#include "probes_part.h"

struct field {
	char *name;
	char *base;	   /* the type without qualifiers and '*': "unsigned int", "struct page" */
	uint32_t pointers; /* how many '*' */
	uint32_t n;	   /* array: as declared, 0: no number is there */
	bool is_array, is_data_loc;
	uint32_t at, size;
	bool is_signed;
};

/* Removes a word wherever it stands in the text. */
static bool remove_word(char *text, const char *word)
{
	size_t n = strlen(word);
	bool found = false;

	for (char *at = text; (at = strstr(at, word));) {
		bool begins = at == text || !isalnum((unsigned char)at[-1]);
		bool is_word = begins && (!at[n] || at[n] == ' ' || at[n] == '*');

		if (is_word)
			memset(at, ' ', n);
		found |= is_word;
		at += n;
	}
	return found;
}

/* Leaves one blank between words and none around them. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' '))
			*to++ = *from;
	while (to > text && to[-1] == ' ')
		to--;
	*to = 0;
}

/* "__data_loc char[] name", "char comm[16]", "const struct page * page" */
static bool parse_declaration(char *text, struct field *field)
{
	char *end = text + strlen(text), *name, *bracket;

	if (end > text && end[-1] == ']') {
		bracket = strrchr(text, '[');
		if (!bracket)
			return false;
		field->is_array = true;
		field->n = atoi(bracket + 1);
		end = bracket;
		*end = 0;
	}
	name = end;
	while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	if (name == text || !*name)
		return false;
	field->name = base_strdup(name);
	*name = 0;
	field->is_data_loc = remove_word(text, "__data_loc");
	bracket = strchr(text, '[');
	if (bracket)
		*bracket = 0;
	remove_word(text, "const");
	remove_word(text, "volatile");
	remove_word(text, "__user");
	for (char *star; (star = strchr(text, '*')); field->pointers++)
		*star = ' ';
	squeeze(text);
	field->base = base_strdup(text);
	return true;
}

static bool parse_number(const char *line, const char *word, uint32_t *value)
{
	const char *at = strstr(line, word);

	if (at)
		*value = strtoul(at + strlen(word), NULL, 10);
	return at;
}

static bool parse_line(char *line, struct field *field)
{
	char *text = strstr(line, "field:"), *end = text ? strchr(text, ';') : NULL;
	uint32_t sign = 0;

	if (!end || !parse_number(end, "\toffset:", &field->at) || !parse_number(end, "\tsize:", &field->size))
		return false;
	parse_number(end, "\tsigned:", &sign);
	field->is_signed = sign;
	*end = 0;
	return parse_declaration(text + strlen("field:"), field);
}

static void field_release(struct field *field)
{
	free(field->name);
	free(field->base);
}

/* The struct, union or enum that the field's base names; NULL: it is none of these. */
static const struct type *tagged(struct ctypes *types, const struct field *field, uint32_t size)
{
	static const struct {
		const char *word;
		enum ctype_tag tag;
	} tags[] = {
		{ "struct ", CTYPE_STRUCT },
		{ "union ", CTYPE_UNION },
		{ "enum ", CTYPE_ENUM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (!strncmp(field->base, tags[i].word, strlen(tags[i].word)))
			return ctypes_named(types, tags[i].tag, field->base + strlen(tags[i].word), size);
	return NULL;
}

/* What a pointer points to, or of what an array is. Other names are typedefs of the kernel. */
static const struct type *base_of(struct ctypes *types, const struct field *field)
{
	const struct type *type = tagged(types, field, 0);

	if (!type)
		type = ctypes_find(types, CTYPE_PLAIN, field->base, NULL);
	return type ? type : type_void();
}

static const struct type *pointer_of(struct ctypes *types, const struct field *field, enum type_space space,
				     struct pool *pool)
{
	const struct type *type = base_of(types, field);

	for (uint32_t i = 0; i < field->pointers; i++)
		type = type_pointer(pool, type, space);
	return type;
}

static bool is_number(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const struct type *array_of(struct ctypes *types, const struct field *field, enum type_space space,
				   struct pool *pool)
{
	uint32_t size = field->n ? field->size / field->n : 0;
	const struct type *of;

	if (field->pointers)
		return type_array(pool, pointer_of(types, field, space, pool), field->size / 8);
	if (!strcmp(field->base, "char"))
		return type_string(pool, field->size);
	of = ctypes_builtin(field->base);
	if (!of || !of->size || field->size % of->size || (size && of->size != size))
		of = type_integer(is_number(size) ? size : 1, field->is_signed);
	return type_array(pool, of, field->size / of->size);
}

/*
 * The size of a number is the field's, but its sign that of its type: arguments of system calls are 8 bytes long and
 * unsigned in all format files. A typedef that is smaller than the field is read as it is.
 */
static const struct type *number_of(const struct field *field)
{
	const struct type *integer = ctypes_integer(field->base), *known = ctypes_builtin(field->base);

	if (integer)
		return type_integer(field->size, integer->is_signed);
	if (known && known->size && known->size <= field->size)
		return known;
	return type_integer(field->size, field->is_signed);
}

static const struct type *type_of(struct ctypes *types, const struct field *field, enum type_space space,
				  struct pool *pool)
{
	const struct type *type = NULL;

	if (field->is_data_loc) {
		if (!strcmp(field->base, "char") && !field->pointers)
			return type_string(pool, 0);
		return type_pointer(pool, pointer_of(types, field, space, pool), SPACE_KERNEL);
	}
	if (field->is_array)
		return array_of(types, field, space, pool);
	if (field->pointers && field->size == 8)
		return pointer_of(types, field, space, pool);
	type = tagged(types, field, field->size);
	if (type)
		return type;
	if (is_number(field->size))
		return number_of(field);
	return type_array(pool, type_integer(1, false), field->size);
}

int lang_arguments_of_format(char *text, enum type_space space, struct ctypes *types, struct pool *pool,
			     struct lang_arguments *arguments)
{
	struct arguments found = {};
	char *next;

	for (char *line = text; line; line = next) {
		struct field field = {};

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (parse_line(line, &field) && strncmp(field.name, "common_", strlen("common_")))
			*vec_push(&found) = (struct lang_argument){
				.name = pool_add(pool, field.name),
				.type = type_of(types, &field, space, pool),
				.at = field.at,
				.is_data_loc = field.is_data_loc,
			};
		field_release(&field);
	}
	return arguments_finish(&found, pool, arguments);
}
