// SPDX-License-Identifier: BSD-2-Clause
/* Finds the functions of a binary that a pattern matches, and turns symbols into the names that people wrote. */
#include "binary/demangle.h"
#include "functions.h"
#include "names.h"

/* How many overloads an error message lists. */
#define NAMED_MAX 4

void functions_find(const struct query *query, const struct binary_symbol *symbols, size_t n, struct functions *found)
{
	struct names *names __cleanup(names_freep) = names_new(query->spec.name, query->spec.regex, query->name);
	bool literal = match_literal(query->name);

	for (size_t i = 0; i < n; i++)
		if (match_test(query->name, symbols[i].name) || (!literal && names_test(names, symbols[i].name)))
			*vec_push(found) = &symbols[i];
	for (size_t i = 0, none = literal && !found->n; none && i < n; i++)
		if (names_test(names, symbols[i].name))
			*vec_push(found) = &symbols[i];
	for (size_t i = 0, none = literal && !found->n; none && i < n; i++)
		if (names_test_last(names, symbols[i].name))
			*vec_push(found) = &symbols[i];
}

const char *functions_shown(struct target_set *set, const char *symbol)
{
	struct str text __str = {};

	return pool_add(&set->pool, demangle(symbol, DEMANGLE_WHOLE, &text) ? text.data : symbol);
}

int functions_check_one(const struct query *query, const struct functions *found, struct err *err)
{
	__str struct str list = {}, text = {};
	size_t named = 1;

	if (!query->spec.offset || !found->n || match_test(query->name, found->v[0]->name))
		return 0;
	vec_each(function, found) {
		const struct binary_symbol *before = function > found->v ? function[-1] : NULL;

		/* neighbours with the same offset are aliases, those with the same name static functions */
		if (before && ((*function)->offset == before->offset || !strcmp((*function)->name, before->name)))
			continue;
		named += before != NULL;
		if (named <= NAMED_MAX && demangle((*function)->name, DEMANGLE_WHOLE, &text))
			str_addf(&list, "%s%s", before ? ", " : "", text.data);
	}
	if (named == 1)
		return 0;
	return err_set(err, -EINVAL, "an offset needs one function, but '%s' names %zu: %s%s", query->spec.name, named, list.data,
		       named > NAMED_MAX ? ", ..." : "");
}

/* The last parts of a name, as many as wanted has: users also omit the namespace of names that they misspell. */
static const char *last_parts(const struct str *name, const char *wanted)
{
	const char *at = name->data + name->len;
	size_t parts = 1;

	for (const char *p = strstr(wanted, "::"); p; p = strstr(p + 2, "::"))
		parts++;
	while (at > name->data && parts)
		if (*--at == ':' && at > name->data && at[-1] == ':')
			at -= --parts ? 1 : 0;
	return *at == ':' ? at + 1 : at;
}

char *functions_nearest(const char *wanted, const struct binary_symbol *symbols, size_t n)
{
	enum demangle_form form = strchr(wanted, '(') ? DEMANGLE_PLAIN : DEMANGLE_PATH;
	struct str text __str = {};
	struct nearest nearest;

	nearest_init(&nearest, wanted);
	for (size_t i = 0; i < n; i++) {
		bool mangled = demangle(symbols[i].name, form, &text);

		nearest_offer(&nearest, mangled ? text.data : symbols[i].name);
		if (mangled)
			nearest_offer(&nearest, last_parts(&text, wanted));
	}
	return nearest_name(&nearest) ? base_strdup(nearest_name(&nearest)) : NULL;
}
