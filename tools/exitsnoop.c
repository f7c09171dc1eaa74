// SPDX-License-Identifier: BSD-2-Clause
/* exitsnoop: processes as they end, how, and after what time. */
#include <sys/wait.h>
#include <time.h>

#include "output/clock.h"
#include "output/words.h"
#include "engine/event.h"
#include "run/tool.h"
#include "tools/exitsnoop.h"
#include "tools/exitsnoop.skel.h"

static struct {
	bool utc, failed, per_thread, labelled;
	const char *label;
} settings;

static struct exitsnoop_config config;
static char time_title[16];
/* Of --comm: the name of a process is that of its first thread, and the kernel's filter would ask the last. */
static char comm[FILTER_COMM_LEN];

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), utc, 0, "utc", NULL, "times in UTC, not in the local time zone"),
	OPT(OPT_BOOL, typeof(settings), failed, 'x', "failed", NULL, "only exits with another code than 0, or by a signal"),
	OPT(OPT_BOOL, typeof(settings), per_thread, 0, "per-thread", NULL, "a row for each thread (--tid asks for this, too)"),
	OPT(OPT_STRING, typeof(settings), label, 0, "label", "LABEL", "show LABEL in each row"),
};

static void set_time_title(void)
{
	time_t now = time(NULL);
	struct tm tm = {};

	if (settings.utc)
		setenv("TZ", "UTC0", 1);
	tzset();
	localtime_r(&now, &tm);
	if (!strftime(time_title, sizeof(time_title), "TIME-%Z", &tm))
		strcpy(time_title, "TIME");
}

static int configure(struct engine_instance *instance, struct err *err)
{
	config.failed = settings.failed;
	config.per_thread = settings.per_thread || instance->ctx->tid;
	settings.labelled = settings.label;
	set_time_title();
	if (!config.per_thread && instance->filter.by_comm) {
		memcpy(comm, instance->filter.comm, sizeof(comm));
		instance->filter.by_comm = 0;
	}
	return 0;
}

static bool show(const struct event *event, size_t size)
{
	return !*comm || !strncmp(event->comm, comm, sizeof(comm));
}

static void add_time(struct str *s, const void *row, enum output_format format)
{
	uint64_t ns = event_wall_ns(row);

	event_add_time(s, row, format);
	if (format == OUTPUT_TEXT)
		str_addf(s, ".%03u", (unsigned int)(ns / 1000000 % 1000));
}

static void add_label(struct str *s, const void *row, enum output_format format)
{
	if (format == OUTPUT_TEXT)
		str_add_shown(s, settings.label, strlen(settings.label));
	else if (settings.label)
		str_add_json(s, settings.label, strlen(settings.label));
	else
		str_add(s, "null");
}

static void add_age(struct str *s, const void *row, enum output_format format)
{
	uint64_t age = ((const struct exitsnoop_event *)row)->age;

	if (format == OUTPUT_TEXT)
		clock_add_seconds(s, age + 5000000, 2);
	else
		str_add_u64(s, age);
}

static void add_end(struct str *s, int code)
{
	if (WIFSIGNALED(code)) {
		str_addf(s, "signal %d (", WTERMSIG(code));
		words_add_signal(s, WTERMSIG(code), OUTPUT_TEXT);
		str_add(s, WCOREDUMP(code) ? "), core dumped" : ")");
	} else if (WEXITSTATUS(code)) {
		str_addf(s, "code %d", WEXITSTATUS(code));
	} else {
		str_addc(s, '0');
	}
}

static void add_exit_code(struct str *s, const void *row, enum output_format format)
{
	int code = ((const struct exitsnoop_event *)row)->code;

	if (format == OUTPUT_TEXT)
		add_end(s, code);
	else if (WIFSIGNALED(code))
		str_add(s, "null");
	else
		str_add_u64(s, WEXITSTATUS(code));
}

static void add_signal(struct str *s, const void *row, enum output_format format)
{
	int code = ((const struct exitsnoop_event *)row)->code;

	if (WIFSIGNALED(code))
		str_add_u64(s, WTERMSIG(code));
	else
		str_add(s, "null");
}

static void add_signal_name(struct str *s, const void *row, enum output_format format)
{
	int code = ((const struct exitsnoop_event *)row)->code;

	words_add_signal(s, WTERMSIG(code), format);
}

static void add_core_dumped(struct str *s, const void *row, enum output_format format)
{
	str_add(s, WCOREDUMP(((const struct exitsnoop_event *)row)->code) ? "true" : "false");
}

static const struct field fields[] = {
	FIELD_BY(add_time, "time", time_title, -12, .shown = &event_columns.time),
	EVENT_TIMESTAMP,
	FIELD_BY(add_label, "label", "LABEL", -5, .shown = &settings.labelled),
	FIELD(FIELD_CHARS, struct event, comm, "comm", "PCOMM", -16),
	FIELD(FIELD_U32, struct event, pid, "pid", "PID", -7),
	FIELD(FIELD_U32, struct event, ppid, "ppid", "PPID", -7),
	FIELD(FIELD_U32, struct event, tid, "tid", "TID", -7),
	FIELD(FIELD_U32, struct event, uid, "uid", NULL, 0, .json_only = true),
	FIELD_BY(add_age, "age_ns", "AGE(s)", -7),
	FIELD_BY(add_exit_code, "exit_code", "EXIT_CODE", -1),
	FIELD_BY(add_signal, "signal", NULL, 0, .json_only = true),
	FIELD_BY(add_signal_name, "signal_name", NULL, 0, .json_only = true),
	FIELD_BY(add_core_dumped, "core_dumped", NULL, 0, .json_only = true),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct event_probe probes[] = {
	{ .program = "thread_exit", .system = "sched", .name = "sched_process_exit" },
};

static const struct event_source source = {
	EVENT_OBJECT(exitsnoop),
	EVENT_PROBES(probes),
	EVENT_CONFIG(config),
	.configure = configure,
	.show = show,
	.what = "exits",
};

TOOL(exitsnoop, .brief = "print each process that ends, how and after what time", .args = "[-- COMMAND [ARG]...]",
     .schema = &schema, EVENT_ENGINE(source),
     OPTIONS(options), .settings = &settings,
     .description =
	     "Prints a row for each process when the last of its threads ends, with the name and the id of its first "
	     "thread: its parent, the seconds since it began, and how it ended: 0, a code, or a signal, and then "
	     "whether a core was written. JSON has the code, the signal and the core as fields of their own, null "
	     "where there is none, and the age in nanoseconds.\n\n"
	     "With --per-thread each thread has a row, with its own name, age and code. A thread that executes a "
	     "program takes over the id of its process's first thread, which ends then.\n\n"
	     "Ids are the host's; --pidns shows those of our own pid namespace.",
     EXAMPLES({ "sonde exitsnoop", "all exits, until Ctrl-C" },
	      { "sonde exitsnoop -x -T", "what failed or was killed, with the time" },
	      { "sonde exitsnoop --per-thread -p 181", "the threads of process 181" },
	      { "sonde exitsnoop -- make -j4", "what a build runs" },
	      { "sonde exitsnoop -j | jq 'select(.core_dumped)'", "as data" }));
