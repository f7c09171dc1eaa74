// SPDX-License-Identifier: BSD-2-Clause
/*
 * The calls that threads are in when sonde attaches to them: their begins were not seen. /proc/PID/task/TID/syscall says
 * the number and the arguments of a thread that waits (proc_pid_syscall(5)). What the begin of such a call has is read from
 * its memory, as the plans say.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attached.h"
#include "base/clock.h"
#include "base/process.h"

/* Reads the begin of a file of /proc as a text. Returns how many bytes; 0: none. */
static size_t read_begin(const char *path, void *to, size_t size)
{
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, size);

	return n > 0 ? (size_t)n : 0;
}

bool strace_attached_parse(const char *text, struct strace_record *to)
{
	int number, end = 0;

	/* "running", or -1: it waits, but in no call */
	if (sscanf(text, "%d %n", &number, &end) != 1 || number < 0)
		return false;
	to->nr = (unsigned int)number;
	for (int i = 0; i < STRACE_ARGS; i++) {
		char *next;

		to->args[i] = strtoull(text + end, &next, 16);
		if (next == text + end)
			return false;
		end = (int)(next - text);
	}
	return true;
}

/* The words of the vector (getauxval(3)) have the size of the program's; types are small numbers, and none is 0 but the last. */
static bool is_narrow(uint32_t pid)
{
	uint64_t first[2] = {};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/auxv", pid);
	return read_begin(path, first, sizeof(first)) == sizeof(first) && first[0] >> 32;
}

/* Adds what a step copies, where it is a text or bytes that an argument points to. */
static void add_blob(struct strace_record *record, const struct strace_step *step)
{
	struct strace_blob *blob = (void *)((char *)(record + 1) + record->size);
	uint64_t from = step->from < STRACE_ARGS ? record->args[step->from] : 0, count = step->scale, n;
	struct iovec to = { .iov_base = blob + 1 }, in = { .iov_base = (void *)from };
	ssize_t got;

	if (!from || (step->op != STRACE_BYTES && step->op != STRACE_STRING) ||
	    (step->of.last && (record->args[0] < step->of.first || record->args[0] > step->of.last)))
		return;
	if (step->op == STRACE_BYTES && step->count_from < STRACE_ARGS)
		count *= record->args[step->count_from];
	else if (step->op == STRACE_BYTES && step->count_from != STRACE_FROM_NONE)
		return;
	n = step->op == STRACE_BYTES && count < step->most ? count : step->most;
	if (n > STRACE_ROOM - sizeof(*blob) - record->size)
		return;
	to.iov_len = in.iov_len = n;
	got = process_vm_readv((pid_t)record->tid, &to, 1, &in, 1, 0);
	*blob = (struct strace_blob){ .tag = step->tag, .status = STRACE_UNREAD, .all = (unsigned int)count };
	if (step->op == STRACE_STRING) {
		const char *end = got > 0 ? memchr(blob + 1, 0, (size_t)got) : NULL;

		blob->all = 0;
		blob->n = end ? end + 1 - (char *)(blob + 1) : got > 0 ? got
								       : 0;
		blob->status = end ? STRACE_WHOLE : got == (ssize_t)n ? STRACE_SHORT
								      : STRACE_UNREAD;
	} else if (got == (ssize_t)n) {
		blob->n = (unsigned short)n;
		blob->status = n < count ? STRACE_SHORT : STRACE_WHOLE;
	}
	if (blob->status == STRACE_UNREAD)
		blob->n = 0;
	record->size += (sizeof(*blob) + blob->n + 7) & ~7U;
}

/* The names of a path from the innermost out, as programs of the kernel copy them. Returns how many bytes. */
static size_t reverse_names(const char *path, char *to)
{
	const char *end = path + strlen(path);
	size_t n = 0;

	while (end > path) {
		const char *name = memrchr(path, '/', end - path);
		size_t len;

		name = name ? name + 1 : path;
		len = end - name;
		if (len) {
			memcpy(to + n, name, len);
			to[n + len] = '\0';
			n += len + 1;
		}
		end = name > path ? name - 1 : path;
	}
	return n;
}

void strace_attached_file(char *link, struct strace_file *file)
{
	static const char deleted[] = " (deleted)", anon[] = "anon_inode:";
	size_t len = strlen(link);

	*file = (struct strace_file){};
	if (sscanf(link, "socket:[%llu]", &file->inode) == 1) {
		file->magic = STRACE_SOCKETS;
	} else if (sscanf(link, "pipe:[%llu]", &file->inode) == 1) {
		file->magic = STRACE_PIPES;
	} else if (!strncmp(link, anon, strlen(anon))) {
		file->magic = ANON_INODE_FS_MAGIC;
		file->path.dirs_size = len - strlen(anon);
		memcpy(file->path.text, link + strlen(anon), file->path.dirs_size);
	} else {
		file->unlinked = len > strlen(deleted) && !strcmp(link + len - strlen(deleted), deleted);
		if (file->unlinked)
			link[len - strlen(deleted)] = '\0';
		file->path.dirs_size = reverse_names(link, file->path.text);
	}
}

/* What a descriptor is open on. The name alone is asked for: the file may be on a server that does not answer. */
static void add_file(struct strace_record *record, const struct strace_step *step)
{
	struct strace_blob *blob = (void *)((char *)(record + 1) + record->size);
	struct strace_file *file = (void *)(blob + 1);
	char path[64], link[PATH_MAX];
	ssize_t n;

	if (step->from >= STRACE_ARGS || (int)record->args[step->from] < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", record->pid, (int)record->args[step->from]);
	n = readlink(path, link, sizeof(link) - 1);
	/* a name has as many bytes as its part of the path, with the NUL in place of the / */
	if (n <= 0 || n + 1 > (ssize_t)(STRACE_ROOM - sizeof(*blob) - sizeof(*file) - record->size))
		return;
	link[n] = '\0';
	strace_attached_file(link, file);
	*blob = (struct strace_blob){ .tag = step->tag, .n = sizeof(*file) + file->path.dirs_size };
	record->size += (sizeof(*blob) + blob->n + 7) & ~7U;
}

static void add_blobs(const struct strace_plans *plans, struct strace_record *record)
{
	const struct strace_plan *plan;

	if (record->nr >= STRACE_CALLS)
		return;
	plan = &plans->plans[record->flags & STRACE_COMPAT][record->nr + 1];
	for (unsigned int i = 0; i < plan->n_enter; i++) {
		const struct strace_step *step = &plans->steps[plan->enter + i];

		if (step->op == STRACE_FILE)
			add_file(record, step);
		else
			add_blob(record, step);
	}
}

/* The call that a thread waits in; NULL: it is in none, or cannot be asked. The caller frees it. */
static struct strace_record *call_of(const struct strace_plans *plans, uint32_t pid, uint32_t tid)
{
	struct strace_record *record = base_alloc(sizeof(*record) + STRACE_ROOM);
	char path[64], text[256] = "";

	*record = (struct strace_record){ .kind = STRACE_ENTER, .pid = pid, .tid = tid };
	record->flags = is_narrow(pid) ? STRACE_COMPAT : 0;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", pid, tid);
	if (!read_begin(path, text, sizeof(text) - 1) || !strace_attached_parse(text, record)) {
		free(record);
		return NULL;
	}
	add_blobs(plans, record);
	return record;
}

/* Calls that were asked for, of threads of which no record had come. */
struct waiting {
	vec(struct strace_record *) calls;
};

static void ask_thread(const struct strace_attached *attached, struct waiting *waiting, uint32_t pid, uint32_t tid)
{
	struct strace_record *record = NULL;

	if (!strace_lines_has_met(attached->lines, tid))
		record = call_of(attached->plans, pid, tid);
	if (record && strace_set_has(attached->trace, record->nr, record->flags & STRACE_COMPAT))
		*vec_push(&waiting->calls) = record;
	else
		free(record);
}

static void ask_process(const struct strace_attached *attached, struct waiting *waiting, uint32_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			ask_thread(attached, waiting, pid, (uint32_t)atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

/*
 * A thread that has begun a call since sonde attached, and waits, has a record of that; so has one whose call has ended.
 * All records are taken before and after /proc is asked.
 */
void strace_attached_show(const struct strace_attached *attached)
{
	struct waiting waiting = {};

	intake_take(attached->intake);
	for (size_t i = 0; i < attached->n_ids; i++) {
		uint32_t id = attached->ids[i];

		if (attached->all)
			ask_process(attached, &waiting, id);
		else
			ask_thread(attached, &waiting, process_of(id), id);
	}
	intake_take(attached->intake);
	vec_each(it, &waiting.calls) {
		struct strace_record *record = *it;

		record->time = clock_boot_ns();
		if (!strace_lines_has_met(attached->lines, record->tid))
			strace_lines_add(attached->lines, record, sizeof(*record) + record->size);
		free(record);
	}
	free(waiting.calls.v);
}
