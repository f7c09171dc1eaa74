/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a tool, from its arguments to its exit status: options that all tools share,
 * signals, the command, intervals, the end. Engines see only its struct engine_context.
 */
#ifndef SONDE_RUN_RUN_H
#define SONDE_RUN_RUN_H

#include <sys/types.h>

#include "engine/service.h"
#include "systemd.h"
#include "tool.h"

struct run_options {
	/* filters */
	struct run_pids {
		vec(uint32_t);
	} pids; /* of tools that trace several processes; they have no pid */
	uint32_t pid, tid;
	const char *cgroup, *comm, *uid, *cpu_text;
	/* duration */
	uint64_t interval, duration; /* ns, 0 none */
	const char *command;
	/* output */
	bool time, timestamp, json, csv, quiet, verbose, help;
};

/* Returns the only process; 0: any, there are several, or it is a thread, whose id `tid` has, too. */
static inline uint32_t run_pid(const struct run_options *options)
{
	if (options->pids.n != 1)
		return options->pid;
	return options->pids.v[0] == options->tid ? 0 : options->pids.v[0];
}

struct command;

struct run {
	const struct tool *tool;
	struct run_options options;
	struct opt_list args;	 /* the arguments that are not options, without the command */
	struct command *command; /* NULL: none; its process is held until the probes are armed */
	struct engine_context ctx;
	struct systemd manager;		 /* told when the probes are armed; {}: nobody, or the command talks to it */
	struct service service;		 /* that the argument names; {}: none */
	struct engine_instance instance; /* of the tool's engine; empty if the tool has no engine */

	int signals; /* fd of signals_watch(); -1: signals have their default actions */
	bool stopping;
	bool interrupted;  /* a signal arrived: stopping, or waiting for the command to end */
	int ended_by;	   /* the signal that stopped the run, 0: none */
	uint64_t ended_at; /* when a signal stopped the run, in ns of clock_monotonic_ns(), 0: none did */
	bool hurry;	   /* another signal: print what there is, without finishing what takes long */
	int asked;	   /* the signal that was passed on to the command, 0: none */
	uint64_t asked_at; /* when that was, in ns of clock_monotonic_ns() */
	bool said_waiting; /* the run has reported that it waits for the command */
	bool killed;	   /* we killed the command */
	int patience;	   /* ms left to wait for a reader of stdout that does not read, once interrupted */
};

/* Runs a tool from its arguments to its end. Returns the exit status: 0 done, 1 failed, 2 wrong usage. */
int run_tool(const struct tool *tool, int argc, char **argv);

/*
 * Fills in the option tables of a tool, bound to options and to the settings of an instance of it (both NULL for
 * documentation). Returns how many there are, at most TOOL_TABLES.
 */
size_t run_tables(const struct tool *tool, struct run_options *options, const struct engine_instance *instance,
		  struct opt_table tables[TOOL_TABLES]);

/* Flushes stdio's stdout and reports an error. Returns the exit status: 0 also if the reader has closed the pipe. */
int run_printed(void);

/*
 * Returns true if the user has asked to stop. Work that takes long before the loop runs calls it between its steps, for
 * the first time when something is attached: until that call a signal ends us at once.
 */
bool run_should_stop(struct run *run);

/* Returns the ms from now until a time of clock_monotonic_ns(), for poll(2); UINT64_MAX: never, -1. */
int run_ms_until(uint64_t ns);
/*
 * For tools without an engine: waits ns. Returns early, with false, if it is time to stop: a signal came, the reader of
 * stdout went away, or, if keys is true, the user typed q.
 */
bool run_pause(struct run *run, uint64_t ns, bool keys);

#endif
