// SPDX-License-Identifier: BSD-2-Clause
/* What is behind the header of a message of netlink: a struct by its type, and attributes. */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "netlink_part.h"
#include "types_shape.h"

/* NFNL_MSG_BATCH_BEGIN, NFNL_MSG_BATCH_END */
#define BATCH_BEGIN 16
#define BATCH_END   17
/* TCPDIAG_GETSOCK, DCCPDIAG_GETSOCK */
#define OLD_INET 18
#define OLD_DCCP 19

/* The name of a message's struct in the table. */
static void name_payload(char *to, size_t size, int protocol, unsigned int type, bool is_request, unsigned int family)
{
	bool is_inet = family == AF_INET || family == AF_INET6, is_old = type == OLD_INET || type == OLD_DCCP;
	const char *suffix = !is_request ? "r" : is_old && is_inet ? "o"
								   : "q";

	if (protocol == NETLINK_ROUTE)
		snprintf(to, size, "r%u", type == RTM_GETNEIGH && family == AF_BRIDGE ? RTM_NEWLINK : type & ~3u);
	else if (protocol == NETLINK_SOCK_DIAG)
		snprintf(to, size, "d%u%s", is_inet ? AF_INET : family, suffix);
	else if (protocol == NETLINK_NETFILTER)
		snprintf(to, size, type == BATCH_BEGIN || type == BATCH_END ? "n16" : "n");
	else
		snprintf(to, size, "p%d.%u", protocol, type);
}

/* Of a message whose struct is not known. */
static void add_unknown(struct strace_line *line, struct netlink_bytes bytes)
{
	str_add(line->out, "{family=");
	strace_choice(line->out, &strace_address_families, bytes.v[0]);
	if (bytes.n > 1) {
		str_add(line->out, ", data=");
		netlink_add_hex(line, netlink_skip(bytes, 1));
	}
	str_addc(line->out, '}');
}

/* Of a struct whose end is missing, or cannot be read: its first member. */
static void add_begin(struct strace_line *line, const struct netlink_payload *payload, struct netlink_bytes bytes)
{
	str_addn(line->out, payload->shape, strcspn(payload->shape, "%"));
	strace_choice(line->out, &strace_address_families, bytes.v[0]);
	if (bytes.n < payload->size) {
		str_add(line->out, ", ...}");
		return;
	}
	str_add(line->out, ", ");
	strace_address(line->out, bytes.address + 1);
	str_addc(line->out, '}');
}

void netlink_add_payload(struct strace_line *line, int protocol, unsigned int type, bool is_request,
			 struct netlink_bytes bytes)
{
	bool has_family = protocol == NETLINK_ROUTE || protocol == NETLINK_SOCK_DIAG;
	char name[24];
	struct netlink_payload payload;
	struct netlink_attribute known;
	struct netlink_bytes rest;

	if (!bytes.have) {
		strace_address(line->out, bytes.address);
		return;
	}
	netlink_find_attribute("t0", type, &known);
	name_payload(name, sizeof(name), protocol, type, is_request, bytes.v[0]);
	if ((protocol == NETLINK_ROUTE && !known.name) || !netlink_find_payload(name, &payload) || (protocol == NETLINK_SOCK_DIAG && bytes.n == 1)) {
		(has_family ? add_unknown : netlink_add_hex)(line, bytes);
		return;
	}
	if (bytes.have < payload.size) {
		if (has_family)
			add_begin(line, &payload, bytes);
		else
			netlink_add_hex(line, bytes);
		return;
	}
	if (!strace_shape(line, payload.shape, payload.shape_n, bytes.v, bytes.have, bytes.have))
		netlink_add_hex(line, bytes);
	rest = netlink_skip(bytes, netlink_aligned(payload.size));
	if (!rest.n || payload.table[0] == '.')
		return;
	str_add(line->out, ", ");
	if (payload.table[0] == '-')
		netlink_add_hex(line, rest);
	else
		netlink_add_attributes(line, payload.table, bytes.v[0], rest);
}
