/* SPDX-License-Identifier: BSD-2-Clause */
/* One connection of the HTTP server: it reads a request, sends the answer, and waits for the next one. */
#ifndef SONDE_EXPORT_CONN_H
#define SONDE_EXPORT_CONN_H

#include "http.h"
#include "server.h"

/* What all connections share. */
struct conn_owner {
	const struct server_pages *pages;
	struct server_stats stats;
};

enum conn_state {
	CONN_FREE,    /* the place is empty */
	CONN_READING, /* a request, or waiting for one */
	CONN_WRITING, /* the answer */
	/*
	 * After a refusal, until the client closes. To close with unread bytes in the socket would reset the
	 * connection, and the client might lose the answer.
	 */
	CONN_DRAINING,
};

struct conn {
	enum conn_state state;
	int fd;
	struct conn_owner *owner;
	bool keep;	 /* another request may follow this answer */
	bool served;	 /* it had an answer: silence is no fault */
	uint64_t since;	 /* when the request or the answer began */
	uint64_t active; /* when bytes came or went */
	char in[HTTP_REQUEST_MAX];
	size_t n_in;
	bool more;	       /* in may hold the next request, which no poll() reports */
	struct str head, body; /* the answer */
	size_t sent;	       /* bytes of it */
	size_t drained;	       /* bytes read and thrown away */
};

/* Takes over a socket that does not block. conn: free. */
void conn_open(struct conn *conn, struct conn_owner *owner, int fd, uint64_t now);
/* The place is free then. */
void conn_close(struct conn *conn);
/* When conn_expire() is due if nothing happens, CLOCK_MONOTONIC in ns; UINT64_MAX: never. */
uint64_t conn_deadline(const struct conn *conn);
void conn_expire(struct conn *conn, uint64_t now);
/* Does what the socket allows at once, one answer at most. */
void conn_work(struct conn *conn, uint64_t now);

#endif
