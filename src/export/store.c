// SPDX-License-Identifier: BSD-2-Clause
/* The two ways to store a descriptor are alike: put it under a name, get all back at the start, remove a name. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <bpf/bpf.h>
#include <linux/magic.h>

#include "binary/trusted.h"
#include "store.h"

#define LINE_LEN 16 /* of keep_name() */

struct store {
	struct systemd *systemd;
	char *pins; /* the directory; NULL: nothing is pinned */
	int lock;   /* of the directory, -1: none */
	bool sealed;
	bool is_detaching; /* the manager is to close links or perf events */
	struct entries {
		struct entry {
			char *name;
			int fd;	      /* from the start; -1: somebody has it now */
			bool claimed; /* a line has asked for it, or has stored it */
			bool wanted;  /* during store_put(): the line still has it */
		} * v;
		size_t n, cap;
	} entries;
};

/* --- names --- */

/* 16 hexadecimal digits, '_', a letter of enum keep_kind, a number. */
static bool is_name(const char *name)
{
	size_t digits = strspn(name, "0123456789abcdef"), kind = LINE_LEN + 1;

	return digits == LINE_LEN && name[LINE_LEN] == '_' && name[kind] && strchr("mpled", name[kind]) &&
	       name[kind + 1] && !name[kind + 1 + strspn(name + kind + 1, "0123456789")];
}

static bool is_probe(const char *name)
{
	return name[LINE_LEN + 1] == KEEP_LINK || name[LINE_LEN + 1] == KEEP_EVENT;
}

static bool is_of(const struct entry *entry, const struct keep *keep)
{
	return !strncmp(entry->name, keep_name(keep), LINE_LEN);
}

static struct entry *find(struct store *store, const char *name)
{
	vec_each(entry, &store->entries)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

static struct entry *add(struct store *store, const char *name, int fd)
{
	struct entry *entry = vec_push(&store->entries);

	entry->name = base_strdup(name);
	entry->fd = fd;
	return entry;
}

/* --- the two ways --- */

/* By the directory's descriptor: its path may lead elsewhere by now. */
static char *path_of(const struct store *store, const char *name)
{
	return base_printf("/proc/self/fd/%d/%s", store->lock, name);
}

static int put(const struct store *store, const char *name, int fd)
{
	__free char *path = NULL;

	if (!store->pins)
		return systemd_store(store->systemd, name, fd);
	path = path_of(store, name);
	return bpf_obj_pin(fd, path);
}

static void take_back(struct store *store, const char *name)
{
	if (store->sealed)
		return;
	if (!store->pins) {
		systemd_unstore(store->systemd, name);
		store->is_detaching |= is_probe(name);
		return;
	}
	unlinkat(store->lock, name, 0);
}

/* --- the start --- */

static void read_systemd(struct store *store)
{
	vec_each(from, store->systemd)
		if (from->fd >= 0 && is_name(from->name))
			add(store, from->name, take_fd(from->fd));
}

/* Without following a link, and without waiting for the other end of a FIFO. */
static int open_directory(const struct store *store, struct err *err)
{
	int fd;

	if (mkdir(store->pins, 0700) && errno != EEXIST)
		return err_set(err, -errno, "--pin: cannot make %s: %s", store->pins, strerror(errno));
	fd = open(store->pins, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? err_set(err, -errno, "--pin: cannot open %s: %s", store->pins, strerror(errno)) : fd;
}

static int check_directory(int fd, struct err *err)
{
	return trusted_check(fd, (const uid_t[]){ 0, geteuid() }, 2, NULL, err);
}

/*
 * Everybody may make directories in a bpffs of mode 1777, and the pins in one are what we count with. An empty one of
 * another user is removed and made afresh.
 */
static int open_own_directory(struct store *store, struct err *err)
{
	struct err why = {};
	int ret;

	store->lock = open_directory(store, err);
	if (store->lock < 0)
		return store->lock;
	ret = check_directory(store->lock, &why);
	if (ret && !rmdir(store->pins)) {
		close(store->lock);
		store->lock = open_directory(store, err);
		ret = store->lock < 0 ? store->lock : check_directory(store->lock, &why);
	}
	if (ret && store->lock >= 0)
		return err_set(err, ret, "--pin: %s is not used: %s", store->pins, why.text);
	return ret;
}

/* Programs of a process that has ended may still be attached: only one process may take them over. */
static int lock_pins(struct store *store, struct err *err)
{
	struct statfs fs;
	int ret = open_own_directory(store, err);

	if (ret)
		return ret;
	if (fstatfs(store->lock, &fs) || fs.f_type != BPF_FS_MAGIC)
		return err_set(err, -ENODEV,
			       "--pin: %s is not in a file system of type bpf (mount -t bpf bpf /sys/fs/bpf)",
			       store->pins);
	if (flock(store->lock, LOCK_EX | LOCK_NB))
		return err_set(err, -errno, "--pin: %s",
			       errno == EWOULDBLOCK ? "another sonde export has the pins" : strerror(errno));
	return 0;
}

static int read_pins(struct store *store, struct err *err)
{
	__free char *here = NULL;
	struct dirent *entry;
	DIR *dir;
	int ret = lock_pins(store, err);

	if (ret)
		return ret;
	here = path_of(store, ".");
	dir = opendir(here);
	if (!dir)
		return err_set(err, -errno, "--pin: cannot read %s: %s", store->pins, strerror(errno));
	while ((entry = readdir(dir))) {
		__free char *path = path_of(store, entry->d_name);

		if (is_name(entry->d_name))
			add(store, entry->d_name, bpf_obj_get(path));
	}
	closedir(dir);
	return 0;
}

struct store *store_new(struct systemd *systemd, const char *pins, struct err *err)
{
	struct store *store = base_alloc(sizeof(*store));

	store->systemd = systemd;
	store->lock = -1;
	if (pins)
		store->pins = base_strdup(pins);
	else
		read_systemd(store);
	if (!pins || !read_pins(store, err))
		return store;
	store_free(store);
	return NULL;
}

void store_free(struct store *store)
{
	if (!store)
		return;
	vec_each(entry, &store->entries) {
		if (entry->fd >= 0)
			close(entry->fd);
		free(entry->name);
	}
	free(store->entries.v);
	if (store->lock >= 0)
		close(store->lock);
	free(store->pins);
	free(store);
}

bool store_is_active(const struct store *store)
{
	return store && (store->pins || store->systemd->notify_size);
}

void store_seal(struct store *store)
{
	store->sealed = true;
}

/* --- lines --- */

/* Removes the entries for which gone() says so. */
static void remove_if(struct store *store, bool (*gone)(const struct entry *entry, const struct keep *keep),
		      const struct keep *keep)
{
	struct entries *entries = &store->entries;
	size_t n = 0;

	for (size_t i = 0; i < entries->n; i++) {
		struct entry *entry = &entries->v[i];

		if (!gone(entry, keep)) {
			entries->v[n++] = *entry;
			continue;
		}
		take_back(store, entry->name);
		if (entry->fd >= 0)
			close(entry->fd);
		free(entry->name);
	}
	entries->n = n;
}

static bool is_unwanted(const struct entry *entry, const struct keep *keep)
{
	return is_of(entry, keep) && !entry->wanted;
}

static bool is_unclaimed(const struct entry *entry, const struct keep *keep)
{
	(void)keep;
	return !entry->claimed;
}

int store_offer(struct store *store, struct keep *keep, struct keep_history *history)
{
	__free int *fds = base_alloc((store->entries.n + 1) * sizeof(*fds));
	size_t n = 0;

	vec_each(entry, &store->entries) {
		if (!is_of(entry, keep))
			continue;
		entry->claimed = true;
		if (entry->fd >= 0)
			fds[n++] = take_fd(entry->fd);
	}
	return keep_offer(keep, fds, n, history);
}

/* The description comes last: without it the rest means nothing. */
static int put_all(struct store *store, const struct keep *keep, const struct keep_fds *list, struct err *err)
{
	vec_each(fd, list) {
		__free char *name = base_printf("%s_%c%llu", keep_name(keep), fd->kind, (unsigned long long)fd->id);
		struct entry *entry = find(store, name);
		int ret;

		if (store->pins && fd->kind == KEEP_EVENT)
			return err_set(err, -ENOTSUP, "this kernel cannot pin probes (that came with Linux 5.15)");
		ret = entry ? 0 : put(store, name, fd->fd);
		if (ret)
			return err_set(err, ret, "cannot keep a descriptor: %s", strerror(-ret));
		entry = entry ? entry : add(store, name, -1);
		entry->claimed = entry->wanted = true;
	}
	return 0;
}

int store_put(struct store *store, struct keep *keep, const struct keep_history *history, struct err *err)
{
	struct keep_fds list = {};
	int ret;

	if (store->sealed)
		return 0;
	vec_each(entry, &store->entries)
		entry->wanted = false;
	ret = keep_describe(keep, history, &list, err);
	if (!ret)
		ret = put_all(store, keep, &list, err);
	free(list.v);
	if (ret)
		store_drop(store, keep);
	else
		remove_if(store, is_unwanted, keep);
	/* as long as the manager has copies of links, their programs run */
	if (store->is_detaching)
		systemd_wait(store->systemd);
	store->is_detaching = false;
	return ret;
}

void store_drop(struct store *store, const struct keep *keep)
{
	vec_each(entry, &store->entries)
		entry->wanted = false;
	remove_if(store, is_unwanted, keep);
}

void store_drop_unclaimed(struct store *store)
{
	remove_if(store, is_unclaimed, NULL);
}
