// SPDX-License-Identifier: BSD-2-Clause
/* biosnoop: requests to disks as they complete, and who made them. */
#include "engines/block.h"
#include "run/tool.h"
#include "tools/biosnoop.skel.h"

struct settings {
	bool queue, pattern;
	const char *disk;
	uint32_t pending, disks;
	struct block_io_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, queue, 'Q', "queue", NULL, "include the time in the kernel's queue"),
	BLOCK_DISK(struct settings, disk),
	OPT(OPT_BOOL, struct settings, pattern, 'P', "pattern", NULL, "show what is sequential (S) or random (R)"),
	PROGS_MAX_PENDING(struct settings, pending),
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->config.pattern = settings->pattern;
	settings->disks = settings->pattern ? 4096 : 0;
	return settings->disk ? block_find_disk(&settings->config.wanted, settings->disk, err) : 0;
}

static const struct field fields[] = {
	FIELD(FIELD_TIME, struct event, time, "time", "TIME", -8, .with = FIELD_WITH_TIME),
	FIELD(FIELD_ELAPSED, struct event, time, "boot_ns", "TIME(s)", -11),
	EVENT_COMM("COMM", -14),
	EVENT_ID(pid, "PID", -7),
	EVENT_ID_DATA(tid),
	EVENT_ID_DATA(uid),
	FIELD(FIELD_CHARS, struct block_io, disk, "disk", "DISK", -9, .role = ROLE_LABEL),
	BLOCK_IO_TYPE,
	BLOCK_IO_FLAGS,
	FIELD(FIELD_U64, struct block_io, sector, "sector", "SECTOR", -10),
	FIELD(FIELD_BYTES, struct block_io, bytes, "bytes", "BYTES", -7, .role = ROLE_COUNTER),
	BLOCK_IO_PATTERN(IS_SET(pattern)),
	BLOCK_IO_QUEUED(IS_SET(queue)),
	BLOCK_IO_TOOK,
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct progs_probe probes[] = { BLOCK_IO_PROBES };
static const struct progs_map maps[] = { { "block_io_ends", SETTING(uint32_t, struct settings, disks) } };

static const struct event_source source = {
	.progs = {
		PROGS(biosnoop),
		PROGS_PROBES(probes),
		PROGS_MAPS(maps),
		PROGS_CONFIG(struct settings, config),
		.configure = configure,
		.pending = { "requests at a time", 8192, SETTING(uint32_t, struct settings, pending),
			     sizeof(struct block_io_entry) },
		.what = "block device I/O",
	},
};

TOOL(biosnoop, .brief = "print each request to a disk, who made it and its time",
     .group = GROUP_WHO,
     .args = "[-- COMMAND [ARG]...]", .schema = &schema, EVENT_ENGINE(source), OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Prints a row for each request when it completes. LAT is the time from when it was issued to the disk's "
	     "driver, QUE (-Q) the time before that. T is the operation: R read, W write, F flush, D discard; JSON has "
	     "it with its flags in bcc's words. With -P a request is sequential if it begins where the one of the row "
	     "before it, on the same disk, ended.\n\n"
	     "PID and COMM are of the task that made the request, and all filters go by it. A thread of the kernel "
	     "makes requests for others: what was written into a file or a disk without O_DIRECT belongs to that "
	     "thread, as does a flush, unless fsync(2) or sync(2) writes it at once.",
     EXAMPLES({ "sonde biosnoop", "all disks, until Ctrl-C" },
	      { "sonde biosnoop -Q -d sda", "one disk, with the time in the queue" },
	      { "sonde biosnoop -p 181", "what one process reads, and writes directly" },
	      { "sonde biosnoop -j -- fio job", "requests of a command, as data" }));
