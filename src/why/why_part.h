/* SPDX-License-Identifier: BSD-2-Clause */
/* Within why/why*.c: the state of an instance. */
#ifndef SONDE_WHY_WHY_PART_H
#define SONDE_WHY_WHY_PART_H

#include "engine/progs_life.h"
#include "path.h"
#include "recorder/record_temporary.h"
#include "requests.h"
#include "titles.h"
#include "why.h"
#include "why_sums.h"

struct ring_buffer;
struct ring_set;
struct request_event;
struct request_shared;
struct why_export;
struct why_link;

/* Shorter waits are never among the longest; and shorter waits for a processor have nobody who is behind them. */
#define WHY_LEAST_NS  1000000
#define WHY_BEHIND_NS 20000
/*
 * What holds up one request for long may hold up all others for a tenth of that: after a wait of so much, the next one of
 * its class has its stack.
 */
#define WHY_OF_REQUEST_NS 100000

/* A thread that existed before tracing, as /proc shows it. */
struct why_before {
	uint32_t tid, tgid;
	char comm[16];
	uint8_t class; /* of the sleep in which it was; WHY_RUNNING: in none; WHY_UNKNOWN: /proc does not say */
	uint16_t call;
	uint64_t ran; /* of one that did not sleep: in the kernel's account */
	bool seen;    /* the programs have it, too */
	bool unsure;  /* whether the filter passes it, the programs alone know */
};

/* What threads waited for, from the map "why_objects" and from threads that live. */
struct why_found {
	struct why_key key;
	struct why_object object;
};

/* What a thread was under one name: its time on processors is divided in the same proportion on the path. */
struct why_part {
	char comm[16];
	uint64_t ran;
	struct why_split split;
};

/* With --perfetto: the recording that becomes the file. */
struct why_recording {
	struct record_temporary file;
	/* of requests: struct requests_state, and connections; then steps and requests for which there is no room */
	struct set states, connections;
	uint64_t unnamed, left_out;
	struct set lanes;	   /* of the connections that have none of their own; numbers index lanes_ended */
	vec(uint64_t) lanes_ended; /* when the last request on each was over */
};

/* Of a command, and of a recording; without them, there are no rings. Without a command, links is NULL. */
struct why_path {
	struct ring_set *ring;
	struct path *links; /* object and behind of a link: numbers of keys */
	struct set keys;    /* of struct why_key */
	vec(struct why_part) parts;
	uint64_t lost;	   /* of all that is in the rings */
	uint64_t unnamed;  /* waits for objects that found no room in `keys` */
	uint64_t no_stack; /* waits whose objects are kept without the stack */
	uint64_t known;	   /* when the part of the path that is known begins; 0: all of it is */
	/* what is on it */
	struct why_sums sums;
	struct set seen; /* numbers of keys; their own numbers index objects, until they are sorted */
	vec(struct why_found) objects;
};

/* Threads of one name that did nothing but wait for work, most of it in one cause. */
struct why_idle {
	char comm[17];
	uint32_t cause;
	uint64_t threads, processes, ns;
};

/* Of a run without a command: the threads that worked, apart from those that only waited for work. */
struct why_work {
	size_t threads;		   /* that only waited for work; 0: all are in `worked` */
	struct why_sums worked;	   /* its names and `all`; tasks are not in it */
	vec(struct why_idle) idle; /* the longest first */
};

/* Of requests, classes: of which the holder is known, and of which whoever ends the sleep is followed. */
#define WHY_LOCKS (1ULL << WHY_LOCK | 1ULL << WHY_FLOCK | 1ULL << WHY_IPC)
#define WHY_FOLLOWS \
	(WHY_LOCKS | 1ULL << WHY_CONDITION | 1ULL << WHY_PIPE | 1ULL << WHY_SOCKET | 1ULL << WHY_POLL | 1ULL << WHY_EVENT | \
	 1ULL << WHY_CHILD)

/* With --requests. */
struct why_requests {
	bool on;
	bool no_recv; /* the kernel does not show what is read of unix sockets; functions do */
	struct requests *found;
	struct request_shared *shared;
	struct set clients; /* struct why_client: clients, and servers behind */
	struct set groups;  /* the same, of --by */
	struct set drawn;   /* of files of stacks: struct drawn; numbers index drawn_ns */
	vec(uint64_t) drawn_ns;
	struct why_export *export; /* NULL: nobody exports the counts */
	uint64_t undrawn;	   /* steps whose threads and stacks found no room there */
	struct set name_keys;	   /* of unix sockets; numbers index names */
	vec(char *) names;
	struct titles titles;
	/* whether an object is a lock by the names of functions, by the lower bits of its number */
	struct why_known_lock {
		uint32_t next; /* the number + 1; 0: none */
		bool is_lock;
	} known_locks[1024];
	/* what is said of struct requests_state's `ended`, by its numbers */
	vec(struct why_requests_held {
		char *who; /* NULL: not known yet */
		const char *lock;
	}) held;
	/* when others have first waited for a thread, or a process, by its id: the numbers of `met` index met_at */
	struct set met;
	vec(uint64_t) met_at;
	uint64_t hits;		     /* of the programs, roughly, as far as they wrote something */
	uint64_t joined;	     /* processes behind whose stacks can be read */
	uint64_t read_at, looked_at; /* when the rings were last read, and the connections */
	uint64_t lost_from;	     /* when they were read before that */
};

/* Holders whose first time is kept; of others, what /proc says now is not believed. */
#define WHY_MET 65536

/* Clients whose address and port are kept; as many may have an address alone. */
#define WHY_CLIENTS 65536

/* A client, or a server behind. */
struct why_client {
	unsigned char address[16]; /* of REQUEST_UNIX: the name of the process */
	uint32_t version;	   /* 4 or 6, REQUEST_UNIX; WHY_UNIX_NAME: the address is a key in "request_names" */
	uint32_t port;		   /* of REQUEST_UNIX: the process; 0: any */
};
#define WHY_UNIX_NAME 2
/* Of a group: the port is that of the server, or the id of a thread. */
#define WHY_PORT 7
#define WHY_TID	 8

struct why {
	struct engine_instance *instance;
	const struct why_settings *settings;
	struct progs progs;
	struct progs_clock clock;
	bool samples; /* of threads that run */
	struct stacks *stacks;
	struct locks *locks;
	struct stacks_source stacks_source;
	struct ring_buffer *ring;
	struct why_shared *shared;
	uint8_t calls[WHY_ABIS][WHY_CALLS]; /* the class of each system call */
	vec(struct why_before) before;
	uint64_t hidden; /* of these, whose class is unknown */
	uint64_t ends;	 /* records of threads that have come */
	/* at the end: those that live */
	vec(struct why_thread) live;
	struct why_sums sums;
	uint64_t began, ended; /* of the wall time */
	uint64_t executed;     /* when a thread that was not the command's first one executed a program; 0: none has */
	uint32_t command;      /* its id on the host; 0: not known yet, or there is none */
	/* the longest waits, the longest first */
	struct why_wait *waits;
	size_t n_waits;
	struct why_path path;
	struct why_work work;
	struct why_recording recording;
	struct why_requests requests;
	struct set keys; /* numbers index objects */
	vec(struct why_found) objects;
	bool knows_missed;
};

/* why.c: keeps a wait if it is one of the longest, and no wait for work. */
void why_keep_wait(struct why *why, const struct why_wait *wait);
/* When the stacks are there, before waits are printed: sorts them, and leaves of pieces only those of a lock together. */
void why_settle_waits(struct why *why);

/*
 * why_idle.c: whether a wait of this class, ended by an interrupt, only shows that there was nothing to do: a timer or
 * the network ended it. Not of a command, which has a path.
 */
uint64_t why_idle_classes(const struct why *why);
/* Once the sums are finished: tells those that worked from those that only waited. Nothing of a command. */
void why_idle_find(struct why *why);
void why_idle_release(struct why *why);

/* Reads /proc: the threads that the filter passes, and what they wait for. */
void why_before_read(struct why *why);

/*
 * At the end, of a thread that the programs have never seen: fills in who it is, and in `class` what it did all the
 * time, which is ns. False: it had ended before tracing began, or may not be measured.
 */
bool why_before_last(const struct why *why, const struct why_before *before, uint64_t ns, struct why_thread *thread);

/* Gives the time of the sleep in which a thread was at the start to its class. */
void why_before_replace(struct why *why, struct why_thread *thread);

/*
 * why_live.c: at the end. Reads the threads that live; false: one was just changing, and is not read. Then adds them to
 * the sums.
 */
bool why_live_read(struct why *why);
void why_live_add(struct why *why);
/* What a thread does at `now`, it has done since thread->since: adds it to the thread's cells, and to objects. */
void why_live_last(struct why *why, struct why_thread *thread, uint64_t now);

/* objects.c: what threads wait for. The number of a key in why->path.keys; PATH_NONE: there are too many. */
uint32_t objects_key(struct why *why, const struct why_key *key);
/* Waits for an object have ended: of all threads, and on the path, where the number may be PATH_NONE. */
void objects_add(struct why *why, const struct why_key *key, uint64_t ns, uint64_t count, uint64_t max);
void objects_add_path(struct why *why, uint32_t number, uint64_t ns);
/* At the end: adds what the programs have. Returns 0 or -errno. */
int objects_read(struct why *why);
/* Once all are added: the longest first. */
void objects_sort(struct why *why);
/* NULL: it is in no list of objects. */
const struct why_found *objects_find(const struct why *why, const struct why_key *key);
/* Appends what an object is, as the page names it. False: it has no name. */
bool objects_name(const struct why *why, struct str *s, const struct why_key *key, const struct why_object *object);
/*
 * Finds the stack of a wait by its id; 0: there is none. Returns what its functions call that for which they wait
 * (locks.h); NULL: that is not known.
 */
const char *objects_lock(struct why *why, uint32_t class, uint64_t stack, struct stacks_named *named);
/*
 * Finds the stack of whoever ended a wait; 0: there is none. Returns the function in which it was: the innermost of an
 * interpreted language, else the innermost that does not only wrap system calls; NULL: that is not known.
 */
const char *objects_function(struct why *why, uint64_t stack, struct stacks_named *named);
/* A call's wrapper in the C library. */
bool objects_is_wrapper(const struct frame *frame);
/* As objects_key(), of a wait with a stack: a key with OBJECTS_AT_STACK, whose `a` is the stack and `b` the key's number. */
uint32_t objects_key_at(struct why *why, const struct why_key *key, uint64_t stack);
/* The same of a key by its number, which may be SET_NONE. NULL, too, if the key is without a stack. */
const char *objects_lock_of(struct why *why, uint32_t number);
/*
 * As objects_key(), of a wait for the processor: a key with OBJECTS_BEHIND, whose `a` is the thread that had it, below
 * its process, and `b` the number of the key with its name.
 */
uint32_t objects_key_behind(struct why *why, const struct why_key *key, uint64_t thread);
/* The key of a running thread's sample: one with OBJECTS_RAN, whose `a` is the stack. */
uint32_t objects_key_ran(struct why *why, uint64_t stack);
/* The key with the name, of one with OBJECTS_BEHIND; any other, which may be SET_NONE, is its own. */
uint32_t objects_key_of(const struct why *why, uint32_t number);
/* in place of a call */
#define OBJECTS_AT_STACK 0x10000
#define OBJECTS_BEHIND	 0x10001
#define OBJECTS_RAN	 0x10002

/* why_path.c, all without effect if there is neither a command nor a recording. Before maps are created, and after. */
int why_path_open(struct why *why, struct err *err);
int why_path_prepare(struct why *why, struct err *err);
/* A descriptor that is readable when there is much to take; -1: none. */
int why_path_fd(const struct why *why);
void why_path_take(struct why *why);
/* Adds a record of a ring. n: how many words of it are known. */
void why_path_add_link(struct why *why, uint32_t kind, const struct why_link *link, size_t n, uint32_t cpu);
/* What a thread was, until it executed another program or to its end. */
void why_path_add_thread(struct why *why, const struct why_thread *thread);
/* A wait that lasts at `now`, of a thread that lives, since thread->since. */
void why_path_add_wait(struct why *why, const struct why_thread *thread, uint64_t now);
/* At the end: from `ended` back to `began`. */
void why_path_find(struct why *why);
void why_path_losses(const struct why *why);
void why_path_release(struct why *why);

/* why_record.c, all without effect without --perfetto. When the stacks are open, and when all is armed. */
int why_record_open(struct why *why, struct err *err);
int why_record_begin(struct why *why, struct err *err);
/* A ring's record behind its header, with zeros up to sizeof(struct why_link); then, behind the last one, the run. */
void why_record_add(struct why *why, uint32_t kind, const void *record);
void why_record_run(struct why *why, uint32_t cpu, uint32_t lane, uint64_t lost);
/* A sleep of a thread that lives, which lasts, or which somebody has ended. */
void why_record_sleeps(struct why *why, const struct why_thread *thread);
/* Once all objects are known. */
void why_record_write(struct why *why);
/* requests_record.c: a request that is over; then what was added is written. */
void why_record_request(struct why *why, const struct requests_done *done);
void why_record_requests(struct why *why);
/* The texts of numbers that why_record_request() has given; what it has left out. */
void why_record_texts(struct why *why);
void why_record_requests_losses(const struct why *why);
void why_record_losses(const struct why *why);
void why_record_release(struct why *why);

/*
 * why_requests.c, all without effect without --requests. Whether the other options go with it; then before maps are
 * created, and when all is attached, before the programs begin.
 */
int why_requests_check(struct why *why, struct err *err);
int why_requests_open(struct why *why, struct err *err);
int why_requests_arm(struct why *why, struct err *err);
/* requests_listen.c: fills in at which ports and unix sockets the server listens that runs already. */
void why_requests_listen(struct why *why);
/* At the end: whether it listens anywhere. */
bool why_requests_listens(const struct why *why);
/* The name of a unix socket by its key in "request_names"; "?": not known. */
const char *why_requests_name(struct why *why, uint64_t key);
/* The number of the same client, of why->requests.clients, without its port: REQUESTS_NONE: there is no room. */
uint32_t why_requests_bare(struct why *why, struct why_client client);
/* A record of a ring: its words behind the header, n of them. */
void why_requests_add(struct why *why, uint32_t kind, const uint64_t *words, size_t n);
/* Something is missing in a ring before its next record. */
void why_requests_lost(struct why *why, size_t ring);
/* A wait that lasts at `now`, of a thread that lives. */
void why_requests_add_wait(struct why *why, const struct why_thread *thread, uint64_t now);
/* Before the rings are read; all records of before are there then. */
void why_requests_take(struct why *why);
/* At the end, once waits that last are added: all that is left. */
void why_requests_finish(struct why *why);
void why_requests_losses(const struct why *why);
/* For struct attach_options, with the instance: before the programs go on after a pause. */
int why_requests_forget(void *instance);
void why_requests_release(struct why *why);
/* requests_export.c: if an exporter wants the counts; it checks the other options. Before anything else is done. */
int why_export_open(struct why *why, struct err *err);
void why_export_request(struct why *why, const struct requests_done *done);
/* For struct engine. */
size_t why_export_tables(const struct engine_instance *instance, const struct engine_table **to);
int why_export_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx);
void why_export_stats(struct engine_instance *instance, struct engine_stats *stats);
void why_export_release(struct why *why);
/* requests_page.c, requests_rows.c: prints it. Of data, the caller has begun the table. */
void why_requests_print(struct why *why, struct output *out);
extern const struct schema why_requests_schema;

/* why_page.c: prints it. Of data, the caller has begun the table. */
void why_page_print(struct why *why, struct output *out);
/* why_causes.c: the causes and objects, of the path and of all threads. */
void why_causes_print(const struct why *why, struct output *out);
/* The causes that have time, the largest first. Returns how many. */
size_t why_causes_sort(const struct why_split *split, uint32_t order[WHY_CAUSES]);

/* why_flame.c: flame graphs and other files of stacks. Whether the user wants one. */
bool why_flame_wanted(const struct why_settings *settings);
/* Fills in the frames of causes; running has no color. names: theirs, needed as long as they are. */
void why_flame_causes(struct frame causes[WHY_CLASSES], char names[WHY_CLASSES][32]);
/* requests_flame.c: a request that is over; without effect if there are no files. At the end, draws them all. */
void why_flame_request(struct why *why, const struct requests_done *done);
void why_flame_draw_requests(struct why *why);
/* At the end, before the threads that live are read: what programs counted. Returns 0 or -errno. */
int why_flame_read(struct why *why);
/* A thread that lives has slept for ns. */
void why_flame_sleeps(struct why *why, const struct why_thread *thread, uint64_t ns);
/* A file goes to stdout, in place of the page. */
bool why_flame_has_stdout(const struct why *why);
/* Once the sums are finished. */
void why_flame_write(struct why *why);

#endif
