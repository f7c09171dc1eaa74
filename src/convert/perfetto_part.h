/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the converter to Perfetto's format: what its files share. The numbers of fields are those of Perfetto's
 * protos/perfetto/trace/trace_packet.proto and what it imports.
 */
#ifndef SONDE_CONVERT_PERFETTO_PART_H
#define SONDE_CONVERT_PERFETTO_PART_H

#include "base/protobuf.h"
#include "base/set.h"
#include "convert.h"

enum packet_field {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST_ON_SEQUENCE = 87,
};

/* Texts that are written once and then named by number, each field with its own numbers. */
enum intern_field {
	INTERN_CATEGORY = 1,
	INTERN_EVENT_NAME = 2,
	INTERN_ARGUMENT_NAME = 3,
	INTERN_KERNEL_SYMBOL = 26,
	INTERN_FIELDS,
};

enum track_type {
	TYPE_BEGIN = 1,
	TYPE_END,
	TYPE_INSTANT
};

/* Ids of tracks: the kind in the highest byte. */
enum track_kind {
	TRACKS_THREAD = 1, /* generation << 32 | tid */
	TRACKS_CPU,	   /* what happened where no thread is known */
	TRACKS_MARKS,
	TRACKS_LOSSES, /* 0: all, else lane << 32 | cpu + 1 */
	TRACKS_DISKS,  /* 0: all, else device << 16 | lane + 1 */
	TRACKS_CALLS,  /* of calls that are no thread's: the number of the text that is its name */
	TRACKS_SERVERS,
	TRACKS_CONNECTIONS,
};

/* The fields of an argument that can have its value. */
enum argument_field {
	ARGUMENT_UNSIGNED = 3,
	ARGUMENT_SIGNED = 4,
	ARGUMENT_TEXT = 6,
	ARGUMENT_POINTER = 7,
};

/* A switch that waits for the next one of its processor: only that shows whether `next` ran until then. */
struct perfetto_switch {
	bool is_held;
	bool has_reason, iowait;
	uint64_t time, call_argument;
	int64_t call;
	int32_t prev, next, prev_prio, next_prio;
	int64_t prev_state;
	const char *prev_comm, *next_comm;
	int32_t ended[2]; /* threads that have ended by it; 0: none */
};

struct perfetto_cpu {
	struct str events; /* of a bundle, not yet written */
	bool lost_before;  /* records were lost before these events */
	uint64_t lost_since;
	struct perfetto_switch held;
};

/* A call or a probed function that has begun and not yet returned. */
struct perfetto_open {
	uint64_t time;
	bool is_probe;
	int64_t id; /* number of the call or probe */
	uint32_t n_args;
	uint64_t args[8];
};

struct perfetto_thread {
	int32_t tid;
	bool is_known;	     /* the file says whose thread it is */
	bool has_track;	     /* of slices */
	bool has_ended;	     /* a process's first thread may end before the others */
	uint32_t others;     /* of a process's first thread: how many of the others live */
	uint32_t generation; /* how many threads had this id before */
	uint64_t requested;  /* until when it did something for requests, as drawn */
	vec(struct perfetto_open) open;
};

/* A request that a disk works at. */
struct perfetto_request {
	uint64_t time, device, sector, bytes, id;
	uint32_t lane; /* requests of a device that overlap are in different lanes */
	int64_t op;
	int32_t task;
};

/* A connection of a server. Slices of its track begin where those of the last request have ended. */
struct perfetto_connection {
	uint64_t id;	     /* of its track */
	uint64_t begin, end; /* as drawn, of the last request */
};

/*
 * What a thread did for a request. Requests are over in another order, so these are kept until the end; of many, the
 * older ones are written before.
 */
struct perfetto_stretch {
	uint64_t from, to;
	uint64_t number;
	int32_t tid;
	uint32_t client;	 /* a number of texts */
	uint32_t asked, n_asked; /* of p->asked: where those begin that it has asked for, and how many */
};

/* Recorded calls (KNOWN_CALL) of a track: each is in the one before it, and has begun in the file. */
struct perfetto_calls {
	vec(struct perfetto_call {
		uint32_t depth;
		uint64_t end; /* of one that has not returned, that of the call it is in; 0: not known */
	});
	uint64_t last; /* the latest end so far */
};

struct perfetto {
	struct recording *r;
	struct sink *sink;
	int64_t to_boot; /* ns to add to CLOCK_MONOTONIC */
	struct set interned[INTERN_FIELDS];
	struct str new_interned;		/* InternedData for the next packet */
	struct str packet, message, part, text; /* reused */
	struct set tids;			/* the number of a tid is that of its thread */
	vec(struct perfetto_thread) threads;
	vec(struct perfetto_cpu) cpus;
	vec(struct perfetto_request) requests;
	struct set returning;	/* probes that have returned: int64_t */
	struct set tracks;	/* ids of tracks that have been described, but those of threads */
	struct set call_tracks; /* ids of tracks that calls are on; the number is that in `calls` */
	vec(struct perfetto_calls) calls;
	struct set connection_numbers; /* numbers index connections */
	vec(struct perfetto_connection) connections;
	vec(struct perfetto_stretch) stretches;
	uint64_t stretched;  /* those that begin before may be written; they are cut to what has room then */
	uint64_t cut;	     /* how many were, or had no room */
	vec(uint64_t) asked; /* numbers of requests */
	struct set texts;    /* of stretches */
};

/* --- perfetto.c --- */

/* Writes p->message as a packet. time: CLOCK_MONOTONIC, 0: none. */
void perfetto_add_packet(struct perfetto *p, enum packet_field field, uint64_t time);
/* Returns the number of a text. */
uint64_t perfetto_intern(struct perfetto *p, enum intern_field field, const char *text);
/* Appends a field of text, as UTF-8. */
void perfetto_add_text(struct str *s, unsigned int field, const char *text, size_t n);
/* Returns the thread. The file says from `time` on whose it is, if the recording knows. Valid until the next call. */
struct perfetto_thread *perfetto_find_thread(struct perfetto *p, int32_t tid, uint64_t time);
/* Says from `time` on what a task is and how it is called; nothing if nobody knows. Returns false then. */
bool perfetto_describe_task(struct perfetto *p, int32_t tid, uint64_t time);
/* A thread begins. One that had its id before has ended. */
void perfetto_begin_thread(struct perfetto *p, int32_t tid, int32_t tgid, uint64_t time);
struct perfetto_cpu *perfetto_find_cpu(struct perfetto *p, uint32_t cpu);

/* A word of 64 bits may hold an int: what is just below 2^32 is a small negative one, such as AT_FDCWD. */
static inline int64_t perfetto_plain(uint64_t word)
{
	return word >> 12 == 0xfffff ? (int32_t)word : (int64_t)word;
}

/* --- perfetto_ftrace.c: the scheduler's events, in bundles for each processor --- */

void perfetto_ftrace_event(struct perfetto *p, const struct recording_event *event);
void perfetto_ftrace_loss(struct perfetto *p, const struct recording_event *loss);
/* Writes what is held. */
void perfetto_ftrace_end(struct perfetto *p);

/* --- perfetto_slices.c: what has a begin and an end, and moments --- */

void perfetto_slices_event(struct perfetto *p, const struct recording_event *event);
void perfetto_slices_loss(struct perfetto *p, const struct recording_event *loss);
void perfetto_slices_end(struct perfetto *p);
static inline uint64_t perfetto_track_id(enum track_kind kind, uint64_t number)
{
	return (uint64_t)kind << 56 | number;
}
/* Describes the track, unless it has been. Each returns the id. */
uint64_t perfetto_named_track(struct perfetto *p, uint64_t id, uint64_t parent, const char *name);
uint64_t perfetto_thread_track(struct perfetto *p, struct perfetto_thread *thread, uint64_t time);
/* A track event in p->message: arguments first, then perfetto_add_event(), which writes it. Names are copied. */
void perfetto_add_argument(struct perfetto *p, const char *name, enum argument_field field, uint64_t value);
void perfetto_add_text_argument(struct perfetto *p, const char *name, const char *text);
/* An arrow from the event before that has the same id. */
void perfetto_add_flow(struct perfetto *p, uint64_t id);
/* category, name: NULL for an end, which has neither. */
void perfetto_add_event(struct perfetto *p, uint64_t track, uint64_t time, enum track_type type, const char *category,
			const char *name);
/* The thread has ended, or its id is now another thread's. */
void perfetto_slices_thread_end(struct perfetto *p, struct perfetto_thread *thread, uint64_t time);

/* --- perfetto_calls.c: calls that were recorded when they had ended --- */

void perfetto_calls_event(struct perfetto *p, const struct recording_event *event);
void perfetto_calls_end(struct perfetto *p);

/* --- perfetto_requests.c: requests of a server --- */

void perfetto_requests_event(struct perfetto *p, const struct recording_event *event);
/* Before perfetto_slices_end(): the threads. */
void perfetto_requests_end(struct perfetto *p);

#endif
