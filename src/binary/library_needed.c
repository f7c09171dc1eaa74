// SPDX-License-Identifier: BSD-2-Clause
/* Finds a library that a file is linked to. */
#include "binary.h"
#include "library.h"
#include "library_search.h"

/* Replaces $ORIGIN, as in "$ORIGIN/../lib", by the directory of the file. The caller frees it. */
static char *expand(const struct library *lib, const char *dir)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(lib->shown, '/');

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if (!strncmp(dir, words[i], n))
			return base_printf("%.*s%s", slash ? (int)(slash - lib->shown) : 0, lib->shown, dir + n);
	}
	return base_strdup(dir);
}

/* Searches the directories of the runpath, as the loader does. The caller frees the path; NULL: not found. */
static char *search_runpath(const struct library *lib, const char *runpath, const char *name)
{
	char *dirs __free = base_strdup(runpath);
	char *save = NULL;

	for (char *dir = strtok_r(dirs, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *expanded __free = expand(lib, dir);
		char *file __free = base_printf("%s/%s", expanded, name);
		char *real __free = library_resolve(lib->root, file);

		if (real)
			return take_ptr(real);
	}
	return NULL;
}

/* What a file says about the libraries that it is linked to. */
struct needs {
	vec(const char *);   /* names; owned by the binary */
	const char *runpath; /* NULL: none */
};

static int add_need(void *ctx, const char *text, bool runpath)
{
	struct needs *needs = ctx;

	if (runpath)
		needs->runpath = text;
	else
		*vec_push(needs) = text;
	return 0;
}

static void needs_release(struct needs *needs)
{
	free(needs->v);
}

/* The library in a form that library_find() takes. The caller frees it. */
static char *name_for_find(const struct library *lib, const struct needs *needs, const char *name)
{
	char *path = needs->runpath ? search_runpath(lib, needs->runpath, name) : NULL;

	return path ? path : base_strdup(name);
}

int library_needed(const struct library *lib, const char *prefix, char **needed, struct err *err)
{
	struct needs needs __cleanup(needs_release) = {};
	struct binary *binary __cleanup(binary_closep) = NULL;
	int ret = binary_open(lib->root, lib->path, &binary, err);

	*needed = NULL;
	if (ret)
		return ret;
	binary_each_needed(binary, add_need, &needs);
	vec_each(name, &needs)
		if (!*needed && !strncmp(*name, prefix, strlen(prefix)))
			*needed = name_for_find(lib, &needs, *name);
	return *needed ? 0 : err_set(err, -ENOENT, "%s is not linked to %s", lib->shown, prefix);
}

int library_each_needed(const struct library *lib, library_needed_fn fn, void *ctx, struct err *err)
{
	struct needs needs __cleanup(needs_release) = {};
	struct binary *binary __cleanup(binary_closep) = NULL;
	char loader[PATH_MAX];
	int ret = binary_open(lib->root, lib->path, &binary, err);

	if (ret)
		return ret;
	if (!binary_interpreter(binary, loader))
		fn(ctx, loader);
	binary_each_needed(binary, add_need, &needs);
	vec_each(name, &needs) {
		char *needed __free = name_for_find(lib, &needs, *name);

		fn(ctx, needed);
	}
	return 0;
}
