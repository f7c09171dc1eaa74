// SPDX-License-Identifier: BSD-2-Clause
/* cpudist: how long tasks run at a time, or how long they do not. */
#include "engines/dist.h"
#include "run/tool.h"
#include "tools/cpudist.h"
#include "tools/cpudist.skel.h"

/* Tasks that have lost their processor and not got one again. */
#define SLEEPING 16384

static struct {
	bool on, off, msecs, pids, tids;
	struct cpudist_config config;
} settings;

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), off, 'O', "offcpu", NULL, "how long tasks do not run"),
	OPT(OPT_BOOL, typeof(settings), config.idle, 'I', "include-idle", NULL,
	    "include idle processors, as process 0"),
	OPT(OPT_BOOL, typeof(settings), msecs, 'm', "milliseconds", NULL, "in milliseconds"),
	OPT(OPT_BOOL, typeof(settings), pids, 'P', "pids", NULL, "a histogram for each process"),
	OPT(OPT_BOOL, typeof(settings), tids, 'L', "tids", NULL, "a histogram for each thread"),
};

static const struct dist_kind kinds[] = {
	{ .name = "pid", .when = &settings.pids, .labelled = true },
	{ .name = "tid", .when = &settings.tids, .labelled = true },
};

static const struct progs_probe probes[] = {
	{ .program = "on_cpu", .system = "sched", .name = "sched_switch", .raw = true, .when = &settings.on },
	{ .program = "off_cpu", .system = "sched", .name = "sched_switch", .raw = true, .when = &settings.off },
};

static struct dist_source source;

static int configure(struct engine_instance *instance, struct err *err)
{
	settings.on = !settings.off;
	source.progs.what = settings.off ? "off-CPU time" : "on-CPU time";
	source.progs.pending.entries = settings.off ? SLEEPING : 0;
	return 0;
}

static struct dist_source source = {
	.progs = { PROGS(cpudist), PROGS_PROBES(probes), PROGS_CONFIG(settings.config), .configure = configure,
		   .pending = { "tasks sleeping at a time" } },
	DIST_KINDS(kinds),
	.msecs = &settings.msecs,
};

TOOL(cpudist, .brief = "how long tasks run at a time, or do not run, as a histogram",
     .group = GROUP_LONG,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &dist_task_charts, DIST_ENGINE(source),
     OPTIONS(options), SETTINGS(settings),
     .description =
	     "Measures how long a task runs, from when it gets a processor until it loses it; with -O how long a "
	     "task is without a processor, asleep or waiting. Prints a histogram in microseconds at the end, or "
	     "every INTERVAL seconds, COUNT times. A time counts when it ends; pending times are not shown.",
     EXAMPLES({ "sonde cpudist", "until Ctrl-C" },
	      { "sonde cpudist -O 1 10", "time off the processor, every second, ten times" },
	      { "sonde cpudist -P -m", "a histogram for each process, in milliseconds" },
	      { "sonde cpudist -p 185 --precise", "one process, with percentiles" },
	      { "sonde cpudist -L -- make -j4", "the threads of a command and its children" }));
