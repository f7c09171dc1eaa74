// SPDX-License-Identifier: BSD-2-Clause
/*
 * Decides which file a user means by a name, and how sonde can open it: the file that a process has mapped, in its
 * root, or the file that a new process would get. library_search.c searches the directories.
 */
#include <limits.h>
#include <sys/stat.h>

#include "binary.h"
#include "foreign.h"
#include "library.h"
#include "library_search.h"
#include "maps.h"

static const char deleted[] = " (deleted)";

void library_release(struct library *lib)
{
	free(lib->path);
	free(lib->shown);
	free(lib->root);
	*lib = (struct library){ 0 };
}

static int set_found(struct library *lib, const char *root, const char *shown, char *path)
{
	*lib = (struct library){
		.path = path ? path : foreign_join(root, shown),
		.shown = base_strdup(shown),
		.root = root ? base_strdup(root) : NULL,
	};
	return 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static bool leads_to(const char *root, const char *path, const char *link)
{
	int fd __close = foreign_locate(root, path);
	struct stat a, b;

	return fd >= 0 && !fstat(fd, &a) && !stat(link, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int library_root(pid_t pid, char **root, struct err *err)
{
	char *dir __free = base_printf("/proc/%d/root", (int)pid);
	char *ns __free = base_printf("/proc/%d/ns/mnt", (int)pid);
	struct stat st;

	*root = NULL;
	if (stat(dir, &st)) {
		if (errno == ENOENT || errno == ESRCH)
			return err_set(err, -ESRCH, "there is no process %d", (int)pid);
		return err_set(err, -errno, "process %d cannot be looked into: %s (run as root?)",
			       (int)pid, strerror(errno));
	}
	if (!same_file(dir, "/") || !same_file(ns, "/proc/self/ns/mnt"))
		*root = take_ptr(dir);
	return 0;
}

const char *library_path_in_root(const char *root, const char *path)
{
	char top[PATH_MAX] = "";
	size_t n;

	if (!root || readlink(root, top, sizeof(top) - 1) < 0)
		return path;
	n = strlen(top);
	return n > 1 && !strncmp(path, top, n) && path[n] == '/' ? path + n : path;
}

/* The mapping to find. */
struct wanted {
	const char *name;
	char *path; /* as maps shows it; NULL: not found */
	struct mapping m;
};

static void wanted_release(struct wanted *w)
{
	free(w->path);
}

static int match_mapping(const struct mapping *m, void *ctx)
{
	struct wanted *w = ctx;
	const char *slash = strrchr(m->path, '/');
	char *file __free = NULL;
	size_t n;

	if (!m->exec || !m->inode || m->path[0] != '/' || !slash)
		return 0;
	file = base_strdup(slash + 1);
	n = strlen(file);
	if (n > strlen(deleted) && !strcmp(file + n - strlen(deleted), deleted))
		file[n - strlen(deleted)] = 0;
	if (!library_name_matches(file, w->name))
		return 0;
	w->path = base_strdup(m->path);
	w->m = *m;
	return 1;
}

/*
 * Opens the mapped file by its path if that still leads to it, else (an update replaced it, it was deleted, a mount
 * hides it) by its link in map_files, which needs root. Compares inodes only: on overlayfs and btrfs the device in
 * maps differs from that of stat(2).
 */
static int open_mapped(pid_t pid, const char *root, const struct wanted *w, struct library *lib,
		       struct err *err)
{
	const char *shown = library_path_in_root(root, w->path);
	char *through __free = NULL;
	int fd __close = foreign_locate(root, shown);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_ino == w->m.inode)
		return set_found(lib, root, shown, NULL);
	through = base_printf("/proc/%d/map_files/%llx-%llx", (int)pid,
			      (unsigned long long)w->m.start, (unsigned long long)w->m.end);
	if (stat(through, &st))
		return err_set(err, -ENOENT, "%s is mapped by process %d but cannot be opened: %s",
			       w->path, (int)pid, strerror(errno));
	return set_found(lib, root, shown, take_ptr(through));
}

static int find_mapped(const char *name, pid_t pid, const char *root, struct library *lib,
		       struct err *err)
{
	struct wanted w __cleanup(wanted_release) = { .name = name };
	int ret = maps_each(pid, match_mapping, &w);

	if (ret == -ESRCH)
		return err_set(err, ret, "there is no process %d", (int)pid);
	if (ret < 0)
		return err_set(err, ret, "the mappings of process %d cannot be read: %s", (int)pid,
			       strerror(-ret));
	return ret ? open_mapped(pid, root, &w, lib, err) : 1;
}

/* name is "exe" or the name of the program of the process: 0. It is neither: 1. Else -errno. */
static int find_program(const char *name, pid_t pid, const char *root, struct library *lib,
			struct err *err)
{
	char *link __free = base_printf("/proc/%d/exe", (int)pid);
	char target[PATH_MAX] = "";
	const char *shown;
	bool exe = !strcmp(name, "exe");

	if (readlink(link, target, sizeof(target) - 1) < 0)
		return exe ? err_set(err, -ENOENT,
				     "process %d has no program: it is a kernel thread or gone",
				     (int)pid)
			   : 1;
	shown = library_path_in_root(root, target);
	if (!exe && strcmp(strrchr(shown, '/') ? strrchr(shown, '/') + 1 : shown, name))
		return 1;
	/* the link opens the program even if it was deleted or replaced */
	return set_found(lib, root, shown, leads_to(root, shown, link) ? NULL : take_ptr(link));
}

static int find_path(const char *path, pid_t pid, const char *root, struct library *lib,
		     struct err *err)
{
	char *real __free = NULL;

	if (path[0] != '/')
		root = NULL; /* relative to where the user is */
	real = library_resolve(root, path);
	if (real)
		return set_found(lib, root, real, NULL);
	if (root)
		return err_set(err, -ENOENT, "%s: no such file in the root of process %d", path,
			       (int)pid);
	return err_set(err, -ENOENT, "%s: %s", path, strerror(ENOENT));
}

/* If the file is a script, the program that it starts is another file. err suggests a program of that name in PATH. */
static int check_program(const char *root, const char *name, const char *shown, struct err *err)
{
	char *program __free = NULL;
	struct err why = {};

	if (binary_check(root, shown, &why) != -ENOEXEC)
		return 0;
	program = library_search_program(root, name);
	return program ? err_set(err, -ENOEXEC, "%s, as in %s", why.text, program) : err_set(err, -ENOEXEC, "%s", why.text);
}

int library_find(const char *name, pid_t pid, struct library *lib, struct err *err)
{
	char *root __free = NULL, *shown __free = NULL;
	int ret = pid ? library_root(pid, &root, err) : 0;

	*lib = (struct library){ 0 };
	if (ret)
		return ret;
	if (strchr(name, '/'))
		return find_path(name, pid, root, lib, err);
	if (pid) {
		ret = find_program(name, pid, root, lib, err);
		if (ret == 1)
			ret = find_mapped(name, pid, root, lib, err);
		if (ret != 1)
			return ret;
	}
	shown = library_search(root, name);
	if (shown) {
		ret = check_program(root, name, shown, err);
		return ret ? ret : set_found(lib, root, shown, NULL);
	}
	if (pid)
		return err_set(
			err, -ENOENT,
			"no library or program '%s': process %d has not mapped it, and it is "
			"not in its %s",
			name, (int)pid, library_places);
	return err_set(err, -ENOENT, "no library or program '%s' in %s", name, library_places);
}
