// SPDX-License-Identifier: BSD-2-Clause
/* Finds the processes of a unit or a program, or those that one has started, in /proc. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/descendants.h"
#include "service.h"

/* A group's path can have 4,096 bytes, and version 1 has a line for each of some 14 controllers. No more is read. */
#define GROUPS_SIZE 65536
#define UNIT	    ".service"

static bool has_suffix(const char *text, size_t n, const char *suffix)
{
	size_t len = strlen(suffix);

	return n >= len && !memcmp(text + n - len, suffix, len);
}

/* Whether a part of a group's path is the unit: "nginx.service", or an instance of it, "pg@15-main.service". */
static bool is_unit(const char *part, size_t n, const char *name)
{
	size_t len = strlen(name), bare = len;

	if (n == len && !memcmp(part, name, len))
		return true;
	if (!has_suffix(name, len, UNIT))
		return false;
	bare -= strlen(UNIT);
	return n > bare && !memcmp(part, name, bare) && part[bare] == '@' && has_suffix(part, n, UNIT);
}

/* The length of the path up to the unit and with it; 0: it is not in this path. */
static size_t find_unit(const char *path, const char *name)
{
	const char *part = path;

	while (*part == '/') {
		size_t n = strcspn(part + 1, "/");

		if (is_unit(part + 1, n, name))
			return part + 1 + n - path;
		part += 1 + n;
	}
	return 0;
}

/* What /proc/PID/FILE has, up to a limit; "": nothing. The caller frees it. */
static char *read_file(uint32_t tgid, const char *file)
{
	__free char *path = base_printf("/proc/%u/%s", tgid, file);
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = base_alloc(GROUPS_SIZE);
	size_t n = 0;
	ssize_t ret = 1;

	while (fd >= 0 && ret > 0 && n < GROUPS_SIZE - 1) {
		ret = read(fd, text + n, GROUPS_SIZE - 1 - n);
		n += ret > 0 ? ret : 0;
	}
	return text;
}

/*
 * Whether a process is in the unit's group. *group: the group's path in version 2, if that has the unit, too; the
 * caller frees it.
 */
static bool in_unit(uint32_t tgid, const char *name, char **group)
{
	__free char *lines = read_file(tgid, "cgroup");
	char *next = lines, *line;
	bool found = false;

	*group = NULL;
	while ((line = strsep(&next, "\n"))) {
		const char *path = strstr(line, ":/");
		size_t n = path ? find_unit(path + 1, name) : 0;

		found |= n > 0;
		if (n && !strncmp(line, "0::", 3) && !*group)
			*group = base_printf("%.*s", (int)n, path + 1);
	}
	return found;
}

/* Threads of the kernel have no executable. */
static bool is_program(uint32_t tgid, const char *name)
{
	__free char *link = base_printf("/proc/%u/exe", tgid);
	char target[4096], comm[32] = "", *base;
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	if (has_suffix(target, n, " (deleted)"))
		target[n - strlen(" (deleted)")] = '\0';
	base = strrchr(target, '/');
	if (base && !strcmp(base + 1, name))
		return true;
	if (!base_read_line(comm, sizeof(comm), "/proc/%u/comm", tgid))
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	/* the kernel keeps 15 bytes of a longer name */
	return *comm && !strncmp(comm, name, 15);
}

bool service_has(const struct service *service, uint32_t tgid)
{
	char *group = NULL;
	bool ret;

	if (tgid == (uint32_t)getpid())
		return false;
	ret = service->is_unit ? in_unit(tgid, service->name, &group) : is_program(tgid, service->name);
	free(group);
	return ret;
}

static void each_descendant(uint32_t head, void (*fn)(uint32_t tgid, void *ctx), void *ctx)
{
	__cleanup(descendants_release) struct descendants family = {};

	descendants_read(&family, head);
	vec_each(one, &family)
		if (one->pid != getpid())
			fn(one->pid, ctx);
}

void service_each(const struct service *service, void (*fn)(uint32_t tgid, void *ctx), void *ctx)
{
	DIR *proc = service->head ? NULL : opendir("/proc");
	struct dirent *entry;

	if (service->head)
		each_descendant(service->head, fn, ctx);
	while (proc && (entry = readdir(proc))) {
		uint32_t tgid = strtoul(entry->d_name, NULL, 10);

		if (tgid && service_has(service, tgid))
			fn(tgid, ctx);
	}
	if (proc)
		closedir(proc);
}

/* Counts the processes, and keeps their group as long as all have the same. */
static void note(uint32_t tgid, void *ctx)
{
	struct service *service = ctx;
	__free char *group = NULL;

	if (service->is_unit)
		in_unit(tgid, service->name, &group);
	if (!service->processes++) {
		service->group = group;
		group = NULL;
	} else if (service->group && (!group || strcmp(group, service->group))) {
		free(service->group);
		service->group = NULL;
	}
}

static bool try_name(struct service *service, char *name, bool unit)
{
	*service = (struct service){ .name = name, .is_unit = unit };
	service_each(service, note, service);
	if (service->processes)
		return true;
	service_release(service);
	return false;
}

int service_find(struct service *service, const char *name, struct err *err)
{
	size_t n = strlen(name);
	bool whole = has_suffix(name, n, UNIT) || has_suffix(name, n, ".scope") || has_suffix(name, n, ".slice");

	if (n && !strchr(name, '/') &&
	    (try_name(service, base_printf("%s%s", name, whole ? "" : UNIT), true) ||
	     (!whole && try_name(service, base_strdup(name), false))))
		return 0;
	return err_set(err, -ESRCH, "no %s '%s' runs", whole ? "unit" : "service or program", name);
}

void service_begin_with(struct service *service, uint32_t head)
{
	char comm[32] = "";

	base_read_line(comm, sizeof(comm), "/proc/%u/comm", head);
	comm[strcspn(comm, "\n")] = '\0';
	*service = (struct service){ .name = base_printf("%s %u", *comm ? comm : "process", head), .head = head };
	service_each(service, note, service);
}

void service_release(struct service *service)
{
	free(service->name);
	free(service->group);
	*service = (struct service){};
}
