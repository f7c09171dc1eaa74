// SPDX-License-Identifier: BSD-2-Clause
/* Signals to a process and its descendants. */
#include <signal.h>
#include <unistd.h>

#include "base/descendants.h"
#include "family.h"

/* A process that forks endlessly is stopped before so many passes. */
#define PASSES_MAX 100

void family_signal(pid_t head, int signal, pid_t group, bool had)
{
	__cleanup(descendants_release) struct descendants family = {};

	descendants_read(&family, head);
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

static bool is_member(const struct descendants *family, pid_t pid)
{
	vec_each(relative, family)
		if (relative->pid == pid)
			return true;
	return false;
}

size_t family_kill(pid_t head)
{
	__cleanup(descendants_release) struct descendants family = {};
	bool any_new = true;
	size_t others = 0;

	for (int pass = 0; pass < PASSES_MAX && any_new; pass++) {
		__cleanup(descendants_release) struct descendants before = family;

		family = (struct descendants){};
		descendants_read(&family, head);
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
