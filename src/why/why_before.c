// SPDX-License-Identifier: BSD-2-Clause
/* Threads that exist when tracing begins: /proc says in which system call each of them sleeps. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "engine/filter.h"
#include "engine/service.h"
#include "kernel/syscalls.h"
#include "waits.h"
#include "why_part.h"

/* The kernel names the protocol of a socket in an attribute of its file. */
static bool is_network(const char *path)
{
	static const char *const names[] = { "TCP", "UDP", "RAW", "PING", "MPTCP", "SCTP" };
	char protocol[32] = "";

	if (getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(protocol, names[i], strlen(names[i])))
			return true;
	return false;
}

static uint8_t class_of_file(uint32_t tgid, unsigned long fd)
{
	__free char *path = base_printf("/proc/%u/fd/%lu", tgid, fd);
	struct stat stat_of;
	char target[64];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0 || stat(path, &stat_of))
		return WHY_UNKNOWN;
	target[n] = '\0';
	if (!strncmp(target, "anon_inode:", 11))
		return WHY_EVENT;
	if (S_ISFIFO(stat_of.st_mode))
		return WHY_PIPE;
	if (S_ISSOCK(stat_of.st_mode))
		return is_network(path) ? WHY_NETWORK : WHY_SOCKET;
	if (!strncmp(target, "/dev/pts/", 9) || !strncmp(target, "/dev/tty", 8))
		return WHY_TTY;
	return S_ISCHR(stat_of.st_mode) ? WHY_EVENT : WHY_DISK;
}

/* The letter of /proc; 0: it has ended. */
static char read_state(const struct why_before *before)
{
	char line[1024];
	bool exists = base_read_line(line, sizeof(line), "/proc/%u/task/%u/stat", before->tgid, before->tid);
	const char *behind = exists ? strrchr(line, ')') : NULL;
	char state = behind && behind[1] ? behind[2] : 0;

	return state == 'Z' || state == 'X' ? 0 : state;
}

static uint64_t read_ran(const struct why_before *before)
{
	char line[128];

	if (!base_read_line(line, sizeof(line), "/proc/%u/task/%u/schedstat", before->tgid, before->tid))
		return 0;
	return strtoull(line, NULL, 10);
}

/* Its class and call; WHY_RUNNING: it does not sleep; WHY_UNKNOWN: /proc does not say. */
static void read_call(const struct why *why, struct why_before *before)
{
	unsigned long first = 0;
	char line[256];
	int call, n;

	before->call = WHY_NO_CALL;
	if (!base_read_line(line, sizeof(line), "/proc/%u/task/%u/syscall", before->tgid, before->tid))
		return;
	before->class = WHY_RUNNING;
	n = sscanf(line, "%d %lx", &call, &first);
	if (n < 1)
		return;
	before->class = WHY_FAULT;
	if (call < 0 || call >= WHY_CALLS)
		return;
	before->call = call;
	if (why->calls[WHY_NATIVE][call] == WHY_BY_FD)
		before->class = class_of_file(before->tgid, first);
	else
		before->class = waits_class(syscall_name(call));
}

static void read_comm(struct why_before *before)
{
	char line[32] = "";

	if (base_read_line(line, sizeof(line), "/proc/%u/task/%u/comm", before->tgid, before->tid))
		memcpy(before->comm, line, strcspn(line, "\n") < 16 ? strcspn(line, "\n") : 15);
}

/* One that was stopped is not in its call any more. */
static void read_class(const struct why *why, struct why_before *before, char state)
{
	if (state == 'T' || state == 't')
		before->class = WHY_STOPPED;
	else
		read_call(why, before);
}

/* The real user of a thread; UINT32_MAX: it has ended. */
static uint32_t read_uid(const struct why_before *before)
{
	__free char *path = base_printf("/proc/%u/task/%u/status", before->tgid, before->tid);
	__fclose FILE *f = fopen(path, "re");
	unsigned int uid = UINT32_MAX;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %u", &uid) == 1)
			break;
	return uid;
}

/* Whether the filter passes a thread. Of a cgroup that no service names, the programs know more than /proc does. */
static bool is_unsure(const struct why *why, const struct why_before *before)
{
	const struct filter *filter = &why->instance->filter;
	const struct service *service = why->instance->ctx->service;
	const bool is_named = service && !service->head;

	if (is_named ? !service_has(service, before->tgid) : filter->by_cgroup)
		return true;
	if (filter->by_comm && strncmp(before->comm, filter->comm, 16) != 0)
		return true;
	return filter->by_uid && read_uid(before) != filter->uid;
}

/* A thread that is no more when tracing begins has no time. */
static void read_thread(struct why *why, struct why_before *before)
{
	char state = read_state(before);

	if (!state)
		return;
	read_class(why, before, state);
	if (before->class == WHY_RUNNING)
		before->ran = read_ran(before);
	read_comm(before);
	before->unsure = is_unsure(why, before);
	why->hidden += before->class == WHY_UNKNOWN && !before->unsure;
	*vec_push(&why->before) = *before;
}

static void read_threads(uint32_t tgid, void *ctx_why)
{
	struct why *why = ctx_why;
	const struct engine_context *ctx = why->instance->ctx;
	__free char *path = base_printf("/proc/%u/task", tgid);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		uint32_t tid = strtoul(entry->d_name, NULL, 10);
		struct why_before before = { .tid = tid, .tgid = tgid };

		if (tid && (!ctx->tid || tid == ctx->tid))
			read_thread(why, &before);
	}
	if (dir)
		closedir(dir);
}

/* Threads of the kernel have no memory of their own: an empty /proc/PID/maps. */
static bool is_kernel_thread(uint32_t tgid)
{
	__free char *path = base_printf("/proc/%u/exe", tgid);
	char target[8];

	return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT;
}

void why_before_read(struct why *why)
{
	const struct engine_context *ctx = why->instance->ctx;
	struct dirent *entry;
	DIR *dir;

	/* a command begins anew; and the programs know ids of the host only */
	if (ctx->command.pid || filter_pidns())
		return;
	if (ctx->pid) {
		read_threads(ctx->pid, why);
		return;
	}
	if (ctx->service && ctx->service->head) {
		service_each(ctx->service, read_threads, why);
		return;
	}
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)) != NULL) {
		uint32_t tgid = strtoul(entry->d_name, NULL, 10);

		if (tgid && !is_kernel_thread(tgid))
			read_threads(tgid, why);
	}
	if (dir)
		closedir(dir);
}

/*
 * A thread that did not sleep when /proc was read, and that was never switched since tracing began: it has run all the
 * time; or it has been in the queue; or it went to sleep in between, and what it sleeps for now, it has slept for. What
 * it ran meanwhile tells the first.
 */
static uint8_t class_without_switch(const struct why *why, const struct why_before *before, char state, uint64_t ns)
{
	struct why_before now = *before;

	if (read_ran(before) - before->ran > ns / 2)
		return WHY_RUNNING;
	if (state == 'R')
		return WHY_PROCESSOR;
	read_class(why, &now, state);
	return now.class == WHY_RUNNING ? WHY_PROCESSOR : now.class;
}

bool why_before_last(const struct why *why, const struct why_before *before, uint64_t ns, struct why_thread *thread)
{
	char state = read_state(before);

	if (!state || before->unsure)
		return false;
	*thread = (struct why_thread){ .tid = before->tid, .tgid = before->tgid, .adopted = 1, .class = before->class };
	thread->ran = before->ran;
	if (before->class == WHY_RUNNING)
		thread->class = class_without_switch(why, before, state, ns);
	memcpy(thread->comm, before->comm, sizeof(thread->comm));
	return true;
}

void why_before_replace(struct why *why, struct why_thread *thread)
{
	uint64_t ns = thread->ns[WHY_BEFORE];
	uint32_t count = ns ? thread->count[WHY_BEFORE] : 0;
	uint8_t class = WHY_UNKNOWN;

	vec_each(before, &why->before) {
		if (before->tid != thread->tid)
			continue;
		before->seen = true;
		class = before->class < WHY_CLASSES && before->class != WHY_RUNNING ? before->class : WHY_UNKNOWN;
	}
	thread->ns[WHY_BEFORE] = thread->count[WHY_BEFORE] = 0;
	thread->ns[class] += ns;
	thread->count[class] += count;
}
