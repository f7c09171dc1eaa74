// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attach points of user probes whose binary is a pattern: "uprobe:/usr/bin/py*:main" means several files, and
 * "usdt:*:name" all files that the process of -p has mapped, or without -p all processes. Files without such a probe
 * are left out.
 */
#include <ctype.h>
#include <dirent.h>
#include <glob.h>

#include "base/set.h"
#include "binary/maps.h"
#include "probes.h"

struct files {
	const struct lang_attach *attach;
	pid_t pid;
	struct pool *pool;
	const char *word, *rest; /* what stands before and behind the binary, without colons */
	struct set seen;
	struct lang_specs *specs;
};

static void offer(struct files *files, const char *path)
{
	const struct target_options options = { .pid = files->pid };
	const char *spec = pool_addf(files->pool, "%s:%s:%s", files->word, path, files->rest);
	struct target_set set = {};
	struct err err;
	size_t bad;

	if (!target_resolve(&spec, 1, &options, &set, &bad, &err))
		*vec_push(files->specs) = spec;
	target_set_release(&set);
}

static int offer_mapping(const struct mapping *mapping, void *ctx)
{
	struct files *files = ctx;
	size_t known = files->seen.n;

	if (mapping->exec && mapping->path[0] == '/' &&
	    set_add(&files->seen, mapping->path, strlen(mapping->path)) == known)
		offer(files, mapping->path);
	return 0;
}

/* Files that only a container has are not found by their paths, and are left out. */
static void offer_processes(struct files *files)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			maps_each(atoi(entry->d_name), offer_mapping, files);
	if (proc)
		closedir(proc);
}

static void offer_files(struct files *files, const char *pattern)
{
	glob_t found;

	if (!strcmp(pattern, "*")) {
		if (files->pid)
			maps_each(files->pid, offer_mapping, files);
		else
			offer_processes(files);
	} else if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			offer(files, found.gl_pathv[i]);
		globfree(&found);
	}
}

static bool is_user(const struct lang_attach *attach)
{
	return attach->kind == PROBE_UPROBE || attach->kind == PROBE_URETPROBE || attach->kind == PROBE_USDT;
}

bool lang_attach_has_files(const struct lang_attach *attach)
{
	const char *colon = strchr(attach->spec, ':');
	const char *wildcard = colon ? strpbrk(colon + 1, "*?[:") : NULL;

	return is_user(attach) && wildcard && *wildcard != ':';
}

size_t lang_attach_specs(const struct lang_attach *attach, pid_t pid, struct pool *pool, struct lang_specs *specs)
{
	__free char *text = base_strdup(attach->spec);
	struct files files = { .attach = attach, .pid = pid, .pool = pool, .word = text, .specs = specs };
	size_t before = specs->n;
	char *binary = strchr(text, ':'), *rest = binary ? strchr(binary + 1, ':') : NULL;

	if (is_user(attach) && rest) {
		*binary++ = 0;
		*rest++ = 0;
		files.rest = rest;
		if (strpbrk(binary, "*?["))
			offer_files(&files, binary);
		set_release(&files.seen);
	}
	if (specs->n == before)
		*vec_push(specs) = attach->spec;
	return specs->n - before;
}
