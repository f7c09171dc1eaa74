// SPDX-License-Identifier: BSD-2-Clause
/* -P: the calls that name one of the paths, or have a descriptor of it as an argument. */
#include <limits.h>

#include "base/report.h"
#include "strace_part.h"
#include "types.h"

void strace_paths_resolve(const struct opt_list *paths, struct strace_paths *resolved, bool quiet)
{
	for (size_t i = 0; i < paths->n; i++) {
		char *path = realpath(paths->v[i], NULL);

		*vec_push(resolved) = path;
		/* a path that does not exist yet is compared as it is */
		if (path && strcmp(path, paths->v[i]) && !quiet)
			report_note("Requested path \"%s\" resolved into \"%s\"", paths->v[i], path);
	}
}

void strace_paths_release(struct strace_paths *resolved)
{
	vec_each(path, resolved)
		free(*path);
	free(resolved->v);
	*resolved = (struct strace_paths){};
}

static bool is_one(const struct strace_line *line, const char *path)
{
	const struct opt_list *paths = &line->settings->paths;
	const struct strace_paths *resolved = &line->settings->resolved;

	for (size_t i = 0; path && i < paths->n; i++)
		if (!strcmp(paths->v[i], path) || str_same(resolved->v[i], path))
			return true;
	return false;
}

/* The text that a link is to have is no path that the call uses. */
static bool is_content(const struct strace_line *line, unsigned int arg)
{
	return !arg && !strncmp(line->call->name, "symlink", strlen("symlink"));
}

static bool names_it(const struct strace_line *line, unsigned int arg)
{
	const struct strace_type *type = line->call->args[arg];
	const struct strace_blob *blob;

	if ((type != &t_path && type != &t_program) || is_content(line, arg))
		return false;
	blob = strace_blob(line, arg, 0, 0);
	return blob && blob->status == STRACE_WHOLE && blob->n && is_one(line, strace_bytes(blob));
}

static bool is_open_on_it(const struct strace_line *line, unsigned int arg)
{
	const struct strace_type *type = line->call->args[arg];
	__free char *path = NULL;

	/* the current directory is no descriptor */
	if (type->steps[0].op != STRACE_FILE || (int)strace_arg(line, arg) < 0)
		return false;
	path = strace_file_path(strace_blob(line, arg, 0, 0));
	return is_one(line, path);
}

bool strace_paths_pass(const struct strace_line *line)
{
	if (!line->settings->paths.n)
		return true;
	for (unsigned int arg = 0; line->call && arg < STRACE_ARGS && line->call->args[arg]; arg++)
		if (names_it(line, arg) || is_open_on_it(line, arg))
			return true;
	return false;
}
