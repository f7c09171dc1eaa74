// SPDX-License-Identifier: BSD-2-Clause
/* biolatency: how long requests to disks take. */
#include "bpf/block.h"
#include "engines/block.h"
#include "engines/dist.h"
#include "run/tool.h"
#include "tools/biolatency.h"
#include "tools/biolatency.skel.h"

struct settings {
	bool queued, msecs, disks, flags;
	const char *disk;
	struct biolatency_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, queued, 'Q', "queued", NULL, "include the time in the kernel's queue"),
	DIST_MSECS(struct settings),
	OPT(OPT_BOOL, struct settings, disks, 'D', "disks", NULL, "a histogram for each disk"),
	OPT(OPT_BOOL, struct settings, flags, 'F', "flags", NULL, "a histogram for each set of flags"),
	BLOCK_DISK(struct settings, disk),
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->config.queued = settings->queued;
	return settings->disk ? block_find_disk(&settings->config.wanted, settings->disk, err) : 0;
}

static const struct dist_kind kinds[] = {
	[BIOLATENCY_DISK] = { .name = "disk", .when = IS_SET(disks), .named = true },
	[BIOLATENCY_FLAGS] = { .name = "flags", .when = IS_SET(flags), .describe = block_describe },
};

/* The ends are watched before the begins. */
static const struct progs_probe probes[] = {
	{ .program = "completed", .system = "block", .name = "block_rq_complete", .raw = true },
	{ .program = "merged", .system = "block", .name = "block_rq_merge", .raw = true, .when = IS_SET(queued), .optional = true },
	{ .program = "issued", .system = "block", .name = "block_rq_issue", .raw = true },
	{ .program = "inserted", .system = "block", .name = "block_rq_insert", .raw = true, .when = IS_SET(queued) },
};

static const struct dist_source source = {
	.progs = {
		PROGS(biolatency),
		PROGS_PROBES(probes),
		PROGS_CONFIG(struct settings, config),
		.configure = configure,
		.pending = { "requests at a time", 16384 },
		.no_task = true,
		.what = "block device I/O",
	},
	DIST_KINDS(kinds),
	.msecs = IS_SET(msecs),
};

TOOL(biolatency, .brief = "how long requests to disks take, as a histogram",
     .group = GROUP_LONG,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &dist_charts, DIST_ENGINE(source),
     OPTIONS(options), SETTINGS(struct settings),
     LACKS(PROGS_LACKS_TASK("a request is often issued by a task that writes for others"),
	   { "cpu", "a request is issued by one processor and ends on another" }),
     .description =
	     "Measures the time from when a request is given to a disk's driver until it is done; with -Q from when "
	     "the request is put into the kernel's queue, if it is. Prints a histogram in microseconds at the end, "
	     "or every INTERVAL seconds, COUNT times. A request counts when it ends.\n\n"
	     "-F prints the flags in bcc's words, for example Sync-Write. A bit without a word is not shown.\n\n"
	     "A thread of the kernel often issues requests for others. With a COMMAND, the histogram has all "
	     "requests that end while the command runs.",
     EXAMPLES({ "sonde biolatency", "all disks, until Ctrl-C" },
	      { "sonde biolatency 1 10", "a histogram every second, ten times" },
	      { "sonde biolatency -D -m", "a histogram for each disk, in milliseconds" },
	      { "sonde biolatency -d sda -Q --precise", "one disk, with the time in the queue, with percentiles" },
	      { "sonde biolatency -F -- sync", "by flags, while a command runs" }));
