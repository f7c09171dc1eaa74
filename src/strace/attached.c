// SPDX-License-Identifier: BSD-2-Clause
/*
 * The calls that threads are in when sonde attaches to them: their begins were not seen. /proc/PID/task/TID/syscall says
 * the number and the arguments of a thread that waits (proc_pid_syscall(5)). What the begin of such a call has is read
 * from its memory, as the plans say, and only where it is present.
 *
 * /proc does not tell a call of a 64-bit program that is made by int $0x80: its number is looked up among those of 64 bits.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <unistd.h>

#include "attached.h"
#include "base/clock.h"
#include "base/process.h"
#include "interp/peek.h"

/* After so many threads records are taken, so that they find room. */
#define THREADS_AT_ONCE 256

struct asking {
	const struct strace_attached *attached;
	struct strace_record *scratch; /* with STRACE_ROOM bytes */
	size_t n;
	/* calls that were asked for, of threads of which no begin had come */
	vec(struct strace_record *) calls;
};

/* --- what /proc says --- */

static __attribute__((format(printf, 3, 4))) char *path_of(uint32_t pid, uint32_t tid, const char *format, ...)
{
	struct str path = {};
	va_list args;

	str_addf(&path, "/proc/%u/task/%u/", pid, tid);
	va_start(args, format);
	str_addv(&path, format, args);
	va_end(args);
	return path.data;
}

/* Reads the begin of a file of /proc. Returns how many bytes; 0: none. */
static size_t read_begin(uint32_t pid, uint32_t tid, const char *name, void *to, size_t size)
{
	__free char *path = path_of(pid, tid, "%s", name);
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, size);

	return n > 0 ? (size_t)n : 0;
}

bool strace_attached_parse(const char *text, struct strace_record *to, uint64_t *ip)
{
	/* the arguments, the stack pointer, and where it goes on: 0 of a thread of the kernel */
	uint64_t numbers[STRACE_ARGS + 2];
	int number, end = 0;

	/* "running", or -1: it waits, but in no call */
	if (sscanf(text, "%d %n", &number, &end) != 1 || number < 0)
		return false;
	text += end;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		char *next;

		numbers[i] = strtoull(text, &next, 16);
		if (next == text)
			return false;
		text = next;
	}
	*ip = numbers[STRACE_ARGS + 1];
	to->nr = (unsigned int)number;
	memcpy(to->args, numbers, sizeof(to->args));
	return *ip;
}

/* The words of the vector (getauxval(3)) have the size of the program's; types are small numbers, and only the last is 0. */
static bool is_narrow(uint32_t pid, uint32_t tid)
{
	uint64_t first[2] = {};

	return read_begin(pid, tid, "auxv", first, sizeof(first)) == sizeof(first) && first[0] >> 32;
}

/* The thread's own pid namespace, and its id there. */
static void add_space(struct strace_record *record)
{
	__free char *path = path_of(record->pid, record->tid, "ns/pid");
	__free char *status = path_of(record->pid, record->tid, "status");
	__fclose FILE *f = fopen(status, "re");
	static const char name[] = "NSpid:";
	char line[1024] = "";

	if (readlink(path, line, sizeof(line) - 1) <= 0 || sscanf(line, "pid:[%u]", &record->space) != 1)
		return;
	while (f && fgets(line, sizeof(line), f))
		/* from the outermost namespace to its own */
		for (char *id = strncmp(line, name, strlen(name)) ? NULL : line + strlen(name), *next; id;
		     id = *next == '\t' ? next : NULL)
			record->own = (unsigned int)strtoul(id, &next, 10);
}

/* --- what the begin of a call has --- */

/* A blob at the end of the record; NULL: there is no room for n bytes. */
static struct strace_blob *begin_blob(struct strace_record *record, const struct strace_step *step, size_t n)
{
	struct strace_blob *blob = (void *)((char *)(record + 1) + record->size);

	if (record->size + sizeof(*blob) + n > STRACE_ROOM)
		return NULL;
	*blob = (struct strace_blob){ .tag = step->tag };
	return blob;
}

static void end_blob(struct strace_record *record, const struct strace_blob *blob)
{
	record->size += (sizeof(*blob) + blob->n + 7) & ~7U;
}

static void add_text(struct strace_record *record, const struct strace_step *step, const struct peek *peek)
{
	struct strace_blob *blob = begin_blob(record, step, step->most);
	const char *end;
	size_t n;

	if (!blob)
		return;
	n = peek->read(peek->ctx, record->args[step->from], blob + 1, step->most);
	end = memchr(blob + 1, 0, n);
	if (end)
		blob->n = (unsigned short)(end + 1 - (char *)(blob + 1));
	else if (n == step->most)
		blob->n = (unsigned short)n;
	blob->status = end ? STRACE_WHOLE : blob->n ? STRACE_SHORT
						    : STRACE_UNREAD;
	end_blob(record, blob);
}

static void add_bytes(struct strace_record *record, const struct strace_step *step, const struct peek *peek)
{
	uint64_t count = step->scale, n;
	struct strace_blob *blob;
	size_t got;

	if (step->count_from < STRACE_ARGS)
		count *= record->args[step->count_from];
	else if (step->count_from != STRACE_FROM_NONE)
		return;
	n = count < step->most ? count : step->most;
	blob = begin_blob(record, step, n);
	if (!blob)
		return;
	got = n ? peek->read(peek->ctx, record->args[step->from], blob + 1, n) : 0;
	blob->all = (unsigned int)count;
	if (got == n)
		blob->status = n < count ? STRACE_SHORT : STRACE_WHOLE;
	else
		blob->status = got && step->when & STRACE_TO_EDGE ? STRACE_EDGE : STRACE_UNREAD;
	blob->n = blob->status == STRACE_UNREAD ? 0 : (unsigned short)got;
	end_blob(record, blob);
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
	int fd = (int)record->args[step->from];
	__free char *path = fd == AT_FDCWD ? path_of(record->pid, record->tid, "cwd")
					   : path_of(record->pid, record->tid, "fd/%d", fd);
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	struct strace_blob *blob;
	struct strace_file *file;

	/* a name has as many bytes as its part of the path, with the NUL in place of the / */
	blob = n > 0 ? begin_blob(record, step, sizeof(*file) + n + 1) : NULL;
	if (!blob)
		return;
	link[n] = '\0';
	file = (void *)(blob + 1);
	strace_attached_file(link, file);
	blob->n = (unsigned short)(sizeof(*file) + file->path.dirs_size);
	end_blob(record, blob);
}

void strace_attached_fill(struct strace_record *record, const struct strace_plans *plans, const struct peek *peek)
{
	const struct strace_plan *plan;

	if (record->nr >= STRACE_CALLS)
		return;
	plan = &plans->plans[record->flags & STRACE_COMPAT][record->nr + 1];
	for (unsigned int i = 0; i < plan->n_enter; i++) {
		const struct strace_step *step = &plans->steps[plan->enter + i];

		if (step->from >= STRACE_ARGS ||
		    (step->of.last && (record->args[0] < step->of.first || record->args[0] > step->of.last)))
			continue;
		if (step->op == STRACE_FILE)
			add_file(record, step);
		else if (step->op == STRACE_STRING && record->args[step->from])
			add_text(record, step, peek);
		else if (step->op == STRACE_BYTES && record->args[step->from])
			add_bytes(record, step, peek);
	}
}

/* --- who is asked --- */

/* Fills in the call that a thread waits in. False: it is in none, or cannot be asked. */
static bool ask_for_call(const struct strace_attached *attached, uint32_t pid, uint32_t tid, struct strace_record *record)
{
	struct peek peek = peek_at(&(pid_t){ (pid_t)tid });
	char text[256] = "";
	uint64_t ip;

	*record = (struct strace_record){ .kind = STRACE_ENTER, .pid = pid, .tid = tid, .time = clock_boot_ns() };
	record->flags = STRACE_ASKED | (is_narrow(pid, tid) ? STRACE_COMPAT : 0);
	if (!read_begin(pid, tid, "syscall", text, sizeof(text) - 1) || !strace_attached_parse(text, record, &ip))
		return false;
	if (!strace_set_has(attached->trace, record->nr, record->flags & STRACE_COMPAT))
		return false;
	if (attached->ip)
		record->ip = ip;
	if (attached->space)
		add_space(record);
	strace_attached_fill(record, attached->plans, &peek);
	return true;
}

static void ask_thread(struct asking *asking, uint32_t pid, uint32_t tid)
{
	const struct strace_attached *attached = asking->attached;
	struct strace_record *record = asking->scratch;
	size_t size;

	if (!(++asking->n % THREADS_AT_ONCE))
		stream_take_until(attached->stream, clock_boot_ns());
	if (strace_lines_is_in_call(attached->lines, tid, UINT64_MAX) || !ask_for_call(attached, pid, tid, record))
		return;
	size = sizeof(*record) + record->size;
	*vec_push(&asking->calls) = memcpy(base_alloc(size), record, size);
}

static void ask_process(struct asking *asking, uint32_t pid)
{
	__free char *path = base_printf("/proc/%u/task", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			ask_thread(asking, pid, (uint32_t)atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

/*
 * A thread of which a record has come since it was asked for does something else by now. Records are taken before and
 * after that, but some may be late: the lines tell an end that is of a call that was asked for.
 */
void strace_attached_show(const struct strace_attached *attached)
{
	struct asking asking = { .attached = attached };

	stream_take_until(attached->stream, clock_boot_ns());
	asking.scratch = base_alloc(sizeof(*asking.scratch) + STRACE_ROOM);
	for (size_t i = 0; i < attached->n_ids; i++)
		if (attached->all)
			ask_process(&asking, attached->ids[i]);
		else
			ask_thread(&asking, process_of(attached->ids[i]), attached->ids[i]);
	stream_take_until(attached->stream, clock_boot_ns());
	vec_each(it, &asking.calls) {
		struct strace_record *record = *it;

		if (!strace_lines_is_in_call(attached->lines, record->tid, record->time))
			strace_lines_add(attached->lines, record, sizeof(*record) + record->size);
		free(record);
	}
	free(asking.calls.v);
	free(asking.scratch);
}
