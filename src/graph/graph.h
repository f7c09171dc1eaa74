/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls as a tree. The programs (bpf/graph.bpf.c) send a record for each call when it returns, so what a call has called
 * comes before it. The calls of a thread are kept until the one that all of them are in has returned; then its tree is
 * printed, in the order in which the calls began.
 *
 *	graph_new()	the functions are known: says what the programs need to know of them
 *	graph_begin()	probes are armed
 *	graph_add()	each record, in the order of time
 *	graph_stop()	tracing ends; the last records follow
 *	graph_end()	once: what has not returned
 */
#ifndef SONDE_GRAPH_GRAPH_H
#define SONDE_GRAPH_GRAPH_H

#include <sys/types.h>

#include "bpf/event.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#include "output/frame.h"
#include "output/output.h"

struct condition;
struct filter;
struct graph;
struct stacks;
struct target_set;

struct graph_settings {
	bool args, results;
	struct condition *only_if;  /* calls that match, and their callers; NULL: all. graph_free() frees it */
	bool reads_args;	    /* records have arguments */
	bool flat;		    /* entries as they come, with their callers: no trees */
	const char *folded, *flame; /* files for the time of calls by path; NULL: none */
	const char *perfetto;	    /* a file for Perfetto; NULL: none */
	const char *trace_dat;	    /* a file for trace-cmd; NULL: none */
	const char *record;	    /* a file for the calls as a recording; NULL: none */
	const char *const *under;   /* specs: trees begin with these functions; none: with any */
	size_t n_under;
	bool regex, force;	    /* of the spec, as of struct target_options */
	pid_t pid;		    /* likewise */
	bool overwrite;		    /* files that exist */
	uint64_t least;		    /* ns: calls that have not returned are shown only if they have taken so long */
	const char *title;	    /* of the run, for files */
	pid_t command;		    /* 0: none */
	const struct filter *filter;
};

/*
 * What the programs share: the pending table, the table of threads, stacks.
 * Valid while the graph is.
 */
struct graph_shared {
	struct graph_call *pending;
	size_t n;
	struct graph_thread *threads; /* GRAPH_THREADS */
	struct stacks *stacks;	      /* the caller's; NULL: there are none */
	unsigned long long *no_end;   /* counts calls whose return was not seen */
};

/* A row. Text has a line where a call begins and one where it ends, or one for both; data has one for each call. */
struct graph_row {
	struct event event; /* its time is the begin of the call; pid 0 and comm "": not known */
	unsigned long long ns;
	unsigned int ended;    /* 0: ns is not known, because the call has not returned, or on the line where it begins */
	unsigned int returned; /* 0: ret is not known */
	unsigned int depth;
	long long ret;
	const char *function, *args, *result; /* args and result: NULL if not asked for, or if there is none */
	const char *line;		      /* text: the function as the tree shows it */
	struct frame_stack stack;	      /* the kernel's, where depth is 0 and there are stacks */
	const char *caller;		      /* of settings->flat only: the function that it was called by */
};

/* The columns of a row behind its times. */
/* clang-format off */
#define GRAPH_COLUMNS \
	FIELD(FIELD_DURATION, struct graph_row, ns, "ns", "TIME(us)", 12, .unit = UNIT_US, .decimals = 2, \
	      .absent = "", KNOWN_BY(struct graph_row, ended)), \
	EVENT_ID(tid, "TID", 7), \
	TEXT(FIELD_STR, struct graph_row, line, "FUNCTION", -1, .may_cut = true), \
	EVENT_ID_DATA(pid), \
	DATA(FIELD_CHARS, struct event, comm, "comm", .role = ROLE_TASK), \
	DATA(FIELD_U32, struct graph_row, depth, "depth"), \
	DATA(FIELD_STR, struct graph_row, function, "func"), \
	DATA(FIELD_STR, struct graph_row, args, "args"), \
	DATA(FIELD_S64, struct graph_row, ret, "retval", KNOWN_BY(struct graph_row, returned)), \
	DATA(FIELD_STR, struct graph_row, result, "result")
/* clang-format on */

/*
 * about: GRAPH_SLOTS bytes for the programs, to be filled in. The set's targets come before their returns, as of
 * pairs_make(); it and the output stay the caller's and must outlive the graph. NULL with err: -ENOENT, no function of
 * the set matches settings->under; -E2BIG: too many functions; as of files_add().
 */
struct graph *graph_new(const struct graph_settings *settings, const struct target_set *set, struct output *out,
			uint8_t *about, struct err *err);
void graph_free(struct graph *graph);
/* Begins the table of rows, unless a file has stdout. */
void graph_begin(struct graph *graph, const struct schema *schema, const struct graph_shared *shared);
/* A record: a struct graph_event, with settings->flat a struct graph_entry. */
void graph_add(struct graph *graph, const void *record);
/* Records are lost, some of which may have said who a thread is: the programs say it again. */
void graph_lost(struct graph *graph);
/* Notes which calls have not returned. The records of some of them may come still. */
void graph_stop(struct graph *graph);
/*
 * Prints all that is kept, and what has not returned. Writes the files. False: one could not be written, which is
 * reported.
 */
bool graph_end(struct graph *graph);

#endif
