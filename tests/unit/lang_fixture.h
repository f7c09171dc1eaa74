/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a text as the compiler does. */
#ifndef SONDE_TESTS_UNIT_LANG_FIXTURE_H
#define SONDE_TESTS_UNIT_LANG_FIXTURE_H

#include <criterion/criterion.h>

#include "kernel/kernel.h"
#include "lang/tree/parse.h"
#include "tests/lang/show.h"

struct lang_fixture {
	struct lang_sources sources;
	struct lang_messages messages;
	struct pool pool;
	struct ctypes *types;	     /* of a kernel that has none */
	struct ast_program *program; /* NULL: there were errors */
	struct str text;	     /* the tree; after errors the messages */
};

static inline void fixture_parse_text(struct lang_fixture *fixture, const char *text, size_t len)
{
	static const char *const positional[] = { "first", "second" };
	struct parse_options options = { .positional = positional, .n_positional = 2, .has_btf = true };
	uint32_t index;

	kernel_set_root("/nonexistent");
	*fixture = (struct lang_fixture){};
	fixture->types = ctypes_new(&fixture->pool);
	index = lang_sources_add(&fixture->sources, "stdin", text, len);
	fixture->program = lang_parse(&fixture->sources, index, &options, fixture->types, &fixture->pool,
				      &fixture->messages);
	cr_assert_eq(!fixture->program, fixture->messages.errors > 0);
	if (fixture->program)
		ast_show(fixture->program, &fixture->text);
	else
		lang_messages_show(&fixture->messages, &fixture->sources, true, &fixture->text);
}

static inline void fixture_release_text(struct lang_fixture *fixture)
{
	str_release(&fixture->text);
	ctypes_free(fixture->types);
	lang_messages_release(&fixture->messages);
	lang_sources_release(&fixture->sources);
	pool_release(&fixture->pool);
}

/* The tree of the program, or the messages about it, must be `wanted`. */
static inline void expect_tree(const char *program, const char *wanted)
{
	struct lang_fixture fixture;

	fixture_parse_text(&fixture, program, strlen(program));
	cr_assert_str_eq(str_or_empty(fixture.text.data), wanted, "%s\n%s", program, str_or_empty(fixture.text.data));
	fixture_release_text(&fixture);
}

#endif
