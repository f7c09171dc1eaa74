// SPDX-License-Identifier: BSD-2-Clause
/* biolatency: how long requests to disks take. */
#include <dirent.h>
#include <fcntl.h>

#include "bpf/block.h"
#include "engine/dist.h"
#include "run/tool.h"
#include "tools/biolatency.h"
#include "tools/biolatency.skel.h"

static struct {
	bool queued, msecs, disks, flags;
	const char *disk;
} settings;

static struct biolatency_config config;

static void offer_disks(const char *word, opt_offer_fn fn, void *ctx)
{
	DIR *dir = opendir("/sys/class/block");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		__free char *part = base_printf("/sys/class/block/%s/partition", entry->d_name);

		if (entry->d_name[0] != '.' && access(part, F_OK))
			fn(entry->d_name, ctx);
	}
	if (dir)
		closedir(dir);
}

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), queued, 'Q', "queued", NULL, "with the time in the kernel's queue"),
	OPT(OPT_BOOL, typeof(settings), msecs, 'm', "milliseconds", NULL, "in milliseconds"),
	OPT(OPT_BOOL, typeof(settings), disks, 'D', "disks", NULL, "a histogram for each disk"),
	OPT(OPT_BOOL, typeof(settings), flags, 'F', "flags", NULL, "a histogram for each set of flags"),
	OPT(OPT_STRING, typeof(settings), disk, 'd', "disk", "DISK", "only this disk: sda, /dev/sda", .offers = offer_disks),
};

/* --- words for what a request is --- */

static const char *const operations[] = {
	[0] = "Read",
	[1] = "Write",
	[2] = "Flush",
	[3] = "Discard",
	[5] = "SecureErase",
	[7] = "WriteSame",
	[9] = "WriteZeros",
};

/* From the front, as bcc has them. */
static const struct {
	enum block_flag flag;
	const char *word;
} words[] = {
	{ BLOCK_NOWAIT, "NoWait-" },
	{ BLOCK_BACKGROUND, "Background-" },
	{ BLOCK_RAHEAD, "ReadAhead-" },
	{ BLOCK_IDLE, "Idle-" },
	{ BLOCK_NOMERGE, "NoMerge-" },
	{ BLOCK_PRIO, "Priority-" },
	{ BLOCK_FUA, "ForcedUnitAccess-" },
	{ BLOCK_META, "Metadata-" },
	{ BLOCK_SYNC, "Sync-" },
};

static void describe(struct str *s, uint64_t flags)
{
	size_t operation = flags & BLOCK_OP_MASK;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (flags & words[i].flag)
			str_add(s, words[i].word);
	str_add(s, operation < ARRAY_SIZE(operations) && operations[operation] ? operations[operation] : "Unknown");
}

/* --- which disk --- */

/* By its directory in sysfs. */
static int read_number(const char *dir)
{
	__free char *path = base_printf("%s/dev", dir);
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -errno;
	return sscanf(text, "%u:%u", &config.major, &config.minor) == 2 ? 0 : -ENODEV;
}

/* Requests are a disk's; what is asked for may be a part of one, or no disk at all. */
static int find_disk(const char *name, struct err *err)
{
	const char *base = strncmp(name, "/dev/", 5) ? name : name + 5;
	__free char *dir = base_printf("/sys/class/block/%s", base);
	__free char *part = base_printf("%s/partition", dir);
	uint64_t seconds;

	if (!opt_seconds(name, &seconds))
		return err_set(err, -ENODEV, "there is no disk '%s' (to end after some seconds: --duration %s)", name, name);
	if (!*base || strchr(base, '/') || !strcmp(base, ".") || !strcmp(base, "..") || access(dir, F_OK))
		return err_set(err, -ENODEV, "there is no disk '%s' (/sys/class/block lists them)", name);
	if (!access(part, F_OK))
		return err_set(err, -EINVAL, "'%s' is a partition, and requests are the whole disk's: name that", name);
	if (read_number(dir))
		return err_set(err, -ENODEV, "cannot tell the number of the disk '%s'", name);
	config.one_disk = 1;
	return 0;
}

static int configure(struct engine_instance *instance, struct err *err)
{
	config.queued = settings.queued;
	return settings.disk ? find_disk(settings.disk, err) : 0;
}

static const struct field fields[] = { DIST_KEY("", 0), HIST_FIELDS };
static const struct schema schema = { fields, ARRAY_SIZE(fields), hist_draw };

static const struct dist_kind kinds[] = {
	[BIOLATENCY_DISK] = { .name = "disk", .when = &settings.disks, .named = true },
	[BIOLATENCY_FLAGS] = { .name = "flags", .when = &settings.flags, .describe = describe },
};

/* The ends are watched before the begins. */
static const struct event_probe probes[] = {
	{ .program = "completed", .system = "block", .name = "block_rq_complete", .raw = true },
	{ .program = "merged", .system = "block", .name = "block_rq_merge", .raw = true, .when = &settings.queued, .optional = true },
	{ .program = "issued", .system = "block", .name = "block_rq_issue", .raw = true },
	{ .program = "inserted", .system = "block", .name = "block_rq_insert", .raw = true, .when = &settings.queued },
};

static const struct dist_source source = {
	.events = {
		EVENT_OBJECT(biolatency),
		EVENT_PROBES(probes),
		EVENT_CONFIG(config),
		.configure = configure,
		.what = "block device I/O",
	},
	DIST_KINDS(kinds),
	.msecs = &settings.msecs,
	.pending = 16384,
	.pending_what = "requests at a time",
	.no_task = true,
};

TOOL(biolatency, .brief = "how long requests to disks take, as a histogram",
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &schema, DIST_ENGINE(source),
     OPTIONS(options), .settings = &settings,
     LACKS(DIST_LACKS_TASK("requests are issued by whoever writes for others"),
	   { "cpu", "a request is issued by one processor and ends on another" }),
     .description =
	     "Measures the time from when a request is given to a disk's driver until it is done, or with -Q from when it is put "
	     "into the kernel's queue, if it is. Prints a histogram in microseconds at the end, or every INTERVAL seconds, "
	     "COUNT times. A request counts when it ends.\n\n"
	     "With -F the flags are in bcc's words, Sync-Write say, and a bit that has no word is not shown.\n\n"
	     "Requests are often issued by a thread of the kernel for others: with a COMMAND all are shown that end while it "
	     "runs.",
     EXAMPLES({ "sonde biolatency", "all disks, until Ctrl-C" },
	      { "sonde biolatency 1 10", "a histogram a second, ten times" },
	      { "sonde biolatency -D -m", "each disk by itself, in milliseconds" },
	      { "sonde biolatency -d sda -Q --precise", "one disk, with the time in the queue, with percentiles" },
	      { "sonde biolatency -F -- sync", "by flags, what a command makes be written" }));
