/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine of argdist: values of functions' arguments, counted or as histograms, at each interval. Its specs are in
 * bcc's notation (lang/bcc/bcc.h), and the script engine runs the program that they become.
 *
 *	TOOL(argdist, ARGDIST_ENGINE, ...);	-H SPEC and -C SPEC
 */
#ifndef SONDE_SCRIPT_ARGDIST_H
#define SONDE_SCRIPT_ARGDIST_H

#include "script.h"

/* The engine's options. */
struct argdist_settings {
	struct script_settings script; /* must be first: the script engine's */
	struct opt_list hists, counts;
	uint32_t tables, top, string_size;
	bool cumulative;
};

extern const struct engine argdist_engine;
extern const struct schema argdist_schema;

#define ARGDIST_ENGINE .engine = &argdist_engine, .schema = &argdist_schema

#endif
