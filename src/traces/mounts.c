// SPDX-License-Identifier: BSD-2-Clause
/* Reads /proc/self/mountinfo, see proc(5) for its format. */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "mounts.h"
#include "kernel/kernel_files.h"
#include "kernel/lines.h"

/* Replaces, in place, the escapes of space, tab, newline and backslash, which are three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned int byte;

		if (*text == '\\' && sscanf(text + 1, "%3o", &byte) == 1) {
			*to++ = byte;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

/*
 * Parses "36 35 98:0 ROOT PATH OPTIONS [FIELD]... - TYPE SOURCE OPTIONS". Returns false if it is not a mount of
 * this type.
 */
static bool parse_line(char *line, const char *type, struct mount *mount)
{
	char *words[6], *at = strstr(line, " - ");
	unsigned int major, minor;
	size_t len = strlen(type);

	if (!at || strncmp(at + 3, type, len) || at[3 + len] != ' ')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = strsep(&line, " ");
		if (!words[i])
			return false;
	}
	if (sscanf(words[2], "%u:%u", &major, &minor) != 2)
		return false;
	unescape(words[3]);
	unescape(words[4]);
	*mount = (struct mount){ makedev(major, minor), words[3], strcmp(words[4], "/") ? words[4] : "" };
	return true;
}

/* True if a mount of the directory `part` of a file system also shows the directory `other`. */
static bool shows(const char *part, const char *other)
{
	size_t len = strcmp(part, "/") ? strlen(part) : 0;

	return !strncmp(part, other, len) && (!other[len] || other[len] == '/');
}

static bool is_shown(const struct mounts *mounts, const struct mount *mount)
{
	vec_each(other, mounts) {
		bool same = !strcmp(other->root, mount->root);

		/* Of two mounts of the same directory the first is used, unless it cannot be reached. */
		if (other == mount || other->dev != mount->dev || !shows(other->root, mount->root) || (same && other > mount))
			continue;
		__close int fd = mount_open(other);

		if (fd >= 0)
			return true;
	}
	return false;
}

void mounts_read(struct mounts *mounts, const char *type, struct pool *strings)
{
	__close int fd = kernel_open("/proc/self/mountinfo", O_RDONLY);
	__free struct lines *lines = base_alloc(sizeof(*lines));
	struct mounts all __cleanup(mounts_release) = {};
	int error;
	char *line;

	lines->fd = fd;
	while (fd >= 0 && (line = lines_next(lines, &error))) {
		struct mount mount;

		if (!parse_line(line, type, &mount))
			continue;
		mount.root = pool_add(strings, mount.root);
		mount.path = pool_add(strings, mount.path);
		*vec_push(&all) = mount;
	}
	vec_each(mount, &all)
		if (!is_shown(&all, mount))
			*vec_push(mounts) = *mount;
}

void mounts_release(struct mounts *mounts)
{
	free(mounts->v);
	*mounts = (struct mounts){};
}

int mount_open(const struct mount *mount)
{
	__free char *path = base_printf("%s/", mount->path);
	__close int fd = kernel_open(path, O_RDONLY | O_DIRECTORY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (kernel_is_real() && (fstat(fd, &st) || st.st_dev != mount->dev))
		return -ENOENT;
	return take_fd(fd);
}
