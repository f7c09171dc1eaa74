/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The script engine: compiles a program of the language (lang/lang.h), attaches it, carries out its records and prints its
 * maps, as bpftrace does.
 *
 *	TOOL(trace, SCRIPT_ENGINE, ...);	the arguments are a file, or with -e the program's own
 */
#ifndef SONDE_SCRIPT_ENGINE_H
#define SONDE_SCRIPT_ENGINE_H

#include "engine.h"

enum script_buffering {
	SCRIPT_BUFFER_LINE,
	SCRIPT_BUFFER_FULL,
	SCRIPT_BUFFER_NONE
};

/* The engine's options. */
struct script_settings {
	const char *program; /* -e */
	int format;	     /* -f: 0 text, 1 json */
	const char *file;    /* -o */
	int buffering;
	struct opt_list include_dirs;
	bool faults, is_unsafe, list, dry_run, test, bench, info, no_warnings, fail_on_loss;
	uint64_t buffer_size;
};

extern const struct engine script_engine;

/* The rows of a snapshot: the entries of all maps. */
extern const struct schema script_schema;

#define SCRIPT_ENGINE .engine = &script_engine, .schema = &script_schema

#endif
