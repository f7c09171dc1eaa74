// SPDX-License-Identifier: BSD-2-Clause
/* Finds disks by name, and describes requests in words. */
#include <dirent.h>
#include <fcntl.h>

#include "block.h"
#include "options/opt.h"

/* --- words for what a request is --- */

/* Indexed by the kernel's enum req_op. */
static const struct {
	const char *word, *letter;
} operations[] = {
	[0] = { "Read", "R" },
	[1] = { "Write", "W" },
	[2] = { "Flush", "F" },
	[3] = { "Discard", "D" },
	[5] = { "SecureErase", "E" },
	[7] = { "WriteSame", "W" },
	[9] = { "WriteZeros", "Z" },
};

/* In bcc's order. */
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

void block_describe(struct str *s, uint64_t flags)
{
	size_t operation = flags & BLOCK_OP_MASK;
	bool known = operation < ARRAY_SIZE(operations) && operations[operation].word;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (flags & words[i].flag)
			str_add(s, words[i].word);
	str_add(s, known ? operations[operation].word : "Unknown");
}

/* Returns the operation's letter, as in biosnoop's column T: "R", "W"; NULL: unknown. The string is static. */
static const char *block_letter(uint64_t flags)
{
	size_t operation = flags & BLOCK_OP_MASK;

	return operation < ARRAY_SIZE(operations) ? operations[operation].letter : NULL;
}

void block_io_get_type(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, block_letter(((const struct block_io *)row)->flags));
}

void block_io_get_flags(struct value *to, const void *row, const void *ctx)
{
	block_describe(to->room, ((const struct block_io *)row)->flags);
	value_set_made(to);
}

/* --- which disk --- */

void block_offer_disks(const char *word, opt_offer_fn fn, void *ctx)
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

/* Reads the disk's number from its directory in sysfs. */
static int read_number(struct block_wanted *wanted, const char *dir)
{
	__free char *path = base_printf("%s/dev", dir);
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -errno;
	return sscanf(text, "%u:%u", &wanted->major, &wanted->minor) == 2 ? 0 : -ENODEV;
}

/* Requests belong to whole disks; the user may name a partition, or something that is not a disk. */
int block_find_disk(struct block_wanted *wanted, const char *name, struct err *err)
{
	const char *base = strncmp(name, "/dev/", 5) ? name : name + 5;
	__free char *dir = base_printf("/sys/class/block/%s", base);
	__free char *part = base_printf("%s/partition", dir);
	uint64_t seconds;

	if (!opt_seconds(name, &seconds))
		return err_set(err, -ENODEV, "there is no disk '%s' (to stop after some seconds: --duration %s)", name,
			       name);
	if (!*base || strchr(base, '/') || !strcmp(base, ".") || !strcmp(base, "..") || access(dir, F_OK))
		return err_set(err, -ENODEV, "there is no disk '%s' (/sys/class/block lists them)", name);
	if (!access(part, F_OK))
		return err_set(err, -EINVAL,
			       "'%s' is a partition, but requests belong to the whole disk: name the disk", name);
	if (read_number(wanted, dir))
		return err_set(err, -ENODEV, "cannot read the number of the disk '%s'", name);
	wanted->one_disk = 1;
	return 0;
}
