/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between a tool and the rest of sonde. A tool is data: its name, its texts for the help, its options and
 * an engine. It has no main(), no signal handler and no poll loop, and prints nothing itself.
 *
 *	TOOL(funccount, .brief = "...", .args = "SPEC...", COUNT_ENGINE, ...);
 *
 * adds the tool to the list that `sonde help` prints; no other file names the tool. A tool that traces nothing, but
 * does one thing and ends, has act() instead of an engine. docs/HOWTO-add-a-tool.md shows the steps.
 */
#ifndef SONDE_RUN_TOOL_H
#define SONDE_RUN_TOOL_H

#include "engine/engine.h"
#include "options/doc.h"
#include "output/output.h"

struct run;

struct tool {
	const char *name, *brief, *args, *description;
	enum group group; /* required: the question that the tool answers */
	/* The command that stands for the whole group where `sonde` introduces itself: one tool of each group has it. */
	struct doc_example front;
	const char *also; /* a second, shorter name on sonde's command line; may be NULL */
	/*
	 * The tool of others whose options and output this one has; may be NULL. A link of that name runs it as that
	 * tool: engine_context.as_peer is set, and -c filters nothing.
	 */
	const char *peer;
	const char *peer_version; /* what it says of itself when it is asked by that name: "v0.27.1" */
	const struct doc_example *examples;
	size_t n_examples;
	const struct opt *options; /* the tool's own, bound to the instance's tool_settings */
	size_t n_options;
	size_t settings_size; /* of the struct with their values: SETTINGS() */
	const void *defaults; /* NULL: zeros */
	const struct schema *schema;
	/* The engine's own macro sets both: COUNT_ENGINE, EVENT_ENGINE(source), ... */
	const struct engine *engine;
	const void *source; /* its type is known to the engine only; may be NULL */
	/*
	 * For a tool without an engine: does everything and writes rows to run->ctx.out. Returns the exit status, or
	 * -errno with err; it sets run->ctx.usage if the user typed something wrong. Arguments are an error unless
	 * `args` names some. Of the common options such a tool has --json, --csv, --quiet, --verbose and --help.
	 */
	int (*act)(struct run *run, struct err *err);
	/*
	 * Words that begin with '-' right after "--" are arguments of the tool; the first other word begins the
	 * command. Called by its peer's name, all words after "--" are the tool's, and none is a command.
	 */
	bool own_dashes;
	/* The first word that is no option begins the command, also without "--": as its peer does. */
	bool command_first;
	/* For a tool with both: act() runs instead of the engine if SETTING(bool, ...) is set. 0: it has only one. */
	size_t act_instead;
	bool tables; /* prints tables, though its engine streams: it has --interval */
	/* Letters that this tool gives to common options: "t:tid u:uid" makes -t a short form of --tid. */
	const char *letters;
	/*
	 * It traces whatever task runs, as its `lacks` say: a command is run, but filters nothing. For the script
	 * engine.
	 */
	bool all_tasks;
	/* Lists candidates for the arguments, for completion in a shell; may be NULL. */
	opt_offers offers;
	/* The name is a common word: `make install` creates no link of that name. */
	bool unlinked;
	/* Options of all tools, or of its engine, that this tool cannot have, and the reasons; NULL: it has all. */
	const struct opt_lack *lacks;
	/* Of its own `options` those that it refuses, and the reasons: its peer has them. NULL: it refuses none. */
	const struct opt_lack *refuses;
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
/* The struct that OPTIONS() and SETTING() name members of; and, in place of the first, with defaults that are not all 0. */
#define SETTINGS(STRUCT) .settings_size = sizeof(STRUCT)
#define SETTINGS_WITH(STRUCT, ...) \
	SETTINGS(STRUCT), .defaults = &(const STRUCT) \
	{ \
		__VA_ARGS__ \
	}
#define OPTIONS(table) .options = table, .n_options = ARRAY_SIZE(table)

#define TOOL(NAME, ...) TOOL_NAMED(NAME, #NAME, __VA_ARGS__)
/* For a name that is not a C identifier: TOOL_NAMED(reset_trace, "reset-trace", ...). */
#define TOOL_NAMED(ID, NAME, ...) \
	static const struct tool tool_##ID = { .name = NAME, __VA_ARGS__ }; \
	static const struct tool *const tool_entry_##ID \
		__attribute__((used, section("sonde_tools"))) = &tool_##ID

/*
 * tool_list() returns all tools, sorted by name, those that are scripts (scripts.h) among them. tool_find() accepts
 * second names and those of peers too; NULL: there is no such tool.
 */
const struct tool *tool_find(const char *name);
/*
 * Says in err why tool_find() has not found it, and returns the code: -ENOENT, or why the script cannot be used. Names
 * what comes nearest, if it is the name of another tracer's tool (elsewhere.h) or of a tool, misspelt.
 */
int tool_unknown(const char *name, struct err *err);
const struct tool *const *tool_list(size_t *n);
/* Makes an instance of a tool, whose settings have their defaults. engine_release() ends it. */
void tool_init_instance(const struct tool *tool, struct engine_instance *instance, struct engine_context *ctx);
/*
 * Where in args the command begins, which is behind "--": args->n if there is none. dashdash: of opt_parse(). What is
 * between the two is the tool's (own_dashes).
 */
size_t tool_command_at(const struct tool *tool, const struct opt_list *args, size_t dashdash);
/* Returns what the help and the man page print of a tool. It points to the caller's `tables`, TOOL_TABLES of them. */
#define TOOL_TABLES 8
struct doc tool_doc(const struct tool *tool, struct opt_table tables[TOOL_TABLES]);

#endif
