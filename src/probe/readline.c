// SPDX-License-Identifier: BSD-2-Clause
/* Finds readline's functions in a program, or in the library that it is linked to. */
#include "binary/library.h"
#include "readline.h"
#include "target.h"

/*
 * Functions that return a line. A shell that sits at its prompt is in readline() already, which does no harm: its
 * return instructions are probed. The other one is inside it, for builds in which readline() ends by a jump.
 */
static const char *const functions[] = { "readline", "readline_internal_teardown" };

/* Whether all ends are known, and what is returned there. */
static bool has_values(const struct target_set *set)
{
	vec_each(target, set)
		if (target->leaves)
			return false;
	return true;
}

static int try_object(const char *object, pid_t pid, struct readline_probe *probe, struct err *err)
{
	const struct target_options options = { .pid = pid, .value = true };
	int ret = -ENOENT;

	for (size_t i = 0; ret && i < ARRAY_SIZE(functions); i++) {
		char *text __free = base_printf("ur:%s:%s", object, functions[i]);
		struct target_set found = {};
		size_t bad;

		ret = target_resolve((const char *[]){ text }, 1, &options, &found, &bad, err);
		if (!ret && !has_values(&found))
			ret = err_set(err, -ENOTSUP, "it is not known what its function %s returns", functions[i]);
		target_set_release(&found);
		if (!ret)
			probe->spec = take_ptr(text);
	}
	return ret;
}

int readline_find(const char *object, pid_t pid, struct readline_probe *probe, struct err *err)
{
	__cleanup(library_release) struct library library = {};
	__free char *needed = NULL;
	struct err why = {};
	int ret;

	if (strchr(object, ':'))
		return err_set(err, -ENOTSUP, "%s: no probe can be put where a ':' is in the path", object);
	ret = library_find(object, pid, &library, err);
	if (ret || !try_object(object, pid, probe, &why))
		return ret;
	ret = library_needed(&library, "libreadline", &needed, err);
	if (ret == -ENOENT)
		return err_set(err, ret, "%s has no function readline, and is linked to no libreadline",
			       library.shown);
	if (ret)
		return ret;
	probe->linked = true;
	if (try_object(needed, pid, probe, &why))
		return err_set(err, why.code, "%s is linked to %s: %s", library.shown, needed, why.text);
	return 0;
}
