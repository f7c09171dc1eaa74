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
 * for that server.
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
};

#define REQUESTS_NONE UINT32_MAX

/* A thread comes to a processor: it was asleep until woken_at, then ready. off_at <= woken_at <= ran_at. */
struct requests_link {
	uint64_t off_at, woken_at, ran_at;
	uint32_t tid, waker; /* waker 0: not known */
	uint32_t object;     /* what it slept for, REQUESTS_NONE: not known */
	uint32_t behind;     /* who had the processor */
	uint8_t class;	     /* of the sleep */
	uint8_t ready_class; /* of the time from woken_at to ran_at */
	bool born;	     /* the thread began at ran_at; only tid counts, too */
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
	uint32_t from; /* of REQUESTS_DONE: a number of the owner for the client; of REQUESTS_GET: for that server */
	uint8_t kind;
};

/* Part of a request: ns that thread tid was in a state. class: as the owner has it. REQUESTS_BEHIND: object is `from`. */
struct requests_part {
	uint64_t ns;
	uint32_t tid, object;
	uint8_t where, class;
};

struct requests_request {
	uint64_t arrived, ns;
	uint64_t client_ns; /* until the client had read the answer; 0: not known */
	uint32_t from;
	uint32_t merged;
	uint32_t behind;	/* requests of others in its queues */
	uint32_t part, n_parts; /* in requests_parts(); n_parts 0: it was not cut */
};

/* What of the owner's classes has a meaning here. */
struct requests_classes {
	uint64_t rests; /* a bit for each class: a thread that serves several connections sleeps so between requests */
	uint8_t running, unknown;
	uint8_t behind; /* of the time of a server behind; a thread that sleeps so may wait for one */
};

struct requests;

struct requests *requests_new(const struct requests_classes *classes);
/* Of NULL, too. */
void requests_free(struct requests *requests);

/* In any order, but not before the time of requests_settle(). */
void requests_add_link(struct requests *requests, const struct requests_link *link);
void requests_add_event(struct requests *requests, const struct requests_event *event);
/* Something is missing between these times: requests that last then are counted, but not cut. */
void requests_add_loss(struct requests *requests, uint64_t from, uint64_t to);
/* All that happened up to `until` was added: cuts the requests that were over by then. */
void requests_settle(struct requests *requests, uint64_t until);

/* What was found, in the order of their ends. Valid until the next call of the others. */
const struct requests_request *requests_all(const struct requests *requests, size_t *n);
const struct requests_part *requests_parts(const struct requests *requests);

struct requests_counts {
	uint64_t connections;
	uint64_t merged;     /* requests */
	uint64_t not_cut;    /* requests: something was lost, or forgotten, while they lasted */
	uint64_t not_kept;   /* requests beyond the most that are kept */
	uint64_t unanswered; /* were read, and not answered by the end, or something of them was lost */
};

struct requests_counts requests_count(const struct requests *requests);

#endif
