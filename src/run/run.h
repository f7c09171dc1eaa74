/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a tool, from its arguments to its exit status: options that all tools share,
 * signals, the command, intervals, the end. Engines see its struct engine_context.
 */
#ifndef SONDE_RUN_H
#define SONDE_RUN_H

#include <sys/types.h>

#include "tool.h"

struct run_options {
	/* filters */
	uint32_t pid, tid;
	const char *cgroup, *comm, *uid, *cpu_text;
	/* duration */
	uint64_t interval, duration; /* ns, 0 none */
	const char *command;
	/* output */
	bool time, timestamp, json, quiet, verbose, help;
};

struct command;

struct run {
	const struct tool *tool;
	struct run_options options;
	struct opt_list args;	 /* what is no option, without the command's */
	struct command *command; /* NULL: none; its process is held until armed */
	struct engine_context ctx;
	struct engine_instance instance; /* the tool's; of a tool without an engine an empty one */

	int signals; /* signals_watch()'s, -1: they end us */
	bool stopping;
	bool interrupted;  /* by a signal: stopping, or waiting for the command to end */
	int ended_by;	   /* the signal that stopped it, 0 none */
	int asked;	   /* the signal by which the command was asked to end, 0 none */
	uint64_t asked_at; /* of clock_monotonic_ns() */
	bool said_waiting; /* for the command */
	bool killed;	   /* the command, by us */
	int patience;	   /* with a reader that takes nothing, once interrupted; ms */
};

/* Everything; returns the exit status: 0 done, 1 could not, 2 wrong usage. */
int run_tool(const struct tool *tool, int argc, char **argv);

/*
 * The tables that every tool has, bound to options and to the settings of an instance of its engine (NULL for documentation).
 * At most TOOL_TABLES.
 */
size_t run_tables(const struct tool *tool, struct run_options *options, void *settings,
		  struct opt_table tables[TOOL_TABLES]);

/* What was printed by stdio reaches stdout, or it is said why not. The exit status: a reader that has gone away has seen enough. */
int run_printed(void);

/*
 * Has the user asked to stop? Looks at pending signals; for work that takes long before the loop runs. Before the first call
 * a signal ends us at once: the first comes when something is attached.
 */
bool run_should_stop(struct run *run);

/* As poll(2) wants it; UINT64_MAX is never. */
int run_ms_until(uint64_t ns);
/*
 * Of a tool without an engine: waits that long, from the first call on with an eye on signals and on who reads stdout, and,
 * with keys, on whether somebody types q. False: it is time to stop, and what there is is to be said.
 */
bool run_pause(struct run *run, uint64_t ns, bool keys);

#endif
