// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the file of a library or program by its short name, as the loader and the shell do, in our root or another one.
 * Knows the default directories of loaders. Knows no processes.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "binary.h"
#include "foreign.h"
#include "ldcache.h"
#include "library_search.h"

#define CACHE "/etc/ld.so.cache"
#if defined(__x86_64__)
#define DIR_TRIPLET "x86_64-linux-gnu"
#else
#define DIR_TRIPLET "aarch64-linux-gnu"
#endif
/* How many entries of a directory are read: on FUSE a program may invent entries without end. */
#define MAX_ENTRIES  100000
#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The default directories of Debian, of other distributions and of musl. */
static const char *const dirs[] = {
	"/lib/" DIR_TRIPLET,
	"/usr/lib/" DIR_TRIPLET,
	"/lib64",
	"/usr/lib64",
	"/usr/local/lib",
	"/lib",
	"/usr/lib",
};

const char library_places[] = CACHE ", /lib*, /usr/lib*, /usr/local/lib and PATH";

struct search {
	const char *root, *name;
	/* the best file so far */
	char *file; /* its last component, by which versions are compared; NULL: none yet */
	char *path; /* inside root */
	int level;  /* its glibc-hwcaps level */
};

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* ".so", ".so.6", "-2.31.so" */
static bool is_version(const char *s)
{
	size_t n = strlen(s);

	if (starts(s, ".so"))
		return !s[3] || s[3] == '.';
	return s[0] == '-' && isdigit((unsigned char)s[1]) && !strcmp(s + n - 3, ".so");
}

static bool matches(const char *file, const char *name)
{
	/* musl's C library and loader are one file */
	if (!strcmp(name, "c") && (starts(file, "ld-musl-") || starts(file, "libc.musl-")))
		return strstr(file, ".so");
	return starts(file, "lib") && starts(file + 3, name) && is_version(file + 3 + strlen(name));
}

bool library_name_matches(const char *file, const char *name)
{
	return *name && (!strcmp(file, name) || matches(file, name) ||
			 (starts(name, "lib") && name[3] && matches(file, name + 3)));
}

static bool is_at(const char *root, const char *path, const struct stat *st)
{
	int fd __close = foreign_locate(root, path);
	struct stat there;

	return fd >= 0 && !fstat(fd, &there) && there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

/*
 * Lets the kernel resolve path inside root and reads the resulting path. That begins at the root of the mount
 * namespace of a container, but at our root if the process is in a plain chroot: then the path of the chroot is cut
 * off.
 */
static char *resolve_in(const char *root, const char *path)
{
	int fd __close = foreign_locate(root, path);
	char link[32], real[PATH_MAX] = "", top[PATH_MAX] = "";
	struct stat st;
	size_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fd < 0 || fstat(fd, &st) || readlink(link, real, sizeof(real) - 1) < 0)
		return NULL;
	if (is_at(root, real, &st))
		return base_strdup(real);
	/* /proc/PID/root is a link; any other root is the path of a directory */
	if (readlink(root, top, sizeof(top) - 1) > 0 || realpath(root, top)) {
		n = strlen(top);
		if (starts(real, top) && real[n] == '/' && is_at(root, real + n, &st))
			return base_strdup(real + n);
	}
	return is_at(root, path, &st) ? base_strdup(path) : NULL;
}

char *library_resolve(const char *root, const char *path)
{
	int fd __close = -1;

	if (root)
		return resolve_in(root, path);
	fd = foreign_locate(NULL, path);
	return fd < 0 ? NULL : base_strdup(path);
}

/*
 * Keeps a file if it exists, is for this machine, and is better than the best so far: a later version or higher
 * level.
 */
static void consider(struct search *s, const char *file, const char *path, int level)
{
	int later = s->file ? strverscmp(file, s->file) : 1;
	char *real __free = NULL;

	if (later < 0 || (!later && level <= s->level))
		return;
	real = library_resolve(s->root, path);
	if (!real || binary_check(s->root, real, NULL))
		return;
	free(s->file);
	free(s->path);
	s->file = base_strdup(file);
	s->path = take_ptr(real);
	s->level = level;
}

static int consider_cached(const char *name, const char *path, int level, void *ctx)
{
	struct search *s = ctx;

	if (path[0] == '/' && library_name_matches(name, s->name))
		consider(s, name, path, level);
	return 0;
}

static void search_cache(struct search *s)
{
	/* a damaged or absent cache is no error: the directories are next */
	ldcache_each(s->root, CACHE, consider_cached, s);
}

static void search_dir(struct search *s, const char *dir)
{
	char *real __free = library_resolve(s->root, dir);
	int fd = real ? foreign_open_dir(s->root, real) : -ENOENT;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	for (int left = MAX_ENTRIES; d && left && (entry = readdir(d)); left--) {
		char *path __free = NULL;

		if (!library_name_matches(entry->d_name, s->name))
			continue;
		path = base_printf("%s/%s", real, entry->d_name);
		consider(s, entry->d_name, path, 0);
	}
	if (d)
		closedir(d);
}

/*
 * Finds an executable file as the shell does, but skips empty elements of PATH, and files that are not ELF unless
 * script. The caller frees it.
 */
static char *search_path(const char *root, const char *name, bool script)
{
	const char *path = getenv("PATH");
	char *list __free = base_strdup(path && *path ? path : DEFAULT_PATH);
	char *save = NULL;

	for (char *dir = strtok_r(list, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *file __free = base_printf("%s/%s", dir, name);
		char *real __free = library_resolve(root, file);
		int fd __close = real ? foreign_locate(root, real) : -ENOENT;
		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & 0111 &&
		    (script || !binary_check(root, real, NULL)))
			return take_ptr(real);
	}
	return NULL;
}

char *library_search(const char *root, const char *name)
{
	struct search s = { .root = root, .name = name };

	search_cache(&s);
	for (size_t i = 0; !s.path && i < ARRAY_SIZE(dirs); i++)
		search_dir(&s, dirs[i]);
	free(s.file);
	return s.path ? s.path : search_path(root, name, true);
}

char *library_search_program(const char *root, const char *name)
{
	return search_path(root, name, false);
}
