// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names frames in no file, by the perf map that the process has written: opened below the process's own root, held open
 * since the process may end, and read when frames are named.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

#include "base/search.h"
#include "binary/foreign.h"
#include "binary/trusted.h"
#include "perf_map.h"
#include "symbols_part.h"

/* A large program of Java or JavaScript has 50 MB. */
#define MAX_MAP (1ULL << 30)
/* Processes of which a map or root is held open. The maps of more are opened while the process lives, or not at all. */
#define MAX_HELD 128
/* How often a map is looked for while new stacks of the process arrive, in ms. */
#define TRY_EVERY 20

static const char unknown[] = "[unknown]";

bool symbols_is_unknown(const struct frame *frame)
{
	return frame->name == unknown;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* What /proc/PID/status says about the process. False: it is gone. */
static bool read_identity(struct jit *jit)
{
	char *path __free = base_printf("/proc/%d/status", jit->pid);
	FILE *status __fclose = fopen(path, "re");
	char line[512];
	int found = 0;

	while (status && found != 3 && fgets(line, sizeof(line), status)) {
		char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last) {
			jit->ns_pid = atoi(last + 1);
			found |= 1;
		} else if (sscanf(line, "Uid: %*u %u", &jit->uid) == 1) {
			found |= 2;
		}
	}
	return found == 3;
}

/* Not its comm, which a runtime may set: node calls its first thread MainThread. */
static void read_program(struct jit *jit)
{
	char *path __free = base_printf("/proc/%d/exe", jit->pid);
	char exe[PATH_MAX];
	ssize_t n = readlink(path, exe, sizeof(exe) - 1);
	const char *slash;

	if (n <= 0)
		return;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	snprintf(jit->program, sizeof(jit->program), "%.*s", (int)sizeof(jit->program) - 1, slash ? slash + 1 : exe);
}

/* Holds the root of a process that lives: a map can be opened below it when the process has ended. */
static void hold_root(struct jit *jit)
{
	char *path __free = base_printf("/proc/%d/root", jit->pid);
	int root = read_identity(jit) ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	jit->is_gone = root < 0 && jit->root < 0;
	if (root < 0)
		return;
	read_program(jit);
	base_closep(&jit->root);
	jit->root = root;
}

/* A mount namespace of the process's own may show any file under any name. */
static bool is_in_our_mounts(pid_t pid)
{
	char *path __free = base_printf("/proc/%d/ns/mnt", pid);
	struct stat st, own;

	return !stat(path, &st) && !stat("/proc/self/ns/mnt", &own) && st.st_ino == own.st_ino;
}

/*
 * NULL, or why the map is not read. Root may have made a map for a process of another user. But then it must be root who
 * chose the file: by no link, no mount of the process, and in directories that only root can change.
 */
static const char *why_not_read(const struct jit *jit, int fd, const char *path, struct err *err)
{
	char root[PATH_MAX] = "", found[PATH_MAX], *link __free = base_printf("/proc/self/fd/%d", jit->root), *full __free = NULL;
	static const uid_t of_root;
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (st.st_uid == jit->uid)
		return NULL;
	if (st.st_uid) {
		err_set(err, -EPERM, "it belongs to user %u, the process to %u", st.st_uid, jit->uid);
		return err->text;
	}
	if (!is_in_our_mounts(jit->pid))
		return "it belongs to root, and the process has mounts of its own";
	if (trusted_check(fd, &of_root, 1, found, err))
		return err->text;
	if (readlink(link, root, sizeof(root) - 1) < 0)
		return strerror(errno);
	full = base_printf("%s%s", strcmp(root, "/") ? root : "", path);
	return strcmp(full, found) || st.st_nlink != 1 ? "it belongs to root, and is a link" : NULL;
}

/* Opens the map, if there is one by now. */
static void open_map(struct symbols *symbols, struct jit *jit)
{
	char root[32], path[64];
	const char *why = NULL;
	uint64_t size;
	struct err err = {};
	int fd __close = -1;

	if (jit->map >= 0 || jit->refused)
		return;
	jit->tried = now();
	hold_root(jit);
	if (jit->root < 0)
		return;
	snprintf(root, sizeof(root), "/proc/self/fd/%d", jit->root);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", jit->ns_pid);
	fd = foreign_open(root, path, MAX_MAP, &size, &err);
	if (fd == -ENOENT)
		return;
	if (fd >= 0)
		why = why_not_read(jit, fd, path, &err);
	jit->refused = true;
	base_closep(&jit->root);
	jit->root = -1;
	if (fd < 0) {
		/* as the process calls it, not as we reach it */
		const char *text = err.text + (strncmp(err.text, root, strlen(root)) ? 0 : strlen(root));

		symbols_note(symbols, "no names of code that process %d made: %s", jit->pid, text);
	} else if (why) {
		symbols_note(symbols, "no names of code that process %d made: %s: is not read: %s", jit->pid, path, why);
	} else {
		jit->refused = false;
		jit->has_map = true;
		jit->map = take_fd(fd);
	}
}

static struct jit *find(struct symbols *symbols, pid_t pid, size_t *at)
{
	struct symbols_jits *jits = &symbols->jits;

	*at = search_first(i, jits->n, jits->v[i].pid >= pid);
	return *at < jits->n && jits->v[*at].pid == pid ? &jits->v[*at] : NULL;
}

static bool is_held(const struct jit *jit)
{
	return jit->map >= 0 || jit->root >= 0;
}

static size_t n_held(const struct symbols_jits *jits)
{
	size_t n = 0;

	vec_each(jit, jits)
		n += is_held(jit);
	return n;
}

static void let_go(struct jit *jit)
{
	base_closep(&jit->map);
	base_closep(&jit->root);
	jit->map = jit->root = -1;
}

void symbols_hold(struct symbols *symbols, pid_t pid)
{
	struct symbols_jits *jits = &symbols->jits;
	struct jit *jit;
	size_t at;

	if (!find(symbols, pid, &at)) {
		vec_push(jits);
		memmove(jits->v + at + 1, jits->v + at, (jits->n - 1 - at) * sizeof(*jits->v));
		jits->v[at] = (struct jit){ .pid = pid, .map = -1, .root = -1 };
	}
	jit = &jits->v[at];
	if (now() - jit->tried >= TRY_EVERY && (is_held(jit) || n_held(jits) < MAX_HELD))
		open_map(symbols, jit);
}

const char *symbols_without_map(struct symbols *symbols, pid_t pid)
{
	size_t at;
	const struct jit *jit = find(symbols, pid, &at);

	return jit && !jit->has_map && !jit->refused ? jit->program : NULL;
}

void symbols_release_jits(struct symbols *symbols)
{
	vec_each(jit, &symbols->jits)
		let_go(jit);
	free(symbols->jits.v);
}

static void name_place(struct symbols *symbols, const struct jit *jit, const struct perf_map_place *place,
		       struct named *named)
{
	char name[PERF_MAP_NAME_MAX] = "";

	if (place->len)
		perf_map_name(jit->map, place, name);
	if (!*name)
		return;
	named->frame.name = pool_add(&symbols->strings, name);
	named->frame.start = place->start;
	named->frame.kind = FRAME_JIT;
	named->done = true;
}

/* Whether a frame was not looked for in all of the map yet. */
static bool is_new(struct named **v, size_t n, uint64_t size)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->map != size)
			return true;
	return false;
}

static void name_by_map(struct symbols *symbols, const struct jit *jit, struct named **v, size_t n)
{
	struct perf_map_place *places __free = NULL;
	struct stat st;
	uint64_t size;

	if (jit->map < 0 || fstat(jit->map, &st))
		return;
	size = (uint64_t)st.st_size;
	if (size > MAX_MAP || !is_new(v, n, size))
		return;
	places = calloc(n, sizeof(*places));
	for (size_t i = 0; places && i < n; i++)
		places[i].addr = v[i]->key;
	if (!places || perf_map_read(jit->map, size, places, n, symbols_should_stop, symbols))
		return;
	for (size_t i = 0; i < n; i++) {
		v[i]->map = size;
		name_place(symbols, jit, &places[i], v[i]);
	}
}

/*
 * Where each event is printed, a map that is not there is not looked for each time: that would be for all processes
 * whose frames wait for a name.
 */
static bool is_due(const struct jit *jit)
{
	return jit->map >= 0 || !jit->named || now() - jit->named >= TRY_EVERY;
}

/*
 * A frame without a line stays unnamed, and is looked for again when the map has grown: JITs write it with delay. That of
 * a process that has ended without a map never will have a name.
 */
void symbols_name_jit(struct symbols *symbols, struct named **v, size_t n)
{
	size_t at;
	struct jit *jit = find(symbols, v[0]->pid, &at);
	bool held = is_held(jit);

	if (!symbols->options.raw && is_due(jit) && !symbols_should_stop(symbols)) {
		jit->named = now();
		open_map(symbols, jit);
		name_by_map(symbols, jit, v, n);
		/* not for the next batch, if it has no map or others are held */
		if (!held || jit->map < 0)
			let_go(jit);
	}
	for (size_t i = 0; i < n; i++) {
		if (v[i]->done)
			continue;
		if (symbols->options.raw || symbols->stopped) {
			v[i]->frame.name = pool_addf(&symbols->strings, "0x%llx", (unsigned long long)v[i]->key);
			v[i]->done = true;
		} else {
			v[i]->frame.name = unknown;
			v[i]->done = jit->is_gone;
		}
	}
}
