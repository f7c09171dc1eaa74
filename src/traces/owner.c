// SPDX-License-Identifier: BSD-2-Clause
/* One table from names to owners. A name that no line matches has no known owner. */
#include <ctype.h>

#include "owner.h"

/*
 * In patterns '#' is a process id, '%' any decimal number, '&' any hexadecimal number, '*' any text. NULL matches
 * any name.
 */
static const struct pattern {
	const char *tool, *group, *name;
	const char *command; /* see struct trace_owner */
	bool guess;
} patterns[] = {
	{ "bcc", NULL, "*_bcc_#" },
	{ "libbpf", NULL, "libbpf_#_*" },
	{ "dtrace", "dt_#_*", NULL, "dtrace" },
	{ "dtrace", "dt_#", NULL, "dtrace" },
	{ "dtrace", "dt_pid", NULL },
	{ "systemtap", NULL, "stapprobe_#_%", "stap" },
	{ "systemtap", NULL, "p#_%", "stap", .guess = true },
	{ "ply", "ply#", NULL, "ply" },
	{ "perf", "probe", NULL },
	{ "perf", "probe_*", NULL },
	{ "perf", "sdt_*", NULL },
	{ "cilium", "ebpf_&", NULL },
	{ "perfetto", "perfetto_*", NULL },
};

static size_t digits(const char *text, bool hex)
{
	size_t n = 0;

	while (hex ? isxdigit((unsigned char)text[n]) : isdigit((unsigned char)text[n]))
		n++;
	return n;
}

/* A number is matched with all its digits; '*' is tried with every length. */
static bool matches(const char *pattern, const char *text, pid_t *pid)
{
	size_t n;

	switch (*pattern) {
	case 0:
		return !*text;
	case '*':
		do {
			if (matches(pattern + 1, text, pid))
				return true;
		} while (*text++);
		return false;
	case '#':
	case '%':
	case '&':
		n = digits(text, *pattern == '&');
		/* a process id has at most seven digits (PID_MAX_LIMIT) */
		if (!n || (*pattern == '#' && (n > 7 || *text == '0')) || !matches(pattern + 1, text + n, pid))
			return false;
		if (*pattern == '#')
			*pid = atoi(text);
		return true;
	}
	return *pattern == *text && matches(pattern + 1, text + 1, pid);
}

struct trace_owner owner_of_event(const char *group, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		const struct pattern *p = &patterns[i];
		pid_t pid = 0;

		if ((!p->group || matches(p->group, group, &pid)) && (!p->name || matches(p->name, name, &pid)))
			return (struct trace_owner){ .tool = p->tool, .pid = pid, .guess = p->guess, .command = p->command };
	}
	return (struct trace_owner){};
}

/* The directories of iproute2 are shared by all who let it attach their programs. */
static const struct pattern places[] = {
	{ .tool = "cilium", .name = "/tc/globals/cilium_*" },
	{ .tool = "calico", .name = "/tc/globals/cali*" },
	{ .tool = "iproute2", .name = "/tc/*" },
	{ .tool = "iproute2", .name = "/xdp/globals/*" },
	{ .tool = "iproute2", .name = "/ip/globals/*" },
	{ .tool = "libxdp", .name = "/xdp/dispatch-*" },
};

const char *owner_of_pin(const char *path, struct pool *strings)
{
	size_t len = strcspn(path + 1, "/");
	pid_t pid;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (matches(places[i].name, path, &pid))
			return places[i].tool;
	return path[1 + len] ? pool_addf(strings, "%.*s", (int)len, path + 1) : NULL;
}

void owner_look_up(struct trace_owner *owner, const struct processes *processes)
{
	if (!owner->pid)
		return;
	owner->process = processes_find(processes, owner->pid);
	if (!owner->process)
		owner->state = processes->complete ? OWNER_DEAD : OWNER_UNSEEN;
	else if (owner->command && strncmp(owner->process->comm, owner->command, strlen(owner->command)))
		owner->state = OWNER_REUSED;
	else
		owner->state = OWNER_ALIVE;
}

/* Returns NULL after the last one. */
static const char *known_tool(size_t i)
{
	if (i < ARRAY_SIZE(patterns))
		return patterns[i].tool;
	i -= ARRAY_SIZE(patterns);
	if (i < ARRAY_SIZE(places))
		return places[i].tool;
	return i == ARRAY_SIZE(places) ? OWNER_SONDE : NULL;
}

void owner_offer(const char *word, void (*fn)(const char *tool, void *ctx), void *ctx)
{
	const char *known, *last = NULL;

	for (size_t i = 0; (known = known_tool(i)); i++) {
		if (!last || strcmp(known, last))
			fn(known, ctx);
		last = known;
	}
}

bool owner_is_known(const char *tool)
{
	const char *known;

	for (size_t i = 0; (known = known_tool(i)); i++)
		if (!strcmp(known, tool))
			return true;
	return false;
}

void owner_suggest(struct nearest *nearest)
{
	const char *known;

	for (size_t i = 0; (known = known_tool(i)); i++)
		nearest_offer(nearest, known);
}
