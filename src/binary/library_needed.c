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

int library_needed(const struct library *lib, const char *prefix, char **needed, struct err *err)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	const char *name, *runpath;
	int ret = binary_open(lib->root, lib->path, &binary, err);

	*needed = NULL;
	if (ret)
		return ret;
	if (binary_needed(binary, prefix, &name, &runpath))
		return err_set(err, -ENOENT, "%s is not linked to %s", lib->shown, prefix);
	if (runpath)
		*needed = search_runpath(lib, runpath, name);
	if (!*needed)
		*needed = base_strdup(name);
	return 0;
}
