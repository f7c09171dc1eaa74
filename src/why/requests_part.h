/* SPDX-License-Identifier: BSD-2-Clause */
/* Within why/requests*.c: what is known of threads and of requests. */
#ifndef SONDE_WHY_REQUESTS_PART_H
#define SONDE_WHY_REQUESTS_PART_H

#include "base/set.h"
#include "requests.h"

/* A thread did something for a request. */
struct requests_anchor {
	uint64_t time;
	uint64_t request; /* its number since the begin */
	uint32_t connection;
};

/* A thread: all in the order of time. */
struct requests_thread {
	vec(struct requests_link) links;
	vec(struct requests_sample) samples;
	vec(struct requests_anchor) anchors;
};

/* A point of a request. */
struct requests_point {
	uint64_t time;
	uint64_t arrived; /* REQUESTS_GET: the answer */
	uint32_t tid, from;
	uint8_t kind;
	struct requests_chain *there; /* REQUESTS_GET: the request there; NULL: not known */
};

/* A request of a server behind, until it answered. Points of several requests may have the same. */
struct requests_chain {
	size_t refs;
	uint64_t number, arrived;
	size_t n;
	struct requests_point points[];
};

/* The first read, 6 exchanges with servers behind, the first send, the last send. Of more exchanges, the last counts. */
#define REQUESTS_POINTS 15

/* A connection to a server behind. */
struct requests_behind {
	uint64_t birth;
	struct requests_owner {
		uint64_t request; /* its number; 0: none */
		uint32_t connection;
	} dialed_by, asked_by;
};

/* A request that is being asked or answered, or is to be cut. */
struct requests_open {
	uint64_t number; /* since the begin; 0: there is none */
	uint64_t birth, arrived;
	uint32_t round;
	bool aside;	  /* it counts only as part of others */
	bool inner;	  /* it is part of another one */
	uint64_t counted; /* the birth of the last connection here that was counted */
	uint64_t used;	  /* when something last happened here */
	size_t n;
	struct requests_point points[REQUESTS_POINTS];
};

/* A request that is over. Threads may have slept beyond its end: it is cut when all is known up to a time after it. */
struct requests_over {
	struct requests_open open;
	uint64_t sock;
	uint64_t client_at;
	uint32_t from, group, at, merged;
};

/* Something is missing between these times. */
struct requests_loss {
	uint64_t from, to;
};

/* What was added, until all of its time is there. At one time of one connection, the end comes before the next begin. */
struct requests_fresh {
	uint64_t time;
	enum {
		REQUESTS_FRESH_LINK,
		REQUESTS_FRESH_SAMPLE,
		REQUESTS_FRESH_EVENT,
	} what;
	union {
		struct requests_link link;
		struct requests_sample sample;
		struct requests_event event;
	};
};

struct requests {
	struct requests_classes classes;
	vec(struct requests_fresh) fresh;
	struct set tids; /* numbers index threads */
	vec(struct requests_thread) threads;
	struct set socks; /* numbers index connections */
	vec(struct requests_open) connections;
	struct set behind_socks; /* numbers index behinds */
	vec(struct requests_behind) behinds;
	vec(struct requests_over) over;
	struct requests_limits limits;
	void (*each)(const struct requests_done *done, void *ctx);
	void *each_ctx;
	bool each_steps;
	vec(struct requests_request) split;
	vec(struct requests_request) slowest; /* the slowest first */
	vec(struct requests_time) times;
	vec(struct requests_group) groups;
	uint64_t random; /* the last number */
	/* of the request that is cut */
	vec(struct requests_part) parts;
	vec(struct requests_step) steps;
	vec(struct requests_loss) losses;
	struct requests_counts counts;
	uint64_t numbers;		   /* of requests */
	uint64_t forgotten;		   /* what was before is not kept */
	uint64_t unread;		   /* when a request has arrived that is not read yet; UINT64_MAX: there is none */
	size_t kept;			   /* links and anchors */
	size_t settled;			   /* calls */
	size_t left_threads, left_sockets; /* when those that are over were forgotten */
	struct set foreign;		   /* of the request that is cut: those in its queues */
	struct set ended;		   /* numbers, from 1, are those of states */
};

/* NULL: nothing is known of it. */
const struct requests_thread *requests_thread_of(const struct requests *requests, uint32_t tid);

/* requests.c: the request for which it is; NULL: that is over. */
struct requests_open *requests_open_of(const struct requests *requests, const struct requests_owner *owner);
/* It will not be answered. */
void requests_abandon(struct requests *requests, struct requests_open *open);

/* requests_forget.c: throws away what no request needs, now and then. All up to `until` was added. */
void requests_forget(struct requests *requests, uint64_t until);
/*
 * Forgets the sockets that were not used since `unused` and of which nothing is known, and gives up requests on those
 * that were not used since `unanswered`. Whoever keeps numbers of connections has none any more.
 */
void requests_forget_connections(struct requests *requests, uint64_t unused, uint64_t unanswered);

/*
 * requests_cut.c: makes requests->parts, which sum to the time from its arrival to its last point, and the steps that
 * last for `least` ns and more. Returns how many requests of others were in its queues.
 */
uint32_t requests_cut(struct requests *requests, const struct requests_open *open, uint64_t least);

/* requests_keep.c: a request is over. */
void requests_keep(struct requests *requests, const struct requests_over *over, bool has_loss);
void requests_keep_release(struct requests *requests);
/* The same for requests->each, which is set. */
void requests_hand_out(struct requests *requests, const struct requests_over *over, bool has_loss);

#endif
