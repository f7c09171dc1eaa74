// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds a line's description among the descriptors that were kept, and writes the next one. keep_maps.c and
 * keep_attach.c adopt what it describes.
 */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/hash.h"
#include "keep_part.h"
#include "traces/pins.h"

#define DESCRIPTION "sonde_keep"
/* The most bytes of one; a line with thousands of probes has 100 KB. */
#define DESCRIPTION_MAX (4 * 1024 * 1024)

/* --- whose it is --- */

static char *read_boot(void)
{
	__close int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[64] = "";

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		text[strcspn(text, "\n")] = 0;
	return base_strdup(text);
}

static void begin(struct keep *keep)
{
	const uint64_t layout = KEEP_LAYOUT;

	keep->identity = hash_stable(HASH_STABLE_NONE, &layout, sizeof(layout));
	keep->identity = hash_stable(keep->identity, keep->boot, strlen(keep->boot) + 1);
	keep->identity = hash_stable(keep->identity, keep->line, strlen(keep->line) + 1);
}

struct keep *keep_new(const char *line)
{
	struct keep *keep = base_alloc(sizeof(*keep));

	keep->line = base_strdup(line);
	keep->boot = read_boot();
	keep->description = -1;
	begin(keep);
	snprintf(keep->name, sizeof(keep->name), "%016llx", (unsigned long long)keep->identity);
	return keep;
}

void keep_free(struct keep *keep)
{
	if (!keep)
		return;
	keep_forget(keep);
	free(keep->maps.v);
	free(keep->attaches.v);
	free(keep->line);
	free((void *)keep->boot);
	free(keep);
}

const char *keep_name(const struct keep *keep)
{
	return keep->name;
}

void keep_mix(struct keep *keep, const void *bytes, size_t n)
{
	if (keep)
		keep->identity = hash_stable(keep->identity, bytes, n);
}

void keep_refuse(struct keep *keep, const char *why)
{
	if (keep)
		keep->refused = why;
}

/* --- descriptors --- */

static int identify_map(int fd, struct bpf_map_info *info)
{
	uint32_t len = sizeof(*info);

	*info = (struct bpf_map_info){};
	return bpf_map_get_info_by_fd(fd, info, &len);
}

static int identify_program(int fd, uint64_t *id)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	int ret = bpf_prog_get_info_by_fd(fd, &info, &len);

	*id = info.id;
	return ret;
}

static int identify_link(int fd, uint64_t *id)
{
	struct bpf_link_info info = {};
	uint32_t len = sizeof(info);
	int ret = bpf_link_get_info_by_fd(fd, &info, &len);

	*id = info.id;
	return ret;
}

/* The kernel would answer a question about a map for a program as well. */
static int keep_identify(int fd, enum keep_kind *kind, uint64_t *id)
{
	enum bpf_object_kind object;
	struct bpf_map_info info;
	int ret;

	if (pins_kind(fd, &object)) {
		*kind = KEEP_EVENT;
		return ioctl(fd, PERF_EVENT_IOC_ID, id) ? -EINVAL : 0;
	}
	switch (object) {
	case BPF_OBJECT_PROGRAM:
		*kind = KEEP_PROGRAM;
		return identify_program(fd, id);
	case BPF_OBJECT_LINK:
		*kind = KEEP_LINK;
		return identify_link(fd, id);
	case BPF_OBJECT_MAP:
		break;
	}
	*kind = KEEP_MAP;
	ret = identify_map(fd, &info);
	*id = info.id;
	return ret;
}

static struct keep_fd *find(struct keep_fds *fds, enum keep_kind kind, uint64_t id)
{
	vec_each(it, fds)
		if (it->fd >= 0 && it->kind == kind && it->id == id)
			return it;
	return NULL;
}

int keep_take(struct keep *keep, enum keep_kind kind, uint64_t id)
{
	struct keep_fd *found = find(&keep->fds, kind, id);

	return found ? take_fd(found->fd) : -ESTALE;
}

int keep_stale(struct err *err, const char *what)
{
	return err_set(err, -ESTALE, "what was kept of this line does not fit: %s", what);
}

static void close_fds(struct keep_fds *fds)
{
	vec_each(it, fds)
		if (it->fd >= 0)
			close(it->fd);
	free(fds->v);
	*fds = (struct keep_fds){};
}

/* --- adopting --- */

/* Reads a description. -ENOENT: the map is none. */
static int read_description(int fd, struct keep_text *text)
{
	struct bpf_map_info info;
	uint32_t first = 0;
	__free char *bytes = NULL;
	int ret = identify_map(fd, &info);

	if (ret || strcmp(info.name, DESCRIPTION) || info.type != BPF_MAP_TYPE_ARRAY || info.max_entries != 1 ||
	    info.value_size > DESCRIPTION_MAX)
		return -ENOENT;
	/* the kernel writes whole words */
	bytes = base_alloc(info.value_size + sizeof(uint64_t));
	ret = bpf_map_lookup_elem(fd, &first, bytes);
	return ret ? ret : keep_text_read(text, bytes, info.value_size);
}

static bool is_whole(const struct keep_text *text, struct keep_fds *fds)
{
	vec_each(map, &text->maps)
		if (!find(fds, KEEP_MAP, map->id))
			return false;
	vec_each(attach, &text->attaches) {
		vec_each(link, &attach->links)
			if (!find(fds, link->kind, link->id))
				return false;
		vec_each(copy, &attach->copies)
			if (!find(fds, KEEP_PROGRAM, copy->id))
				return false;
	}
	return true;
}

/* Takes this description if it is the line's, whole, and later than the one found before. */
static void consider(struct keep *keep, int fd)
{
	struct keep_text text = {};

	if (!read_description(fd, &text) && !strcmp(text.line, keep->line) && !strcmp(text.boot, keep->boot) &&
	    is_whole(&text, &keep->fds) && (!keep->adopts || text.number > keep->text.number)) {
		const struct keep_text before = keep->text;

		keep->text = text;
		keep->adopts = true;
		text = before;
	}
	keep_text_release(&text);
}

int keep_offer(struct keep *keep, const int *fds, size_t n, struct keep_history *history)
{
	keep_forget(keep);
	for (size_t i = 0; i < n; i++) {
		struct keep_fd *fd = vec_push(&keep->fds);

		fd->fd = fds[i];
		/* a number that the kernel never gives */
		if (keep_identify(fds[i], &fd->kind, &fd->id))
			fd->kind = 0;
	}
	vec_each(it, &keep->fds)
		if (it->kind == KEEP_MAP)
			consider(keep, it->fd);
	if (!keep->adopts) {
		keep_forget(keep);
		return -ENOENT;
	}
	keep->number = keep->text.number;
	*history = keep->text.history;
	return 0;
}

void keep_forget(struct keep *keep)
{
	keep->adopts = keep->complete = false;
	keep->refused = NULL;
	keep_text_release(&keep->text);
	close_fds(&keep->fds);
	vec_each(map, &keep->maps)
		free(map->name);
	keep->maps.n = keep->attaches.n = 0;
	if (keep->description >= 0)
		close(keep->description);
	keep->description = -1;
	begin(keep);
}

bool keep_is_adopted(const struct keep *keep)
{
	return keep && keep->adopts;
}

int keep_complete(struct keep *keep, struct err *err)
{
	if (!keep_is_adopted(keep))
		return 0;
	if (keep->maps.n != keep->text.maps.n || keep->attaches.n != keep->text.attaches.n)
		return keep_stale(err, "it has more maps or probes");
	keep->complete = true;
	/* the old description, and what no description names */
	close_fds(&keep->fds);
	return 0;
}

/* --- describing --- */

/* Adds a descriptor to the list, and returns its number. *ret: the error. */
static uint64_t add(struct keep_fds *list, int fd, int *ret)
{
	struct keep_fd *to = vec_push(list);

	to->fd = fd;
	*ret = *ret ? *ret : keep_identify(fd, &to->kind, &to->id);
	return to->id;
}

static int describe_attach(const struct attach *attach, struct kept_attach *to, struct keep_fds *list)
{
	int ret = 0;

	to->identity = attach->identity;
	for (size_t i = 0; i < attach->set->n; i++) {
		const struct candidate *from = &attach->candidates[i];

		*vec_push(&to->targets) = (struct kept_target){ from->attached, from->by, from->why_not };
	}
	vec_each(link, &attach->links) {
		uint64_t id = add(list, link->fd, &ret);

		*vec_push(&to->links) = (struct kept_link){ list->v[list->n - 1].kind, id, link->mech, link->slot };
	}
	vec_each(loaded, &attach->copies)
		*vec_push(&to->copies) = (struct kept_copy){ add(list, loaded->fd, &ret), loaded->copy };
	to->paused = attach->pauses.paused;
	for (size_t i = 0; attach->pauses.missed && i <= attach->set->n_slots; i++)
		*vec_push(&to->missed) = attach->pauses.missed[i];
	/* of returns that were missed before a pause, only how many hits that makes */
	if (to->missed.n)
		to->missed.v[to->missed.n - 1] += attach->pauses.missed_returns;
	return ret;
}

static int describe(struct keep *keep, const struct keep_history *history, struct keep_fds *list, struct str *bytes)
{
	__cleanup(keep_text_release) struct keep_text text = {
		.number = keep->number + 1,
		.boot = keep->boot,
		.line = keep->line,
		.history = *history,
	};
	int ret = 0;

	vec_each(map, &keep->maps)
		*vec_push(&text.maps) = (struct kept_map){ map->name, add(list, map->fd, &ret) };
	for (size_t i = 0; !ret && i < keep->attaches.n; i++)
		ret = describe_attach(keep->attaches.v[i], vec_push(&text.attaches), list);
	keep_text_write(&text, bytes);
	return ret;
}

/* Frozen: no process changes it any more. */
static int make_map(const struct str *bytes)
{
	__close int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, DESCRIPTION, sizeof(uint32_t), bytes->len, 1, NULL);
	uint32_t first = 0;
	int ret = fd < 0 ? fd : bpf_map_update_elem(fd, &first, bytes->data, 0);

	if (!ret)
		ret = bpf_map_freeze(fd);
	return ret ? ret : take_fd(fd);
}

int keep_describe(struct keep *keep, const struct keep_history *history, struct keep_fds *list, struct err *err)
{
	__str struct str bytes = {};
	int ret, fd;

	if (keep->refused)
		return err_set(err, -ENOTSUP, "the line is not kept: %s", keep->refused);
	ret = describe(keep, history, list, &bytes);
	fd = ret ? ret : make_map(&bytes);
	if (fd < 0)
		return err_set(err, fd, "cannot describe what is to be kept: %s", strerror(-fd));
	if (keep->description >= 0)
		close(keep->description);
	keep->description = fd;
	*vec_push(list) = (struct keep_fd){ KEEP_DESCRIPTION, ++keep->number, fd };
	return 0;
}
