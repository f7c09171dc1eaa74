// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes a whole server with clients over a unix socket. The first byte of an input says how it is sent; 0xff separates
 * what a client sends at once from what it sends later, a second 0xff lets time pass. After each input, another client
 * gets its page, whole.
 */
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "export/server.h"
#include "fuzz.h"

#define PAGE 20000
#define GOOD "GET /metrics HTTP/1.0\r\n\r\n"

static struct server *server;
static struct sockaddr_un un = { .sun_family = AF_UNIX };
static uint64_t now = NS_PER_SEC;

static const char *const types[] = { "text/plain; version=0.0.4" };

static int make(void *ctx, struct server_page *page)
{
	page->gzip = false;
	str_add_fill(&page->body, 'x', PAGE);
	return 0;
}

static void begin(void)
{
	static const struct server_pages pages = { types, 1, make, NULL };
	char *path, *where;
	struct err err;

	fuzz_make_root();
	path = fuzz_full_path("/s");
	where = base_printf("unix:%s", path);
	strcpy(un.sun_path, path);
	server = server_new(&pages);
	if (server_listen(server, where, NULL, &err))
		abort();
	free(path);
	free(where);
}

/* Lets the server do all it can. */
static void turn(void)
{
	struct pollfd fds[SERVER_FDS];

	for (int i = 0; i < 10000; i++) {
		size_t n = server_fds(server, fds);

		if (!poll(fds, n, 0) && server_deadline(server) > now)
			return;
		server_handle(server, fds, n, now);
	}
	abort(); /* it never rests */
}

static int join(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)))
		abort();
	return fd;
}

/* Reads what is there. Returns false when the server has closed. */
static bool take(int fd, struct str *s)
{
	static char piece[65536];
	ssize_t n;

	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0)
		str_addn(s, piece, n);
	return n < 0 && errno == EAGAIN;
}

/* Whatever is sent: each answer begins as one of ours. */
static void play(struct fuzz_piece how, const uint8_t *data, size_t size)
{
	int fd __close = join();
	__str struct str s = {};
	bool open = true;

	while (size && open) {
		struct fuzz_piece piece = fuzz_next_piece(&data, &size);

		if (piece.size && send(fd, piece.data, piece.size, MSG_NOSIGNAL) < 0)
			break;
		if (!piece.size)
			now += NS_PER_SEC;
		turn();
		/* Some clients never read. */
		if (!how.size || how.data[0] & 1)
			open = take(fd, &s);
	}
	if (s.len && strncmp(s.data, "HTTP/1.1 ", 9))
		abort();
	if (how.size && how.data[0] & 2)
		shutdown(fd, SHUT_WR);
	turn();
}

static void expect_page(void)
{
	int fd __close = join();
	__str struct str s = {};
	const char *body;

	if (send(fd, GOOD, strlen(GOOD), MSG_NOSIGNAL) < 0)
		abort();
	turn();
	while (take(fd, &s))
		turn();
	body = s.len ? strstr(s.data, "\r\n\r\n") : NULL;
	if (!body || strncmp(s.data, "HTTP/1.1 200 OK\r\n", 17) || s.data + s.len - (body + 4) != PAGE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!server)
		begin();
	play((struct fuzz_piece){ data, size ? 1 : 0 }, data + !!size, size ? size - 1 : 0);
	expect_page();
	return 0;
}
