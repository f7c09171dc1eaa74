/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files that a test makes, in a directory that is removed at its end. */
#ifndef SONDE_TESTS_UNIT_BINARY_FIXTURE_H
#define SONDE_TESTS_UNIT_BINARY_FIXTURE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "binary/binary.h"

static char fixture_dir[PATH_MAX];

static inline void fixture_remove(void)
{
	char *command __free = base_printf("rm -rf '%s'", fixture_dir);

	if (system(command))
		fprintf(stderr, "%s is left behind\n", fixture_dir);
}

static inline void fixture_init(void)
{
	char dir[] = "/tmp/sonde-test-XXXXXX";

	cr_assert(mkdtemp(dir), "mkdtemp");
	cr_assert(realpath(dir, fixture_dir), "realpath");
	/* not the fini function of the suite, which does not run if a test aborts */
	atexit(fixture_remove);
	/* the asker runs as nobody and must read the files */
	cr_assert(!chmod(fixture_dir, 0755), "chmod");
	setenv("CC", "gcc", 0);
}

/* Runs a shell command in the directory; $CC is the compiler. */
static inline void fixture_run(const char *command)
{
	char *line __free = base_printf("cd '%s' && { %s\n}", fixture_dir, command);
	int status = system(line);

	cr_assert(WIFEXITED(status) && !WEXITSTATUS(status), "%s", command);
}

/* Path of a file of the directory; valid until the fourth call from here. */
static inline const char *fixture_path(const char *name)
{
	static char paths[4][PATH_MAX + 256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", fixture_dir, name);
	return path;
}

static inline void fixture_write(const char *name, const void *data, size_t n)
{
	int fd __close = open(fixture_path(name), O_CREAT | O_TRUNC | O_WRONLY, 0755);

	cr_assert(fd >= 0 && write(fd, data, n) == (ssize_t)n, "write %s", name);
}

static inline void fixture_text(const char *name, const char *text)
{
	fixture_write(name, text, strlen(text));
}

/* The contents of a file, *n bytes. The caller frees them. */
static inline char *fixture_read(const char *path, size_t *n)
{
	int fd __close = open(path, O_RDONLY);
	struct stat st;
	char *data;

	cr_assert(fd >= 0 && !fstat(fd, &st), "open %s", path);
	data = base_alloc((size_t)st.st_size);
	cr_assert(read(fd, data, (size_t)st.st_size) == st.st_size, "read %s", path);
	*n = (size_t)st.st_size;
	return data;
}

static inline struct binary *fixture_open_in(const char *root, const char *path)
{
	struct err err = { .text = "" };
	struct binary *binary = NULL;
	int ret = binary_open(root, path, &binary, &err);

	cr_assert(!ret, "%s", err.text);
	return binary;
}

static inline struct binary *fixture_open(const char *path)
{
	return fixture_open_in(NULL, path);
}

/* The function with that name; NULL: none. */
static inline const struct binary_symbol *fixture_find(struct binary *binary, const char *name)
{
	const struct binary_symbol *s;
	struct err err;
	size_t n;

	if (binary_functions(binary, &s, &n, &err))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(s[i].name, name))
			return s + i;
	}
	return NULL;
}

#endif
