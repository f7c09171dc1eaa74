// SPDX-License-Identifier: BSD-2-Clause
/* Who gets a place, and what to wait for. */
#include <sys/socket.h>

#include "base/clock.h"
#include "conn.h"
#include "listen.h"

/* Without descriptors or memory for a connection, the next try is then. */
#define PAUSE_NS (100 * NS_PER_MS)
/* Connections to accept in one round: half of the places, so each can send its request before it is displaced. */
#define ACCEPTS (SERVER_CONNECTIONS / 2)

struct server {
	struct conn_owner owner;
	struct listeners listeners;
	size_t turn;	       /* the listener that may accept first */
	uint64_t accept_after; /* no earlier */
	struct {
		struct conn v[SERVER_CONNECTIONS];
		size_t n; /* all of them */
	} conns;
};

/* Since when the place has been of no use. One that drains has its answer. */
static uint64_t useless_since(const struct conn *conn)
{
	return conn->state == CONN_DRAINING ? 0 : conn->active;
}

/* Returns a free place, if need be that of the connection that has done nothing for longest. */
static struct conn *find_place(struct server *server)
{
	struct conn *oldest = server->conns.v;

	vec_each(conn, &server->conns) {
		if (conn->state == CONN_FREE)
			return conn;
		if (useless_since(conn) < useless_since(oldest))
			oldest = conn;
	}
	server->owner.stats.displaced++;
	conn_close(oldest);
	return oldest;
}

static bool is_short_of(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Accepts one connection. Returns false if there was none. */
static bool accept_one(struct server *server, int listener, uint64_t now)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct conn *conn;

	if (fd < 0 && is_short_of(errno))
		server->accept_after = now + PAUSE_NS;
	if (fd < 0)
		return false;
	conn = find_place(server);
	conn_open(conn, &server->owner, fd, now);
	conn_work(conn, now);
	return true;
}

static bool is_ready(const struct pollfd *fds, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i].fd == fd)
			return fds[i].revents;
	return false;
}

/* The listeners take turns, so none can keep another's clients waiting. */
static void accept_some(struct server *server, const struct pollfd *fds, size_t n, uint64_t now)
{
	struct listeners *listeners = &server->listeners;
	size_t idle = 0;

	for (int left = ACCEPTS; left && idle < listeners->n && now >= server->accept_after;) {
		int fd = listeners->v[server->turn++ % listeners->n].fd;

		if (is_ready(fds, n, fd) && accept_one(server, fd, now)) {
			idle = 0;
			left--;
		} else {
			idle++;
		}
	}
}

/* --- what the loop calls --- */

size_t server_fds(const struct server *server, struct pollfd fds[SERVER_FDS])
{
	size_t n = 0;

	vec_each(listener, &server->listeners)
		if (n < SERVER_LISTENERS)
			fds[n++] = (struct pollfd){ .fd = server->accept_after ? -1 : listener->fd, .events = POLLIN };
	vec_each(conn, &server->conns)
		if (conn->state != CONN_FREE)
			fds[n++] = (struct pollfd){ conn->fd, conn->state == CONN_WRITING ? POLLOUT : POLLIN };
	return n;
}

uint64_t server_deadline(const struct server *server)
{
	uint64_t first = server->accept_after ? server->accept_after : UINT64_MAX;

	vec_each(conn, &server->conns) {
		uint64_t deadline = conn->state == CONN_READING && conn->more ? 0 : conn_deadline(conn);

		if (deadline < first)
			first = deadline;
	}
	return first;
}

void server_handle(struct server *server, const struct pollfd *fds, size_t n, uint64_t now)
{
	vec_each(conn, &server->conns)
		if (conn->state != CONN_FREE && (conn->more || is_ready(fds, n, conn->fd)))
			conn_work(conn, now);
	vec_each(conn, &server->conns)
		if (now >= conn_deadline(conn))
			conn_expire(conn, now);
	if (now >= server->accept_after)
		server->accept_after = 0;
	accept_some(server, fds, n, now);
}

struct server_stats server_stats(const struct server *server)
{
	return server->owner.stats;
}

int server_listen(struct server *server, const char *where, struct systemd *systemd, struct err *err)
{
	int ret = listen_add(&server->listeners, where, systemd, err);

	if (!ret && server->listeners.n > SERVER_LISTENERS)
		return err_set(err, -E2BIG, "cannot listen on %s: %d places at most", where, SERVER_LISTENERS);
	return ret;
}

void server_add_names(const struct server *server, struct str *s)
{
	listen_add_names(&server->listeners, s);
}

struct server *server_new(const struct server_pages *pages)
{
	struct server *server = base_alloc(sizeof(*server));

	server->owner.pages = pages;
	server->conns.n = SERVER_CONNECTIONS;
	return server;
}

void server_free(struct server *server)
{
	if (!server)
		return;
	vec_each(conn, &server->conns)
		if (conn->state != CONN_FREE)
			conn_close(conn);
	listen_release(&server->listeners);
	free(server);
}
