// SPDX-License-Identifier: BSD-2-Clause
/* execsnoop: programs as they are executed, with their whole command line. */
#include <regex.h>

#include "engine/command_line.h"
#include "engine/event.h"
#include "engine/filter.h"
#include "run/filter_parse.h"
#include "tools/execsnoop.h"
#include "tools/execsnoop.skel.h"

static struct {
	bool failed, quote, uid;
	const char *name, *line;
	uint32_t max_args, ppid;
} settings;

static struct execsnoop_config config;
static regex_t name_regex, line_regex;

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), failed, 'x', "fails", NULL, "print failed execs, too"),
	OPT(OPT_BOOL, typeof(settings), quote, 'q', "quote", NULL, "quote arguments so that a shell reads them back"),
	OPT(OPT_STRING, typeof(settings), name, 'n', "name", "NAME",
	    "only if the command's name matches this regular expression"),
	OPT(OPT_STRING, typeof(settings), line, 'l', "line", "LINE",
	    "only if the arguments match this regular expression"),
	OPT(OPT_BOOL, typeof(settings), uid, 'U', "print-uid", NULL, "show the user's id"),
	OPT(OPT_U32, typeof(settings), max_args, 0, "max-args", "N", "show no more than N arguments", .min = 1),
	OPT(OPT_U32, typeof(settings), ppid, 'P', "ppid", "PPID", "only children of this process", .min = 1),
};

static int compile(regex_t *regex, const char *text, const char *option, struct err *err)
{
	int ret = text ? regcomp(regex, text, REG_EXTENDED | REG_NOSUB) : 0;
	char why[128];

	if (!ret)
		return 0;
	regerror(ret, regex, why, sizeof(why));
	return err_set(err, -EINVAL, "--%s takes a regular expression, which '%s' is not: %s", option, text, why);
}

static int configure(struct engine_instance *instance, struct err *err)
{
	int ret = compile(&name_regex, settings.name, "name", err);

	if (!ret)
		ret = filter_check_parent(settings.ppid, err);
	config.ppid = settings.ppid;
	config.reader_pidns = filter_pidns();
	return ret ? ret : compile(&line_regex, settings.line, "line", err);
}

/* As it was typed: the name that was executed, then the arguments; no more of them than --max-args. */
static void get_line(struct value *to, const void *row, const void *ctx)
{
	static char more[64];
	const struct execsnoop_event *e = row;
	const char *end = e->data + e->args_at + e->args_size, *arg = e->data + e->args_at;
	uint32_t n = 1;

	/* a failed exec has not replaced the arguments */
	arg = e->ret ? command_line_next(arg, end) : command_line_typed(arg, end, e->data);
	str_addn(to->room, e->data, strlen(e->data) + 1);
	for (; arg < end && (!settings.max_args || n < settings.max_args); arg = command_line_next(arg, end), n++) {
		str_addn(to->room, arg, strnlen(arg, end - arg));
		str_addc(to->room, 0);
	}
	value_set_words(to, to->room->data, to->room->len);
	if (arg < end || (e->ret && e->args_size < e->args_total)) {
		to->more = " ...";
	} else if (e->args_size < e->args_total) {
		snprintf(more, sizeof(more), " ... (%u bytes cut)", e->args_total - e->args_size);
		to->more = more;
	}
}

static void get_args(struct value *to, const void *row, const void *ctx)
{
	const struct execsnoop_event *e = row;

	value_set_words(to, e->data + e->args_at, e->args_size);
}

static void get_path(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, ((const struct execsnoop_event *)row)->data);
}

static void get_whole(struct value *to, const void *row, const void *ctx)
{
	const struct execsnoop_event *e = row;

	value_set_bool(to, e->args_size == e->args_total);
}

static const struct field fields[] = {
	EVENT_TIMES,
	EVENT_ID(uid, "UID", -6, .shown = &settings.uid),
	EVENT_COMM("PCOMM", -16),
	EVENT_ID(pid, "PID", -7),
	EVENT_ID(ppid, "PPID", -7),
	FIELD(FIELD_S32, struct execsnoop_event, ret, "ret", "RET", 3),
	EVENT_ERROR(struct execsnoop_event, ret),
	DATA_GET(FIELD_PATH, get_path, "path"),
	DATA_GET(FIELD_LIST, get_args, "args"),
	TEXT_GET(FIELD_LIST, get_line, "ARGS", -1, .quoted = &settings.quote),
	DATA_GET(FIELD_BOOL, get_whole, "args_whole"),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct field shown_line = TEXT_GET(FIELD_LIST, get_line, "ARGS", -1, .quoted = &settings.quote);

/* The kernel keeps the begin of a name: where the file's begins with that, it is the whole of it. */
static bool name_matches(const struct execsnoop_event *e)
{
	const char *comm = e->event.comm, *slash = strrchr(e->data, '/'), *file = slash ? slash + 1 : e->data;
	size_t len = strlen(comm);

	if (!regexec(&name_regex, comm, 0, NULL, 0))
		return true;
	return len == sizeof(e->event.comm) - 1 && !strncmp(file, comm, len) && !regexec(&name_regex, file, 0, NULL, 0);
}

static bool show(const struct event *event, size_t size)
{
	static struct str line;

	if (settings.name && !name_matches((const void *)event))
		return false;
	if (!settings.line)
		return true;
	str_reset(&line);
	output_add_text(&line, &shown_line, event, NULL);
	return !regexec(&line_regex, line.data, 0, NULL, 0);
}

static const struct progs_probe probes[] = {
	[EXECSNOOP_EXEC] = { .program = "exec_done", .system = "sched", .name = "sched_process_exec" },
	[EXECSNOOP_EXECVE] = { .program = "exec_failed", .syscall = "execve", .when = &settings.failed },
	[EXECSNOOP_EXECVEAT] = { .program = "exec_failed", .syscall = "execveat", .when = &settings.failed },
};

static const struct event_source source = {
	.progs = {
		PROGS(execsnoop),
		PROGS_PROBES(probes),
		PROGS_CONFIG(config),
		.configure = configure,
		.what = "new programs",
	},
	.show = show,
};

TOOL(execsnoop, .brief = "print each program that is executed, with its arguments", .args = "[-- COMMAND [ARG]...]",
     .schema = &schema, EVENT_ENGINE(source), .letters = "u:uid",
     OPTIONS(options), .settings = &settings,
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
