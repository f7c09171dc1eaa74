// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two files of one name are easily confused: a python3 in PATH, and the one in /usr/bin. An empty table does not show
 * it.
 */
#include <fcntl.h>
#include <limits.h>

#include "base/report.h"
#include "binary/maps.h"
#include "unhit.h"

/* The command may have ended already; then the file is unknown. It may execute other files later. */
void unhit_note_command(struct engine_context *ctx)
{
	__free char *link = base_printf("/proc/%d/exe", ctx->command.pid);
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path));

	if (n <= 0 || file_id(AT_FDCWD, link, &ctx->command.id))
		return;
	ctx->command.path = base_strndup(path, n);
}

static bool any_hit(const struct target_set *set, const struct attach *attach, const char *file, const uint64_t *hits)
{
	vec_each(target, set)
		if (target->kind == TARGET_USER && !strcmp(target->object, file) &&
		    (!attach_is_attached(attach, target - set->v) || hits[target->slot]))
			return true;
	return false;
}

static bool is_library(const char *file)
{
	const char *slash = strrchr(file, '/');

	return strstr(slash ? slash : file, ".so");
}

struct wanted {
	const char *file;
	uint64_t inode;
};

/* On some file systems /proc/PID/maps and stat(2) show different devices, so compare inodes only. */
static int compare(const struct mapping *m, void *ctx)
{
	const struct wanted *wanted = ctx;

	return m->inode == wanted->inode || !strcmp(m->path, wanted->file);
}

static void say_file(const struct engine_context *ctx, const struct target *target)
{
	const char *file = target->object;
	struct wanted wanted = { .file = file };
	struct file_id id;

	/* by descriptor: probes are still attached, and a path may lead to a file system that does not answer */
	if (file_id(target->file, "", &id))
		return;
	wanted.inode = id.inode;
	if (ctx->command.path && !is_library(file) && !file_id_same(&ctx->command.id, &id))
		report_note("no hits in %s: the command first executed another file: %s", file, ctx->command.path);
	else if (ctx->pid && !maps_each(ctx->pid, compare, &wanted))
		report_note("no hits in %s: process %u has not mapped that file", file, ctx->pid);
}

void unhit_say(const struct engine_instance *instance, const struct target_set *set,
	       const struct attach *attach, const uint64_t *hits)
{
	const char *last = NULL;

	vec_each(target, set) {
		if (target->kind != TARGET_USER || (last && !strcmp(target->object, last)))
			continue;
		last = target->object;
		if (!any_hit(set, attach, last, hits))
			say_file(instance->ctx, target);
	}
}
