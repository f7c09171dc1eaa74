// SPDX-License-Identifier: BSD-2-Clause
/*
 * drops WHAT FAMILY
 *
 * Makes a connection over loopback to a socket of its own that drops packets by a socket filter, until the kernel gives
 * up after some retransmissions. WHAT is syn: the listener drops all; or data: the accepted socket drops the one byte
 * that is sent. FAMILY is 4, 6 or mapped: IPv4 over sockets for IPv6.
 *
 * Prints, separated by tabs: did WHAT IP LADDR LPORT RADDR RPORT SEQ RETRANSMISSIONS, as the client's socket has them.
 * SEQ is that of the byte, ? for syn.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GIVE_UP_MS 1500 /* a byte is sent again after 200, 600 and 1400 ms, or so */
#define SEND_QUEUE 2	/* TCP_SEND_QUEUE of <linux/tcp.h> */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static const char *family;

static union address loopback(void)
{
	union address address = {};

	if (!strcmp(family, "4")) {
		address.v4.sin_family = AF_INET;
		address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return address;
	}
	address.v6.sin6_family = AF_INET6;
	inet_pton(AF_INET6, strcmp(family, "6") ? "::ffff:127.0.0.1" : "::1", &address.v6.sin6_addr);
	return address;
}

static void set(int fd, int level, int option, const void *value, socklen_t size)
{
	if (setsockopt(fd, level, option, value, size))
		err(1, "setsockopt");
}

static void set_int(int fd, int level, int option, int value)
{
	set(fd, level, option, &value, sizeof(value));
}

static void drop_all(int fd)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = { .len = 1, .filter = &nothing };

	set(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static unsigned int next_seq(int fd)
{
	unsigned int seq = 0;
	socklen_t size = sizeof(seq);

	set_int(fd, IPPROTO_TCP, TCP_REPAIR, 1);
	set_int(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, SEND_QUEUE);
	if (getsockopt(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &seq, &size))
		err(1, "TCP_QUEUE_SEQ");
	set_int(fd, IPPROTO_TCP, TCP_REPAIR, -1); /* without a probe of the window */
	return seq;
}

static void print_address(const union address *address)
{
	char text[INET6_ADDRSTRLEN];
	bool v4 = address->any.sa_family == AF_INET;
	const char *mapped = "::ffff:";

	inet_ntop(address->any.sa_family, v4 ? (void *)&address->v4.sin_addr : &address->v6.sin6_addr, text,
		  sizeof(text));
	printf("\t%s\t%d", text + (strncmp(text, mapped, strlen(mapped)) ? 0 : strlen(mapped)),
	       ntohs(v4 ? address->v4.sin_port : address->v6.sin6_port));
}

static void print_did(const char *what, int fd, const union address *local, const union address *remote,
		      const char *seq)
{
	struct tcp_info info = {};
	socklen_t size = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		err(1, "TCP_INFO");
	printf("did %s\t%c", what, strcmp(family, "6") ? '4' : '6');
	print_address(local);
	print_address(remote);
	printf("\t%s\t%u\n", seq, info.tcpi_total_retrans);
}

/* Sends a byte that is dropped, and waits until the kernel gives up. */
static void send_byte(int fd, int server, char *seq, size_t size)
{
	struct pollfd wait = { .fd = fd };

	snprintf(seq, size, "%u", next_seq(fd));
	set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, GIVE_UP_MS);
	drop_all(server);
	if (write(fd, "", 1) != 1 || poll(&wait, 1, -1) != 1)
		err(1, "the byte");
	/* it has to see the answer to its end */
	set_int(server, SOL_SOCKET, SO_DETACH_FILTER, 0);
}

int main(int argc, char **argv)
{
	union address local = {}, remote;
	socklen_t size = sizeof(remote), local_size = sizeof(local);
	char seq[16] = "?";
	bool syn;
	int listener, fd;

	if (argc != 3)
		errx(2, "usage: drops syn|data 4|6|mapped");
	syn = !strcmp(argv[1], "syn");
	family = argv[2];
	remote = loopback();
	listener = socket(remote.any.sa_family, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, &remote.any, sizeof(remote)) || listen(listener, 1) ||
	    getsockname(listener, &remote.any, &size))
		err(1, "listen");
	if (syn)
		drop_all(listener);
	local = loopback();
	fd = socket(remote.any.sa_family, SOCK_STREAM, 0);
	if (bind(fd, &local.any, size) || getsockname(fd, &local.any, &local_size))
		err(1, "bind");
	set_int(fd, IPPROTO_TCP, TCP_SYNCNT, 1);
	if (connect(fd, &remote.any, size) && !(syn && errno == ETIMEDOUT))
		err(1, "connect");
	if (!syn)
		send_byte(fd, accept(listener, NULL, NULL), seq, sizeof(seq));
	print_did(argv[1], fd, &local, &remote, seq);
	return 0;
}
