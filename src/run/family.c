// SPDX-License-Identifier: BSD-2-Clause
/* Finds descendants by the parent ids in /proc/PID/stat. */
#include <dirent.h>
#include <signal.h>

#include "family.h"
#include "kernel/kernel_files.h"

/* A process that forks endlessly is stopped before so many passes. */
#define PASSES_MAX 100

struct relative {
	pid_t pid, parent, group;
	char state; /* the state letter in /proc/PID/stat */
	bool taken; /* already a member of the family */
};

struct family {
	vec(struct relative);
};

static void family_release(struct family *family)
{
	free(family->v);
}

/* Parses "123 (a name, maybe with parentheses) S 1 123 ...". */
static bool read_stat(int proc, const char *pid, struct relative *relative)
{
	__free char *path = base_printf("%s/stat", pid);
	__close int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	char text[512] = "", *at;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return false;
	at = strrchr(text, ')');
	relative->pid = atoi(pid);
	return at && sscanf(at, ") %c %d %d", &relative->state, &relative->parent, &relative->group) == 3;
}

/* True if /proc belongs to our own PID namespace. */
static bool is_ours(int proc)
{
	char text[16] = "";

	return readlinkat(proc, "self", text, sizeof(text) - 1) > 0 && atoi(text) == getpid();
}

static void read_all(struct family *all)
{
	int proc = kernel_open("/proc", O_RDONLY | O_DIRECTORY);
	DIR *dir = proc < 0 ? NULL : fdopendir(proc);
	struct dirent *entry;

	while (dir && is_ours(proc) && (entry = readdir(dir))) {
		struct relative relative = {};

		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_stat(proc, entry->d_name, &relative))
			*vec_push(all) = relative;
	}
	if (dir)
		closedir(dir);
}

/* Collects the head, then its descendants generation by generation. */
static void family_read(struct family *family, pid_t head)
{
	__cleanup(family_release) struct family all = {};

	read_all(&all);
	*vec_push(family) = (struct relative){ .pid = head, .group = getpgid(head) };
	for (size_t i = 0; i < family->n; i++) {
		vec_each(relative, &all) {
			if (relative->pid == head)
				family->v[0] = *relative;
			else if (relative->parent == family->v[i].pid && !relative->taken) {
				relative->taken = true;
				*vec_push(family) = *relative;
			}
		}
	}
}

void family_signal(pid_t head, int signal, pid_t group, bool had)
{
	__cleanup(family_release) struct family family = {};

	family_read(&family, head);
	vec_each(relative, &family) {
		bool inside = relative->group == group;

		if (!inside && relative->pid != head)
			continue;
		if (!inside || !had)
			kill(relative->pid, signal);
		/* a stopped process receives the signal when it is continued */
		if (relative->state == 'T')
			kill(relative->pid, SIGCONT);
	}
}

static bool is_member(const struct family *family, pid_t pid)
{
	vec_each(relative, family)
		if (relative->pid == pid)
			return true;
	return false;
}

size_t family_kill(pid_t head)
{
	__cleanup(family_release) struct family family = {};
	bool any_new = true;
	size_t others = 0;

	for (int pass = 0; pass < PASSES_MAX && any_new; pass++) {
		__cleanup(family_release) struct family before = family;

		family = (struct family){};
		family_read(&family, head);
		any_new = false;
		vec_each(relative, &family) {
			kill(relative->pid, SIGSTOP);
			any_new |= !is_member(&before, relative->pid);
		}
	}
	vec_each(relative, &family) {
		kill(relative->pid, SIGKILL);
		others += relative->pid != head && relative->state != 'Z';
	}
	return others;
}
