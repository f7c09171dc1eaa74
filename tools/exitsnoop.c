// SPDX-License-Identifier: BSD-2-Clause
/* exitsnoop: processes as they end, how, and after what time. */
#include <time.h>

#include "engines/event.h"
#include "output/wait_status.h"
#include "run/tool.h"
#include "tools/exitsnoop.h"
#include "tools/exitsnoop.skel.h"

struct settings {
	bool utc, labelled;
	const char *label;
	struct exitsnoop_config config;
	char time_title[16];
	/* of --comm: the name of a process is that of its first thread, and the kernel's filter would ask the last */
	char comm[FILTER_COMM_LEN];
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, utc, 0, "utc", NULL, "show times in UTC, not in the local time zone"),
	OPT(OPT_BOOL, struct settings, config.failed, 'x', "failed", NULL,
	    "only exits with a code other than 0, or by a signal"),
	OPT(OPT_BOOL, struct settings, config.per_thread, 0, "per-thread", NULL,
	    "a row for each thread (--tid implies this)"),
	OPT(OPT_STRING, struct settings, label, 0, "label", "LABEL", "show LABEL in each row"),
};

static void set_time_title(struct settings *settings)
{
	char *title = settings->time_title;
	size_t size = sizeof(settings->time_title);
	time_t now = time(NULL);
	struct tm tm = {};

	if (settings->utc)
		setenv("TZ", "UTC0", 1);
	tzset();
	localtime_r(&now, &tm);
	if (!strftime(title, size, "TIME-%Z", &tm))
		strcpy(title, "TIME");
}

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->config.per_thread |= instance->ctx->tid != 0;
	settings->labelled = settings->label;
	set_time_title(settings);
	engine_own_fields(instance)[0].title = settings->time_title;
	if (!settings->config.per_thread && instance->filter.by_comm) {
		memcpy(settings->comm, instance->filter.comm, sizeof(settings->comm));
		instance->filter.by_comm = 0;
	}
	return 0;
}

static bool show(const struct engine_instance *instance, const struct event *event)
{
	const char *comm = ((const struct settings *)instance->tool_settings)->comm;

	return !*comm || !strncmp(event->comm, comm, FILTER_COMM_LEN);
}

static void get_label(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, ((const struct settings *)engine_tool_settings(ctx))->label);
}

static const struct field fields[] = {
	FIELD(FIELD_TIME, struct event, time, "time", "TIME", -12, .decimals = 3, .with = FIELD_WITH_TIME),
	EVENT_TIMESTAMP,
	FIELD_GET(FIELD_STR, get_label, "label", "LABEL", -5, .shown = IS_SET(labelled)),
	EVENT_COMM("PCOMM", -16),
	EVENT_ID(pid, "PID", -7),
	EVENT_ID(ppid, "PPID", -7),
	EVENT_ID(tid, "TID", -7),
	EVENT_ID_DATA(uid),
	FIELD(FIELD_DURATION, struct exitsnoop_event, age, "age_ns", "AGE(s)", -7, .unit = UNIT_SECONDS, .decimals = 2),
	WAIT_STATUS_FIELDS(struct exitsnoop_event, code, "EXIT_CODE", -1),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct progs_probe probes[] = {
	{ .program = "thread_exit", .system = "sched", .name = "sched_process_exit" },
};

static const struct event_source source = {
	.progs = {
		PROGS(exitsnoop),
		PROGS_PROBES(probes),
		PROGS_CONFIG(struct settings, config),
		.configure = configure,
		.what = "exits",
	},
	.show = show,
};

TOOL(exitsnoop, .brief = "processes that end: exit code or signal, and age", .args = "[-- COMMAND [ARG]...]",
     .group = GROUP_HAPPENED,
     .schema = &schema, EVENT_ENGINE(source),
     OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Prints a row for each process when the last of its threads ends, with the name and the id of its "
	     "first thread: its parent, its age in seconds, and how it ended: 0, a code, or a signal and whether a "
	     "core was written. JSON has the code, the signal and the core as separate fields, null if there is "
	     "none, and the age in nanoseconds.\n\n"
	     "With --per-thread each thread has a row, with its own name, age and code. A thread that executes a "
	     "program takes over the id of the process's first thread, which ends at that moment.\n\n"
	     "Ids are those of the host; --pidns shows those of sonde's own pid namespace.",
     EXAMPLES({ "sonde exitsnoop", "all exits, until Ctrl-C" },
	      { "sonde exitsnoop -x -T", "processes that failed or were killed, with the time" },
	      { "sonde exitsnoop --per-thread -p 181", "the threads of process 181" },
	      { "sonde exitsnoop -- make -j4", "what a build runs" },
	      { "sonde exitsnoop -j | jq 'select(.core_dumped)'", "as data" }));
