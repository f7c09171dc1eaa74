/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine without a tool is given. What is wrong ends the program. */
#ifndef SONDE_TESTS_ENGINES_SETUP_H
#define SONDE_TESTS_ENGINES_SETUP_H

#include <stdio.h>
#include <unistd.h>

#include "engine/engine.h"

/* The spec of a function of this program; it also is a probe of the language. The caller frees. */
static inline char *setup_spec(const char *function)
{
	char path[4096] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		exit(1);
	return base_printf("uprobe:%s:%s", path, function);
}

/* Sets an option of the engine. value NULL: it has none. */
static inline void setup_option(struct engine_instance *instance, const char *option, const char *value)
{
	const struct engine *engine = instance->engine;
	const struct opt_table table = { .opts = engine->options, .n = engine->n_options, .base = instance->settings };
	char *argv[] = { "setup", (char *)option, (char *)value, NULL };
	struct opt_list none = {};
	struct err err = {};
	size_t dashdash;

	if (!opt_parse(value ? 3 : 2, argv, &table, 1, &none, &dashdash, &err))
		return;
	puts(err.text);
	exit(1);
}

#endif
