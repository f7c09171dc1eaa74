/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine of `sonde why`: where the time of a command, of a process or of the system went. It splits the life of
 * each thread into causes (bpf/why.h) and prints a page: the causes with their objects, the longest waits with their
 * stacks.
 */
#ifndef SONDE_WHY_WHY_H
#define SONDE_WHY_WHY_H

#include "engine/engine.h"
#include "engine/stacks.h"

struct why_settings {
	struct stacks_settings stacks;
	bool by_thread; /* a table of threads, too */
	bool without_stacks;
	uint32_t worst;	      /* how many of the longest waits are printed */
	const char *locks;    /* a file of names of locks (locks.h); NULL: none */
	const char *perfetto; /* a file for Perfetto; NULL: none */
	bool requests;	      /* requests of a server instead of threads */
	uint32_t port;	      /* of the server; 0: all at which the threads listen */
	int by;		      /* enum why_by */
	uint32_t slower;      /* ms: only requests that last so long are split */
	bool first_byte;      /* a request ends when its answer begins */
	uint32_t chain;	      /* how many servers behind each other are gone into */
	uint64_t over;	      /* ns: who held processors while threads waited so long for them; 0: not asked */
	bool user_stacks;     /* with it: the user part of stacks, too */
	const char *cpus;     /* with it: of these processors; NULL: of all */
};

/* A table of requests, too. */
enum why_by {
	WHY_BY_NOTHING,
	WHY_BY_PEER,
	WHY_BY_PORT,
	WHY_BY_THREAD,
};

#define WHY_WORST	  5
#define WHY_WORST_DEFAULT UINT32_MAX /* -n is not given */
#define WHY_CHAIN_DEFAULT UINT32_MAX /* nor is --chain */

/* A row of data: JSON, CSV. Members that a kind does not have are null. */
struct why_row {
	const char *kind; /* "total", "cause", "object", "path", "path process", "path object",
			     "thread", "wait" */
	const char *cause, *object, *call, *lock;
	const char *comm, *waker, *waker_function;
	uint32_t pid, tid, waker_pid, waker_tid;
	uint64_t ns, count, max;
	uint64_t wall, processes, threads; /* of the total */
	struct frame_stack kernel, user, waker_user;
};

/* The same with --requests. */
struct why_request_row {
	/* "total", "part", "object", "function", "holder", "group", "request", "request part", "request step" */
	const char *kind;
	const char *where;  /* "own", "queue", "accept", "unknown", "behind" */
	const char *there;  /* of "behind", where it was at that server: also "way" */
	const char *server; /* of "behind" */
	const char *cause, *object;
	const char *via;  /* the cause of a sleep that the thread with this cause has ended */
	const char *lock; /* what the program calls that for which that sleep was */
	const char *client;
	uint64_t number; /* of a request among the slowest, from 1 */
	uint64_t begin, ns;
	uint64_t mean, p50, p99;
	uint64_t client_p50, client_p99, max;
	uint64_t requests, connections, merged, behind, inner, slower;
	uint32_t tid;
	const char *function;		 /* in which the time of running mostly was */
	uint32_t holder_pid, holder_tid; /* the thread that had the processor for which this one waited */
	struct frame_stack kernel, user;
};

extern const struct schema why_schema;
extern const struct engine why_engine;

#endif
