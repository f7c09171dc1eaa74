/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between a tool and the house. A tool is data: its name, its words for
 * the help, its options and an engine. It has no main, no signal handler, no poll loop,
 * and prints nothing itself.
 *
 *	TOOL(funccount, .brief = "...", .args = "SPEC...", COUNT_ENGINE, ...);
 *
 * puts it into the list that `sonde help` prints; no other file names it. One that traces
 * nothing, but does one thing and ends, has act() in the place of an engine.
 */
#ifndef SONDE_TOOL_H
#define SONDE_TOOL_H

#include "engine/engine.h"
#include "options/doc.h"
#include "output/output.h"

struct run;

struct tool {
	const char *name, *brief, *args, *description;
	const char *also; /* a second, shorter name for sonde's command line; may be NULL */
	const struct doc_example *examples;
	size_t n_examples;
	const struct opt *options; /* the tool's own, bound to `settings` */
	size_t n_options;
	void *settings;
	const struct schema *schema;
	/* Both by the engine's own macro: COUNT_ENGINE, EVENT_ENGINE(source), ... */
	const struct engine *engine;
	const void *source; /* of a type that only the engine knows; may be NULL */
	/*
	 * Of a tool without an engine: does all of it, with run->ctx.out, and returns the exit status, or -errno with err set; with
	 * run->ctx.usage where what the user typed is wrong. Of the common options it has --json, --quiet, --verbose and --help.
	 */
	int (*act)(struct run *run, struct err *err);
	/* Of a tool that has an engine as well: act() is called in its place where this is set. NULL: it has one of the two. */
	const bool *act_instead;
	/* Short options that this tool gives to options all tools have: "t:tid u:uid". */
	const char *letters;
	/* What its arguments may be, for a shell that completes them; may be NULL. */
	opt_offers offers;
	/* Its name is a common word: no program of that name is installed beside sonde. */
	bool unlinked;
	/* Options of all tools, or of its engine, that it cannot have, and why; NULL: it has all. */
	const struct opt_lack *lacks;
};

#define EXAMPLES(...) \
	.examples = (const struct doc_example[]){ __VA_ARGS__ }, \
	.n_examples = ARRAY_SIZE(((const struct doc_example[]){ __VA_ARGS__ }))
#define LACKS(...) \
	.lacks = (const struct opt_lack[]) \
	{ \
		__VA_ARGS__, \
		{ \
		} \
	}
#define OPTIONS(table) .options = table, .n_options = ARRAY_SIZE(table)

#define TOOL(NAME, ...) TOOL_NAMED(NAME, #NAME, __VA_ARGS__)
/* Of a tool whose name is no C identifier: TOOL_NAMED(reset_trace, "reset-trace", ...). */
#define TOOL_NAMED(ID, NAME, ...) \
	static const struct tool tool_##ID = { .name = NAME, __VA_ARGS__ }; \
	static const struct tool *const tool_entry_##ID \
		__attribute__((used, section("sonde_tools"))) = &tool_##ID

/* The list, by name; find takes second names, too, and gives NULL for an unknown one. */
const struct tool *tool_find(const char *name);
const struct tool *const *tool_list(size_t *n);
/* The tool as the help and the man page see it, its tables in `tables` (TOOL_TABLES of them). */
#define TOOL_TABLES 8
struct doc tool_doc(const struct tool *tool, struct opt_table tables[TOOL_TABLES]);

#endif
