// SPDX-License-Identifier: BSD-2-Clause
/* opensnoop: files as they are opened, or fail to be. */
#include "engines/event.h"
#include "engines/event_path.h"
#include "run/tool.h"
#include "options/open_flags.h"
#include "tools/opensnoop.h"
#include "tools/opensnoop.skel.h"

struct settings {
	bool uid, extended;
	const char *name;
	struct opensnoop_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, uid, 'U', "print-uid", NULL, "show the user's id"),
	OPT(OPT_BOOL, struct settings, config.failed, 'x', "failed", NULL, "only opens that failed"),
	OPT(OPT_STRING, struct settings, name, 'n', "name", "NAME", "only processes whose name contains NAME"),
	OPT(OPT_BOOL, struct settings, extended, 'e', "extended_fields", NULL, "show the flags, in octal"),
	OPT(OPT_CALL, struct settings, config.wanted, 'f', "flag_filter", "FLAG",
	    "only opens with this flag (O_WRONLY, ...); may be repeated", .call = open_flags_add,
	    .offers = open_flags_offer),
	OPT(OPT_BOOL, struct settings, config.full_path, 'F', "full-path", NULL,
	    "show relative paths with their directory"),
};

/* The kernel keeps the begin of a name: one that is longer it can only be, not contain. */
static bool show(const struct engine_instance *instance, const struct event *event)
{
	const struct settings *settings = instance->tool_settings;
	const char *name = settings->name;
	size_t most = sizeof(event->comm) - 1;

	if (!name || strstr(event->comm, name))
		return true;
	return strlen(name) > most && !strncmp(event->comm, name, most);
}

/* --- columns --- */

static void get_fd(struct value *to, const void *row, const void *ctx)
{
	int ret = ((const struct opensnoop_event *)row)->ret;

	value_set_s64(to, ret < 0 ? -1 : ret);
}

static const struct field fields[] = {
	EVENT_TIMES,
	EVENT_ID(uid, "UID", -6, .shown = IS_SET(uid)),
	EVENT_ID(pid, "PID", -6),
	EVENT_ID_DATA(tid),
	EVENT_ID_DATA(ppid),
	EVENT_COMM("COMM", -16),
	FIELD_GET(FIELD_S32, get_fd, "fd", "FD", 4),
	FIELD(FIELD_ERRNO, struct opensnoop_event, ret, "errno", "ERR", 3),
	EVENT_ERROR_NAME(struct opensnoop_event, ret),
	FIELD(FIELD_U32, struct opensnoop_event, flags, "flags", "FLAGS", -8, .base = 8, .digits = 8, .shown = IS_SET(extended)),
	DATA(FIELD_U32, struct opensnoop_event, mode, "mode"),
	EVENT_PATH(struct opensnoop_event, path, "PATH", -1),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct progs_probe probes[] = {
	[OPENSNOOP_OPENAT] = { .program = "open_done", .syscall = "openat" },
	[OPENSNOOP_OPEN] = { .program = "open_done", .syscall = "open", .optional = true },
	[OPENSNOOP_OPENAT2] = { .program = "open_done", .syscall = "openat2", .optional = true },
	[OPENSNOOP_CREAT] = { .program = "open_done", .syscall = "creat", .optional = true },
};

static const struct event_source source = {
	.progs = {
		PROGS(opensnoop),
		PROGS_PROBES(probes),
		PROGS_CONFIG(struct settings, config),
		.what = "opened files",
	},
	.show = show,
};

TOOL(opensnoop, .brief = "print each file that is opened", .args = "[-- COMMAND [ARG]...]", .schema = &schema,
     .group = GROUP_WHO, .front = { "sonde opensnoop", "who opens which file" },
     EVENT_ENGINE(source), .letters = "t:tid u:uid", OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Prints a row for each open, openat, openat2 and creat: who called, the file descriptor or -1, the "
	     "number of the error, and the whole path. Files that io_uring opens and those of 32-bit processes are "
	     "not seen.\n\n"
	     "The path is what the caller's memory holds when the call returns, not the kernel's own copy. Another "
	     "thread can change that memory meanwhile, most easily while an open of a FIFO or on a FUSE file system "
	     "waits. So the path of a process that you do not trust is no evidence.\n\n"
	     "With several --flag_filter options, an open is shown if one of them matches. JSON has the flags as a "
	     "number, the name of the error, and the full path as a field of its own; that of a relative path only "
	     "with -F.",
     EXAMPLES({ "sonde opensnoop", "all opens, until Ctrl-C" },
	      { "sonde opensnoop -x -T", "opens that fail, with the time" },
	      { "sonde opensnoop -F -p 1234", "one process, relative paths with their directory" },
	      { "sonde opensnoop -f O_WRONLY -f O_RDWR -e", "files that are opened for writing" },
	      { "sonde opensnoop -- make", "files that a command and its children open" }));
