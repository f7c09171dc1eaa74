// SPDX-License-Identifier: BSD-2-Clause
/*
 * serve [-p PORT | -u NAME] [-c CONNECTIONS] [-e EVERY] [-s MS | -f FILE] [-w FILE] [-d] [-o] [-x] [-6] [-a PORT] [-h]
 *	[-b | -B NAME] [-2] [-l] HOW REQUESTS
 *
 * A server with the name "server", and a client that asks it REQUESTS times over loopback: on CONNECTIONS connections
 * (default 4) that ask at the same time, each one request after the other. HOW is threads: the server has a thread for
 * each connection; loop: one thread with epoll; pool: a thread with epoll reads, and two others answer. Each EVERY-th
 * request (default 20) sleeps for MS, or writes to FILE and waits until that is on the disk.
 *
 * -u: the server is at a unix socket; @NAME: an abstract one. -d: each connection carries one request only. -o: the
 * same with -u, and the client closes without reading; HOW is not pool, and the server answers. -x: the same as -d with -u
 * and loop, on one connection at a time; the server closes each second one without reading, and then the client waits for
 * 20 ms. -6: the server is at an
 * address of IPv6, for both versions, and the client uses them in turn. -a: each connection comes from this port of an
 * address of its own. -h: the client sends the second half of a request when the server has read the first one. -b: with
 * loop, the server asks another one with the name "behind", on a connection for each client; that one sleeps or writes.
 * -B: the same at a unix socket. -2: each thread of that one asks a third one, "last", over TCP, and that one does. -l:
 * threads answer while they hold a lock. -w: the client begins when FILE can be opened and read.
 *
 * Prints "did requests N", "did connections N", "did slow N" (requests), and as the client saw it, "did longest NS" and
 * "did all NS", the time of all of them.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ASK	  64
#define ANSWER	  200
#define QUEUE_MAX 256

static int port, own_port, connections = 4, every = 20, sleep_ms, file = -1;
static long requests;
static bool one_each, one_way, unread, both_versions, halves, by_other, by_third, locks;
static const char *name, *other_name; /* of unix sockets; NULL: TCP */
static struct shared {
	atomic_long served, slow, opened, halves;
	atomic_ullong longest;
} * shared;

static unsigned long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* --- unix sockets --- */

static socklen_t make_name(struct sockaddr_un *at, const char *path)
{
	size_t n = strlen(path);

	if (n >= sizeof(at->sun_path))
		errx(2, "%s: too long", path);
	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(at->sun_path, path, n);
	if (*path != '@')
		return offsetof(struct sockaddr_un, sun_path) + n + 1;
	at->sun_path[0] = '\0';
	return offsetof(struct sockaddr_un, sun_path) + n;
}

static int connect_unix(const char *path)
{
	struct sockaddr_un at;
	socklen_t size = make_name(&at, path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (void *)&at, size))
		err(1, "connect %s", path);
	return fd;
}

static int listen_unix(const char *path)
{
	struct sockaddr_un at;
	socklen_t size = make_name(&at, path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (*path != '@')
		unlink(path);
	if (fd < 0 || bind(fd, (void *)&at, size) || listen(fd, 128))
		err(1, "listen %s", path);
	return fd;
}

/* --- the server --- */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
	static char page[4096];
	struct timespec ts = { .tv_sec = sleep_ms / 1000, .tv_nsec = sleep_ms % 1000 * 1000000 };

	if (++shared->served % every)
		return;
	shared->slow++;
	if (sleep_ms)
		nanosleep(&ts, NULL);
	else if (file >= 0 && (pwrite(file, page, sizeof(page), 0) < 0 || fsync(file)))
		err(1, "fsync");
}

static bool get(int fd)
{
	char ask[ASK];
	ssize_t n = read(fd, ask, sizeof(ask));

	if (!halves || n != ASK / 2)
		return n == ASK;
	/* the client waits for that */
	shared->halves++;
	return read(fd, ask, ASK / 2) == ASK / 2;
}

static void answer(int fd)
{
	char bytes[ANSWER] = "";

	if (locks)
		pthread_mutex_lock(&held);
	work();
	if (locks)
		pthread_mutex_unlock(&held);
	if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes) && !(one_way && errno == EPIPE))
		err(1, "write");
}

static int last_port; /* of the third server, for the one that asks it */

static int connect_port(int to)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(to) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (void *)&at, sizeof(at)))
		err(1, "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* What the third server answers is the answer. */
static void pass_to_last(int fd, int last)
{
	char bytes[ANSWER] = "";

	if (write(last, bytes, ASK) != ASK || recv(last, bytes, ANSWER, MSG_WAITALL) != ANSWER ||
	    write(fd, bytes, ANSWER) != ANSWER)
		err(1, "the third server");
}

static void *serve_one(void *arg)
{
	int fd = (long)arg, last = last_port ? connect_port(last_port) : -1;

	while (get(fd)) {
		if (last_port)
			pass_to_last(fd, last);
		else
			answer(fd);
	}
	if (last_port)
		close(last);
	close(fd);
	return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue[QUEUE_MAX];
static unsigned int first, last;

static void *take(void *arg)
{
	for (;;) {
		int fd;

		pthread_mutex_lock(&lock);
		while (first == last)
			pthread_cond_wait(&filled, &lock);
		fd = queue[first++ % QUEUE_MAX];
		pthread_mutex_unlock(&lock);
		answer(fd);
	}
	return arg;
}

static void put(int fd)
{
	pthread_mutex_lock(&lock);
	queue[last++ % QUEUE_MAX] = fd;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

static void begin_thread(void *(*fn)(void *), long arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, (void *)arg))
		errx(1, "pthread_create");
	pthread_detach(thread);
}

static int accept_one(int listener)
{
	int fd = accept(listener, NULL, NULL), on = 1;

	if (fd < 0)
		err(1, "accept");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static void serve_by_threads(int listener)
{
	for (;;)
		begin_thread(serve_one, accept_one(listener));
}

/* Every second connection is closed once something has come. */
static bool is_refused(int fd)
{
	static long n;
	struct pollfd come = { .fd = fd, .events = POLLIN };

	if (!unread || ++n % 2 == 0)
		return false;
	if (poll(&come, 1, -1) != 1)
		err(1, "poll");
	close(fd);
	return true;
}

static void watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll_ctl");
}

static void serve_by_loop(int listener, void (*fn)(int fd))
{
	int epoll = epoll_create1(0);

	watch(epoll, listener);
	for (;;) {
		struct epoll_event events[16];
		int n = epoll_wait(epoll, events, 16, -1);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == listener) {
				int fd = accept_one(listener);

				if (!is_refused(fd))
					watch(epoll, fd);
			} else if (get(events[i].data.fd)) {
				fn(events[i].data.fd);
			} else {
				close(events[i].data.fd);
			}
		}
	}
}

/* --- a server that asks another one --- */

static int other_port, other_of[1024]; /* of each connection to a client or to the other server: the other side */
static bool is_other[1024];

static int connect_other(void)
{
	return other_name ? connect_unix(other_name) : connect_port(other_port);
}

/* Both sides can be read when the other one has something for them. */
static void pass_on(int epoll, int fd)
{
	char bytes[ANSWER];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n <= 0) {
		close(fd);
		return;
	}
	if (!is_other[fd] && !other_of[fd]) {
		int other = connect_other();

		other_of[fd] = other;
		other_of[other] = fd;
		is_other[other] = true;
		watch(epoll, other);
	}
	if (write(other_of[fd], bytes, n) != n)
		err(1, "write");
}

static void serve_by_other(int listener)
{
	int epoll = epoll_create1(0);

	watch(epoll, listener);
	for (;;) {
		struct epoll_event events[16];
		int n = epoll_wait(epoll, events, 16, -1);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == listener)
				watch(epoll, accept_one(listener));
			else
				pass_on(epoll, events[i].data.fd);
		}
	}
}

static void serve(int listener, const char *how)
{
	prctl(PR_SET_NAME, "server");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (one_way)
		signal(SIGPIPE, SIG_IGN);
	if (by_other)
		serve_by_other(listener);
	if (!strcmp(how, "threads"))
		serve_by_threads(listener);
	if (!strcmp(how, "loop"))
		serve_by_loop(listener, answer);
	begin_thread(take, 0);
	begin_thread(take, 0);
	serve_by_loop(listener, put);
}

/* --- the client --- */

static int connect_one(long number)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback };
	bool is_v6 = both_versions && number % 2;
	int fd, on = 1;

	shared->opened++;
	if (name)
		return connect_unix(name);
	fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	if (own_port) {
		struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(own_port) };

		own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + number);
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(fd, (void *)&own, sizeof(own)))
			err(1, "bind");
	}
	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || (is_v6 ? connect(fd, (void *)&v6, sizeof(v6)) : connect(fd, (void *)&v4, sizeof(v4))))
		err(1, "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static void ask_one(int fd)
{
	char bytes[ANSWER] = "";
	unsigned long long began = now(), ns;
	long before = shared->halves;
	int first = halves ? ASK / 2 : ASK;

	if (write(fd, bytes, first) != first)
		err(1, "write");
	if (one_way)
		return;
	if (unread && recv(fd, bytes, ANSWER, MSG_PEEK) <= 0) {
		usleep(20000);
		return;
	}
	while (halves && shared->halves == before)
		usleep(100);
	if ((halves && write(fd, bytes, first) != first) || recv(fd, bytes, ANSWER, MSG_WAITALL) != ANSWER)
		err(1, "no answer");
	ns = now() - began;
	if (ns > shared->longest)
		shared->longest = ns;
}

static void *ask(void *arg)
{
	long n = requests / connections + ((long)arg < requests % connections);
	int fd = one_each ? -1 : connect_one((long)arg);

	while (n--) {
		if (one_each)
			fd = connect_one((long)arg);
		ask_one(fd);
		if (one_each)
			close(fd);
	}
	return NULL;
}

static void ask_all(void)
{
	pthread_t threads[QUEUE_MAX];

	for (long i = 0; i < connections; i++)
		if (pthread_create(&threads[i], NULL, ask, (void *)i))
			errx(1, "pthread_create");
	for (long i = 0; i < connections; i++)
		pthread_join(threads[i], NULL);
}

static void wait_for(const char *path)
{
	int fd = open(path, O_RDONLY);
	char byte;

	if (fd < 0 || read(fd, &byte, 1) < 0)
		err(1, "%s", path);
}

static int listen_at(void)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at = {};
	int fd = socket(both_versions ? AF_INET6 : AF_INET, SOCK_STREAM, 0), on = 1;
	socklen_t size = both_versions ? sizeof(at.v6) : sizeof(at.v4);

	at.any.sa_family = both_versions ? AF_INET6 : AF_INET;
	/* at the same place for both */
	at.v4.sin_port = htons(port);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &at.any, size) || listen(fd, 128) || getsockname(fd, &at.any, &size))
		err(1, "listen");
	port = ntohs(at.v4.sin_port);
	return fd;
}

static void read_options(int argc, char **argv, const char **gate)
{
	int c;

	while ((c = getopt(argc, argv, "p:u:c:e:s:f:w:dox6a:hbB:2l")) != -1) {
		if (c == 'p')
			port = atoi(optarg);
		else if (c == 'u')
			name = optarg;
		else if (c == 'c')
			connections = atoi(optarg);
		else if (c == 'e')
			every = atoi(optarg);
		else if (c == 's')
			sleep_ms = atoi(optarg);
		else if (c == 'f')
			file = open(optarg, O_WRONLY | O_CREAT, 0600);
		else if (c == 'w')
			*gate = optarg;
		else if (c == 'd')
			one_each = true;
		else if (c == 'o')
			one_each = one_way = true;
		else if (c == 'x')
			one_each = unread = true, connections = 1;
		else if (c == '6')
			both_versions = true;
		else if (c == 'a')
			own_port = atoi(optarg);
		else if (c == 'h')
			halves = true;
		else if (c == 'b' || c == 'B')
			by_other = true, other_name = c == 'B' ? optarg : NULL;
		else if (c == '2')
			by_third = true;
		else if (c == 'l')
			locks = true;
		else
			exit(2);
	}
	if (argc - optind != 2 || connections < 1 || connections > QUEUE_MAX || every < 1)
		errx(2, "usage: serve [OPTIONS] threads|loop|pool REQUESTS");
}

/* Listens at any port, or at a unix socket. *at: which port. */
static int listen_anywhere(const char *path, int *at)
{
	const int own = port;
	int listener;

	port = 0;
	listener = path ? listen_unix(path) : listen_at();
	*at = port;
	port = own;
	return listener;
}

/* Returns its process. */
static pid_t begin_server(int listener, const char *comm)
{
	pid_t process = fork();

	if (!process) {
		prctl(PR_SET_NAME, comm);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_by_threads(listener);
	}
	close(listener);
	return process;
}

static void end(pid_t process)
{
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *gate = NULL;
	pid_t server, other = 0, last = 0;
	unsigned long long began;
	int listener, third = 0;

	read_options(argc, argv, &gate);
	requests = atol(argv[optind + 1]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (by_third)
		last = begin_server(listen_anywhere(NULL, &third), "last");
	last_port = third; /* of the one that is begun now */
	if (by_other)
		other = begin_server(listen_anywhere(other_name, &other_port), "behind");
	last_port = 0;
	listener = name ? listen_unix(name) : listen_at();
	server = fork();
	if (!server)
		serve(listener, argv[optind]);
	close(listener);
	if (gate)
		wait_for(gate);
	began = now();
	ask_all();
	while (one_way && shared->served < requests)
		usleep(100);
	began = now() - began;
	end(server);
	if (by_other)
		end(other);
	if (by_third)
		end(last);
	printf("did requests %ld\ndid connections %ld\ndid slow %ld\ndid longest %llu\ndid all %llu\n", requests,
	       atomic_load(&shared->opened), atomic_load(&shared->slow), atomic_load(&shared->longest), began);
	return 0;
}
