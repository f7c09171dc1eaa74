// SPDX-License-Identifier: BSD-2-Clause
/* Formats of printf(): each specifier against its argument. */
#include "checker.h"

#include <ctype.h>

/* What a specifier takes. */
enum takes {
	TAKES_NOTHING, /* %%, and a lone % */
	TAKES_INTEGER,
	TAKES_TEXT,
	TAKES_BUFFER,
	TAKES_UNKNOWN,
};

/* "2$" behind a '%': the specifier is for the second argument. Returns 0, and moves nothing, if there is none. */
static uint32_t check_position(const char **p)
{
	char *end;
	unsigned long position = strtoul(*p, &end, 10);

	if (!isdigit((unsigned char)**p) || *end != '$' || position > UINT32_MAX)
		return 0;
	*p = end + 1;
	return position;
}

static struct ast *check_nth(struct ast *args, uint32_t n)
{
	while (args && --n)
		args = args->next;
	return args;
}

/* Reads the specifier behind a '%' and moves *p behind it. */
static enum takes check_specifier(const char **p)
{
	const char *at = *p;
	char conversion;

	if (*at == '%') {
		*p = at + 1;
		return TAKES_NOTHING;
	}
	if (lang_format_is_plain(at))
		return TAKES_NOTHING;
	at += strspn(at, "-+ #0'");
	at += strspn(at, "0123456789");
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	at += strspn(at, "hljztL");
	conversion = *at;
	*p = conversion ? at + 1 : at;
	if (conversion == 'r') {
		*p += **p == 'x' || **p == 'h';
		return TAKES_BUFFER;
	}
	if (conversion == 'g' && at[1] == 'r') {
		++*p;
		return TAKES_INTEGER;
	}
	if (conversion == 's')
		return TAKES_TEXT;
	return conversion && strchr("diuxXopc", conversion) ? TAKES_INTEGER : TAKES_UNKNOWN;
}

static bool check_takes(enum takes takes, const struct type *type)
{
	switch (takes) {
	case TAKES_INTEGER:
		return type_is_scalar(type) || type->kind == TYPE_NAMED || type->kind == TYPE_USER ||
		       type->kind == TYPE_KSYM || type->kind == TYPE_FUNCTION;
	case TAKES_BUFFER:
		return type->kind == TYPE_BUFFER || check_is_text(type);
	default:
		return type->kind != TYPE_POINTER && type->kind != TYPE_BUFFER;
	}
}

static void check_format_argument(struct checker *c, struct ast *call, enum takes takes, const char *specifier,
				  struct ast *arg)
{
	static const char *const names[] = {
		[TAKES_INTEGER] = "integer", [TAKES_TEXT] = "string", [TAKES_BUFFER] = "buffer"
	};

	if (takes == TAKES_TEXT)
		check_as_text(c, arg);
	if (arg->type->kind == TYPE_NONE || check_takes(takes, arg->type))
		return;
	check_error(c, arg->at, "%s: %s specifier expects a value of type %s (%s supplied)", call->call.name, specifier,
		    names[takes], check_show(c, arg->type));
	if (takes == TAKES_TEXT && arg->type->kind == TYPE_POINTER)
		check_hint(c, arg->at, "str() reads the text that a pointer points to");
	else if (takes == TAKES_BUFFER)
		check_hint(c, arg->at, "buf() makes one");
}

void check_format(struct checker *c, struct ast *call, const char *format, struct ast *args)
{
	for (struct ast *each = args; each; each = each->next)
		if (check_value(c, each)->kind == TYPE_VOID) {
			check_error(c, each->at, "this has no value, and cannot be an argument of %s()",
				    call->call.name);
			each->type = type_none();
		}
	check_format_types(c, call, format, args);
}

void check_format_types(struct checker *c, struct ast *call, const char *format, struct ast *args)
{
	uint32_t wanted = 0, given = 0, next = 0;

	for (const struct ast *each = args; each; each = each->next)
		given++;
	for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
		const char *begin = p++;
		uint32_t position = check_position(&p);
		bool is_left = position || next < given;
		enum takes takes = !is_left && lang_format_is_plain_without(p) ? TAKES_NOTHING : check_specifier(&p);
		const char *specifier = pool_addf(c->pool, "%.*s", (int)(p - begin), begin);

		if (takes == TAKES_NOTHING)
			continue;
		if (takes == TAKES_UNKNOWN) {
			check_error(c, call->call.args->at, "%s: Unknown format string token: %.*s", call->call.name,
				    (int)strcspn(specifier, "\n\t "), specifier);
			return;
		}
		next = position ? position : next + 1;
		wanted = next > wanted ? next : wanted;
		if (next <= given)
			check_format_argument(c, call, takes, specifier, check_nth(args, next));
	}
	if (wanted != given)
		check_error(c, call->at, "%s: %s arguments for format string (%u supplied, %u expected)",
			    call->call.name, wanted > given ? "Not enough" : "Too many", given, wanted);
}
