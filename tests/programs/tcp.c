// SPDX-License-Identifier: BSD-2-Clause
/*
 * tcp [-w FILE] [-b] [-u] [-s PORT] [-n N] CLOSER FAMILY [SENT RECEIVED HOLD_MS]
 *
 * Makes N connections (default 1) over loopback to a child with the name "tcp server". On connection I, counted from
 * 0, the client sends SENT + I bytes and receives RECEIVED + I (default 1 each). All connections are open at the same
 * time, and stay open for HOLD_MS after all bytes have arrived. CLOSER says how they end: client or server closes them;
 * reset: the client resets them; half: the client shuts down its direction before the answer, then the server closes.
 * With refused, nobody listens on the port. With unaccepted, nobody accepts the connection, and it is reset.
 * FAMILY is 4, 6 or mapped: IPv4 over sockets for IPv6. -w waits until FILE can be opened and read, -b binds the client
 * to a port before it connects, -s binds the server to this port, -u makes the server accept through io_uring.
 *
 * Prints for each end of each connection, separated by tabs:
 *	did ROLE PID COMM IP LADDR LPORT RADDR RPORT SENT RECEIVED LEAST MOST
 * ROLE is connect, accept or refused. LPORT is ? if it is not known. PID and COMM are null if no process has that end.
 * The connection existed for at least LEAST and at most MOST ns.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 400

int uring_accept(int listener);

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static const char *closer, *family;
static long n = 1, sent = 1, received = 1, hold_ms; /* who answers has accepted */
static bool bind_first, by_uring;
static int server_port;			      /* 0: whichever is free */
static int fds[CONNECTIONS_MAX], accepted[2]; /* a byte for each */
static unsigned long long began[CONNECTIONS_MAX];
static union address ours[CONNECTIONS_MAX], server; /* as the client has them */

static unsigned long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static bool closes(const char *name)
{
	return !strcmp(closer, name);
}

static void wait_for(const char *path)
{
	int fd = open(path, O_RDONLY);
	char byte;

	if (fd < 0 || read(fd, &byte, 1) < 0)
		err(1, "%s", path);
	close(fd);
}

/* --- addresses --- */

static union address loopback(void)
{
	union address address = {};

	if (strcmp(family, "4")) {
		address.v6.sin6_family = AF_INET6;
		inet_pton(AF_INET6, strcmp(family, "6") ? "::ffff:127.0.0.1" : "::1", &address.v6.sin6_addr);
	} else {
		address.v4.sin_family = AF_INET;
		address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	}
	return address;
}

static socklen_t size_of(const union address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
}

static int port_of(const union address *address)
{
	return ntohs(address->any.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

/* A socket on loopback; port 0: one that the kernel chooses. */
static int bound(union address *address, int port)
{
	socklen_t size = sizeof(*address);
	int fd, one = 1;

	*address = loopback();
	if (address->any.sa_family == AF_INET)
		address->v4.sin_port = htons(port);
	else
		address->v6.sin6_port = htons(port);
	fd = socket(address->any.sa_family, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, &address->any, size_of(address)) || getsockname(fd, &address->any, &size))
		err(1, "bind");
	return fd;
}

static void print_end(const union address *address, bool known)
{
	char text[INET6_ADDRSTRLEN];
	const void *bytes = address->any.sa_family == AF_INET ? (const void *)&address->v4.sin_addr
							      : &address->v6.sin6_addr;

	printf("\t%s\t", inet_ntop(address->any.sa_family, bytes, text, sizeof(text)));
	if (known)
		printf("%d", port_of(address));
	else
		printf("?");
}

static void print_did(const char *role, int pid, const char *comm, const union address *local, bool known,
		      const union address *remote, long out, long in, unsigned long long most)
{
	printf("did %s\t", role);
	if (pid)
		printf("%d", pid);
	else
		printf("null");
	printf("\t%s\t%d", comm, local->any.sa_family == AF_INET ? 4 : 6);
	print_end(local, known);
	print_end(remote, true);
	printf("\t%ld\t%ld\t%llu\t%llu\n", out, in, hold_ms * 1000000ULL, most);
}

/* --- bytes --- */

static void send_all(int fd, long size)
{
	static const char zeroes[4096];

	while (size > 0) {
		ssize_t done = send(fd, zeroes, size < 4096 ? size : 4096, 0);

		if (done < 0)
			err(1, "send");
		size -= done;
	}
}

static void receive_all(int fd, long size)
{
	char buf[4096];

	while (size > 0) {
		ssize_t done = recv(fd, buf, size < 4096 ? size : 4096, 0);

		if (done <= 0)
			err(1, "recv");
		size -= done;
	}
}

/* The other side has closed, or has vanished. */
static void expect_end(int fd)
{
	char byte;
	ssize_t done = recv(fd, &byte, 1, 0);

	if (closes("reset") ? done >= 0 || errno != ECONNRESET : done)
		errx(1, "the connection does not end");
}

static void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static bool is_there(const char *path, unsigned int port)
{
	FILE *f = fopen(path, "r");
	unsigned int local, remote, state;
	bool found = false;
	char line[256];

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*d: %*[0-9A-F]:%x %*[0-9A-F]:%x %x", &local, &remote, &state) == 3 &&
			(local == port || remote == port) && state != TCP_TIME_WAIT;
	if (f)
		fclose(f);
	return found;
}

/* A closed socket lives on until the other side has heard of it, which on a busy machine takes a while. */
static void wait_for_end(void)
{
	do
		sleep_ms(1);
	while (is_there("/proc/net/tcp", port_of(&server)) || is_there("/proc/net/tcp6", port_of(&server)));
	sleep_ms(1);
}

/* --- both sides --- */

/* Who closes first does so after a while. */
static bool server_is_first(void)
{
	return closes("server") || closes("half");
}

static void serve(int listener)
{
	prctl(PR_SET_NAME, "tcp server");
	for (long i = 0; i < n; i++) {
		fds[i] = by_uring ? uring_accept(listener) : accept(listener, NULL, NULL);
		if (fds[i] < 0 || write(accepted[1], "a", 1) != 1)
			err(1, "accept");
	}
	for (long i = 0; i < n; i++) {
		receive_all(fds[i], sent + i);
		if (closes("half"))
			expect_end(fds[i]);
		send_all(fds[i], received + i);
	}
	if (server_is_first())
		sleep_ms(hold_ms);
	for (long i = 0; i < n; i++) {
		if (!server_is_first())
			expect_end(fds[i]);
		close(fds[i]);
	}
}

static void connect_one(long i)
{
	socklen_t size = sizeof(ours[i]);

	if (bind_first)
		fds[i] = bound(&ours[i], 0);
	else
		fds[i] = socket(server.any.sa_family, SOCK_STREAM, 0);
	began[i] = now();
	if (connect(fds[i], &server.any, size_of(&server)) || getsockname(fds[i], &ours[i].any, &size))
		err(1, "connect");
}

/* From its next close() on. */
static void reset(int fd)
{
	const struct linger none = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

/* One by one: with several processors they might be accepted in another order, and each has its own number of bytes. */
static void connect_all(void)
{
	char byte;

	for (long i = 0; i < n; i++) {
		connect_one(i);
		if (read(accepted[0], &byte, 1) != 1)
			errx(1, "not accepted");
	}
}

static void use(void)
{
	connect_all();
	for (long i = 0; i < n; i++) {
		send_all(fds[i], sent + i);
		if (closes("half"))
			shutdown(fds[i], SHUT_WR);
		receive_all(fds[i], received + i);
	}
	if (!server_is_first())
		sleep_ms(hold_ms);
	for (long i = 0; i < n; i++) {
		if (server_is_first())
			expect_end(fds[i]);
		if (closes("reset"))
			reset(fds[i]);
		close(fds[i]);
	}
}

static void talk(void)
{
	int listener = bound(&server, server_port), status;
	pid_t pid;

	if (listen(listener, CONNECTIONS_MAX) || pipe(accepted))
		err(1, "listen");
	pid = fork();
	if (!pid) {
		close(accepted[0]);
		serve(listener);
		_exit(0);
	}
	close(listener);
	close(accepted[1]);
	use();
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		errx(1, "the server failed");
	wait_for_end();
	for (long i = 0; i < n; i++) {
		unsigned long long most = now() - began[i];

		print_did("connect", getpid(), "tcp", &ours[i], true, &server, sent + i, received + i, most);
		print_did("accept", pid, "tcp server", &server, true, &ours[i], received + i, sent + i, most);
	}
}

static void be_refused(void)
{
	int nobody = bound(&server, server_port), fd;
	union address local = loopback();

	if (bind_first)
		fd = bound(&local, 0);
	else
		fd = socket(server.any.sa_family, SOCK_STREAM, 0);
	began[0] = now();
	if (!connect(fd, &server.any, size_of(&server)) || errno != ECONNREFUSED)
		errx(1, "not refused");
	print_did("refused", getpid(), "tcp", &local, bind_first, &server, 0, 0, now() - began[0]);
	close(fd);
	close(nobody);
}

static void be_unaccepted(void)
{
	int listener = bound(&server, server_port);
	unsigned long long most;

	if (listen(listener, 1))
		err(1, "listen");
	connect_one(0);
	reset(fds[0]);
	close(fds[0]);
	close(listener);
	wait_for_end();
	most = now() - began[0];
	print_did("connect", getpid(), "tcp", &ours[0], true, &server, 0, 0, most);
	print_did("accept", 0, "null", &server, true, &ours[0], 0, 0, most);
}

int main(int argc, char **argv)
{
	const char *file = NULL;
	int c;

	setlinebuf(stdout); /* each line whole, between those of others */
	while ((c = getopt(argc, argv, "w:bus:n:")) != -1) {
		if (c == 'w')
			file = optarg;
		else if (c == 'b')
			bind_first = true;
		else if (c == 'u')
			by_uring = true;
		else if (c == 's')
			server_port = atoi(optarg);
		else if (c == 'n')
			n = atol(optarg);
		else
			return 2;
	}
	argv += optind;
	argc -= optind;
	if ((argc != 2 && argc != 5) || n < 1 || n > CONNECTIONS_MAX)
		errx(2, "usage: tcp [-w FILE] [-b] [-u] [-s PORT] [-n N] CLOSER FAMILY [SENT RECEIVED HOLD_MS]");
	closer = argv[0];
	family = argv[1];
	if (argc == 5) {
		sent = atol(argv[2]);
		received = atol(argv[3]);
		hold_ms = atol(argv[4]);
	}
	if (file)
		wait_for(file);
	if (closes("refused"))
		be_refused();
	else if (closes("unaccepted"))
		be_unaccepted();
	else
		talk();
	return 0;
}
