// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sends messages of netlink to nobody, for the comparison of `sonde strace` with strace: all kinds of them, with each of
 * their attributes, whose values make no sense, and with lengths that are wrong. Nothing gets to the kernel.
 */
#include <linux/netlink.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE 4096

/* A kind of message: what its struct begins with, how long that is, and how many kinds of attributes may follow. */
static const struct {
	unsigned char protocol, flags, family, attributes;
	unsigned short type, size;
} kinds[] = {
	{ NETLINK_ROUTE, 1, AF_UNSPEC, 63, 16, 16 },
	{ NETLINK_ROUTE, 1, AF_INET, 13, 20, 8 },
	{ NETLINK_ROUTE, 1, AF_INET6, 32, 24, 12 },
	{ NETLINK_ROUTE, 1, AF_INET, 19, 28, 12 },
	{ NETLINK_ROUTE, 1, AF_INET, 26, 32, 12 },
	{ NETLINK_ROUTE, 1, AF_UNSPEC, 17, 36, 20 },
	{ NETLINK_ROUTE, 1, AF_UNSPEC, 12, 48, 4 },
	{ NETLINK_ROUTE, 1, AF_INET, 10, 64, 4 },
	{ NETLINK_ROUTE, 1, AF_INET, 4, 72, 12 },
	{ NETLINK_ROUTE, 1, AF_INET, 18, 78, 4 },
	{ NETLINK_ROUTE, 1, AF_INET, 10, 80, 4 },
	{ NETLINK_ROUTE, 1, AF_BRIDGE, 4, 84, 8 },
	{ NETLINK_ROUTE, 1, AF_UNSPEC, 7, 88, 4 },
	{ NETLINK_ROUTE, 1, AF_UNSPEC, 7, 92, 12 },
	{ NETLINK_ROUTE, 1, AF_INET, 15, 104, 8 },
	{ NETLINK_SOCK_DIAG, 1, AF_INET, 5, 20, 56 },
	{ NETLINK_SOCK_DIAG, 0, AF_INET, 24, 20, 72 },
	{ NETLINK_SOCK_DIAG, 0, AF_UNIX, 9, 20, 16 },
	{ NETLINK_SOCK_DIAG, 0, AF_NETLINK, 6, 20, 28 },
	{ NETLINK_SOCK_DIAG, 0, AF_PACKET, 9, 20, 16 },
	{ NETLINK_SOCK_DIAG, 0, AF_SMC, 7, 20, 64 },
	{ NETLINK_NETFILTER, 1, AF_INET, 2, 0x0a00, 4 },
	{ NETLINK_XFRM, 1, AF_INET, 1, 16, 4 },
	{ NETLINK_AUDIT, 1, 1, 1, 1300, 4 },
	{ NETLINK_SELINUX, 1, 1, 1, 16, 4 },
	{ NETLINK_GENERIC, 1, 1, 2, 16, 4 },
};

/* Values: attributes within it, numbers, a text, and all bits. */
static const char nested[] = "\10\0\1\0\1\2\3\4\5\0\2\0a\0\0\0\10\0\3\0\1\0\0\0", text[] = "a\"\1\377\0";

static const struct {
	const char *bytes;
	int n;
} values[] = {
	{ nested, sizeof(nested) - 1 },
	{ "\2\0\0\0\0\0\0\0\1\2\3\4\5\6\7\10", 16 },
	{ text, sizeof(text) - 1 },
	{ "\377\377\377\377", 4 },
	{ "\1", 1 },
};

static int fds[32];
static char *end; /* of the memory */

static void send_to_nobody(int protocol, const char *bytes, int n, int len)
{
	struct sockaddr_nl nobody = { .nl_family = AF_NETLINK, .nl_pid = 0x7ffffff0 };

	if (!fds[protocol]) {
		fds[protocol] = socket(AF_NETLINK, SOCK_RAW, protocol);
		if (fds[protocol] >= 0 && connect(fds[protocol], (void *)&nobody, sizeof(nobody)))
			fds[protocol] = -1;
	}
	if (fds[protocol] < 0)
		return;
	memcpy(end - n, bytes, n);
	send(fds[protocol], end - n, len, 0);
}

#define ROUTE	   24
#define MULTI_PATH 9

/* One message with an attribute; where the memory ends early, too. */
static void send_attribute(int kind, int attribute, const char *value, int n)
{
	struct {
		struct nlmsghdr head;
		char rest[400];
	} m = { { NLMSG_HDRLEN + NLMSG_ALIGN(kinds[kind].size) + NLA_HDRLEN + n, kinds[kind].type, kinds[kind].flags } };
	struct nlattr *a = (void *)(m.rest + NLMSG_ALIGN(kinds[kind].size));

	/* strace 6.1 prints gateways without a length for ever */
	if (kinds[kind].type == ROUTE && attribute == MULTI_PATH)
		return;
	for (int i = 1; i < kinds[kind].size; i++)
		m.rest[i] = n == 4 ? i : 0;
	m.rest[0] = kinds[kind].family;
	*a = (struct nlattr){ NLA_HDRLEN + n, attribute };
	memcpy(a + 1, value, n);
	send_to_nobody(kinds[kind].protocol, (void *)&m, m.head.nlmsg_len, m.head.nlmsg_len);
	if (n == 4)
		for (unsigned int cut = 1; cut < m.head.nlmsg_len && attribute == 1; cut += 5)
			send_to_nobody(kinds[kind].protocol, (void *)&m, m.head.nlmsg_len - cut, m.head.nlmsg_len);
}

/* Types, flags and errors of a protocol. */
static void send_heads(int protocol)
{
	struct {
		struct nlmsghdr head;
		int error;
		struct nlmsghdr cause;
		struct nlattr attribute;
		char text[4];
	} m = { { sizeof(m), NLMSG_ERROR, 0x300 }, -2, { 16, 20, 0x301 }, { 8, 1 }, "bad" };

	send_to_nobody(protocol, (void *)&m, sizeof(m), sizeof(m));
	m.head.nlmsg_type = NLMSG_DONE;
	m.head.nlmsg_len = 20;
	send_to_nobody(protocol, (void *)&m, sizeof(m), sizeof(m));
	send_to_nobody(protocol, (void *)&m, 20, sizeof(m));
	for (int type = 0; type < 120; type += 7) {
		m.head = (struct nlmsghdr){ 16 + type % 5, type, type << 4 };
		send_to_nobody(protocol, (void *)&m, 32, 32);
	}
}

/* Families of generic netlink have numbers that the kernel gives them. */
static void send_families(void)
{
	struct nlmsghdr head = { .nlmsg_len = sizeof(head), .nlmsg_flags = NLM_F_REQUEST };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);

	for (int type = 14; type < 50; type++) {
		head.nlmsg_type = type;
		sendto(fd, &head, sizeof(head), MSG_DONTWAIT, NULL, 0);
	}
	close(fd);
}

int main(void)
{
	end = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(end + PAGE, PAGE);
	end += PAGE;
	for (unsigned int kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		for (int attribute = 0; attribute < kinds[kind].attributes; attribute++)
			for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++)
				send_attribute(kind, attribute, values[i].bytes, values[i].n);
	send_heads(NETLINK_ROUTE);
	send_heads(NETLINK_SOCK_DIAG);
	send_heads(NETLINK_NETFILTER);
	send_heads(NETLINK_XFRM);
	send_families();
	return 0;
}
