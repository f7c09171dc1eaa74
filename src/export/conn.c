// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each step does what the socket allows at once, so a client can only make its own connection wait. Requests that a
 * client sends before it has read the answer stay in the socket and are answered one after the other, one a call, so
 * that other clients have their turn.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "conn.h"

#define REQUEST_NS (2 * NS_PER_SEC)   /* to send a request, or to take more of the answer */
#define ANSWER_NS  (10 * NS_PER_SEC)  /* to take the whole answer; Prometheus gives up then, too */
#define IDLE_NS	   (600 * NS_PER_SEC) /* between requests; Prometheus closes after 300 s, and should be first */
#define DRAIN_NS   (1 * NS_PER_SEC)
#define DRAIN_MAX  65536

void conn_close(struct conn *conn)
{
	struct linger reset = { .l_onoff = 1 };

	/* The kernel would go on for minutes to offer the rest of an answer to a client that does not read it. */
	if (conn->state == CONN_WRITING)
		setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(conn->fd);
	str_release(&conn->head);
	str_release(&conn->body);
	conn->state = CONN_FREE;
}

void conn_open(struct conn *conn, struct conn_owner *owner, int fd, uint64_t now)
{
	int on = 1;

	/* Fails on unix sockets, which do not wait for more bytes anyway. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	conn->state = CONN_READING;
	conn->owner = owner;
	conn->fd = fd;
	conn->keep = conn->served = conn->more = false;
	conn->since = conn->active = now;
	conn->n_in = 0;
}

/* True between requests. */
static bool is_idle(const struct conn *conn)
{
	return conn->state == CONN_READING && conn->served && !conn->n_in;
}

uint64_t conn_deadline(const struct conn *conn)
{
	uint64_t pause = conn->active + REQUEST_NS, whole = conn->since + ANSWER_NS;

	switch (conn->state) {
	case CONN_FREE:
		return UINT64_MAX;
	case CONN_READING:
		return is_idle(conn) ? conn->active + IDLE_NS : conn->since + REQUEST_NS;
	case CONN_WRITING:
		return pause < whole ? pause : whole;
	case CONN_DRAINING:
		return conn->since + DRAIN_NS;
	}
	return UINT64_MAX;
}

/* --- answers --- */

/* Makes the connection send this answer. The body's memory becomes the connection's; head: it is not sent. */
static void answer(struct conn *conn, struct http_answer *how, struct str *body, bool head)
{
	how->length = body->len;
	how->keep = conn->keep;
	how->wall_ns = clock_wall_ns();
	http_add_head(&conn->head, how);
	if (!head) {
		conn->body = *body;
		*body = (struct str){};
	}
	conn->sent = 0;
	conn->state = CONN_WRITING;
	if (how->status == 200)
		conn->owner->stats.answered++;
	else
		conn->owner->stats.refused++;
}

/* Answers with one line: "404 Not Found: WHY". */
static void refuse(struct conn *conn, int status, const char *why, bool head)
{
	struct http_answer how = { .status = status, .type = "text/plain; charset=utf-8" };
	__str struct str body = {};

	str_addf(&body, "%d %s: %s\n", status, http_reason(status), why);
	answer(conn, &how, &body, head);
}

static const char *why_refused(int status)
{
	switch (status) {
	case 405:
		return "only GET and HEAD are allowed";
	case 408:
		return "the whole request must arrive within 2 seconds";
	case 414:
	case 431:
		return "a request has 4096 bytes at most";
	case 505:
		return "only HTTP/1.1 is supported";
	default:
		return "expected an HTTP/1.1 request without a body; TLS is not supported";
	}
}

/* True if the client has reset or closed the connection: rendering a page costs too much to do it in vain. */
static bool is_gone(const struct conn *conn)
{
	struct pollfd fd = { .fd = conn->fd };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR));
}

static void answer_metrics(struct conn *conn, const struct http_request *request)
{
	const struct server_pages *pages = conn->owner->pages;
	int type = http_choose(request, pages->types, pages->n_types), ret;
	struct server_page page = { .gzip = http_accepts_gzip(request) };
	struct http_answer how = { .status = 200, .varies = true };
	__str struct str types = {};

	if (type < 0) {
		str_add(&types, "there is only ");
		for (size_t i = 0; i < pages->n_types; i++)
			str_addf(&types, "%s%s", i ? ", " : "", pages->types[i]);
		refuse(conn, 406, types.data, request->head);
		return;
	}
	page.type = type;
	ret = pages->make(pages->ctx, &page);
	if (ret) {
		refuse(conn, 500, strerror(-ret), request->head);
	} else {
		how.type = pages->types[type];
		how.gzip = page.gzip;
		answer(conn, &how, &page.body, request->head);
	}
	str_release(&page.body);
}

static void answer_text(struct conn *conn, const char *type, const char *text, bool head)
{
	struct http_answer how = { .status = 200, .type = type };
	__str struct str body = {};

	str_add(&body, text);
	answer(conn, &how, &body, head);
}

static bool is_path(const struct http_request *request, const char *path)
{
	return request->path.n == strlen(path) && !memcmp(request->path.data, path, request->path.n);
}

static void answer_request(struct conn *conn, const struct http_request *request)
{
	conn->keep = request->keep;
	if (is_path(request, "/metrics") && is_gone(conn))
		conn_close(conn);
	else if (is_path(request, "/metrics"))
		answer_metrics(conn, request);
	else if (is_path(request, "/-/healthy"))
		answer_text(conn, "text/plain; charset=utf-8", "healthy\n", request->head);
	else if (is_path(request, "/"))
		answer_text(conn, "text/html; charset=utf-8",
			    "<!DOCTYPE html>\n<html lang=\"en\"><title>sonde</title>\n"
			    "<h1>sonde</h1>\n<p><a href=\"/metrics\">Metrics</a></p>\n</html>\n",
			    request->head);
	else
		refuse(conn, 404, "the metrics are at /metrics", request->head);
}

/* --- steps --- */

/*
 * Answers the first request in the buffer. Returns true if there was one, or bytes that are none. If the client is
 * gone, the place is free then.
 */
static bool take_request(struct conn *conn, uint64_t now)
{
	struct http_request request;
	int status = conn->n_in ? http_parse(conn->in, conn->n_in, &request) : -EAGAIN;

	if (status == -EAGAIN)
		return false;
	conn->since = conn->active = now;
	if (status) {
		conn->keep = false;
		refuse(conn, status, why_refused(status), request.head);
		return true;
	}
	answer_request(conn, &request);
	conn->n_in -= request.size;
	memmove(conn->in, conn->in + request.size, conn->n_in);
	return true;
}

/* Reads what has arrived. Returns true if a request is answered by that. */
static bool conn_read(struct conn *conn, uint64_t now)
{
	ssize_t n;

	/* After an answer, the buffer may hold the next request. */
	while (!take_request(conn, now)) {
		n = recv(conn->fd, conn->in + conn->n_in, sizeof(conn->in) - conn->n_in, 0);
		if (n <= 0) {
			if (!n || (errno != EAGAIN && errno != EINTR))
				conn_close(conn);
			return false;
		}
		if (is_idle(conn))
			conn->since = now;
		conn->active = now;
		conn->n_in += n;
	}
	return true;
}

/* Sends some of what is left. Returns as send(2). */
static ssize_t send_some(struct conn *conn)
{
	size_t head = conn->sent < conn->head.len ? conn->sent : conn->head.len, body = conn->sent - head;
	struct iovec parts[] = {
		{ conn->head.data + head, conn->head.len - head },
		{ conn->body.len ? conn->body.data + body : NULL, conn->body.len - body },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };

	return sendmsg(conn->fd, &message, MSG_NOSIGNAL);
}

static void conn_write(struct conn *conn, uint64_t now)
{
	while (conn->sent < conn->head.len + conn->body.len) {
		ssize_t n = send_some(conn);

		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				conn_close(conn);
			return;
		}
		conn->sent += n;
		conn->active = now;
	}
	str_release(&conn->head);
	str_release(&conn->body);
	conn->since = conn->active = now;
	conn->served = true;
	conn->more = conn->n_in;
	conn->drained = 0;
	conn->state = conn->keep ? CONN_READING : CONN_DRAINING;
	if (conn->state == CONN_DRAINING)
		shutdown(conn->fd, SHUT_WR);
}

static void conn_drain(struct conn *conn)
{
	ssize_t n;

	while ((n = recv(conn->fd, conn->in, sizeof(conn->in), 0)) > 0) {
		conn->drained += n;
		if (conn->drained > DRAIN_MAX)
			break;
	}
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		conn_close(conn);
}

void conn_work(struct conn *conn, uint64_t now)
{
	conn->more = false;
	if (conn->state == CONN_READING && !conn_read(conn, now))
		return;
	if (conn->state == CONN_WRITING)
		conn_write(conn, now);
	if (conn->state == CONN_DRAINING)
		conn_drain(conn);
}

void conn_expire(struct conn *conn, uint64_t now)
{
	if (conn->state == CONN_WRITING || (conn->state == CONN_READING && !is_idle(conn)))
		conn->owner->stats.slow++;
	if (conn->state != CONN_READING || !conn->n_in) {
		conn_close(conn);
		return;
	}
	conn->keep = false;
	conn->since = conn->active = now;
	refuse(conn, 408, why_refused(408), false);
	conn_work(conn, now);
}
