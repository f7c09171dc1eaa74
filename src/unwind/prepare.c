// SPDX-License-Identifier: BSD-2-Clause
/* Finds the files that a program will map when it starts, as its loader does. */
#include "binary/library.h"
#include "unwind_part.h"

/* Programs with hundreds of libraries start slowly; the rest is read when it is mapped. */
#define PREPARE_MAX 64

struct prepare {
	struct unwind *unwind;
	/* The files, the program first; those that were found last have not been looked at yet. */
	vec(struct library);
};

static bool is_known(const struct prepare *prepare, const char *path)
{
	vec_each(known, prepare)
		if (!strcmp(known->path, path))
			return true;
	return false;
}

static void find_file(struct unwind *unwind, const char *path)
{
	struct module *module = modules_find_path(&unwind->modules, path);

	/* mostly the kernel will show the same numbers; else there is no such mapping */
	if (module)
		known_add(&unwind->known, module, &module->id.id);
}

/* Takes what lib holds. */
static void add(struct prepare *prepare, struct library *lib)
{
	if (prepare->n < PREPARE_MAX && !is_known(prepare, lib->path)) {
		find_file(prepare->unwind, lib->path);
		*vec_push(prepare) = *lib;
	} else {
		library_release(lib);
	}
}

static void add_needed(void *ctx, const char *name)
{
	struct library lib;

	if (!library_find(name, 0, &lib, NULL))
		add(ctx, &lib);
}

static void prepare_release(struct prepare *prepare)
{
	for (size_t i = 0; i < prepare->n; i++)
		library_release(&prepare->v[i]);
	free(prepare->v);
}

void prepare_program(struct unwind *unwind, const char *path)
{
	struct prepare prepare __cleanup(prepare_release) = { .unwind = unwind };

	add_needed(&prepare, path);
	for (size_t i = 0; i < prepare.n; i++) {
		const struct library lib = prepare.v[i];

		library_each_needed(&lib, add_needed, &prepare, NULL);
	}
}
