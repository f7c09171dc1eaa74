// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names frames in no file, by the perf map that the process has written: opened below the process's own root, held open
 * since the process may end, and read when frames are named.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/search.h"
#include "binary/foreign.h"
#include "perf_map.h"
#include "symbols_part.h"

/* A large program of Java or JavaScript has 50 MB. */
#define MAX_MAP (1ULL << 30)
/* Maps that are held open. Those of more processes are opened when frames are named, if the process lives then. */
#define MAX_OPEN 128

/* What /proc/PID/status says about a process. */
struct identity {
	unsigned int uid; /* effective */
	int ns_pid;	  /* in its own namespace */
};

static bool read_identity(pid_t pid, struct identity *identity)
{
	char *path __free = base_printf("/proc/%d/status", pid);
	FILE *status __fclose = fopen(path, "re");
	char line[512];
	int found = 0;

	while (status && found != 3 && fgets(line, sizeof(line), status)) {
		char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last) {
			identity->ns_pid = atoi(last + 1);
			found |= 1;
		} else if (sscanf(line, "Uid: %*u %u", &identity->uid) == 1) {
			found |= 2;
		}
	}
	return found == 3;
}

/* Opens the map, if there is one by now. */
static void open_map(struct symbols *symbols, struct jit *jit)
{
	char *root __free = base_printf("/proc/%d/root", jit->pid);
	char path[64];
	struct identity identity;
	struct stat st;
	uint64_t size;
	struct err err;
	int fd __close = -1;

	if (jit->fd >= 0 || jit->refused || symbols->jits.n_open >= MAX_OPEN || !read_identity(jit->pid, &identity))
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", identity.ns_pid);
	fd = foreign_open(root, path, MAX_MAP, &size, &err);
	if (fd == -ENOENT)
		return;
	jit->refused = true;
	if (fd < 0 || fstat(fd, &st)) {
		symbols_note(symbols, "no names: %s", err.text);
	} else if (st.st_uid != identity.uid && st.st_uid) {
		symbols_note(symbols, "no names: %s%s: is not read: it belongs to user %u, the process to user %u", root, path,
			     st.st_uid, identity.uid);
	} else {
		jit->refused = false;
		jit->fd = take_fd(fd);
		symbols->jits.n_open++;
	}
}

static struct jit *find(struct symbols *symbols, pid_t pid, size_t *at)
{
	struct symbols_jits *jits = &symbols->jits;

	*at = search_first(i, jits->n, jits->v[i].pid >= pid);
	return *at < jits->n && jits->v[*at].pid == pid ? &jits->v[*at] : NULL;
}

void symbols_hold(struct symbols *symbols, pid_t pid)
{
	struct symbols_jits *jits = &symbols->jits;
	size_t at;

	if (find(symbols, pid, &at))
		return;
	vec_push(jits);
	memmove(jits->v + at + 1, jits->v + at, (jits->n - 1 - at) * sizeof(*jits->v));
	jits->v[at] = (struct jit){ .pid = pid, .fd = -1 };
	open_map(symbols, &jits->v[at]);
}

void symbols_release_jits(struct symbols *symbols)
{
	vec_each(jit, &symbols->jits)
		base_closep(&jit->fd);
	free(symbols->jits.v);
}

static void name_place(struct symbols *symbols, const struct jit *jit, const struct perf_map_place *place,
		       struct named *named)
{
	char name[PERF_MAP_NAME_MAX] = "";

	if (place->len)
		perf_map_name(jit->fd, place, name);
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

	if (jit->fd < 0 || fstat(jit->fd, &st))
		return;
	size = (uint64_t)st.st_size;
	if (size > MAX_MAP || !is_new(v, n, size))
		return;
	places = calloc(n, sizeof(*places));
	for (size_t i = 0; places && i < n; i++)
		places[i].addr = v[i]->key;
	if (!places || perf_map_read(jit->fd, size, places, n, symbols_should_stop, symbols))
		return;
	for (size_t i = 0; i < n; i++) {
		v[i]->map = size;
		name_place(symbols, jit, &places[i], v[i]);
	}
}

/* A frame without a line stays unnamed, and is looked for again when the map has grown: JITs write it with delay. */
void symbols_name_jit(struct symbols *symbols, struct named **v, size_t n)
{
	size_t at;
	struct jit *jit = find(symbols, v[0]->pid, &at);

	if (!symbols->options.raw && !symbols->stopped) {
		open_map(symbols, jit);
		name_by_map(symbols, jit, v, n);
	}
	for (size_t i = 0; i < n; i++) {
		if (v[i]->done)
			continue;
		if (symbols->options.raw || symbols->stopped) {
			v[i]->frame.name = pool_addf(&symbols->strings, "0x%llx", (unsigned long long)v[i]->key);
			v[i]->done = true;
		} else {
			v[i]->frame.name = "[unknown]";
		}
	}
}
