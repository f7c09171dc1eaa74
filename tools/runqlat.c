// SPDX-License-Identifier: BSD-2-Clause
/* runqlat: how long tasks wait for a processor. */
#include "engines/dist.h"
#include "run/tool.h"
#include "tools/runqlat.skel.h"

struct settings {
	bool msecs, pids, pidnss, tids;
};

static const struct opt options[] = {
	DIST_MSECS(struct settings),
	DIST_PIDS(struct settings),
	OPT(OPT_BOOL, struct settings, pidnss, 0, "pidnss", NULL, "a histogram for each pid namespace"),
	DIST_TIDS(struct settings),
};

static const struct dist_kind kinds[] = {
	DIST_TASK_KINDS(struct settings),
	{ .name = "pidns", .when = IS_SET(pidnss) },
};

/* The ends are watched before the begins: none is left that would make a later one seem to have begun early. */
static const struct progs_probe probes[] = {
	{ .program = "switched", .system = "sched", .name = "sched_switch", .raw = true },
	{ .program = "woken", .system = "sched", .name = "sched_wakeup", .raw = true },
	{ .program = "woken", .system = "sched", .name = "sched_wakeup_new", .raw = true },
};

static const struct dist_source source = {
	.progs = { PROGS(runqlat), PROGS_PROBES(probes), .what = "run queue latency",
		   .pending = { "tasks waiting at a time", 4096 } },
	DIST_KINDS(kinds),
	.msecs = IS_SET(msecs),
};

TOOL(runqlat, .brief = "how long tasks wait for a processor, as a histogram",
     .group = GROUP_LONG,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &dist_task_charts, DIST_ENGINE(source),
     OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Measures how long a task waits on a run queue, from when it is woken, or loses its processor while it "
	     "could go on, until it runs. Prints a histogram in microseconds at the end, or every INTERVAL seconds, "
	     "COUNT times.\n\n"
	     "A process has the name of its first thread. If there are more processes, threads or namespaces than "
	     "--max-keys allows, sonde counts and reports the values of the others. A task that has ended and was "
	     "waited for belongs to pid namespace 0.",
     EXAMPLES({ "sonde runqlat", "until Ctrl-C" },
	      { "sonde runqlat 1 10", "a histogram every second, ten times" },
	      { "sonde runqlat -P -m", "a histogram for each process, in milliseconds" },
	      { "sonde runqlat -p 185 --precise", "one process, with percentiles" },
	      { "sonde runqlat --linear 100 -- make -j4",
		"a command and its children, in buckets of 100 microseconds" }));
