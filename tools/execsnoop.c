// SPDX-License-Identifier: BSD-2-Clause
/* execsnoop: programs as they are executed, with their whole command line. */
#include "engine/filter.h"
#include "engines/command_line.h"
#include "engines/event.h"
#include "probe/regex.h"
#include "run/filter_parse.h"
#include "tools/execsnoop.h"
#include "tools/execsnoop.skel.h"

struct settings {
	bool failed, quote, uid;
	struct regex_option name, line;
	uint32_t max_args;
	struct execsnoop_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, failed, 'x', "fails", NULL, "also print failed execs"),
	OPT(OPT_BOOL, struct settings, quote, 'q', "quote", NULL, "quote arguments so that a shell reads them back"),
	OPT(OPT_CALL, struct settings, name, 'n', "name", "NAME",
	    "only if the command's name matches this regular expression", .call = regex_set, .release = regex_release),
	OPT(OPT_CALL, struct settings, line, 'l', "line", "LINE",
	    "only if the arguments match this regular expression", .call = regex_set, .release = regex_release),
	OPT(OPT_BOOL, struct settings, uid, 'U', "print-uid", NULL, "show the user's id"),
	OPT(OPT_U32, struct settings, max_args, 0, "max-args", "N", "show no more than N arguments", .min = 1),
	OPT(OPT_U32, struct settings, config.ppid, 'P', "ppid", "PPID", "only children of this process", .min = 1),
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->config.reader_pidns = filter_pidns();
	return filter_check_parent(settings->config.ppid, err);
}

/* As it was typed: the name that was executed, then the arguments; no more of them than --max-args. */
static void get_line(struct value *to, const void *row, const void *ctx)
{
	const struct settings *settings = engine_tool_settings(ctx);
	const struct execsnoop_event *e = row;

	command_line_get(to, &e->args, e->data, e->ret, settings->max_args);
	to->quoted = settings->quote;
}

static void get_args(struct value *to, const void *row, const void *ctx)
{
	const struct execsnoop_event *e = row;

	value_set_words(to, e->data + e->args.at, e->args.size);
}

static void get_path(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, ((const struct execsnoop_event *)row)->data);
}

static void get_whole(struct value *to, const void *row, const void *ctx)
{
	const struct execsnoop_event *e = row;

	value_set_bool(to, e->args.size == e->args.total);
}

static const struct field fields[] = {
	EVENT_TIMES,
	EVENT_ID(uid, "UID", -6, .shown = IS_SET(uid)),
	EVENT_COMM("PCOMM", -16),
	EVENT_ID(pid, "PID", -7),
	EVENT_ID(ppid, "PPID", -7),
	FIELD(FIELD_S32, struct execsnoop_event, ret, "ret", "RET", 3),
	EVENT_ERROR(struct execsnoop_event, ret),
	DATA_GET(FIELD_PATH, get_path, "path"),
	DATA_GET(FIELD_LIST, get_args, "args"),
	TEXT_GET(FIELD_LIST, get_line, "ARGS", -1),
	DATA_GET(FIELD_BOOL, get_whole, "args_whole"),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct field shown_line = TEXT_GET(FIELD_LIST, get_line, "ARGS", -1);

/* The kernel keeps the begin of a name: if the name of the file begins with that, it is the whole name. */
static bool name_matches(const struct regex_option *name, const struct execsnoop_event *e)
{
	const char *comm = e->event.comm, *slash = strrchr(e->data, '/'), *file = slash ? slash + 1 : e->data;
	size_t len = strlen(comm);

	if (regex_matches(name, comm))
		return true;
	return len == sizeof(e->event.comm) - 1 && !strncmp(file, comm, len) && regex_matches(name, file);
}

static bool show(const struct engine_instance *instance, const struct event *event)
{
	const struct settings *settings = instance->tool_settings;
	__str struct str line = {};

	if (!name_matches(&settings->name, (const void *)event))
		return false;
	if (!settings->line.given)
		return true;
	output_add_text(&line, &shown_line, event, instance);
	return regex_matches(&settings->line, str_or_empty(line.data));
}

static const struct progs_probe probes[] = {
	[EXECSNOOP_EXEC] = { .program = "exec_done", .system = "sched", .name = "sched_process_exec" },
	[EXECSNOOP_EXECVE] = { .program = "exec_failed", .syscall = "execve", .when = IS_SET(failed) },
	[EXECSNOOP_EXECVEAT] = { .program = "exec_failed", .syscall = "execveat", .when = IS_SET(failed) },
};

static const struct event_source source = {
	.progs = {
		PROGS(execsnoop),
		PROGS_PROBES(probes),
		PROGS_CONFIG(struct settings, config),
		.configure = configure,
		.what = "new programs",
	},
	.show = show,
};

TOOL(execsnoop, .brief = "print each program that is executed, with its arguments", .args = "[-- COMMAND [ARG]...]",
     .group = GROUP_WHO,
     .schema = &schema, EVENT_ENGINE(source), .letters = "u:uid",
     OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Prints a row for each exec: the name of the new command, its process and parent, what the call "
	     "returned, and the whole command line: the name that was executed, then the arguments. A script is "
	     "shown as it was called; JSON has the arguments as the interpreter gets them. If a row is cut, it says "
	     "so. The kernel keeps 15 bytes of a command's name; --name matches these and the whole name of the "
	     "file. The arguments of a failed exec are read from the caller's memory when the call returns; another "
	     "thread may have changed them by then.\n\n"
	     "Ids are those of the host; --pidns shows those of sonde's own pid namespace. Filters apply to a "
	     "process as it is after the exec.",
     EXAMPLES({ "sonde execsnoop", "all new programs, until Ctrl-C" },
	      { "sonde execsnoop -x -T", "failed execs too, with the time" },
	      { "sonde execsnoop -n '^ssh' -l -i", "by name and by argument" },
	      { "sonde execsnoop -q -- make -j4", "what a build executes, quoted for a shell" },
	      { "sonde execsnoop -j | jq .args", "as data" }));
