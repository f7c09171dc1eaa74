// SPDX-License-Identifier: BSD-2-Clause
/* Turns the filter options into a struct filter. */
#include <ctype.h>
#include <fcntl.h>
#include <mntent.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cpus.h"
#include "base/process.h"
#include "engine/filter.h"
#include "filter_parse.h"

#define CGROUP2_MAGIC 0x63677270
#define FILEID_KERNFS 0xfe /* include/linux/exportfs.h */

/* Finds the process of a thread. what: "process", "thread". Returns 0; -ESRCH: there is none; other errors are of /proc. */
static int find_process(uint32_t tid, const char *what, uint32_t *process, struct err *err)
{
	struct process_task task;
	int ret = process_ask(tid, &task);

	*process = task.process;
	if (ret && ret != -ESRCH)
		return err_set(err, ret, "cannot read /proc/%u/status: %s", tid, strerror(-ret));
	return *process ? 0 : err_set(err, -ESRCH, "there is no %s %u", what, tid);
}

int filter_check_parent(uint32_t ppid, struct err *err)
{
	uint32_t process;
	int ret = ppid ? find_process(ppid, "process", &process, err) : 0;

	if (!ppid || (ret && ret != -ESRCH) || (!ret && process == ppid))
		return ret;
	return err_set(err, -ESRCH, "there is no process %u that could have children", ppid);
}

static int check_process(uint32_t pid, struct err *err)
{
	uint32_t process;
	int ret = find_process(pid, "process", &process, err);

	if (ret)
		return ret;
	if (process == pid && process_has_ended(pid))
		return err_set(err, -ESRCH, "process %u has ended: its parent has not asked for its status yet", pid);
	if (process != pid)
		return err_set(err, -ESRCH, "%u is a thread of process %u: use --tid %u, or -p %u", pid, process, pid,
			       process);
	return 0;
}

/* More than one of --pid. */
static int set_processes(struct filter *filter, const struct run_options *options, bool command, struct err *err)
{
	int ret = 0;

	if (options->tid || command)
		return err_set(err, -EINVAL, "several processes of -p, and %s: choose one",
			       command ? "a command" : "a thread of --tid");
	if (filter_pidns())
		return err_set(err, -EINVAL, "several processes are possible in the first pid namespace only: use --cgroup");
	for (size_t i = 0; !ret && i < options->pids.n; i++)
		ret = check_process(options->pids.v[i], err);
	filter->by_members = filter->members_exist = 1;
	return ret;
}

static int set_ids(struct filter *filter, const struct run_options *options, struct err *err)
{
	uint32_t pid = run_pid(options);

	if (pid) {
		int ret = check_process(pid, err);

		if (ret)
			return ret;
		filter->by_tgid = 1;
		filter->tgid = pid;
	}
	if (options->tid) {
		uint32_t process;
		int ret = find_process(options->tid, "thread", &process, err);

		if (ret)
			return ret;
		if (process_has_ended(options->tid))
			return err_set(err, -ESRCH, "thread %u has ended", options->tid);
		filter->by_tid = 1;
		filter->tid = options->tid;
	}
	if (filter->by_tgid || filter->by_tid)
		filter_read_pidns(&filter->pidns_dev, &filter->pidns_ino);
	filter->in_pidns = filter->pidns_ino != 0;
	return 0;
}

static int set_uid(struct filter *filter, const char *user, struct err *err)
{
	__fclose FILE *f = NULL;
	struct passwd *entry;
	uint64_t number;

	filter->by_uid = 1;
	if (!opt_u64(user, &number) && number < UINT32_MAX) {
		filter->uid = number;
		return 0;
	}
	f = fopen("/etc/passwd", "re");
	while (f && (entry = fgetpwent(f)))
		if (!strcmp(entry->pw_name, user)) {
			filter->uid = entry->pw_uid;
			return 0;
		}
	return err_set(err, -EINVAL, "no user '%s' in /etc/passwd", user);
}

static int set_cpu(struct filter *filter, const char *text, struct err *err)
{
	int cpus = cpus_ids();
	uint64_t number;

	if (opt_u64(text, &number))
		return err_set(err, -EINVAL, "--cpu takes a number, not '%s'", text);
	if (number >= (uint64_t)cpus)
		return err_set(err, -ENOENT, "there is no processor %s: the highest number is %d", text, cpus - 1);
	filter->by_cpu = 1;
	filter->cpu = number;
	return 0;
}

/* Returns where cgroup v2 is mounted, according to /proc/self/mounts; NULL: nowhere. The caller frees it. */
static char *cgroup_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *dir = NULL;

	while (mounts && !dir && (entry = getmntent(mounts)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			dir = base_strdup(entry->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return dir;
}

/* Opens a cgroup by the id that bpf_get_current_cgroup_id() returns: kernfs accepts it as a file handle. */
static int open_cgroup_id(const char *mount, uint64_t id)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} by_id = { { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS }, id };
	__close int root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : open_by_handle_at(root, &by_id.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ESTALE)
		errno = ENOENT;
	return fd;
}

/* Opens a cgroup v2 directory by its path, by its path below the mount point, or by its id. */
static int open_cgroup(const char *text, struct err *err)
{
	__free char *mount = cgroup_mount(), *below = NULL;
	__close int fd = open(text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	uint64_t id;

	if (!mount)
		return err_set(err, -ENOENT, "--cgroup needs cgroup v2, which is not mounted");
	if (fd < 0 && text[0] != '/') {
		below = base_printf("%s/%s", mount, text);
		fd = open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0 && !opt_u64(text, &id))
		fd = open_cgroup_id(mount, id);
	if (fd < 0)
		return err_set(err, -ENOENT, "no cgroup '%s': %s", text, strerror(errno));
	if (fstatfs(fd, &fs) || fs.f_type != CGROUP2_MAGIC)
		return err_set(err, -ENOENT, "'%s' is not a cgroup v2 directory (cgroup v2 is mounted at %s)", text,
			       mount);
	return take_fd(fd);
}

static int set_cgroup(struct filter *filter, const char *text, int *cgroup, struct err *err)
{
	struct stat stat;

	*cgroup = open_cgroup(text, err);
	if (*cgroup < 0)
		return *cgroup;
	filter->by_cgroup = filter->any = 1;
	filter->cgroup_id = fstat(*cgroup, &stat) ? 0 : stat.st_ino;
	return 0;
}

/* A unit that is one group of version 2 is that group: processes that it starts later belong to it, too. */
static int set_service(struct filter *filter, const struct service *service, int *cgroup, struct err *err)
{
	__free char *mount = service->group ? cgroup_mount() : NULL;
	__free char *path = mount ? base_printf("%s%s", mount, service->group) : NULL;

	if (path && !access(path, F_OK))
		return set_cgroup(filter, path, cgroup, err);
	if (filter_pidns())
		return err_set(err, -ENOENT, "'%s' is found in the first pid namespace only: use -p or --cgroup",
			       service->name);
	filter->by_members = filter->members_exist = filter->any = 1;
	return 0;
}

int filter_parse_service(struct filter *filter, const struct run_options *options, const char *name,
			 struct service *service, int *cgroup, struct err *err)
{
	int ret;

	if (options->pid || options->tid || options->cgroup || options->comm || filter->by_members)
		return err_set(err, -EINVAL, "'%s' names what is traced; so does an option or a command: choose one",
			       name);
	ret = service_find(service, name, err);
	return ret ? ret : set_service(filter, service, cgroup, err);
}

bool filter_parse_family(struct filter *filter, const struct run_options *options, struct service *service)
{
	if (!options->pid || options->tid || filter->by_members || filter_pidns())
		return false;
	service_begin_with(service, options->pid);
	/* one is told by its id: to look for members costs more */
	if (service->processes < 2) {
		service_release(service);
		return false;
	}
	filter->by_tgid = 0;
	filter->by_members = filter->members_exist = filter->any = 1;
	return true;
}

int filter_parse(struct filter *filter, const struct run_options *options, bool command, int *cgroup,
		 struct err *err)
{
	int ret = set_ids(filter, options, err);

	if (!ret && options->pids.n > 1)
		ret = set_processes(filter, options, command, err);
	if (!ret && options->uid)
		ret = set_uid(filter, options->uid, err);
	if (!ret && options->cpu_text)
		ret = set_cpu(filter, options->cpu_text, err);
	if (!ret && options->cgroup)
		ret = set_cgroup(filter, options->cgroup, cgroup, err);
	if (!ret && options->comm) {
		filter->by_comm = 1;
		/* the kernel keeps 15 bytes of a longer name */
		memcpy(filter->comm, options->comm, strnlen(options->comm, FILTER_COMM_LEN - 1));
	}
	filter->by_members = filter->by_members || command;
	filter->any = filter->by_tgid || filter->by_tid || filter->by_uid || filter->by_cpu ||
		      filter->by_comm || filter->by_cgroup || filter->by_members;
	return ret;
}
