/* SPDX-License-Identifier: BSD-2-Clause */
/* A server in this process: its clock is set by the test, and it does what it can between two steps of its clients. */
#ifndef SONDE_TESTS_UNIT_SERVER_FIXTURE_H
#define SONDE_TESTS_UNIT_SERVER_FIXTURE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/clock.h"
#include "export/server.h"

static const char *const fixture_types[] = { "text/plain; version=0.0.4; charset=utf-8", "application/x; version=2" };

struct fixture {
	struct server *server;
	struct server_pages pages;
	char dir[32], path[64];
	uint64_t now;
	size_t size; /* of the page, which is so many "x" */
	int fail;    /* what make() returns */
	size_t pages_made;
};

static int fixture_make(void *ctx, struct server_page *page)
{
	struct fixture *f = ctx;

	f->pages_made++;
	page->gzip = false;
	str_add_fill(&page->body, 'x', f->size);
	return f->fail;
}

static inline void fixture_init(struct fixture *f)
{
	char *where __free = NULL;
	struct err err = {};

	*f = (struct fixture){ .dir = "/tmp/sonde-server-XXXXXX", .now = NS_PER_SEC, .size = 10 };
	f->pages = (struct server_pages){ fixture_types, ARRAY_SIZE(fixture_types), fixture_make, f };
	cr_assert(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/s", f->dir);
	f->server = server_new(&f->pages);
	where = base_printf("unix:%s", f->path);
	cr_assert_eq(server_listen(f->server, where, NULL, &err), 0, "%s", err.text);
}

static inline void fixture_release(struct fixture *f)
{
	server_free(f->server);
	cr_expect_eq(rmdir(f->dir), 0, "the socket file is left behind");
}

/* Lets the server work until it waits for its clients. Returns how many rounds that took. */
static inline int fixture_turn(struct fixture *f)
{
	struct pollfd fds[SERVER_FDS];
	int rounds = 0;

	for (;; rounds++) {
		size_t n = server_fds(f->server, fds);

		if (!poll(fds, n, 0) && server_deadline(f->server) > f->now)
			return rounds;
		cr_assert_lt(rounds, 10000, "the server never rests");
		server_handle(f->server, fds, n, f->now);
	}
}

static inline int fixture_connect(struct fixture *f)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	strcpy(un.sun_path, f->path);
	cr_assert_eq(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0, "%s", strerror(errno));
	return fd;
}

static inline void fixture_send(struct fixture *f, int fd, const char *text)
{
	cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	fixture_turn(f);
}

/* Appends what the server has sent. Returns false once it has closed the connection. */
static inline bool fixture_read(struct fixture *f, int fd, struct str *s)
{
	char piece[4096];
	ssize_t n;

	do {
		while ((n = recv(fd, piece, sizeof(piece), 0)) > 0)
			str_addn(s, piece, n);
	} while (n < 0 && errno == EAGAIN && fixture_turn(f));
	return n < 0 && errno == EAGAIN;
}

/* Sends a request of a new client and returns the status of the answer, 0: none. */
static inline int fixture_status(struct fixture *f, const char *request)
{
	int fd __close = fixture_connect(f), status = 0;
	__str struct str s = {};

	fixture_send(f, fd, request);
	fixture_read(f, fd, &s);
	sscanf(str_or_empty(s.data), "HTTP/1.1 %d ", &status);
	return status;
}

#endif
