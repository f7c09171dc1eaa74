// SPDX-License-Identifier: BSD-2-Clause
/* The HTTP server with clients that are quick, slow, silent, many and wrong. Time is what the test says. */
#include "server_fixture.h"
#include "timeout.h"

#include <sys/resource.h>

#define GET_METRICS "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
#define MANY	    1000

/* Counts how often a text is there. */
static size_t count(const struct str *s, const char *text)
{
	size_t n = 0;

	for (const char *p = str_or_empty(s->data); (p = strstr(p, text)); p++)
		n++;
	return n;
}

/* One request on a connection that stays open. Returns true if the whole page came. */
static bool scrape(struct fixture *f, int fd)
{
	char *length __free = base_printf("\r\nContent-Length: %zu\r\n", f->size);
	__str struct str s = {};
	const char *body;

	fixture_send(f, fd, GET_METRICS);
	if (!fixture_read(f, fd, &s) || !s.len || !count(&s, length))
		return false;
	body = strstr(s.data, "\r\n\r\n") + 4;
	return s.data + s.len - body == (ptrdiff_t)f->size && strspn(body, "x") == f->size;
}

static bool is_open(struct fixture *f, int fd)
{
	__str struct str s = {};

	return fixture_read(f, fd, &s);
}

static void pass_time(struct fixture *f, uint64_t ns)
{
	f->now += ns;
	fixture_turn(f);
}

Test(server, keeps_connections, .timeout = TIMEOUT_SECONDS)
{
	struct fixture f;
	int fd;

	fixture_init(&f);
	fd = fixture_connect(&f);
	for (int i = 0; i < 5; i++) {
		f.size = 10 << (4 * i);
		cr_expect(scrape(&f, fd), "scrape %d", i);
		/* Prometheus scrapes may be minutes apart */
		pass_time(&f, 300 * NS_PER_SEC);
	}
	cr_expect_eq(f.pages_made, 5);
	/* After the silence, a request has its 2 s again. */
	fixture_send(&f, fd, "GET /metrics HTTP/1.1\r\n");
	pass_time(&f, NS_PER_SEC);
	cr_expect(is_open(&f, fd));
	fixture_send(&f, fd, "Host: x\r\n\r\n");
	cr_expect(is_open(&f, fd));
	cr_expect_eq(f.pages_made, 6);
	pass_time(&f, 599 * NS_PER_SEC);
	cr_expect(is_open(&f, fd));
	cr_expect_eq(server_deadline(f.server), f.now + NS_PER_SEC);
	pass_time(&f, NS_PER_SEC);
	cr_expect(!is_open(&f, fd));
	cr_expect_eq(server_stats(f.server).slow, 0, "an idle client is not slow");
	cr_expect_eq(server_deadline(f.server), UINT64_MAX, "nothing wakes us up without clients");
	close(fd);
	fixture_release(&f);
}

Test(server, statuses, .timeout = TIMEOUT_SECONDS)
{
	static const struct {
		const char *request;
		int status;
	} cases[] = {
		{ "GET / HTTP/1.0\r\n\r\n", 200 },
		{ "GET /-/healthy HTTP/1.0\r\n\r\n", 200 },
		{ "GET /metrics HTTP/1.0\r\n\r\n", 200 },
		{ "GET /metrics/ HTTP/1.0\r\n\r\n", 404 },
		{ "GET /Metrics HTTP/1.0\r\n\r\n", 404 },
		{ "GET /metrics HTTP/1.0\r\nAccept: image/png\r\n\r\n", 406 },
		{ "PUT /metrics HTTP/1.0\r\n\r\n", 405 },
		{ "GET / HTTP/3.0\r\n\r\n", 505 },
		{ "hello\r\n", 400 },
	};
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(fixture_status(&f, cases[i].request), cases[i].status, "%s", cases[i].request);
	f.fail = -ENOMEM;
	cr_expect_eq(fixture_status(&f, GET_METRICS), 500);
	cr_expect_eq(server_stats(f.server).answered, 3);
	cr_expect_eq(server_stats(f.server).refused, 7);
	fixture_release(&f);
}

/* A refusal is one plain line that says what was expected. */
Test(server, refusals, .timeout = TIMEOUT_SECONDS)
{
	struct fixture f;
	__str struct str s = {};
	int fd;

	fixture_init(&f);
	fd = fixture_connect(&f);
	fixture_send(&f, fd, "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: image/png\r\n\r\n");
	cr_expect(fixture_read(&f, fd, &s), "the request was whole, so the connection stays open");
	cr_expect_str_eq(strstr(s.data, "\r\n\r\n") + 4,
			 "406 Not Acceptable: there is only text/plain; version=0.0.4; charset=utf-8, "
			 "application/x; version=2\n");
	str_reset(&s);
	fixture_send(&f, fd, "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n");
	cr_expect(!fixture_read(&f, fd, &s));
	cr_expect_str_eq(strstr(s.data, "\r\n\r\n") + 4, "405 Method Not Allowed: only GET and HEAD are allowed\n");
	cr_expect_eq(count(&s, "\r\nConnection: close\r\n"), 1);
	close(fd);
	fixture_release(&f);
}

Test(server, head, .timeout = TIMEOUT_SECONDS)
{
	struct fixture f;
	__str struct str s = {};
	int fd;

	fixture_init(&f);
	fd = fixture_connect(&f);
	fixture_send(&f, fd, "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	cr_expect(fixture_read(&f, fd, &s));
	cr_expect_eq(count(&s, "\r\nContent-Length: 10\r\n"), 1);
	cr_expect_str_eq(s.data + s.len - 4, "\r\n\r\n");
	close(fd);
	fixture_release(&f);
}

/* Requests that do not wait for the answers: all are answered, one after the other, and others have their turn. */
Test(server, pipelining, .timeout = TIMEOUT_SECONDS)
{
	struct pollfd fds[SERVER_FDS];
	struct fixture f;
	__str struct str s = {};
	int greedy, other;

	fixture_init(&f);
	greedy = fixture_connect(&f);
	other = fixture_connect(&f);
	fixture_turn(&f);
	for (int i = 0; i < 30; i++)
		cr_assert_gt(send(greedy, GET_METRICS, strlen(GET_METRICS), 0), 0);
	cr_assert_gt(send(other, GET_METRICS, strlen(GET_METRICS), 0), 0);
	/* After one round the other one has its answer. */
	server_handle(f.server, fds, poll(fds, server_fds(f.server, fds), 0) < 0 ? 0 : 3, f.now);
	cr_expect_eq(f.pages_made, 2);
	fixture_turn(&f);
	cr_expect(fixture_read(&f, greedy, &s));
	cr_expect_eq(count(&s, "HTTP/1.1 200 OK\r\n"), 30);
	cr_expect_eq(f.pages_made, 31);
	/* A request of which only a part follows the others does not keep us busy. */
	fixture_send(&f, greedy, GET_METRICS "GET /met");
	cr_expect_eq(f.pages_made, 32);
	cr_expect_eq(server_deadline(f.server), f.now + 2 * NS_PER_SEC);
	close(greedy);
	close(other);
	fixture_release(&f);
}

/* One byte at a time, and one every second. */
Test(server, slow_requests, .timeout = TIMEOUT_SECONDS)
{
	struct fixture f;
	__str struct str s = {};
	int fd, silent;

	fixture_init(&f);
	fd = fixture_connect(&f);
	silent = fixture_connect(&f);
	for (const char *p = GET_METRICS; *p; p++)
		fixture_send(&f, fd, (char[]){ *p, '\0' });
	cr_expect(fixture_read(&f, fd, &s));
	cr_expect_eq(count(&s, "HTTP/1.1 200 OK\r\n"), 1);
	fixture_send(&f, fd, "G");
	pass_time(&f, NS_PER_SEC);
	fixture_send(&f, fd, "E");
	pass_time(&f, NS_PER_SEC - 1);
	cr_expect(is_open(&f, fd));
	str_reset(&s);
	pass_time(&f, 1);
	cr_expect(!fixture_read(&f, fd, &s), "two seconds are over, though a byte came");
	cr_expect_eq(count(&s, "HTTP/1.1 408 Request Timeout\r\n"), 1);
	/* who said nothing hears nothing */
	str_reset(&s);
	cr_expect(!fixture_read(&f, silent, &s));
	cr_expect_eq(s.len, 0);
	cr_expect_eq(server_stats(f.server).slow, 2);
	close(fd);
	close(silent);
	fixture_release(&f);
}

/* A client that reads nothing loses its place after 2 s, one that always reads a little after 10 s. */
Test(server, slow_readers, .timeout = TIMEOUT_SECONDS)
{
	char piece[65536];
	struct fixture f;
	int dead, slow, quick;

	fixture_init(&f);
	f.size = 16 << 20;
	dead = fixture_connect(&f);
	slow = fixture_connect(&f);
	quick = fixture_connect(&f);
	fixture_send(&f, dead, GET_METRICS);
	fixture_send(&f, slow, GET_METRICS);
	for (int second = 1; second <= 10; second++) {
		cr_expect(scrape(&f, quick), "nobody else waits, second %d", second);
		cr_expect_gt(recv(slow, piece, sizeof(piece), 0), 0);
		while (recv(slow, piece, sizeof(piece), 0) > 0)
			;
		fixture_turn(&f);
		pass_time(&f, NS_PER_SEC);
		cr_expect_eq(server_stats(f.server).slow, second < 2 ? 0 : second < 10 ? 1
										       : 2,
			     "second %d", second);
	}
	close(dead);
	close(slow);
	close(quick);
	fixture_release(&f);
}

/* Who needs a place gets that of the connection that was silent for longest. */
Test(server, places, .timeout = TIMEOUT_SECONDS)
{
	int fds[SERVER_CONNECTIONS + 2];
	struct fixture f;

	fixture_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = fixture_connect(&f);
		cr_expect(scrape(&f, fds[i]));
		pass_time(&f, NS_PER_MS);
		if (i == SERVER_CONNECTIONS - 1)
			cr_expect(scrape(&f, fds[0]), "the first one is not the oldest any more");
		pass_time(&f, NS_PER_MS);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		cr_expect_eq(is_open(&f, fds[i]), i != 1 && i != 2, "%zu", i);
		close(fds[i]);
	}
	cr_expect_eq(server_stats(f.server).displaced, 2);
	fixture_release(&f);
}

/* So many clients with half a request keep nobody out, neither before nor after them. */
Test(server, many_slow_clients, .timeout = TIMEOUT_SECONDS)
{
	struct rlimit limit = { 4 * MANY, 4 * MANY };
	int fds[MANY], quick;
	struct fixture f;

	setrlimit(RLIMIT_NOFILE, &limit);
	fixture_init(&f);
	for (size_t i = 0; i < MANY; i++) {
		fds[i] = fixture_connect(&f);
		fixture_send(&f, fds[i], "GET /metrics HTTP/1.1\r\n");
		if (i % 100 == 0) {
			quick = fixture_connect(&f);
			cr_expect(scrape(&f, quick), "after %zu", i);
			close(quick);
		}
	}
	cr_expect_eq(server_stats(f.server).answered, MANY / 100);
	cr_expect_geq(server_stats(f.server).displaced, MANY - SERVER_CONNECTIONS);
	for (size_t i = 0; i < MANY; i++)
		close(fds[i]);
	fixture_turn(&f);
	fixture_release(&f);
}

/* The answer arrives, though the client has sent more than we read. */
Test(server, drains, .timeout = TIMEOUT_SECONDS)
{
	char *body __free = base_alloc(32768);
	struct fixture f;
	__str struct str s = {};
	int fd;

	fixture_init(&f);
	memset(body, 'x', 32767);
	fd = fixture_connect(&f);
	fixture_send(&f, fd, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 32767\r\n\r\n");
	fixture_send(&f, fd, body);
	cr_expect(!fixture_read(&f, fd, &s));
	cr_expect_eq(count(&s, "HTTP/1.1 405"), 1);
	pass_time(&f, NS_PER_SEC);
	cr_expect_lt(send(fd, "x", 1, MSG_NOSIGNAL), 0, "the place is free again");
	close(fd);
	/* who goes on for ever is cut off */
	fd = fixture_connect(&f);
	fixture_send(&f, fd, "POST\r\n");
	for (int i = 0; i < 2; i++)
		fixture_send(&f, fd, body);
	cr_expect_gt(send(fd, body, 32767, MSG_NOSIGNAL), 0);
	fixture_turn(&f);
	cr_expect_lt(send(fd, "x", 1, MSG_NOSIGNAL), 0);
	close(fd);
	fixture_release(&f);
}

/* Without a descriptor for it, a connection waits, and we do not wake up for it all the time. */
Test(server, no_descriptors, .timeout = TIMEOUT_SECONDS)
{
	struct rlimit limit, few;
	struct fixture f;
	int fd;

	fixture_init(&f);
	fd = fixture_connect(&f);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = (struct rlimit){ fd + 1, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	fixture_send(&f, fd, GET_METRICS);
	cr_expect_eq(server_deadline(f.server), f.now + 100 * NS_PER_MS);
	setrlimit(RLIMIT_NOFILE, &limit);
	fixture_turn(&f);
	cr_expect_eq(f.pages_made, 0);
	pass_time(&f, 100 * NS_PER_MS);
	cr_expect_eq(f.pages_made, 1);
	close(fd);
	fixture_turn(&f);
	fixture_release(&f);
}

/* Who asks for a page and goes gets none. */
Test(server, gone, .timeout = TIMEOUT_SECONDS)
{
	struct fixture f;
	int fd;

	fixture_init(&f);
	for (int i = 0; i < 20; i++) {
		fd = fixture_connect(&f);
		cr_assert_gt(send(fd, GET_METRICS, strlen(GET_METRICS), 0), 0);
		close(fd);
	}
	fixture_turn(&f);
	cr_expect_eq(f.pages_made, 0);
	cr_expect_eq(server_deadline(f.server), UINT64_MAX, "all places are free");
	/* Who has only said that no other request follows gets it. */
	fd = fixture_connect(&f);
	cr_assert_gt(send(fd, GET_METRICS, strlen(GET_METRICS), 0), 0);
	shutdown(fd, SHUT_WR);
	fixture_turn(&f);
	cr_expect_eq(f.pages_made, 1);
	close(fd);
	fixture_release(&f);
}
