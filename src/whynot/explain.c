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

/* Whether a setting is the same for the task as for us: those of IPC are its namespace's. */
static bool is_own_setting(const struct explain *explain, const char *file)
{
	__free char *path = base_printf("/proc/%u/ns/ipc", explain->call->pid);
	struct stat own, its;

	if (strncmp(file, "kernel/shm", 10) && strncmp(file, "kernel/msg", 10) && strcmp(file, "kernel/sem") &&
	    strncmp(file, "fs/mqueue/", 10))
		return true;
	return !stat("/proc/self/ns/ipc", &own) && !stat(path, &its) && own.st_ino == its.st_ino;
}

static void add_setting(struct explain *explain, const char *file)
{
	__free char *path = base_printf("/proc/sys/%s", file), *name = base_printf("%s", file);
	char value[64];

	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '.';
	if (is_own_setting(explain, file) && read_line(path, value, sizeof(value)))
		add(explain, "%s is %s", name, value);
	else
		add(explain, "%s decides", name);
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
			add(explain, "%s", known->text);
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
			add(explain, "%s", known->text);
		break;
	}
}

static bool is_capability(const struct explain *explain, const struct whynot_failure *failure)
{
	const struct decider *known = explain->functions->known[failure->slot];

	return known && known->what == WHAT_CAPABILITY;
}

/* What errors mean by themselves, where no function is known to mean more. The first line that fits counts. */
static const struct {
	const char *call; /* the begin of its name; NULL: any */
	int error;
	const char *text; /* or else: */
	int limit;
} known_errors[] = {
	{ "mq_open", EMFILE, NULL, RLIMIT_MSGQUEUE },
	{ "inotify_init", EMFILE, "fs.inotify.max_user_instances, or RLIMIT_NOFILE, is reached" },
	{ "inotify_add_watch", ENOSPC, "fs.inotify.max_user_watches is reached" },
	{ NULL, EMFILE, NULL, RLIMIT_NOFILE },
	{ NULL, ENFILE, "fs.file-max is reached" },
	{ NULL, EFBIG, NULL, RLIMIT_FSIZE },
	{ "clone", EAGAIN, NULL, RLIMIT_NPROC },
	{ "fork", EAGAIN, NULL, RLIMIT_NPROC },
	{ "vfork", EAGAIN, NULL, RLIMIT_NPROC },
	{ "set", EAGAIN, NULL, RLIMIT_NPROC },
	{ "execve", EAGAIN, NULL, RLIMIT_NPROC },
	{ "execve", E2BIG,
	  "the arguments and the environment are longer than a quarter of RLIMIT_STACK, or one than "
	  "128 KB" },
	{ "rt_sigqueueinfo", EAGAIN, NULL, RLIMIT_SIGPENDING },
	{ "timer_create", EAGAIN, NULL, RLIMIT_SIGPENDING },
	{ "mlock", EAGAIN, NULL, RLIMIT_MEMLOCK },
	{ "mmap", EAGAIN, NULL, RLIMIT_MEMLOCK },
	{ "mremap", EAGAIN, NULL, RLIMIT_MEMLOCK },
	{ "mmap", EEXIST, "something is mapped there, and MAP_FIXED_NOREPLACE was given" },
	{ "mmap", EINVAL, "the length is 0, the offset or the address no multiple of a page, or the flags do not fit" },
	{ "mq_open", EINVAL, "the queue would be larger than fs.mqueue.msg_max or msgsize_max allow" },
	{ "epoll_ctl", ELOOP, "epoll descriptors would watch each other, or are nested too deep" },
	{ "epoll_ctl", EPERM, "the file cannot be polled" },
	{ "openat2", EXDEV, "the path leaves its directory or mount, and RESOLVE_ flags forbid it" },
	{ "openat2", ELOOP, "too many symbolic links, or one where RESOLVE_ flags forbid it" },
	{ "rename", EINVAL, "a directory cannot move below itself, or flags do not go together" },
	{ "rename", EBUSY, "a mount, or a process's root, is on one of the two" },
	{ "rmdir", EBUSY, "a mount, or a process's root, is on the directory" },
	{ "unlink", EBUSY, "a mount is on it, or the file system uses it" },
	{ "swapon", EINVAL, "it has no header of swap (mkswap), holes, or is no file or block device that takes swap" },
	{ "clone", EINVAL, "the flags do not go together, such as CLONE_THREAD without CLONE_SIGHAND and CLONE_VM" },
	{ "semget", EINVAL, "more semaphores than kernel.sem permits (its first number), or than the set has" },
	{ "shmget", EINVAL, "the size is over kernel.shmmax, 0, or over that of the segment" },
	{ "socket", EACCES, "net.ipv4.ping_group_range does not permit pings to the process's groups" },
	{ "connect", EACCES, "a route of the type prohibit, a packet filter, or permissions of the socket" },
	{ "setpgid", EACCES, "the child has executed another program already" },
	{ "setpgid", EPERM, "the process leads a session, or the group is another session's" },
	{ "finit_module", EPERM, "CAP_SYS_MODULE is missing, or kernel.modules_disabled is 1" },
	{ "init_module", EPERM, "CAP_SYS_MODULE is missing, or kernel.modules_disabled is 1" },
	{ "kexec_", EPERM, "CAP_SYS_BOOT is missing, kernel.kexec_load_disabled is 1, or the kernel is locked down" },
	{ "io_uring_setup", EPERM, "kernel.io_uring_disabled forbids it" },
	{ "sched_set", EBUSY, "SCHED_DEADLINE: the processors have not so much time left" },
	{ "setpriority", EACCES, NULL, RLIMIT_NICE },
	{ "sched_set", EPERM, "RLIMIT_RTPRIO or RLIMIT_NICE is lower, and CAP_SYS_NICE is missing" },
	{ "prlimit", EPERM, "a hard limit can be raised only with CAP_SYS_RESOURCE" },
	{ "setrlimit", EPERM, "a hard limit can be raised only with CAP_SYS_RESOURCE" },
	{ "io_setup", EAGAIN, "fs.aio-max-nr is reached" },
	{ "open_by_handle_at", EPERM, "CAP_DAC_READ_SEARCH is missing" },
	{ "open", EPERM, "it is immutable or append-only, or O_NOATIME is given and it is not ours" },
	{ "truncate", EPERM, "the file is immutable or append-only" },
	{ "open", EACCES, "permissions, fs.protected_symlinks in a sticky directory, or a device on a nodev mount" },
	{ "open", EINVAL, "the flags do not go together, or the file system has no O_DIRECT" },
	{ "setgroups", EPERM, "CAP_SETGID is missing, or this user namespace has setgroups denied" },
	{ "write", EPERM, "a map of ids is written already or may not have these ids, or a seal forbids it" },
	{ "mkdir", EAGAIN, "in a cgroup: cgroup.max.depth or cgroup.max.descendants is reached" },
	{ "splice", EINVAL, "neither file is a pipe, or the output is open with O_APPEND" },
	{ "setxattr", EOPNOTSUPP, "the file system has no attributes of this kind" },
	{ "sched_setscheduler", EINVAL, "the policy and the priority do not go together" },
	{ "setsid", EPERM, "the process leads a process group already" },
	{ "capset", EPERM, "a capability that the process does not have permitted cannot be gained" },
	{ "seccomp", EACCES, "seccomp needs PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN" },
	{ "prctl", EACCES, "seccomp needs PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN" },
	{ "sched_setaffinity", EINVAL, "none of these processors is one that the process may use" },
	{ "setns", EINVAL,
	  "the namespace has another type than asked for, is the process's own, or the process has threads" },
	{ "mprotect", EACCES, "the mapped file is not open for writing, or its mount is noexec" },
	{ "flock", EAGAIN, "another open file has the lock" },
	{ "fcntl", EAGAIN, "another process has a lock there, or a lease is not possible while the file is open" },
	{ "fcntl", EACCES, "only the file's owner, or who has CAP_LEASE, may have a lease of it" },
	{ "open", ENXIO, "nobody has the FIFO open for reading, or there is no such device" },
	{ "openat", ENXIO, "nobody has the FIFO open for reading, or there is no such device" },
	{ "add_key", EDQUOT, "kernel.keys.maxkeys or kernel.keys.maxbytes is reached" },
	{ "perf_event_open", EACCES,
	  "kernel.perf_event_paranoid permits less than this to a process without CAP_PERFMON" },
	{ "bind", EINVAL, "the socket has an address already, or the length of the address is wrong" },
	{ "umount2", EINVAL, "it is no mount point, or flags do not go together" },
	{ "umount2", EBUSY, "something in the mount is open, or another mount is on it" },
	{ "pivot_root", EINVAL, "the new root is no mount point, or one is shared" },
	{ "ioctl", ENOTTY, "the file or device does not know this request" },
	{ "execve", ENOENT, "the program, or its interpreter, does not exist" },
	{ NULL, EBADF, "the descriptor is not open, or not in this way" },
	{ NULL, EFAULT, "a pointer points to memory that the process does not have, or may not write" },
	{ NULL, ENOSYS, "the kernel does not have this system call" },
	{ NULL, ENOTTY, "the file is no terminal" },
	{ NULL, ENOTSOCK, "the descriptor is no socket" },
	{ NULL, ENAMETOOLONG, "a name is longer than NAME_MAX (255), or a path than PATH_MAX (4096)" },
	{ NULL, ENOENT, "it does not exist" },
	{ NULL, ENOTDIR, "a part of the path is no directory" },
	{ NULL, EISDIR, "it is a directory" },
	{ NULL, EEXIST, "it exists" },
	{ NULL, ENOTEMPTY, "the directory is not empty" },
	{ NULL, ELOOP, "too many symbolic links, or a link where it is forbidden" },
	{ NULL, EXDEV, "the two paths are on different mounts or file systems" },
	{ NULL, ETXTBSY, "a program that runs cannot be written to, and what is open for writing cannot be executed" },
	{ NULL, ENOEXEC, "no format of programs knows this file, or the module is none of this kernel" },
	{ NULL, ECHILD, "the process has no such child" },
	{ NULL, ESRCH, "there is no such process" },
	{ NULL, ESPIPE, "a pipe or socket has no position" },
	{ NULL, EPIPE, "nobody has the pipe or the connection open at the other end, or it is shut down" },
	{ NULL, EROFS, "the mount or the file system is read-only" },
	{ NULL, EDQUOT, "a quota is used up" },
	{ NULL, ENOSPC, "the file system is full or has no more inodes, or a limit of the kernel is reached" },
	{ NULL, ENODEV, "there is no such device, or the kernel has no such file system" },
	{ NULL, ENOTBLK, "it is no block device" },
	{ NULL, ENOKEY, "there is no such key" },
	{ NULL, ENOMSG, "the queue has no such message" },
	{ NULL, EIDRM, "the object was removed" },
	{ NULL, EADDRINUSE, "another socket has this address and port" },
	{ NULL, EADDRNOTAVAIL, "no interface has this address" },
	{ NULL, ENETUNREACH, "no route leads there" },
	{ NULL, EHOSTUNREACH, "the host cannot be reached" },
	{ NULL, ECONNREFUSED, "nothing listens there, or a firewall rejects it" },
	{ NULL, ETIMEDOUT, "the other side did not answer in time" },
	{ NULL, EAFNOSUPPORT, "the kernel has no such family of addresses here" },
	{ NULL, EPROTONOSUPPORT, "the family has no such protocol for this type of socket" },
	{ NULL, ESOCKTNOSUPPORT, "the family has no such type of socket" },
	{ NULL, ENOPROTOOPT, "the socket has no such option" },
	{ NULL, ENOTCONN, "the socket is not connected" },
	{ NULL, EISCONN, "the socket is connected already" },
	{ NULL, EDESTADDRREQ, "the socket is not connected, and no address was given" },
	{ NULL, EMSGSIZE, "the message is longer than the protocol permits" },
	{ NULL, EINPROGRESS, "the socket does not wait: the connection is still being made" },
};

static void add_call(struct explain *explain, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_errors); i++) {
		const char *call = known_errors[i].call;

		if (known_errors[i].error != -explain->call->ret || (call && (!name || strncmp(call, name,
											       strlen(call)))))
			continue;
		if (known_errors[i].text)
			add(explain, "may be: %s", known_errors[i].text);
		else
			add_limit(explain, known_errors[i].limit, true);
		return;
	}
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
		add_call(&explain, name);
	if (verdict->cause)
		add_failure(&explain, verdict->cause);
	/* a capability is seldom all of it */
	if (out->len == explain.begin ||
	    (!verdict->decider && verdict->cause && is_capability(&explain, verdict->cause)))
		add_call(&explain, name);
	for (unsigned int i = 0; i < facts->n && i < WHYNOT_FAILURES; i++)
		lost += facts->failures[(facts->first + i) % WHYNOT_FAILURES].number != facts->first + i;
	if (lost || facts->deep)
		add(&explain, "%u failures and %u calls of functions were not kept: another one may have decided", lost,
		    facts->deep);
}
