// SPDX-License-Identifier: BSD-2-Clause
/* Sockets: addresses, options and messages. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "strace_part.h"
#include "types.h"

STRACE_FAMILY(strace_netlink_families, "NETLINK_???", N(NETLINK_ROUTE), N(NETLINK_USERSOCK), N(NETLINK_NFLOG), N(NETLINK_FIB_LOOKUP), N(NETLINK_SOCK_DIAG),
	      N(NETLINK_XFRM), N(NETLINK_SELINUX), N(NETLINK_AUDIT), N(NETLINK_NETFILTER), N(NETLINK_KOBJECT_UEVENT),
	      N(NETLINK_GENERIC), N(NETLINK_CRYPTO));
STRACE_FAMILY(strace_address_families, "AF_???", N(AF_UNSPEC), N(AF_UNIX), N(AF_INET), N(AF_INET6), N(AF_BRIDGE), N(AF_NETLINK),
	      N(AF_PACKET), N(AF_BLUETOOTH), N(AF_VSOCK), N(AF_ALG), N(AF_KEY), N(AF_XDP), N(AF_CAN), N(AF_TIPC),
	      N(AF_QIPCRTR));
CHOICE(t_domain, strace_address_families);

static void print_socket_type(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(types, "SOCK_???", N(SOCK_STREAM), N(SOCK_DGRAM), N(SOCK_RAW), N(SOCK_RDM),
			     N(SOCK_SEQPACKET), N(SOCK_DCCP), N(SOCK_PACKET));
	static STRACE_FAMILY(flags, "SOCK_???", N(SOCK_CLOEXEC), N(SOCK_NONBLOCK));
	unsigned int type = strace_arg(line, arg);

	strace_choice(line->out, &types, type & 0xf);
	if (type & ~0xf) {
		str_addc(line->out, '|');
		strace_flags(line->out, &flags, type & ~0xf);
	}
}
const struct strace_type t_socket_type = { print_socket_type };

static STRACE_FAMILY(accept_flags, "SOCK_???", N(SOCK_CLOEXEC), N(SOCK_NONBLOCK));
FLAGS(t_accept_flags, accept_flags);

/* A protocol of Ethernet, in the network's order. */
static void add_ethernet(struct str *out, unsigned int protocol)
{
	static const struct strace_words protocols = {
		"ETH_P_", "=1 802_3 AX25 ALL 802_2 =0x800 IP =0x806 ARP =0x8100 8021Q =0x86dd IPV6 =0x8863 PPP_DISC PPP_SES"
	};

	str_add(out, "htons(");
	strace_word(out, &protocols, ntohs(protocol));
	str_addc(out, ')');
}

static void print_protocol(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(inet, "IPPROTO_???", N(IPPROTO_IP), N(IPPROTO_ICMP), N(IPPROTO_TCP), N(IPPROTO_UDP),
			     N(IPPROTO_ICMPV6), N(IPPROTO_RAW), N(IPPROTO_SCTP), N(IPPROTO_UDPLITE),
			     { "IPPROTO_MPTCP", 262 });
	unsigned int domain = strace_arg(line, 0), protocol = strace_arg(line, arg);

	if (domain == AF_INET || domain == AF_INET6)
		strace_choice(line->out, &inet, protocol);
	else if (domain == AF_NETLINK)
		strace_choice(line->out, &strace_netlink_families, protocol);
	else if (domain == AF_PACKET)
		add_ethernet(line->out, protocol);
	else
		str_add_u64(line->out, protocol);
}
const struct strace_type t_protocol = { print_protocol };

/* --- addresses --- */

static void add_unix(struct strace_line *line, const struct sockaddr_un *address, size_t n)
{
	size_t at = offsetof(struct sockaddr_un, sun_path), len = n > at ? n - at : 0;
	const char *path = (const char *)address + at;

	str_add(line->out, "sun_path=");
	if (len && !*path) {
		str_addc(line->out, '@');
		strace_text(line, path + 1, len - 1, false);
	} else {
		strace_text(line, path, strnlen(path, len), false);
	}
}

static void add_inet6(struct str *out, const struct sockaddr_in6 *address)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof(text));
	str_addf(out,
		 "sin6_port=htons(%u), sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, \"%s\", &sin6_addr), "
		 "sin6_scope_id=%u",
		 ntohs(address->sin6_port), ntohl(address->sin6_flowinfo), text, address->sin6_scope_id);
}

static void add_packet(struct str *out, const struct sockaddr_ll *address)
{
	static const struct strace_words kinds = { "PACKET_", "HOST BROADCAST MULTICAST OTHERHOST OUTGOING LOOPBACK USER "
							      "KERNEL" };
	static const struct strace_words hardware = { "ARPHRD_", "NETROM ETHER EETHER AX25 =772 LOOPBACK" };
	char name[IF_NAMESIZE];

	str_add(out, ", sll_protocol=");
	add_ethernet(out, address->sll_protocol);
	str_add(out, ", sll_ifindex=");
	if (if_indextoname(address->sll_ifindex, name))
		str_addf(out, "if_nametoindex(\"%s\")", name);
	else
		str_add_s64(out, address->sll_ifindex);
	str_add(out, ", sll_hatype=");
	strace_word(out, &hardware, address->sll_hatype);
	str_add(out, ", sll_pkttype=");
	strace_word(out, &kinds, address->sll_pkttype);
	str_addf(out, ", sll_halen=%u", address->sll_halen);
	for (unsigned int i = 0; i < address->sll_halen && i < sizeof(address->sll_addr); i++)
		str_addf(out, "%s%#x", i ? ", " : ", sll_addr=[", address->sll_addr[i]);
	if (address->sll_halen)
		str_addc(out, ']');
}

void strace_sockaddr(struct strace_line *line, const void *bytes, size_t n)
{
	struct sockaddr_storage address = {};
	struct str *out = line->out;
	char text[INET_ADDRSTRLEN] = "";

	memcpy(&address, bytes, n < sizeof(address) ? n : sizeof(address));
	str_add(out, "{sa_family=");
	strace_choice(out, &strace_address_families, address.ss_family);
	if (address.ss_family == AF_UNIX && n > sizeof(address.ss_family)) {
		str_add(out, ", ");
		add_unix(line, (const void *)&address, n < sizeof(struct sockaddr_un) ? n : sizeof(struct sockaddr_un));
	} else if (address.ss_family == AF_INET && n >= sizeof(struct sockaddr_in)) {
		const struct sockaddr_in *in = (const void *)&address;

		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		str_addf(out, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(in->sin_port), text);
	} else if (address.ss_family == AF_INET6 && n >= sizeof(struct sockaddr_in6) - 4) {
		str_add(out, ", ");
		add_inet6(out, (const void *)&address);
	} else if (address.ss_family == AF_NETLINK && n >= sizeof(struct sockaddr_nl)) {
		const struct sockaddr_nl *nl = (const void *)&address;

		if (nl->nl_pad)
			str_addf(out, ", nl_pad=%#x", nl->nl_pad);
		str_addf(out, ", nl_pid=%d, nl_groups=%#08x", nl->nl_pid, nl->nl_groups);
	} else if (address.ss_family == AF_PACKET && n >= sizeof(struct sockaddr_ll) - 8) {
		add_packet(out, (const void *)&address);
	} else if (n > sizeof(address.ss_family)) {
		str_add(out, ", sa_data=");
		strace_text(line, (const char *)&address + sizeof(address.ss_family),
			    (n < sizeof(address) ? n : sizeof(address)) - sizeof(address.ss_family), false);
	}
	str_addc(out, '}');
}

static void print_sockaddr(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);

	int n = strace_arg(line, arg + 1);

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD || blob->n < 2 || n < 0)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_sockaddr(line, strace_bytes(blob), blob->n);
}
const struct strace_type t_sockaddr = {
	print_sockaddr,
	.steps = { STEP_ARRAY(NEXT(1), 1, 128) },
};

const int *strace_socklen(struct strace_line *line, unsigned int arg, bool before)
{
	struct strace_line at = *line;
	const struct strace_blob *blob;

	if (before)
		at.exit = NULL;
	if (!at.enter && !at.exit)
		return NULL;
	blob = strace_blob(&at, arg, 0, 0);
	return blob && blob->n >= sizeof(int) && blob->status != STRACE_UNREAD ? strace_bytes(blob) : NULL;
}

static void print_sockaddr_out(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, 0, 0) : NULL;
	const int *room = strace_socklen(line, arg + 1, true), *length = strace_socklen(line, arg + 1, false);
	int n = length ? *length : 0;

	if (room && *room < n)
		n = *room;
	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD || n < 2)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_sockaddr(line, strace_bytes(blob), (size_t)n < blob->n ? (size_t)n : blob->n);
}
const struct strace_type t_sockaddr_out = { print_sockaddr_out, .steps = {
									STEP_WRITES(128),
									STEP_WRITES(16),
								} };

static void print_socklen(struct strace_line *line, unsigned int arg)
{
	const int *was = strace_socklen(line, arg, true), *is = strace_socklen(line, arg, false);

	/* without room for the address nobody asks how long it is */
	bool unasked = line->call->args[arg] == &t_socklen && !strace_arg(line, arg - 1);

	if (!strace_arg(line, arg) || unasked || (!was && !is)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	if (was && is && *was != *is && strace_ok(line))
		str_addf(line->out, "[%d => %d]", *was, *is);
	else
		str_addf(line->out, "[%d]", was ? *was : *is);
}
const struct strace_type t_socklen = { print_socklen, .both = true, .steps = { STEP_READS(4) } };

void strace_credentials(struct strace_line *line, const int *v)
{
	str_add(line->out, "{pid=");
	strace_pid(line, v[0]);
	str_addf(line->out, ", uid=%d, gid=%d}", v[1], v[2]);
}
