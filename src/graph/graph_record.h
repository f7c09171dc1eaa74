/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within graph/: calls as a recording, of which converters make files at the end (recorder/record_temporary.h).
 */
#ifndef SONDE_GRAPH_GRAPH_RECORD_H
#define SONDE_GRAPH_GRAPH_RECORD_H

#include "graph.h"
#include "recorder/record_temporary.h"

/* Initialise with {}. All functions but graph_record_open() do nothing if that has not been called. */
struct graph_record {
	struct record_temporary recording;
	int64_t to_monotonic; /* ns to add to a time since boot */
	uint32_t tracks;
};

/*
 * Begins a recording that becomes this file. The file stays the caller's and in its place until graph_record_write().
 * Returns 0, or -errno with err.
 */
int graph_record_open(struct graph_record *record, const struct file *file, const struct graph_settings *settings,
		      struct err *err);
/* The probes are armed. What fails from here on is said by graph_record_write(). */
void graph_record_begin(struct graph_record *record, const struct graph_settings *settings);
/* Names a function, before its first call; and a thread, or a thread anew: executes: it has a new program, too. */
void graph_record_function(struct graph_record *record, uint32_t slot, const char *name);
void graph_record_thread(struct graph_record *record, const struct event *who, uint64_t since, bool executes);
/* Returns the number of a new track with this name. */
uint32_t graph_record_track(struct graph_record *record, const char *name);
/* A call, after those that it is in and those of its thread that began before it. */
void graph_record_call(struct graph_record *record, const struct graph_row *row, uint32_t slot, bool user, uint32_t track);
/* Writes the file, and ends the recording. Returns 0, or -errno with err. */
int graph_record_write(struct graph_record *record, struct err *err);
void graph_record_release(struct graph_record *record);

#endif
