/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HTTP server: listening sockets and at most 8 connections, none of which can keep another waiting. It never
 * blocks. The caller owns the loop:
 *
 *	n = server_fds(server, fds);
 *	poll(fds, n, until server_deadline(server));
 *	server_handle(server, fds, n, clock_monotonic_ns());
 *
 * A connection stays open between scrapes, as Prometheus keeps it, for up to 10 minutes. If another client comes and
 * all places are taken, the connection that has done nothing for longest is closed. A client has 2 s to send its
 * request (at most 4 KB); it may not pause for 2 s while it reads the answer, nor take longer than 10 s. The page is
 * made once for a request and held until the client has read it.
 */
#ifndef SONDE_EXPORT_SERVER_H
#define SONDE_EXPORT_SERVER_H

#include <poll.h>

#include "base/str.h"

#define SERVER_CONNECTIONS 8
#define SERVER_LISTENERS   8
/* How many descriptors server_fds() sets at most. */
#define SERVER_FDS (SERVER_CONNECTIONS + SERVER_LISTENERS)

struct server;
struct systemd;

/* A request for /metrics and the answer to it. */
struct server_page {
	size_t type;	 /* which of the content types the client prefers */
	bool gzip;	 /* the client takes gzip; the callback sets whether the body is compressed */
	struct str body; /* empty; the callback appends to it, the server frees it */
};

/* Who makes the page. The struct and all that it points to must outlive the server. */
struct server_pages {
	const char *const *types; /* the content types on offer, the favourite first */
	size_t n_types;
	/* Returns 0 or -errno, which the client gets as 500. */
	int (*make)(void *ctx, struct server_page *page);
	void *ctx;
};

/* For the exporter's own metrics. All only grow. */
struct server_stats {
	uint64_t answered;  /* answers with 200 */
	uint64_t refused;   /* answers with another status */
	uint64_t slow;	    /* connections closed because a client sent or read too slowly */
	uint64_t displaced; /* connections closed because another client needed the place */
};

struct server *server_new(const struct server_pages *pages);
/* Closes everything and removes the files of unix sockets. NULL is allowed. */
void server_free(struct server *server);

/*
 * Listens on one more place; each may be called several times, up to SERVER_LISTENERS places in all.
 * - "127.0.0.1:9435", "[::1]:9435", "localhost:9435", ":9435" (all addresses); port 0: the kernel chooses one. Host
 *   names are not looked up.
 * - "unix:PATH": mode 0660. A socket file that nobody listens on is replaced.
 * - "fd:", "fd:NAME": the sockets that the service manager passed, all of them or those of this name. They are taken
 *   out of systemd, which may be NULL otherwise.
 * Returns 0 or -errno with err set, in one line for the user.
 */
int server_listen(struct server *server, const char *where, struct systemd *systemd, struct err *err);
/* Appends where we listen, as a user may type it: "http://127.0.0.1:9435/metrics", several with ", " between. */
void server_add_names(const struct server *server, struct str *s);

/* Sets what to wait for. Returns how many were set. */
size_t server_fds(const struct server *server, struct pollfd fds[SERVER_FDS]);
/* When server_handle() must be called at the latest, CLOCK_MONOTONIC in ns; UINT64_MAX: no time. */
uint64_t server_deadline(const struct server *server);
/* Does what can be done now without waiting. fds, n: of the server_fds() before, with revents. */
void server_handle(struct server *server, const struct pollfd *fds, size_t n, uint64_t now);

struct server_stats server_stats(const struct server *server);

#endif
