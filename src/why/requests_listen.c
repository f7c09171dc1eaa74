// SPDX-License-Identifier: BSD-2-Clause
/* --requests: the ports and the unix sockets at which processes listen that run already, as /proc shows them. */
#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include "bpf/request.h"
#include "engine/service.h"
#include "why_part.h"

/* The state of a socket that listens, in /proc/net/tcp; and its flag, and the type of a stream, in /proc/net/unix. */
#define LISTENS	    0x0a
#define ACCEPTS	    0x10000
#define UNIX_STREAM 1
/* How deep groups of a control group may lie in each other. */
#define MOST_LEVELS 32

static void add_port(struct why *why, uint32_t port)
{
	uint8_t *ports = object_memory(&why->progs.object, ".data.request_ports", REQUEST_PORTS);

	ports[port] = REQUEST_OWN;
}

/* The inodes of a process's sockets. */
static void add_sockets(struct set *inodes, uint32_t tgid)
{
	__free char *path = base_printf("/proc/%u/fd", tgid);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		char target[64];
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		unsigned long inode;

		if (n <= 0)
			continue;
		target[n] = '\0';
		if (sscanf(target, "socket:[%lu]", &inode) == 1)
			set_add(inodes, &inode, sizeof(inode));
	}
	if (dir)
		closedir(dir);
}

/* The ports at which these sockets listen. */
static void add_listening(struct why *why, const struct set *inodes, uint32_t tgid, const char *name)
{
	__free char *path = base_printf("/proc/%u/net/%s", tgid, name);
	__fclose FILE *f = fopen(path, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned int port, state;
		unsigned long inode;

		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %lu", &port, &state,
			   &inode) == 3 &&
		    state == LISTENS && port < REQUEST_PORTS && set_find(inodes, &inode, sizeof(inode)) != SET_NONE)
			add_port(why, port);
	}
}

/* path: as /proc has it, which shows each NUL of an abstract name as @. */
static void add_name(struct why *why, const char *path)
{
	struct request_known known = { .wanted = REQUEST_OWN };
	size_t n = strcspn(path, "\n");
	unsigned long long key;

	if (!n || n >= sizeof(known.name))
		return;
	memcpy(&known.name, path, n);
	if (*path == '@')
		*(char *)&known.name = '\0';
	key = request_name_key(&known.name);
	if (bpf_map_update_elem(object_map_fd(&why->progs.object, "request_names"), &key, &known, BPF_ANY))
		__atomic_add_fetch(&why->requests.shared->no_name, 1, __ATOMIC_RELAXED);
}

static void add_names(struct why *why, const struct set *inodes, uint32_t tgid)
{
	__free char *path = base_printf("/proc/%u/net/unix", tgid);
	__fclose FILE *f = fopen(path, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned int flags, type;
		unsigned long inode;
		int name = 0;

		if (sscanf(line, "%*s %*s %*s %x %x %*x %lu %n", &flags, &type, &inode, &name) == 3 && name &&
		    flags & ACCEPTS && type == UNIX_STREAM && set_find(inodes, &inode, sizeof(inode)) != SET_NONE)
			add_name(why, line + name);
	}
}

static void add_process(uint32_t tgid, void *ctx)
{
	struct why *why = ctx;
	struct set inodes = {};

	add_sockets(&inodes, tgid);
	if (inodes.n) {
		add_listening(why, &inodes, tgid, "tcp");
		add_listening(why, &inodes, tgid, "tcp6");
		add_names(why, &inodes, tgid);
	}
	set_release(&inodes);
}

static void add_all(struct why *why)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		uint32_t tgid = strtoul(entry->d_name, NULL, 10);

		if (tgid)
			add_process(tgid, why);
	}
	if (dir)
		closedir(dir);
}

/* A group whose threads are in several groups has no processes of its own. False: there is no such file. */
static bool add_members(struct why *why, int group, const char *name)
{
	int fd = openat(group, name, O_RDONLY | O_CLOEXEC);
	__fclose FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	bool any = false;
	char line[32];

	while (f && fgets(line, sizeof(line), f)) {
		uint32_t tgid = strtoul(line, NULL, 10);

		any = true;
		if (tgid) /* 0: our pid namespace does not have it */
			add_process(tgid, why);
	}
	return any;
}

/* The processes of a control group and of those below. */
static void add_group(struct why *why, int parent, const char *name, int level)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir)
		return;
	if (!add_members(why, fd, "cgroup.procs"))
		add_members(why, fd, "cgroup.threads");
	while (level < MOST_LEVELS && (entry = readdir(dir)) != NULL)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			add_group(why, fd, entry->d_name, level + 1);
	closedir(dir);
}

void why_requests_listen(struct why *why)
{
	const struct engine_context *ctx = why->instance->ctx;

	if (why->settings->port)
		add_port(why, why->settings->port);
	else if (ctx->command.pid) /* begins anew */
		return;
	else if (ctx->service)
		service_each(ctx->service, add_process, why);
	else if (ctx->cgroup >= 0)
		add_group(why, ctx->cgroup, ".", 0);
	else if (ctx->pid)
		add_process(ctx->pid, why);
	else
		add_all(why);
}

bool why_requests_listens(const struct why *why)
{
	const uint8_t *ports = object_memory(&why->progs.object, ".data.request_ports", REQUEST_PORTS);
	const int names = object_map_fd(&why->progs.object, "request_names");
	struct request_known known;
	unsigned long long key, *before = NULL;

	for (size_t i = 0; i < REQUEST_PORTS; i++)
		if (ports[i] == REQUEST_OWN)
			return true;
	for (; !bpf_map_get_next_key(names, before, &key); before = &key)
		if (!bpf_map_lookup_elem(names, &key, &known) && known.wanted == REQUEST_OWN)
			return true;
	return false;
}

const char *why_requests_name(struct why *why, uint64_t key)
{
	struct why_requests *requests = &why->requests;
	uint32_t number = set_find(&requests->name_keys, &key, sizeof(key));
	struct request_known known = {};
	char *name = (void *)&known.name;

	if (number != SET_NONE)
		return requests->names.v[number];
	if (bpf_map_lookup_elem(object_map_fd(&why->progs.object, "request_names"), &key, &known))
		return "?";
	set_add(&requests->name_keys, &key, sizeof(key));
	/* as other programs show an abstract name */
	if (!name[0])
		name[0] = '@';
	name = base_strndup(name, sizeof(known.name));
	*vec_push(&requests->names) = name;
	return name;
}
