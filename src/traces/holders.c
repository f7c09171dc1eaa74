// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads the descriptors in /proc/PID/fd. The name of such a link says what the descriptor is, fdinfo which object
 * it refers to. Most descriptors have nothing to do with tracing: of those only the name is read.
 */
#include <dirent.h>
#include <sys/stat.h>

#include <bpf/bpf.h>

#include "base/file_id.h"
#include "base/search.h"
#include "holders.h"
#include "kernel/kernel_files.h"

struct scan {
	struct holders *holders;
	int proc;
	struct stat tracefs;
	bool has_tracefs;
	/* of the process that is being scanned */
	pid_t pid;
	int fds, infos; /* its /proc directories */
	const char *comm;
};

/* Reads the number from the line "KEY:\tNUMBER" of a small file. */
static bool read_number(int dir, const char *file, const char *key, uint32_t *value)
{
	__close int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	char text[2048];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	text[n < 0 ? 0 : n] = 0;
	at = strstr(text, key);
	return at && sscanf(at + strlen(key), ":%u", value) == 1;
}

static const char *comm_of(struct scan *scan)
{
	char path[32], comm[64];
	ssize_t n;

	if (scan->comm)
		return scan->comm;
	snprintf(path, sizeof(path), "%d/comm", scan->pid);
	__close int fd = openat(scan->proc, path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, comm, sizeof(comm) - 1);
	comm[n < 0 ? 0 : n] = 0;
	comm[strcspn(comm, "\n")] = 0;
	scan->comm = pool_add(&scan->holders->strings, comm);
	return scan->comm;
}

static struct holding *add_holding(struct scan *scan, enum holding_kind kind, const char *fd)
{
	struct holding *holding = vec_push(scan->holders);

	holding->kind = kind;
	holding->pid = scan->pid;
	holding->fd = atoi(fd);
	holding->comm = comm_of(scan);
	return holding;
}

static void add_object(struct scan *scan, enum holding_kind kind, const char *key, const char *fd)
{
	uint32_t id;

	if (read_number(scan->infos, fd, key, &id))
		add_holding(scan, kind, fd)->id = id;
}

/* The kernel reports the BPF program of another process's perf event only to a user who may trace. */
static void add_perf_event(struct scan *scan, const char *fd)
{
	struct holding *holding = add_holding(scan, HOLDS_PERF_EVENT, fd);
	uint32_t len = 0, id, type;
	__u64 offset, addr;

	if (!bpf_task_fd_query(scan->pid, holding->fd, 0, NULL, &len, &id, &type, &offset, &addr))
		holding->id = id;
}

/*
 * The path is valid in the mount namespace of that process, not in ours: so the device decides whether the file
 * is in tracefs.
 */
static void add_trace_file(struct scan *scan, const char *fd, const char *path)
{
	const char *at = strstr(path, "/tracing/");
	struct file_id id;

	if (!at || file_id(scan->fds, fd, &id) || id.dev != scan->tracefs.st_dev)
		return;
	add_holding(scan, HOLDS_TRACE_FILE, fd)->file = pool_add(&scan->holders->strings, at + strlen("/tracing/"));
}

static void look_at(struct scan *scan, const char *fd)
{
	static const struct {
		const char *name, *key;
		enum holding_kind kind;
	} objects[] = {
		{ "bpf-prog", "prog_id", HOLDS_PROGRAM },
		{ "bpf-map", "map_id", HOLDS_MAP },
		{ "bpf_link", "link_id", HOLDS_LINK },
		{ "bpf-link", "link_id", HOLDS_LINK },
	};
	static const char anonymous[] = "anon_inode:";
	char name[512];
	ssize_t n = readlinkat(scan->fds, fd, name, sizeof(name) - 1);

	if (n <= 0)
		return;
	name[n] = 0;
	if (strncmp(name, anonymous, sizeof(anonymous) - 1)) {
		if (scan->has_tracefs)
			add_trace_file(scan, fd, name);
		return;
	}
	if (!strcmp(name + sizeof(anonymous) - 1, "[perf_event]"))
		add_perf_event(scan, fd);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		if (!strcmp(name + sizeof(anonymous) - 1, objects[i].name))
			add_object(scan, objects[i].kind, objects[i].key, fd);
}

static int open_directory(int dir, const char *pid, const char *name)
{
	__free char *path = base_printf("%s/%s", pid, name);

	return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void scan_process(struct scan *scan, const char *pid)
{
	__close int infos = open_directory(scan->proc, pid, "fdinfo");
	int fds = open_directory(scan->proc, pid, "fd");
	DIR *dir = fds < 0 ? NULL : fdopendir(fds);
	struct dirent *entry;

	scan->pid = atoi(pid);
	scan->comm = NULL;
	scan->fds = fds;
	scan->infos = infos;
	if (!dir) {
		scan->holders->unreadable += errno == EACCES || errno == EPERM;
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			look_at(scan, entry->d_name);
	closedir(dir);
}

static int by_object(const void *pa, const void *pb)
{
	const struct holding *a = pa, *b = pb;

	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->pid != b->pid ? a->pid - b->pid : a->fd - b->fd;
}

void holders_read(struct holders *holders, int tracefs)
{
	struct scan scan = { .holders = holders, .proc = kernel_open("/proc", O_RDONLY | O_DIRECTORY) };
	DIR *dir = scan.proc < 0 ? NULL : fdopendir(scan.proc);
	struct dirent *entry;

	*holders = (struct holders){};
	scan.has_tracefs = tracefs >= 0 && !fstat(tracefs, &scan.tracefs);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && atoi(entry->d_name) != getpid())
			scan_process(&scan, entry->d_name);
	if (dir)
		closedir(dir);
	if (holders->n)
		qsort(holders->v, holders->n, sizeof(*holders->v), by_object);
}

void holders_release(struct holders *holders)
{
	free(holders->v);
	pool_release(&holders->strings);
	*holders = (struct holders){};
}

const struct holding *holders_find(const struct holders *holders, enum holding_kind kind, uint32_t id, size_t *n)
{
	const struct holding *v = holders->v;
	size_t first = search_first(i, holders->n, v[i].kind > kind || (v[i].kind == kind && v[i].id >= id));
	size_t end = first;

	while (end < holders->n && v[end].kind == kind && v[end].id == id)
		end++;
	*n = end - first;
	return *n ? &v[first] : NULL;
}
