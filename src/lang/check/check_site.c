// SPDX-License-Identifier: BSD-2-Clause
/* Sites: places in the program where user space has something to do, and how their records are laid out. */
#include "checker.h"

struct lang_site *check_site_new(struct checker *c, enum lang_site_kind kind, struct ast *call)
{
	struct lang_site *site;

	if (!c->is_final)
		return NULL;
	site = pool_alloc(c->pool, sizeof(*site));
	site->kind = kind;
	site->at = call->at;
	site->number = c->program->sites.n;
	*(struct lang_site **)vec_push(&c->program->sites) = site;
	call->call.site = site;
	return site;
}

/* Strings and buffers that are arguments by themselves are referred to, so that short texts make short records. */
static bool check_is_referred(const struct type *type)
{
	return type->kind == TYPE_STRING || type->kind == TYPE_BUFFER;
}

void check_site_arguments(struct checker *c, struct lang_site *site, struct ast *args)
{
	struct lang_site_argument *v;
	uint32_t n = 0, at = 0, i = 0;

	if (!site)
		return;
	for (const struct ast *arg = args; arg; arg = arg->next, n++)
		if (!arg->type) /* an error about it was reported */
			return;
	v = pool_alloc(c->pool, (n + 1) * sizeof(*v));
	for (const struct ast *arg = args; arg; arg = arg->next, i++) {
		uint32_t align = check_is_referred(arg->type) ? _Alignof(struct lang_text) : arg->type->align;
		uint32_t size = check_is_referred(arg->type) ? sizeof(struct lang_text) : arg->type->size;

		align = align ? align : 1;
		at = (at + align - 1) / align * align;
		v[i].type = arg->type;
		v[i].at = at;
		at += size;
	}
	site->args = v;
	site->n_args = n;
	site->size = at;
	if (at > LANG_DATA_MAX)
		check_error(c, site->at, "the arguments have %u bytes together, more than the %u bytes of a record", at,
			    LANG_DATA_MAX);
}

uint32_t check_text_number(struct checker *c, const char *text)
{
	for (size_t i = 0; i < c->program->texts.n; i++)
		if (!strcmp(c->program->texts.v[i], text))
			return i;
	*(const char **)vec_push(&c->program->texts) = text;
	return c->program->texts.n - 1;
}

const struct type *check_with_text(struct checker *c, enum type_kind kind, const char *text)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(kind));

	type->format = check_text_number(c, text);
	return type;
}
