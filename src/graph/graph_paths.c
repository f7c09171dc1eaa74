// SPDX-License-Identifier: BSD-2-Clause
#include "base/hash.h"
#include "graph_paths.h"

#define EARLY_TOP UINT32_MAX

struct walk {
	struct graph_paths *paths;
	struct graph_files *files;
	const char *comm;
	struct graph_path *path;
	uint32_t *depths;
	size_t n;
	struct graph_early before; /* what has waited up to now */
	uint32_t deepest;	   /* the most that a top of these is */
};

/* --- calls without their callers --- */

static uint32_t find_early(struct graph_early *early, uint32_t above, uint32_t depth, const struct graph_path *call)
{
	uint32_t hash = hash_pair((uint64_t)above << 32 | depth, (uintptr_t)call->function);
	struct graph_early_path *path;

	lookup_each(it, &early->lookup, hash) {
		path = &early->v[it.number];
		if (path->above == above && path->depth == depth && path->function == call->function)
			return it.number;
	}
	path = vec_push(early);
	path->function = call->function;
	path->kernel = call->kernel;
	path->above = above;
	path->depth = depth;
	path->top = above == EARLY_TOP ? depth : early->v[above].top;
	path->len = above == EARLY_TOP ? 1 : early->v[above].len + 1;
	lookup_add(&early->lookup, hash, early->n - 1);
	return early->n - 1;
}

/* Adds to what waits for a caller of a path whose first call is at this depth. */
static void add_early(struct graph_early *early, uint32_t depth, const struct graph_path *path, size_t n, uint64_t ns,
		      uint64_t count)
{
	uint32_t at = EARLY_TOP;

	/* a file has no deeper stacks */
	for (size_t i = 0; i < n && i < GRAPH_FILES_FRAMES; i++)
		at = find_early(early, at, depth + i, &path[i]);
	early->v[at].ns += ns;
	early->v[at].count += count;
}

static void release_early(struct graph_early *early)
{
	free(early->v);
	lookup_release(&early->lookup);
}

/* --- paths --- */

/* What the call path[n - 1] took by itself. */
static void add(struct walk *walk, const struct graph_path *path, size_t n, uint64_t ns, uint64_t count)
{
	if (walk->depths[0])
		add_early(&walk->paths->early, walk->depths[0], path, n, ns, count);
	else
		graph_files_add_time(walk->files, walk->comm, path, n, ns, count);
}

/* Adds a path that has waited, below the first n calls of another one. */
static void add_below(struct walk *walk, const struct graph_path *path, size_t n, const struct graph_early_path *early)
{
	__free struct graph_path *all = base_alloc((n + early->len) * sizeof(*all));
	const struct graph_early_path *at = early;

	if (n)
		memcpy(all, path, n * sizeof(*all));
	for (size_t i = early->len; i--; at = &walk->before.v[at->above])
		all[n + i] = (struct graph_path){ .function = at->function, .kernel = at->kernel };
	add(walk, all, n + early->len, early->ns, early->count);
}

/* The call at the end of the path is the caller of what has waited for one at its depth. */
static void adopt(struct walk *walk)
{
	uint32_t depth = walk->depths[walk->n - 1];

	if (depth >= walk->deepest)
		return;
	vec_each(early, &walk->before) {
		if (early->taken || early->top != depth + 1)
			continue;
		early->taken = true;
		if (early->count)
			add_below(walk, walk->path, walk->n, early);
	}
}

/* What calls at this depth, or in them, that were printed before took of their caller's time. */
static uint64_t *printed_at(struct graph_paths *paths, uint32_t depth)
{
	while (paths->printed.n <= depth)
		vec_push(&paths->printed);
	return &paths->printed.v[depth];
}

/* Ends the calls of a path that the one at this depth is not in. */
static void leave_calls(struct walk *walk, uint32_t depth)
{
	while (walk->n && walk->depths[walk->n - 1] >= depth) {
		const struct graph_path *call = &walk->path[walk->n - 1];

		add(walk, walk->path, walk->n, call->ns > call->inner ? call->ns - call->inner : 0, 1);
		if (--walk->n)
			walk->path[walk->n - 1].inner += call->ns;
		else if (walk->depths[0])
			*printed_at(walk->paths, walk->depths[0]) += call->ns;
	}
}

/* What no call was the caller of goes on waiting. */
static void keep_waiting(struct walk *walk)
{
	vec_each(early, &walk->before) {
		if (early->taken || !early->count)
			continue;
		walk->depths[0] = early->top;
		add_below(walk, NULL, 0, early);
	}
}

/* Calls of one tree: only the first one may be the outermost. */
static void add_tree(struct graph_paths *paths, struct graph_files *files, const char *comm,
		     const struct graph_step *steps, size_t n)
{
	__free struct graph_path *path = base_alloc((n + 1) * sizeof(*path));
	__free uint32_t *depths = base_alloc((n + 1) * sizeof(*depths));
	struct walk walk = { paths, files, comm, path, depths, 0, paths->early, 0 };

	vec_each(early, &walk.before)
		walk.deepest = early->top > walk.deepest ? early->top : walk.deepest;
	paths->early = (struct graph_early){};
	for (size_t i = 0; i < n; i++) {
		const struct graph_step *call = &steps[i];
		uint64_t *printed = printed_at(paths, call->depth + 1);

		leave_calls(&walk, call->depth);
		depths[walk.n] = call->depth;
		path[walk.n++] = (struct graph_path){
			.function = call->function, .kernel = call->kernel, .ns = call->ns, .inner = *printed
		};
		*printed = 0;
		adopt(&walk);
	}
	leave_calls(&walk, 0);
	keep_waiting(&walk);
	release_early(&walk.before);
}

void graph_paths_add(struct graph_paths *paths, struct graph_files *files, const char *comm,
		     const struct graph_step *steps, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		bool is_outermost = !steps[i].depth;

		for (end = i + 1; end < n && steps[end].depth;)
			end++;
		if (is_outermost && paths->since && paths->since < steps[i].start)
			graph_paths_end(paths, files, comm);
		if (!is_outermost && !paths->since)
			paths->since = steps[i].start;
		add_tree(paths, files, comm, &steps[i], end - i);
		if (is_outermost)
			graph_paths_end(paths, files, comm);
	}
}

bool graph_paths_wait(const struct graph_paths *paths)
{
	return paths->early.n;
}

void graph_paths_end(struct graph_paths *paths, struct graph_files *files, const char *comm)
{
	uint32_t depths[1] = {};
	struct walk walk = { paths, files, comm, NULL, depths, 0, paths->early, 0 };

	vec_each(early, &paths->early)
		if (early->count)
			add_below(&walk, NULL, 0, early);
	release_early(&paths->early);
	paths->early = (struct graph_early){};
	paths->printed.n = 0;
	paths->since = 0;
}

void graph_paths_release(struct graph_paths *paths)
{
	release_early(&paths->early);
	free(paths->printed.v);
}
