// SPDX-License-Identifier: BSD-2-Clause
/* The flags of open(2) by name. */
#include <fcntl.h>

#include "base/nearest.h"
#include "open_flags.h"

static const struct {
	const char *name;
	unsigned int value;
	bool is_mode;
} flags[] = {
	{ "O_RDONLY", O_RDONLY, true },
	{ "O_WRONLY", O_WRONLY, true },
	{ "O_RDWR", O_RDWR, true },
	{ "O_CREAT", O_CREAT },
	{ "O_EXCL", O_EXCL },
	{ "O_NOCTTY", O_NOCTTY },
	{ "O_TRUNC", O_TRUNC },
	{ "O_APPEND", O_APPEND },
	{ "O_NONBLOCK", O_NONBLOCK },
	{ "O_DSYNC", O_DSYNC },
	{ "O_SYNC", O_SYNC & ~O_DSYNC },
	{ "O_ASYNC", O_ASYNC },
	{ "O_DIRECT", O_DIRECT },
	{ "O_DIRECTORY", O_DIRECTORY },
	{ "O_NOFOLLOW", O_NOFOLLOW },
	{ "O_NOATIME", O_NOATIME },
	{ "O_CLOEXEC", O_CLOEXEC },
	{ "O_PATH", O_PATH },
	{ "O_TMPFILE", O_TMPFILE & ~O_DIRECTORY },
};

void open_flags_offer(const char *word, void (*fn)(const char *name, void *ctx), void *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		fn(flags[i].name, ctx);
}

int open_flags_add(void *dest, const char *text, struct err *err)
{
	struct open_flags *to = dest;
	struct nearest nearest;

	nearest_init(&nearest, text);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!strcmp(flags[i].name, text)) {
			if (flags[i].is_mode)
				to->modes |= 1 << flags[i].value;
			else
				to->flags |= flags[i].value;
			to->chosen = 1;
			return 0;
		}
		nearest_offer(&nearest, flags[i].name);
	}
	if (nearest_name(&nearest))
		return err_set(err, -EINVAL, "no flag of open(2) is called '%s' (did you mean %s?)", text,
			       nearest_name(&nearest));
	return err_set(err, -EINVAL, "no flag of open(2) is called '%s': they are written O_CREAT and so on", text);
}
