// SPDX-License-Identifier: BSD-2-Clause
/* bashreadline: lines as they are entered in bash. */
#include "base/report.h"
#include "engines/event.h"
#include "probe/readline.h"
#include "run/tool.h"
#include "binary/library.h"
#include "tools/bashreadline.h"
#include "tools/bashreadline.skel.h"

struct settings {
	const char *shared, *shell;
	struct readline_probe readline;
	const char *shell_name; /* only lines of commands with this name are shown; NULL: all lines */
};

static const struct opt options[] = {
	OPT(OPT_STRING, struct settings, shared, 's', "shared", "LIBRARY", "the libreadline to watch, a path or a name"),
	OPT(OPT_STRING, struct settings, shell, 0, "shell", "PATH",
	    "the shell to watch, if it is not the bash in PATH"),
};

/* The user's; else the traced process's own program; else the one that a shell would start. */
static const char *shell_object(const struct settings *settings, pid_t pid)
{
	struct library library;

	if (settings->shell || pid)
		return settings->shell ? settings->shell : "exe";
	if (library_find("bash", 0, &library, NULL))
		return "/bin/bash";
	library_release(&library);
	return "bash";
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	const char *shared = settings->shared;
	pid_t pid = instance->ctx->pid;
	bool chosen = pid || instance->ctx->tid || instance->filter.by_comm || instance->ctx->command.pid;
	int ret = readline_find(shared ? shared : shell_object(settings, pid), pid, &settings->readline, err);

	if (ret)
		return ret;
	report_verbose("the probe is %s", settings->readline.spec);
	/* other programs read lines with the library, too */
	if ((shared || settings->readline.linked) && !chosen)
		settings->shell_name = settings->shell ? file_of(settings->shell) : "bash";
	return 0;
}

static bool show(const struct engine_instance *instance, const struct event *event)
{
	const char *name = ((const struct settings *)instance->tool_settings)->shell_name;

	return !name || !strncmp(event->comm, name, sizeof(event->comm) - 1);
}

static void get_line(struct value *to, const void *row, const void *ctx)
{
	const struct bashreadline_event *e = row;

	if (e->unread)
		return;
	value_set_text(to, e->line);
	to->more = e->cut ? "..." : NULL;
}

static void get_whole(struct value *to, const void *row, const void *ctx)
{
	const struct bashreadline_event *e = row;

	value_set_bool(to, !e->cut && !e->unread);
}

static const struct field fields[] = {
	FIELD(FIELD_TIME, struct event, time, "time", "TIME", -9),
	EVENT_TIMESTAMP,
	EVENT_ID(pid, "PID", -7),
	EVENT_ID_DATA(tid),
	EVENT_ID_DATA(ppid),
	EVENT_ID_DATA(uid),
	DATA(FIELD_CHARS, struct event, comm, "comm", .role = ROLE_TASK),
	FIELD_GET(FIELD_STR, get_line, "command", "COMMAND", -1, .absent = "?"),
	DATA_GET(FIELD_BOOL, get_whole, "command_whole"),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct progs_probe probes[] = {
	{ .program = "line_entered", .spec = SETTING(char *, struct settings, readline.spec) },
};

static const struct event_source source = {
	.progs = {
		PROGS(bashreadline),
		PROGS_PROBES(probes),
		.configure = configure,
		.what = "lines entered in bash",
	},
	.show = show,
};

TOOL(bashreadline, .brief = "print each line that is entered in bash", .args = "[-- COMMAND [ARG]...]",
     .group = GROUP_WHO,
     .schema = &schema, EVENT_ENGINE(source), .letters = "u:uid", OPTIONS(options),
     SETTINGS(struct settings),
     .description =
	     "Prints a row for each line that readline returns to a shell, before the shell executes it and whether "
	     "or not it is a command. Lines of any length up to 1 MB are shown whole; a row that is cut ends with "
	     "'...'. A shell without line editing (bash --noediting, a script, dash) does not use readline and is "
	     "not seen.\n\n"
	     "sonde watches the bash in PATH, otherwise /bin/bash; with --pid it watches that process's program. If "
	     "readline is not built into it, sonde watches the libreadline that it is linked to, and leaves out "
	     "other programs that use this library, unless --pid, --tid, --comm or the command asks for one.",
     EXAMPLES({ "sonde bashreadline", "lines from all shells, until Ctrl-C" },
	      { "sonde bashreadline -u www-data", "lines of one user" },
	      { "sonde bashreadline -p 1234", "lines of one shell, which may be in a container" },
	      { "sonde bashreadline -s readline --comm gdb", "lines of another program that uses libreadline" },
	      { "sonde bashreadline -j | jq .command", "as data" }));
