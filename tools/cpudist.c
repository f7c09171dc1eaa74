// SPDX-License-Identifier: BSD-2-Clause
/* cpudist: how long tasks run at a time, or how long they do not. */
#include "engines/dist.h"
#include "run/tool.h"
#include "tools/cpudist.h"
#include "tools/cpudist.skel.h"

/* Tasks that have lost their processor and not got one again. */
#define SLEEPING 16384

struct settings {
	bool on, off, msecs, pids, tids;
	struct cpudist_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, off, 'O', "offcpu", NULL, "how long tasks do not run"),
	OPT(OPT_BOOL, struct settings, config.idle, 'I', "include-idle", NULL,
	    "include idle processors, as process 0"),
	DIST_MSECS(struct settings),
	DIST_PIDS(struct settings),
	DIST_TIDS(struct settings),
};

static const struct dist_kind kinds[] = {
	DIST_TASK_KINDS(struct settings),
};

static const struct progs_probe probes[] = {
	{ .program = "on_cpu", .system = "sched", .name = "sched_switch", .raw = true, .when = IS_SET(on) },
	{ .program = "off_cpu", .system = "sched", .name = "sched_switch", .raw = true, .when = IS_SET(off) },
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->on = !settings->off;
	own->what = settings->off ? "off-CPU time" : "on-CPU time";
	own->pending.entries = settings->off ? SLEEPING : 0;
	return 0;
}

static const struct dist_source source = {
	.progs = { PROGS(cpudist), PROGS_PROBES(probes), PROGS_CONFIG(struct settings, config), .configure = configure,
		   .pending = { "tasks sleeping at a time" } },
	DIST_KINDS(kinds),
	.msecs = IS_SET(msecs),
};

TOOL(cpudist, .brief = "how long tasks run at a time, or do not run, as a histogram",
     .group = GROUP_LONG,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &dist_task_charts, DIST_ENGINE(source),
     OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Measures how long a task runs, from when it gets a processor until it loses it; with -O how long a "
	     "task is without a processor, asleep or waiting. Prints a histogram in microseconds at the end, or "
	     "every INTERVAL seconds, COUNT times. A time counts when it ends; pending times are not shown.",
     EXAMPLES({ "sonde cpudist", "until Ctrl-C" },
	      { "sonde cpudist -O 1 10", "time off the processor, every second, ten times" },
	      { "sonde cpudist -P -m", "a histogram for each process, in milliseconds" },
	      { "sonde cpudist -p 185 --precise", "one process, with percentiles" },
	      { "sonde cpudist -L -- make -j4", "the threads of a command and its children" }));
