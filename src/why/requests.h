/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of a server, and where their time went: takes who came to a processor when and why (as bpf/why_link.h has
 * it), and what happened on connections (bpf/request.h), and cuts the time of each request into parts without a gap.
 * Knows no page and no kernel. Classes and objects are numbers of the owner.
 *
 * Between two points of a request - its arrival, the first read, the first and the last send - the time is its own if
 * one thread is at both ends and did nothing for another request. Else its own are only: from a point on, until the
 * thread sleeps or does something for another request; and up to a point, since the thread last did something for
 * another request, or rested and was woken by the thread of the point before. What is between is time in a queue.
 *
 * What a thread sends to another server first belongs to the request for which it connected; later, to the one for which
 * it last did something, if it has not rested since. From there to the answer's arrival, what is not its own is the wait
 * for that server. If that one is measured, too, the wait is what the request there was cut into, until its first send;
 * the rest was on the way.
 *
 * Of the time that a thread runs, samples say where: each one counts up to the middle between it and the next of the
 * same thread in the same part of the request.
 *
 * A sleep of its own that another thread ended is what that thread was in meanwhile, and so on: of a lock, its holder.
 */
#ifndef SONDE_WHY_REQUESTS_H
#define SONDE_WHY_REQUESTS_H

#include "base/base.h"

enum requests_where {
	REQUESTS_OWN,	  /* a thread works for it, or waits for what it needs */
	REQUESTS_QUEUE,	  /* the thread does something for others */
	REQUESTS_ACCEPT,  /* the thread is not there yet */
	REQUESTS_UNKNOWN, /* the thread sleeps, for nothing that is known to have to do with it */
	REQUESTS_BEHIND,  /* another server was asked, and has not answered yet */
	REQUESTS_WAY,	  /* of that, what is neither here nor there: only as `inner` */
};

#define REQUESTS_NONE	UINT32_MAX
#define REQUESTS_DIRECT UINT8_MAX

/* So many sleeps that threads have ended are followed one after the other. */
#define REQUESTS_MOST_ENDED 5

/* What the request's thread slept for, and who ended that sleep; what that one slept for meanwhile, and so on. */
struct requests_ended {
	uint32_t n;
	struct requests_ender {
		uint32_t object; /* as in struct requests_link */
		uint32_t tid;
	} hops[REQUESTS_MOST_ENDED];
};

/* A thread comes to a processor: it was asleep until woken_at, then ready. off_at <= woken_at <= ran_at. */
struct requests_link {
	uint64_t off_at, woken_at, ran_at;
	uint32_t tid, waker; /* waker 0: not known */
	uint32_t object;     /* what it slept for, REQUESTS_NONE: not known */
	uint32_t behind;     /* who had the processor */
	uint64_t stack;	     /* where it slept; 0: not known */
	uint8_t class;	     /* of the sleep */
	uint8_t ready_class; /* of the time from woken_at to ran_at */
	bool born;	     /* the thread began at ran_at; only tid counts, too */
};

/* A thread was found running. */
struct requests_sample {
	uint64_t time;
	uint64_t stack;
	uint32_t tid;
	uint32_t object; /* a number of the owner for the stack; REQUESTS_NONE: there are too many */
};

enum requests_kind {
	REQUESTS_READ = 1,
	REQUESTS_SEND,
	REQUESTS_DONE,
	/* of another connection, to a server behind: */
	REQUESTS_DIAL,
	REQUESTS_ASK,
	REQUESTS_GET, /* its answer arrived at `arrived`, and is read */
};

struct requests_event {
	uint64_t time;
	uint64_t sock, birth; /* the connection */
	uint64_t arrived;
	uint64_t sent_at, client_at; /* of REQUESTS_DONE; client_at 0: not known */
	uint32_t tid;
	uint32_t round, merged;
	uint32_t from;	/* of REQUESTS_DONE: a number of the owner for the client; of REQUESTS_GET: for that server */
	uint32_t group; /* of REQUESTS_DONE: a number of the owner, REQUESTS_NONE: none */
	uint32_t at;	/* the same, for where the server listens */
	bool aside;	/* it is asked of a server behind, and counts only as part of others */
	/* of REQUESTS_GET: the connection and the round there, if that server is measured, too; 0: it is not */
	struct requests_there {
		uint64_t sock, birth;
		uint32_t round;
	} there;
	uint8_t kind;
};

/* What a thread was in. */
struct requests_state {
	uint32_t tid, object; /* class and object: as the owner has them; of a running thread, of its sample */
	uint32_t server;      /* of REQUESTS_BEHIND: `from` of that server; where it lasts, of the last one; else 0 */
	uint8_t where, class;
	uint8_t inner;	/* of REQUESTS_BEHIND: where it was there; REQUESTS_BEHIND: that server is not measured */
	uint8_t via;	/* the thread has ended a sleep of this class; REQUESTS_DIRECT: it works for the request itself */
	uint32_t ended; /* the sleeps that were followed to it: requests_ended(); 0: none, or not kept */
};

/* Part of a request: the time in a state, of running at one of its samples. */
struct requests_part {
	struct requests_state state;
	uint64_t ns;
};

/* The same in the order of time: of the slowest requests, what is not short. */
struct requests_step {
	struct requests_state state;
	uint64_t from, to;
	uint64_t stack; /* 0: not known */
};

/* How many of these steps, from the first one on, are one: a thread runs, at several samples. n is at least 1. */
size_t requests_run(const struct requests_step *steps, size_t n, uint8_t running);

struct requests_request {
	uint64_t arrived, ns;
	uint64_t client_ns; /* until the client had read the answer; 0: not known */
	uint32_t from, group, tid;
	uint32_t merged;
	uint32_t behind;	   /* requests of others in its queues */
	uint32_t n_parts, n_steps; /* n_parts 0: it was not cut */
	struct requests_part *parts;
	struct requests_step *steps;
};

/* How long a request lasted. */
struct requests_time {
	uint64_t ns, client_ns;
	uint32_t group;
};

/* Of the requests of a group. */
struct requests_group {
	uint64_t n, ns, max;
};

/* What of the owner's classes has a meaning here. */
struct requests_classes {
	uint64_t rests;	  /* a bit for each class: a thread that serves several connections sleeps so between requests */
	uint64_t follows; /* a bit for each class: who ends a sleep is what the thread slept for */
	uint64_t locks;	  /* a bit for each of these: somebody holds what the thread sleeps for */
	/* Whether it is so of an object, whatever the class; NULL: of none. */
	bool (*is_lock)(uint32_t object, void *ctx);
	void *ctx; /* of is_lock */
	uint8_t running, unknown;
	uint8_t poll;	/* who sleeps so is there for whatever comes */
	uint8_t behind; /* of the time of a server behind; a thread that sleeps so may wait for one */
};

/* The most of requests_limits.deep. */
#define REQUESTS_MOST_DEEP 5

/* What is kept: if there are more, a sample in which each request has the same chance. 0: the default. */
struct requests_limits {
	size_t split;	 /* requests with their parts: 32,768 */
	size_t times;	 /* 262,144 */
	size_t slowest;	 /* requests with their parts and steps */
	uint64_t slower; /* ns: requests that last less are not split */
	/* of threads, what requests that last may need: 1,048,576 switches and what was done for requests */
	size_t kept;
	uint64_t longest; /* ns: requests that last longer may not be split; 0: those that find room in `kept` are */
	bool first_byte;  /* a request ends when its answer begins; then nothing is known of the client's view */
	int deep;	  /* how many servers behind each other are gone into; 0: into none */
};

struct requests;

struct requests *requests_new(const struct requests_classes *classes, const struct requests_limits *limits);
/* Of NULL, too. */
void requests_free(struct requests *requests);

/* In any order, but not before the time of requests_settle(). */
void requests_add_link(struct requests *requests, const struct requests_link *link);
void requests_add_event(struct requests *requests, const struct requests_event *event);
void requests_add_sample(struct requests *requests, const struct requests_sample *sample);
/*
 * A request has arrived at `since`, and is not read yet: what happens meanwhile is kept for it, within the limits, until
 * the next call. UINT64_MAX: there is none. Without it, a request may be read 2 s after it has arrived; if later, it is
 * not split.
 */
void requests_keep_since(struct requests *requests, uint64_t since);
/* Something is missing between these times: requests that last then are counted, but not cut. */
void requests_add_loss(struct requests *requests, uint64_t from, uint64_t to);
/* All that happened up to `until` was added: cuts the requests that were over by then. */
void requests_settle(struct requests *requests, uint64_t until);

/* What is kept of all, of the slowest, the slowest first, and of groups by their numbers. Valid until the next call. */
const struct requests_request *requests_split(const struct requests *requests, size_t *n);
const struct requests_request *requests_slowest(const struct requests *requests, size_t *n);
const struct requests_time *requests_times(const struct requests *requests, size_t *n);
const struct requests_group *requests_groups(const struct requests *requests, size_t *n);

/* The sleeps of a state's number `ended`; NULL: none. */
const struct requests_ended *requests_ended(const struct requests *requests, uint32_t number);

struct requests_counts {
	uint64_t requests, ns, max; /* all, their sum, the longest */
	uint64_t with_client;	    /* of which the client's view is known */
	uint64_t slower;	    /* that are not too short to be split */
	uint64_t inner;		    /* requests of measured servers behind, which are parts of others */
	uint64_t connections;
	uint64_t merged;     /* requests */
	uint64_t not_cut;    /* requests: something was lost, or forgotten, while they lasted */
	uint64_t unanswered; /* were read, and not answered by the end, or something of them was lost */
	uint64_t not_named;  /* steps of which it is not kept who held them up */
	uint64_t open;	     /* of these, requests that may still be answered */
};

struct requests_counts requests_count(const struct requests *requests);

/* --- each request --- */

/* A request that is over. It is valid until the function that gets it returns. */
struct requests_done {
	uint64_t sock, birth; /* the connection */
	uint64_t number;      /* of the request, from 1 */
	uint64_t arrived, read_at, ended;
	uint32_t from, at, tid, merged;
	bool inner;	/* it is part of another one */
	bool short_one; /* it lasts less than limits.slower, and is not split */
	/* which sum to its time; 0: it was not cut */
	size_t n_parts;
	const struct requests_part *parts;
	/* all of them, without a gap from `arrived` to `ended`; 0: it was not cut, or nobody wants them */
	size_t n_steps, n_asked;
	const struct requests_step *steps;
	/* requests of servers behind that are parts of this one, and when they arrived there */
	struct requests_asked {
		uint64_t number, arrived;
	} asked[8];
};

/* From now on, `each` gets every request, those of servers behind among them, which may come later than its end. */
void requests_each(struct requests *requests, void (*each)(const struct requests_done *done, void *ctx), void *ctx,
		   bool steps);

#endif
