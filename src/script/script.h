/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The script engine: compiles a program of the language (lang/lang.h), attaches it, carries out its records and
 * prints its maps, as bpftrace does.
 *
 *	TOOL(trace, SCRIPT_ENGINE, ...);	the arguments are a file, or with -e the program's own
 */
#ifndef SONDE_SCRIPT_SCRIPT_H
#define SONDE_SCRIPT_SCRIPT_H

#include "engine/engine.h"
#include "probe/regex.h"

enum script_buffering {
	SCRIPT_BUFFER_LINE,
	SCRIPT_BUFFER_FULL,
	SCRIPT_BUFFER_NONE
};

/* Options of bcc's trace. */
struct script_bcc_settings {
	uint32_t string_size, max_events, pages;
	const char *name, *contains, *symbols;
	bool with_self, unix_time, cpu, kernel, user, addresses, totals, binary;
};

/* The engine's options. */
struct script_settings {
	const char *program; /* -e */
	const char *format;  /* -f: "text", "json"; of bcc's trace: what a message contains */
	struct script_bcc_settings bcc;
	const char *file; /* -o */
	int buffering;
	uint64_t duration; /* ns; 0: not given */
	struct opt_list include_dirs, includes;
	struct regex_option probe_filter;
	bool faults, is_unsafe, compat, force, list, dry_run, test, bench, info, no_warnings, fail_on_loss, all_semaphores;
	uint64_t buffer_size;
	int mech; /* --mechanism: enum mech */
};

struct script_given {
	bool is_set;	  /* a flag was given */
	const char *text; /* of all others; NULL: not given */
};

/*
 * A script that is a tool: what engine_instance.source points to. NULL: the program is -e's, or the file that the first
 * argument names.
 */
struct script_source {
	const char *path; /* for messages */
	const char *text;
	size_t len;
	/* Its options: name and kind. What the user gave is in the tool's settings: a struct script_given for each. */
	const struct lang_getopt *options;
	size_t n_options;
	/* Its arguments, $1 and so on; the last may stay away and have their defaults. */
	const struct script_argument {
		const char *name, *otherwise; /* otherwise NULL: it must be given */
	} * arguments;
	size_t n_arguments;
};

extern const struct engine script_engine;

/* Without fields: a snapshot has a table for each map. */
extern const struct schema script_schema;

#define SCRIPT_ENGINE .engine = &script_engine, .schema = &script_schema

#endif
