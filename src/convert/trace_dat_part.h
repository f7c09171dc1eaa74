/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the converter to trace.dat: what its files share. The format is described in trace-cmd.dat.v6(5), pages of
 * the ring buffer and descriptions of events in the kernel's tracefs (events/header_page, events/header_event).
 */
#ifndef SONDE_CONVERT_TRACE_DAT_PART_H
#define SONDE_CONVERT_TRACE_DAT_PART_H

#include "base/set.h"
#include "convert.h"

/* --- trace_dat_pages.c: pages of the ring buffer --- */

#define DAT_PAGE      4096
#define DAT_PAGE_HEAD 16
#define DAT_DATA_MAX  2048 /* bytes of an event */

struct dat_pages {
	int error; /* 0 or -errno */
	int fd;	   /* where they are written to */
	bool is_temporary;
	uint64_t before;    /* bytes of the file that a temporary one does not have */
	uint32_t per_batch; /* pages of a processor that are written at once */
	unsigned char only_counted[DAT_PAGE];
	struct {
		struct dat_cpu {
			unsigned char *batch; /* NULL: pages are only counted, in the page above */
			bool is_open;	      /* a page is being filled */
			uint32_t used;	      /* bytes of events in it */
			uint64_t last;	      /* time of the last event in it */
			uint64_t lost;	      /* before its first event */
			uint64_t n;	      /* pages that have ended */
			uint64_t planned;     /* as many as there will be */
			uint64_t at;	      /* where in the file the first one is */
		} * v;
		size_t n, cap;
	} cpus;
};

/*
 * All events are added twice, and losses too: pages of a processor lie together in the file, so it must be known
 * before how many there are. dat_pages_count() ends the first time: there is an entry of pages->cpus for each processor
 * below n_cpus, and its `planned` is final.
 */
void dat_pages_count(struct dat_pages *pages, uint32_t n_cpus);
/*
 * Begins the second time. Pages are written to fd, from `at` of their processor on. fd -1: they wait in a temporary
 * file, and are appended to the sink at the end.
 */
void dat_pages_begin(struct dat_pages *pages, int fd);
/* Adds an event. len: at most DAT_DATA_MAX. */
void dat_pages_add(struct dat_pages *pages, uint32_t cpu, uint64_t time, const void *data, size_t len);
/* The next event of the processor comes after a loss. */
void dat_pages_lose(struct dat_pages *pages, uint32_t cpu, uint64_t lost);
/* Writes what has not been written. Returns 0 or -errno, -EIO if the events were others than the first time. */
int dat_pages_finish(struct dat_pages *pages, struct sink *sink);
void dat_pages_release(struct dat_pages *pages);

/* The kernel's events that we write, then ours. Their ids in the file are these + 1. */
enum dat_event {
	DAT_SWITCH,
	DAT_WAKING,
	DAT_MIGRATE,
	DAT_FORK,
	DAT_EXEC,
	DAT_EXIT,
	DAT_RENAME,
	DAT_SYS_ENTER,
	DAT_SYS_EXIT,
	DAT_ISSUE,
	DAT_COMPLETE,
	DAT_PROBE,
	DAT_RETURN,
	DAT_MARK,
	DAT_LOST,
	DAT_CALL_ENTRY,
	DAT_CALL_EXIT,
	DAT_EVENTS
};
#define DAT_FIRST_OTHER 64 /* kinds that we know nothing of: this + their index + 1 */

/* --- trace_dat_events.c --- */

struct dat {
	struct recording *r;
	struct dat_pages pages;
	struct set calls;
	unsigned char data[DAT_DATA_MAX]; /* the event that is being made */
	size_t len;
	const struct recording_event *event;
	struct str text;
	struct set functions; /* numbers of texts, int64_t */
	struct {
		struct dat_call {
			uint64_t start, end;
			uint32_t function, depth, cpu; /* function: number of a member */
			int32_t task;
		} * v; /* calls that have begun, a heap */
		size_t n, cap;
	} open;
	struct {
		struct {
			uint64_t lost, time;
		} * v; /* losses behind the last event of a processor */
		size_t n, cap;
	} losses;
};

/* How a field gets its value from a record. */
enum dat_how {
	DAT_BY_HAND, /* by a function for this event */
	DAT_NUMBER,
	DAT_COMM, /* the name of a task */
	DAT_CALL,
	DAT_ARGS,
	DAT_SECTORS, /* bytes / 512 */
	DAT_LETTER,  /* of a request's operation */
};
#define DAT_TASK (-1) /* instead of a known field: the task that the record is of */

struct dat_field {
	const char *declaration;
	uint8_t size, is_signed;
	enum dat_how how;
	int known; /* enum known_field, DAT_TASK */
	int64_t otherwise;
};

struct dat_format {
	const char *system, *name, *print;
	struct dat_field fields[8];
};
extern const struct dat_format dat_formats[DAT_EVENTS];

/* Begins an event in dat->data, with its head. Its fields follow. pid -1: an interrupt. */
void dat_begin(struct dat *dat, unsigned int id, int64_t pid);
void dat_put_number(struct dat *dat, uint64_t number, size_t bytes);
/* Adds dat->event, if there is an event for its kind. */
void dat_events_add(struct dat *dat);
void dat_events_add_lost(struct dat *dat, uint32_t cpu, uint64_t time, uint64_t lost);

/* --- trace_dat_calls.c: calls of functions --- */

/* Adds dat->event: where the call begins. Before the next event come the ends until then. */
void dat_calls_add(struct dat *dat);
void dat_calls_end(struct dat *dat, uint64_t until);
/* Appends the functions that occur, as /proc/kallsyms has them. */
void dat_calls_names(const struct dat *dat, struct str *s);

/* --- trace_dat_formats.c: events, described as the kernel does --- */

/* Appends the number of systems and their events. calls: the numbers of calls that occur, int64_t. */
void dat_formats_add(struct str *s, const struct recording *r, const struct set *calls);

#endif
