// SPDX-License-Identifier: BSD-2-Clause
/* Waits for what a descriptor stands for: pipes, sockets, terminals, events, files; and in poll(2) and its kin. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "waits.h"

static void wait_pipe(void)
{
	int fds[2];
	char byte;

	if (pipe(fds))
		err(1, "pipe");
	WITH_OTHER(put_byte, &fds[1], read(fds[0], &byte, 1));
}

static void take_page(void *fd)
{
	static char page[4096];

	if (read(*(int *)fd, page, sizeof(page)) != sizeof(page))
		err(1, "read");
}

#define ANSWERS 50

/* Answers at once for a while; what comes through another pipe comes late. */
static void answer(int asked, int back, int late)
{
	char byte;

	for (int i = 0; i < ANSWERS; i++)
		if (read(asked, &byte, 1) != 1 || write(back, &byte, 1) != 1)
			err(1, "answer");
	nap();
	put_byte(&late);
	_exit(0);
}

/* Short waits for one pipe, and a long one for another, where the stack is equally deep. */
static void wait_pipe_late(void)
{
	int ask[2], back[2], late[2];
	char byte;
	pid_t pid;

	if (pipe(ask) || pipe(back) || pipe(late))
		err(1, "pipe");
	pid = fork();
	if (!pid)
		answer(ask[0], back[1], late[1]);
	for (int i = 0; i <= ANSWERS; i++) {
		if (i < ANSWERS)
			put_byte(&ask[1]);
		if (read(i < ANSWERS ? back[0] : late[0], &byte, 1) != 1)
			err(1, "read");
	}
	waitpid(pid, NULL, 0);
}

/* A pipe that is full. */
static void wait_pipe_write(void)
{
	static char page[4096];
	int fds[2];

	if (pipe(fds) || fcntl(fds[1], F_SETPIPE_SZ, sizeof(page)) < 0 || write(fds[1], page, sizeof(page)) < 0)
		err(1, "pipe");
	WITH_OTHER(take_page, &fds[0], write(fds[1], page, sizeof(page)));
}

static void wait_socket(void)
{
	int fds[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		err(1, "socketpair");
	WITH_OTHER(put_byte, &fds[1], recv(fds[0], &byte, 1, 0));
}

/* Both ends of a TCP connection to ourselves. */
static void connect_tcp(int fds[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0);

	fds[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server, (void *)&address, len) || listen(server, 1) || getsockname(server, (void *)&address, &len) ||
	    connect(fds[1], (void *)&address, len))
		err(1, "tcp");
	fds[0] = accept(server, NULL, NULL);
	close(server);
}

static void wait_network(void)
{
	int fds[2];
	char byte;

	connect_tcp(fds);
	WITH_OTHER(put_byte, &fds[1], read(fds[0], &byte, 1));
}

static void wait_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char byte, *path;

	if (master < 0 || grantpt(master) || unlockpt(master) || !(path = ptsname(master)))
		err(1, "pty");
	slave = open(path, O_RDWR | O_NOCTTY);
	if (slave < 0)
		err(1, "%s", path);
	WITH_OTHER(put_byte, &slave, read(master, &byte, 1));
}

static void wait_event(void)
{
	uint64_t one = 1;
	int fd = eventfd(0, 0);

	if (fd < 0)
		err(1, "eventfd");
	for (int i = 0; i < times; i++) {
		pid_t pid = fork();

		if (!pid) {
			nap();
			_exit(write(fd, &one, sizeof(one)) != sizeof(one));
		}
		MEASURE(read(fd, &one, sizeof(one)));
		waitpid(pid, NULL, 0);
	}
}

static void wait_timerfd(void)
{
	struct itimerspec at = { .it_value.tv_nsec = ms * 1000000L };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t n;

	for (int i = 0; i < times; i++) {
		timerfd_settime(fd, 0, &at, NULL);
		MEASURE(read(fd, &n, sizeof(n)));
	}
}

static void wait_poll(void)
{
	for (int i = 0; i < times; i++)
		MEASURE(poll(NULL, 0, ms));
}

static void wait_select(void)
{
	for (int i = 0; i < times; i++) {
		struct timeval timeout = { .tv_usec = ms * 1000 };

		MEASURE(select(0, NULL, NULL, NULL, &timeout));
	}
}

static int read_polled(int epoll, int fd)
{
	struct epoll_event event;
	char byte;

	return epoll_wait(epoll, &event, 1, -1) == 1 ? read(fd, &byte, 1) : -1;
}

static void wait_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fds[2], epoll = epoll_create1(0);

	if (pipe(fds) || epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event))
		err(1, "epoll");
	WITH_OTHER(put_byte, &fds[1], read_polled(epoll, fds[0]));
}

static void wait_readv(void)
{
	char byte;
	struct iovec to = { &byte, 1 };
	int fds[2];

	if (pipe(fds))
		err(1, "pipe");
	WITH_OTHER(put_byte, &fds[1], readv(fds[0], &to, 1));
}

static void open_end(void *path)
{
	close(open(path, O_WRONLY));
}

/* Ends when the other has closed its end: what is opened next is another one. */
static int open_other_end(const char *path)
{
	int fd = open(path, O_RDONLY);
	char byte;

	return read(fd, &byte, 1) ? -1 : close(fd);
}

/* A FIFO is opened when its other end is, too. */
static void wait_fifo(void)
{
	char path[32];

	snprintf(path, sizeof(path), "/tmp/waits-fifo%d", getpid());
	if (mkfifo(path, 0600))
		err(1, "%s", path);
	WITH_OTHER(open_end, path, open_other_end(path));
	unlink(path);
}

static void wait_splice(void)
{
	int from[2], to[2];

	if (pipe(from) || pipe(to))
		err(1, "pipe");
	WITH_OTHER(put_byte, &from[1], splice(from[0], NULL, to[1], NULL, 1, 0));
}

/* Into a pipe that is full. */
static void wait_sendfile(void)
{
	static char page[4096];
	char path[] = "/tmp/waitsXXXXXX";
	int file = mkstemp(path), fds[2];
	off_t at = 0;

	if (file < 0 || write(file, page, sizeof(page)) < 0 || unlink(path) || pipe(fds) ||
	    fcntl(fds[1], F_SETPIPE_SZ, sizeof(page)) < 0 || write(fds[1], page, sizeof(page)) < 0)
		err(1, "pipe");
	WITH_OTHER(take_page, &fds[0], (at = 0, sendfile(fds[1], file, &at, sizeof(page))));
}

/* Takes what a full socket has, until it has nothing. */
static void drain(void *fd)
{
	static char room[65536];

	while (recv(*(int *)fd, room, sizeof(room), MSG_DONTWAIT) > 0)
		;
}

/* The socket is full when the other is told to go: it may drain it before this process waits. */
static void wait_full(int fds[2])
{
	static char page[4096];
	struct other other;
	int small = 16384;

	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(fds[1], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	other = start(drain, &fds[1]);
	for (int i = 0; i < times; i++) {
		while (send(fds[0], page, sizeof(page), MSG_DONTWAIT) > 0)
			;
		go(&other);
		MEASURE(send(fds[0], page, 1, 0));
	}
	end(&other);
}

static void wait_socket_write(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		err(1, "socketpair");
	wait_full(fds);
}

static void wait_network_write(void)
{
	int fds[2];

	connect_tcp(fds);
	wait_full(fds);
}

static void wait_udp(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int to = socket(AF_INET, SOCK_DGRAM, 0), from = socket(AF_INET, SOCK_DGRAM, 0);
	char byte;

	if (bind(to, (void *)&address, len) || getsockname(to, (void *)&address, &len) ||
	    connect(from, (void *)&address, len))
		err(1, "udp");
	WITH_OTHER(put_byte, &from, recvfrom(to, &byte, 1, 0, NULL, NULL));
}

static struct {
	struct sockaddr_storage address;
	socklen_t len;
} server;

static void connect_once(void *family)
{
	int fd = socket(*(int *)family, SOCK_STREAM, 0);

	if (connect(fd, (void *)&server.address, server.len))
		err(1, "connect");
	close(fd);
}

static int accept_once(int listener)
{
	return close(accept(listener, NULL, NULL));
}

static void wait_accept_of(int family, const void *address, socklen_t len)
{
	int listener = socket(family, SOCK_STREAM, 0);

	server.len = sizeof(server.address);
	if (bind(listener, address, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&server.address, &server.len))
		err(1, "listen");
	WITH_OTHER(connect_once, &family, accept_once(listener));
}

static void wait_accept(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	wait_accept_of(AF_INET, &address, sizeof(address));
}

static void wait_accept_unix(void)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX };

	/* the kernel makes up an address */
	wait_accept_of(AF_UNIX, &address, sizeof(address.sun_family));
}

static void touch(void *path)
{
	close(open(path, O_WRONLY));
}

static void wait_inotify(void)
{
	char path[] = "/tmp/waitsXXXXXX", room[4096];
	int file = mkstemp(path), fd = inotify_init();

	if (file < 0 || inotify_add_watch(fd, path, IN_OPEN) < 0)
		err(1, "inotify");
	WITH_OTHER(touch, path, read(fd, room, sizeof(room)));
	unlink(path);
}

static void wait_signalfd(void)
{
	struct signalfd_siginfo got;
	pid_t self = getpid();
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	WITH_OTHER(send_signal, &self, read(fd, &got, sizeof(got)));
}

static void wait_pidfd(void)
{
	for (int i = 0; i < times; i++) {
		pid_t pid = fork();
		struct pollfd at = { .events = POLLIN };

		if (!pid)
			after_nap(NULL);
		at.fd = syscall(SYS_pidfd_open, pid, 0);
		MEASURE(poll(&at, 1, -1));
		close(at.fd);
		waitpid(pid, NULL, 0);
	}
}

static void send_message_to(void *queue)
{
	mq_send(*(mqd_t *)queue, "", 1, 0);
}

static void wait_mqueue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 1 };
	char path[32], byte;
	mqd_t queue;

	snprintf(path, sizeof(path), "/waits%d", getpid());
	queue = mq_open(path, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	if (queue < 0)
		err(1, "mq_open");
	mq_unlink(path);
	WITH_OTHER(send_message_to, &queue, mq_receive(queue, &byte, 1, NULL));
}

/* Asynchronous: for a pipe that is to have a byte. */
static void wait_aio(void)
{
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN }, *all[] = { &poll };
	aio_context_t context = 0;
	struct io_event event;
	int fds[2];
	char byte;

	if (pipe(fds) || syscall(SYS_io_setup, 1, &context))
		err(1, "io_setup");
	poll.aio_fildes = fds[0];
	WITH_OTHER(put_byte, &fds[1],
		   syscall(SYS_io_submit, context, 1, all) == 1 &&
				   syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1
			   ? read(fds[0], &byte, 1)
			   : -1);
}

/* In the current directory, which is on a disk. */
static void wait_fsync(void)
{
	static char block[65536];
	int fd = open("waits-file", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		err(1, "waits-file");
	for (int i = 0; i < times * 4; i++) {
		MEASURE(write(fd, block, sizeof(block)));
		MEASURE(fsync(fd));
	}
}

/* Reads what fsync has written, past the cache. */
static void wait_read(void)
{
	static char block[65536];
	int fd = open("waits-file", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < times * 4; i++)
		MEASURE(write(fd, block, sizeof(block)));
	MEASURE(fsync(fd));
	for (int i = 0; i < times * 4; i++) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		MEASURE(pread(fd, block, sizeof(block), (long)i * sizeof(block)));
	}
}

const struct cause on_descriptors[] = {
	{ "pipe", wait_pipe },
	{ "pipe-late", wait_pipe_late },
	{ "pipe-write", wait_pipe_write },
	{ "socket", wait_socket },
	{ "network", wait_network },
	{ "terminal", wait_terminal },
	{ "event", wait_event },
	{ "timerfd", wait_timerfd },
	{ "poll", wait_poll },
	{ "select", wait_select },
	{ "epoll", wait_epoll },
	{ "readv", wait_readv },
	{ "fifo", wait_fifo },
	{ "splice", wait_splice },
	{ "sendfile", wait_sendfile },
	{ "socket-write", wait_socket_write },
	{ "network-write", wait_network_write },
	{ "udp", wait_udp },
	{ "accept", wait_accept },
	{ "accept-unix", wait_accept_unix },
	{ "inotify", wait_inotify },
	{ "signalfd", wait_signalfd },
	{ "pidfd", wait_pidfd },
	{ "mqueue", wait_mqueue },
	{ "aio", wait_aio },
	{ "fsync", wait_fsync },
	{ "read", wait_read },
	{},
};
