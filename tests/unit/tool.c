// SPDX-License-Identifier: BSD-2-Clause
/* Checks of all tools: definitions are complete and consistent, and can be documented. */
#include <criterion/criterion.h>

#include "run/run.h"

static const struct tool *const *tools;
static size_t n_tools;

static void setup(void)
{
	tools = tool_list(&n_tools);
}

TestSuite(tool, .init = setup);

#define each_tool(t) for (const struct tool *const *t = tools; t < tools + n_tools; t++)

Test(tool, found_by_name)
{
	cr_assert_gt(n_tools, 0);
	each_tool(t)
	{
		cr_expect_eq(tool_find((*t)->name), *t);
		cr_expect(!(*t)->also || tool_find((*t)->also) == *t);
		cr_expect(t == tools || strcmp(t[-1]->name, t[0]->name) < 0, "sorted, no name twice: %s", (*t)->name);
	}
	cr_expect_null(tool_find("no-such-tool"));
	cr_expect_null(tool_find(""));
}

Test(tool, says_what_it_is)
{
	each_tool(t)
	{
		const struct tool *tool = *t;
		__free char *begin = base_printf("sonde %s", tool->name);

		cr_expect(tool->brief && *tool->brief && strlen(tool->brief) < 60, "%s", tool->name);
		cr_expect(tool->args && tool->description && tool->n_examples, "%s", tool->name);
		for (size_t i = 0; i < tool->n_examples; i++)
			cr_expect(!strncmp(tool->examples[i].command, begin, strlen(begin)) &&
					  strchr(" ", tool->examples[i].command[strlen(begin)]),
				  "%s", tool->examples[i].command);
	}
}

/* Each answers a question, and one of each group says how to begin. */
Test(tool, has_a_group)
{
	size_t fronts[GROUPS] = {};

	each_tool(t)
	{
		const struct tool *tool = *t;
		__free char *begin = base_printf("sonde %s", tool->name);

		cr_assert(tool->group >= GROUP_SLOW && tool->group < GROUPS, "%s", tool->name);
		cr_expect_neq(tool->group, GROUP_OTHERS, "%s", tool->name);
		if (!tool->front.command)
			continue;
		fronts[tool->group]++;
		cr_expect(!strncmp(tool->front.command, begin, strlen(begin)), "%s", tool->front.command);
		cr_expect(strlen(tool->front.command) <= 36 && strlen(tool->front.does) <= 26, "%s", tool->name);
	}
	for (enum group g = GROUP_SLOW; g < GROUPS; g++)
		cr_expect_eq(fronts[g], g != GROUP_OTHERS, "%s", group_titles[g]);
}

/* The size of the member that a printer reads for this type; 0: any, or only a getter sets such a value. */
static size_t member_size(enum field_type type)
{
	switch (type) {
	case FIELD_BOOL:
		return sizeof(bool);
	case FIELD_U32:
	case FIELD_S32:
	case FIELD_SIGNAL:
	case FIELD_ERRNO:
	case FIELD_ERROR:
		return sizeof(uint32_t);
	case FIELD_STACK:
		return sizeof(struct frame_stack);
	case FIELD_CHARS:
	case FIELD_ADDRESS:
	case FIELD_LIST:
	case FIELD_ROW:
		return 0;
	default:
		return sizeof(uint64_t);
	}
}

/*
 * In data by its key, in text below its title, in metrics only (both flags) by its key; each says what it means. A
 * member has the size that its type says.
 */
static void expect_field(const struct tool *tool, const struct field *field)
{
	cr_expect(!field->key == (field->text_only && !field->data_only), "%s", tool->name);
	cr_expect(field->data_only || field->title || field->type == FIELD_STACK, "%s: %s", tool->name, field->key);
	cr_expect_neq(field_role(field), ROLE_BY_TYPE, "%s: %s", tool->name, field->key);
	if (!field->get)
		cr_expect(field->size && (!member_size(field->type) || field->size == member_size(field->type)),
			  "%s: %s has %zu bytes", tool->name, field->key ? field->key : field->title, field->size);
}

static bool lacks_json(const struct tool *tool)
{
	for (const struct opt_lack *lack = tool->lacks; lack && lack->names; lack++)
		if (strstr(lack->names, "json"))
			return true;
	return false;
}

Test(tool, has_what_the_run_calls)
{
	each_tool(t)
	{
		const struct engine *engine = (*t)->engine;

		cr_assert(engine || (*t)->act, "%s", (*t)->name);
		cr_expect((engine && (*t)->act) == !!(*t)->act_instead, "%s", (*t)->name);
		if (engine) {
			cr_expect(engine->open && engine->armed && engine->emit && engine->losses && engine->close,
				  "%s", (*t)->name);
			cr_expect(!engine->n_options || engine->settings_size, "%s", (*t)->name);
		}
		/* a tool without an engine may write no rows, and one whose result is a file, which has no --json */
		cr_assert(!engine || (*t)->schema || lacks_json(*t), "%s", (*t)->name);
		cr_assert(!(*t)->schema || (*t)->schema->n || engine->tables, "%s", (*t)->name);
		for (size_t i = 0; (*t)->schema && i < (*t)->schema->n; i++)
			expect_field(*t, &(*t)->schema->fields[i]);
	}
}

static void expect_distinct(const struct tool *tool, const struct opt_table *table)
{
	cr_expect(table->base, "%s", tool->name);
	for (size_t i = 0; i < table->n; i++) {
		const struct opt *a = &table->opts[i];

		cr_expect(a->help && *a->help && (a->name || a->letter), "%s --%s", tool->name, a->name);
		for (size_t j = 0; j < i; j++) {
			const struct opt *b = &table->opts[j];

			cr_expect(!a->letter || a->letter != b->letter, "%s -%c", tool->name, a->letter);
			cr_expect(!a->name || !b->name || strcmp(a->name, b->name), "%s --%s", tool->name, a->name);
		}
	}
}

/* No name or letter occurs twice in a table; a tool may give a common letter another meaning. */
Test(tool, options_are_distinct)
{
	each_tool(t)
	{
		struct opt_table tables[TOOL_TABLES];
		struct run_options options;
		struct engine_instance instance;
		size_t n;

		tool_init_instance(*t, &instance, NULL);
		n = run_tables(*t, &options, &instance, tables);
		cr_assert_leq(n, TOOL_TABLES);
		for (size_t i = 0; i < n; i++)
			expect_distinct(*t, &tables[i]);
		engine_release(&instance);
	}
}

/* There are names that begin as others do. */
static bool is_shown(const char *text, const char *name)
{
	__free char *as = base_printf("--%s", name);

	while ((text = strstr(text, as))) {
		text += strlen(as);
		if (strchr(" \n[", *text))
			return true;
	}
	return false;
}

/* Options that a tool refuses are not shown, unless it has one of its own of that name. */
static void expect_shown(const struct doc *doc, const char *text, const struct opt_table *table, size_t i)
{
	const char *name = table->opts[i].name;

	for (const struct opt_table *earlier = doc->tables; name && earlier < table; earlier++)
		for (size_t other = 0; other < earlier->n; other++)
			if (earlier->opts[other].name && !strcmp(earlier->opts[other].name, name))
				return;
	cr_expect(!name || is_shown(text, name) == !opt_lacks(table, i), "%s --%s", doc->name, name);
}

static bool has_option(const struct opt_table *tables, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < tables[i].n; j++)
			if (tables[i].opts[j].name && strlen(tables[i].opts[j].name) == len &&
			    !strncmp(tables[i].opts[j].name, name, len))
				return true;
	return false;
}

/* A tool lists only existing options as lacking, and those of the program whose name it answers to. */
Test(tool, lacks_what_there_is)
{
	each_tool(t)
	{
		struct opt_table tables[TOOL_TABLES];
		size_t n = run_tables(*t, NULL, NULL, tables);

		for (const struct opt_lack *lack = (*t)->lacks; lack && lack->names; lack++) {
			cr_expect(lack->why && *lack->why, "%s", (*t)->name);
			for (const char *name = lack->names; *name; name += strcspn(name, " "), name += *name == ' ')
				cr_expect((*t)->peer || has_option(tables, n, name, strcspn(name, " ")), "%s: %s",
					  (*t)->name, name);
		}
	}
}

/* The help of each names all its options and examples, within 80 columns. */
Test(tool, help)
{
	each_tool(t)
	{
		struct opt_table tables[TOOL_TABLES];
		struct doc doc = tool_doc(*t, tables);
		__free char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		doc_help(f, &doc);
		fclose(f);
		for (size_t i = 0; i < doc.n_tables; i++)
			for (size_t j = 0; j < tables[i].n; j++)
				expect_shown(&doc, text, &tables[i], j);
		for (size_t i = 0; i < doc.n_examples; i++)
			cr_expect(strstr(text, doc.examples[i].command), "%s", doc.examples[i].command);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			cr_expect_leq(strcspn(line, "\n"), 80, "%.*s", (int)strcspn(line, "\n"), line);
	}
}
