// SPDX-License-Identifier: BSD-2-Clause
/* What a verdict means, in words: the entries of deciders.c with the values of this call. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/resource.h>

#include "kernel/types.h"
#include "output/words.h"
#include "whynot_part.h"

/* Of struct vfsmount, super_block and inode (include/linux/mount.h, fs.h): the same since 2.6. */
#define MOUNT_NODEV	0x02
#define MOUNT_NOEXEC	0x04
#define MOUNT_READONLY	0x40
#define SUPER_RDONLY	1
#define INODE_APPEND	4
#define INODE_IMMUTABLE 8

const char *whynot_capability(uint64_t number)
{
	static const char *const names[] = {
		"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP",
		"LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER",
		"SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
		"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL",
		"SETFCAP",
		"MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF",
		"CHECKPOINT_RESTORE"
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

struct explain {
	struct str *out;
	const struct whynot_functions *functions;
	const struct whynot_facts *facts;
	const struct strace_record *call;
	const char *separator, *name; /* name: of the call; NULL: not known */
	size_t begin;		      /* where the words begin */
};

static void add(struct explain *explain, const char *fmt, ...) __printf(2, 3);
static void add(struct explain *explain, const char *fmt, ...)
{
	struct str line __str = {};
	va_list ap;

	va_start(ap, fmt);
	str_addv(&line, fmt, ap);
	va_end(ap);
	/* two functions may mean the same */
	if (explain->out->len > explain->begin && strstr(explain->out->data + explain->begin, line.data))
		return;
	if (explain->out->len > explain->begin)
		str_add(explain->out, explain->separator);
	str_add(explain->out, line.data);
}

static void add_capability(struct explain *explain, const struct whynot_failure *failure, int argument)
{
	uint64_t number = (uint32_t)failure->args[argument];
	const char *name = whynot_capability(number);
	__free char *text = name ? base_printf("CAP_%s", name) : base_printf("capability %u", (unsigned int)number);
	bool has = number < 64 && explain->facts->capabilities >> number & 1;

	if (has && explain->facts->level > failure->seen.level)
		add(explain,
		    "%s is missing in the user namespace that counts: the process has it in its own, %u "
		    "deeper",
		    text,
		    explain->facts->level - failure->seen.level);
	else if (has)
		add(explain, "%s is missing in another user namespace than the process's own", text);
	else
		add(explain, "%s is missing (euid %u%s)", text, explain->facts->euid,
		    explain->facts->euid ? "" : ", with fewer capabilities than root has");
}

static void add_limit(struct explain *explain, int limit, bool may)
{
	static const char *const names[] = {
		[RLIMIT_CPU] = "CPU",
		[RLIMIT_FSIZE] = "FSIZE",
		[RLIMIT_DATA] = "DATA",
		[RLIMIT_STACK] = "STACK",
		[RLIMIT_CORE] = "CORE",
		[RLIMIT_RSS] = "RSS",
		[RLIMIT_NPROC] = "NPROC",
		[RLIMIT_NOFILE] = "NOFILE",
		[RLIMIT_MEMLOCK] = "MEMLOCK",
		[RLIMIT_AS] = "AS",
		[RLIMIT_LOCKS] = "LOCKS",
		[RLIMIT_SIGPENDING] = "SIGPENDING",
		[RLIMIT_MSGQUEUE] = "MSGQUEUE",
		[RLIMIT_NICE] = "NICE",
		[RLIMIT_RTPRIO] = "RTPRIO",
		[RLIMIT_RTTIME] = "RTTIME",
	};
	uint64_t soft = explain->facts->limits[2 * limit];

	/* then it is another reason */
	if (soft != RLIM_INFINITY)
		add(explain, "the limit RLIMIT_%s %s reached: %llu", names[limit], may ? "may be" : "is",
		    (unsigned long long)soft);
}

/* Addresses: that of all memory, or that of data. */
static void add_memory_limit(struct explain *explain, bool may)
{
	const unsigned long long *limits = explain->facts->limits;
	bool both = limits[2 * RLIMIT_AS] != RLIM_INFINITY && limits[2 * RLIMIT_DATA] != RLIM_INFINITY;

	add_limit(explain, RLIMIT_AS, may || both);
	add_limit(explain, RLIMIT_DATA, may || both);
}

/* The first line of a file; false: it cannot be read. */
static bool read_line(const char *path, char *to, size_t size)
{
	FILE *file = fopen(path, "re");
	bool ok = file && fgets(to, size, file);

	if (file)
		fclose(file);
	if (ok)
		to[strcspn(to, "\n")] = '\0';
	return ok;
}

/* The kind of namespace that has a setting of its own; NULL: there is one for the machine. */
static const char *namespace_of(const char *file)
{
	static const char *const begins[][2] = {
		{ "kernel/shm", "ipc" },
		{ "kernel/msg", "ipc" },
		{ "kernel/sem", "ipc" },
		{ "fs/mqueue/", "ipc" },
		{ "net/", "net" },
		{ "user/", "user" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(file, begins[i][0], strlen(begins[i][0])))
			return begins[i][1];
	return NULL;
}

/*
 * Where a setting has the value that we read, for words behind it. NULL: it is a namespace's, and the task has another
 * one than we have. When the task has ended, nobody knows.
 */
static const char *place_of_setting(const struct explain *explain, const char *file)
{
	const char *kind = namespace_of(file);
	__free char *path = base_printf("/proc/%u/ns/%s", explain->call->pid, kind ? kind : "");
	__free char *here = base_printf("/proc/self/ns/%s", kind ? kind : "");
	struct stat own, its;

	if (!kind)
		return "";
	if (stat(here, &own) || stat(path, &its))
		return " in sonde's namespace";
	return own.st_ino == its.st_ino ? "" : NULL;
}

static void add_setting(struct explain *explain, const char *file)
{
	__free char *path = base_printf("/proc/sys/%s", file), *name = base_printf("%s", file);
	const char *place = place_of_setting(explain, file);
	char value[64];

	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '.';
	if (place && read_line(path, value, sizeof(value)))
		add(explain, "%s is %s%s", name, value, place);
	else
		add(explain, "%s decides", name);
}

/* The length of a setting's name at the begin of a text: kernel.sem; 0: none is there. */
static size_t setting_length(const char *text)
{
	static const char *const begins[] = { "fs.", "kernel.", "net.", "user.", "vm." };
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.-");

	while (n && text[n - 1] == '.')
		n--;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(text, begins[i], strlen(begins[i])) && n > strlen(begins[i]))
			return n;
	return 0;
}

/* Adds words, and behind them the values of the settings that they name. */
static void add_words(struct explain *explain, const char *before, const char *words)
{
	struct str line __str = {};
	char value[64];

	str_addf(&line, "%s%s", before, words);
	for (const char *at = words; *at; at++) {
		size_t n = at == words || at[-1] == ' ' ? setting_length(at) : 0;
		__free char *file = n ? base_printf("%.*s", (int)n, at) : NULL;
		__free char *path = NULL;
		const char *place;

		if (!n)
			continue;
		for (char *dot = file; *dot; dot++)
			*dot = *dot == '.' ? '/' : *dot;
		path = base_printf("/proc/sys/%s", file);
		place = place_of_setting(explain, file);
		if (place && read_line(path, value, sizeof(value)))
			str_addf(&line, " (%.*s is %s%s)", (int)n, at, value, place);
	}
	add(explain, "%s", line.data);
}

static void add_sysctl(struct explain *explain, const char *file)
{
	const unsigned long long *limits = explain->facts->limits;

	/* the same error for both, where the compiler has made may_expand_vm() a part of its caller */
	if (!strcmp(file, "vm/max_map_count") &&
	    (limits[2 * RLIMIT_AS] != RLIM_INFINITY || limits[2 * RLIMIT_DATA] != RLIM_INFINITY))
		add_memory_limit(explain, true);
	else
		add_setting(explain, file);
}

/*
 * The path of a cgroup of version 2, from its id: as name_to_handle_at(2) makes handles of kernfs. The caller frees
 * it.
 */
static char *cgroup_path(uint64_t id)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} by = { .handle = { .handle_bytes = sizeof(uint64_t), .handle_type = 0xfe }, .id = id };
	int mount = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	char link[64], path[4096];
	ssize_t n = -1;

	memcpy(by.handle.f_handle, &id, sizeof(id));
	if (mount >= 0)
		fd = open_by_handle_at(mount, &by.handle, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		close(fd);
	}
	if (mount >= 0)
		close(mount);
	return n > 0 ? base_printf("%.*s", (int)n, path) : NULL;
}

/* Whether a cgroup has as much as the limit in a file such as pids.max permits. */
static bool is_reached(const char *path, const char *file, const char *limit)
{
	__free char *full = base_printf("%s/%.*scurrent", path, (int)(strlen(file) - strlen("max")), file);
	char now[64];

	return read_line(full, now, sizeof(now)) && strtoull(now, NULL, 10) >= strtoull(limit, NULL, 10);
}

static void add_cgroup(struct explain *explain, const char *file)
{
	__free char *path = cgroup_path(explain->facts->cgroup);
	struct str first __str = {}, shown __str = {};
	char *end = path ? path + strlen(path) : NULL;
	char value[64];

	/* the nearest cgroup, from its own on, that is at its limit, or else that has one */
	for (; path && end > path + strlen("/sys/fs/cgroup"); end = strrchr(path, '/')) {
		__free char *full = NULL;

		*end = '\0';
		full = base_printf("%s/%s", path, file);
		if (!read_line(full, value, sizeof(value)) || !strcmp(value, "max"))
			continue;
		str_reset(&shown);
		str_add_shown(&shown, path, strlen(path));
		if (is_reached(path, file, value)) {
			add(explain, "the cgroup's limit %s is reached: %s (%s)", file, value, shown.data);
			return;
		}
		if (!first.len)
			str_addf(&first, "%s (%s)", value, shown.data);
	}
	if (first.len)
		add(explain, "the cgroup's limit %s may be reached: %s", file, first.data);
	else
		add(explain, "a limit %s of a cgroup may be reached", file);
}

static void add_count(struct explain *explain, const struct whynot_failure *failure, int argument)
{
	static const char *const prefix = "UCOUNT_";
	struct kernel_types *types = kernel_types_new();
	uint32_t id = kernel_types_find(types, 0, "ucount_type", 1U << BTF_KIND_ENUM, NULL);
	const struct btf_type *t = id ? kernel_types_get(types, 0, id) : NULL;
	const char *name = NULL;

	for (uint32_t i = 0; t && i < BTF_INFO_VLEN(t->info); i++) {
		const struct btf_enum *one = (const struct btf_enum *)(t + 1) + i;

		if (one->val == (int)failure->args[argument])
			name = kernel_types_string(types, 0, one->name_off);
	}
	if (name && !strncmp(name, prefix, strlen(prefix))) {
		__free char *lower = base_printf("%s", name + strlen(prefix));
		bool inotify = !strncmp(name, "UCOUNT_INOTIFY_", 15), fanotify = !strncmp(name, "UCOUNT_FANOTIFY_", 16);
		__free char *file = NULL;

		for (char *at = lower; *at; at++)
			*at = *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at;
		file = inotify	  ? base_printf("fs/inotify/max_user_%s", lower + 8)
		       : fanotify ? base_printf("fs/fanotify/max_user_%s", lower + 9)
				  : base_printf("user/max_%s", lower);
		add(explain, "a user's limit is reached, in one of the user namespaces up to the first");
		add_sysctl(explain, file);
	} else {
		add(explain, "a limit of what the user may have is reached");
	}
	kernel_types_free(types);
}

/* Whose the file is, and its mode. */
static void add_permission(struct explain *explain, const struct whynot_failure *failure)
{
	const struct whynot_seen *seen = &failure->seen;
	const struct whynot_facts *facts = explain->facts;

	if (!seen->mode) {
		add(explain, "the permissions of the file or directory forbid it");
		return;
	}
	add(explain,
	    "permissions: %s of uid %u and gid %u has mode %04o, the process has uid %u and gid %u, and "
	    "no capability that overrides it",
	    S_ISDIR(seen->mode) ? "the directory" : "the file", seen->uid, seen->gid, seen->mode & 07777, facts->fsuid,
	    facts->gid);
}

static void add_seccomp(struct explain *explain)
{
	add(explain, "a seccomp filter stopped the call, and no function of it ran");
}

/* Which LSMs there are. */
static void add_lsm(struct explain *explain, const char *which, const char *hook)
{
	char lsms[256];

	if (*which)
		add(explain, "the LSM %s refuses it", which);
	else if (read_line("/sys/kernel/security/lsm", lsms, sizeof(lsms)))
		add(explain, "an LSM refuses it, by the hook %s: one of %s", hook + strlen("security_"), lsms);
	else
		add(explain, "an LSM refuses it, by the hook %s", hook + strlen("security_"));
}

/* What the inode, the mount and the file system say by themselves. */
static void add_seen(struct explain *explain, const struct whynot_failure *failure)
{
	const struct whynot_seen *seen = &failure->seen;
	int error = -explain->call->ret;

	if (seen->mode && seen->inode_flags & INODE_IMMUTABLE && error == EPERM)
		add(explain, "the inode is immutable (chattr +i)");
	if (seen->mode && seen->inode_flags & INODE_APPEND && error == EPERM)
		add(explain, "the inode is append-only (chattr +a)");
	if (seen->super_flags & SUPER_RDONLY && error == EROFS)
		add(explain, "the file system is mounted read-only");
	else if (seen->mount_flags & MOUNT_READONLY && error == EROFS)
		add(explain, "the mount is read-only, its file system is not");
	if (seen->mount_flags & MOUNT_NODEV && error == EACCES && (S_ISCHR(seen->mode) || S_ISBLK(seen->mode)))
		add(explain, "the mount is nodev");
	/* most mounts are, and only these calls mind */
	if (seen->mount_flags & MOUNT_NOEXEC && (error == EACCES || error == EPERM) && explain->name &&
	    (!strncmp(explain->name, "exec", 4) || !strcmp(explain->name, "mmap") ||
	     !strcmp(explain->name, "mprotect")))
		add(explain, "the mount is noexec");
}

static void add_failure(struct explain *explain, const struct whynot_failure *failure)
{
	const char *name = explain->functions->names[failure->slot];
	const struct decider *known = whynot_known_error(name, -explain->call->ret);
	size_t before = explain->out->len;

	add_seen(explain, failure);
	/* the function's own error may be another one than the call's */
	if (failure->ret < 0 && failure->ret != explain->call->ret && (!known || !known->error))
		known = whynot_known_error(name, -failure->ret);
	if (!known)
		return;
	switch (known->what) {
	case WHAT_CAPABILITY:
		add_capability(explain, failure, known->number);
		break;
	case WHAT_LIMIT:
		if (known->number == RLIMIT_AS)
			add_memory_limit(explain, false);
		else
			add_limit(explain, known->number, known->flags & DECIDER_MAY);
		break;
	case WHAT_OVER:
		/* a descriptor is below its limit */
		if (failure->args[known->argument] + (known->number == RLIMIT_NOFILE) >
		    explain->facts->limits[2 * known->number])
			add_limit(explain, known->number, false);
		else
			add_words(explain, "", known->text);
		break;
	case WHAT_COUNT:
		add_count(explain, failure, known->number);
		break;
	case WHAT_CGROUP:
		add_cgroup(explain, known->text);
		break;
	case WHAT_SYSCTL:
		add_sysctl(explain, known->text);
		break;
	case WHAT_PERMISSION:
		/* flags of the mount or the inode are reason enough */
		if (explain->out->len == before)
			add_permission(explain, failure);
		break;
	case WHAT_SECCOMP:
		add_seccomp(explain);
		break;
	case WHAT_LSM:
		while (*name == '_')
			name++;
		add_lsm(explain, known->text, name);
		break;
	case WHAT_TEXT:
		if (known->text)
			add_words(explain, "", known->text);
		break;
	}
}

static bool is_capability(const struct explain *explain, const struct whynot_failure *failure)
{
	const struct decider *known = explain->functions->known[failure->slot];

	return known && known->what == WHAT_CAPABILITY;
}

/* Whether the words begin with what is known already: that this capability is missing, which is reason enough. */
static bool is_said(const struct whynot_failure *cause, int argument, const char *words)
{
	const char *name = whynot_capability((uint32_t)cause->args[argument]);
	__free char *missing = base_printf("CAP_%s is missing", name ? name : "?");
	size_t n = strlen(missing);

	return !strncmp(words, missing, n) && strncmp(words + n, ", and ", strlen(", and ")) != 0;
}

/* cause: a capability that is missing; NULL: none. */
static void add_call(struct explain *explain, const char *name, const struct whynot_failure *cause)
{
	const struct whynot_meaning *meaning = whynot_meaning_of(name, -explain->call->ret);
	const struct decider *known = cause ? explain->functions->known[cause->slot] : NULL;

	if (meaning && meaning->text && known && is_said(cause, known->number, meaning->text))
		return;
	if (meaning && meaning->text)
		add_words(explain, "may be: ", meaning->text);
	else if (meaning)
		add_limit(explain, meaning->limit, true);
}

void whynot_explain(struct str *out, const struct whynot_functions *functions, const struct whynot_facts *facts,
		    const struct whynot_verdict *verdict, const struct strace_record *call, const char *name,
		    const char *separator)
{
	struct explain explain = {
		.out = out,
		.functions = functions,
		.facts = facts,
		.call = call,
		.separator = separator,
		.name = name,
		.begin = out->len,
	};
	const struct whynot_failure *missing = verdict->cause;
	unsigned int lost = facts->first;

	if (!(facts->flags & WHYNOT_BEGUN)) {
		if (verdict->seccomp)
			add_seccomp(&explain);
		return;
	}
	/* that a capability is missing is seldom all of it: the decider comes first */
	if (verdict->cause && !is_capability(&explain, verdict->cause))
		add_failure(&explain, verdict->cause);
	/* from the inside out: the first that is known; all say what they have seen */
	for (size_t i = verdict->n; i--;) {
		if (out->len == explain.begin)
			add_failure(&explain, verdict->chain[i]);
		else
			add_seen(&explain, verdict->chain[i]);
	}
	/* who has a capability is exempt from a limit: the limit is the reason */
	if (verdict->cause && is_capability(&explain, verdict->cause) && out->len == explain.begin &&
	    call->ret != -EPERM && call->ret != -EACCES)
		add_call(&explain, name, NULL);
	if (verdict->cause)
		add_failure(&explain, verdict->cause);
	/* a capability is seldom all of it */
	if (verdict->cause && !is_capability(&explain, verdict->cause))
		missing = NULL;
	if (out->len == explain.begin || (!verdict->decider && missing))
		add_call(&explain, name, missing);
	for (unsigned int i = 0; i < facts->n && i < WHYNOT_FAILURES; i++)
		lost += facts->failures[(facts->first + i) % WHYNOT_FAILURES].number != facts->first + i;
	if (lost || facts->deep)
		add(&explain, "%u failures and %u calls of functions were not kept: another one may have decided", lost,
		    facts->deep);
}
