/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of netlink.h's implementation share: messages, their heads, their attributes. */
#ifndef SONDE_STRACE_NETLINK_PART_H
#define SONDE_STRACE_NETLINK_PART_H

#include "netlink.h"
#include "strace_part.h"

#define WORDS_OF(NAME, PREFIX, NAMES) static const struct strace_words NAME = { PREFIX, NAMES }

/* Some bytes of a message. All lengths in them are foreign: nothing is read behind the bytes that are there. */
struct netlink_bytes {
	const unsigned char *v;
	size_t n;
};

static inline struct netlink_bytes netlink_skip(struct netlink_bytes bytes, size_t n)
{
	n = n < bytes.n ? n : bytes.n;
	return (struct netlink_bytes){ bytes.v + n, bytes.n - n };
}

static inline struct netlink_bytes netlink_first(struct netlink_bytes bytes, size_t n)
{
	return (struct netlink_bytes){ bytes.v, n < bytes.n ? n : bytes.n };
}

/* A number of `size` bytes, 8 at most; 0 if they are not there. */
static inline uint64_t netlink_number(struct netlink_bytes bytes, size_t at, size_t size)
{
	uint64_t value = 0;

	if (at <= bytes.n && size <= bytes.n - at && size <= sizeof(value))
		memcpy(&value, bytes.v + at, size);
	return value;
}

/* Rounded up to 4: where the next message or attribute begins. */
static inline size_t netlink_aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

void netlink_add_hex(struct strace_line *line, struct netlink_bytes bytes);
/* The name of an interface of this network namespace, as strace prints it, or its number: of a recording always. */
void netlink_add_interface(struct strace_line *line, unsigned int index);

/* The attributes of a message: their names, and for each type a character that says how its value is printed. */
struct netlink_attributes {
	struct strace_words names;
	const char *unknown, *kinds;
};

extern const struct netlink_attributes netlink_links, netlink_addresses, netlink_routes, netlink_neighbours, netlink_rules,
	netlink_traffic, netlink_labels, netlink_confs, netlink_tables, netlink_spaces, netlink_hops, netlink_errors,
	netlink_inet, netlink_unix, netlink_netlink;
extern const struct strace_words netlink_address_flags, netlink_route_tables, netlink_route_protocols,
	netlink_ip_protocols;

/* Attributes of a message about something of an address family. */
void netlink_add_attributes(struct strace_line *line, const struct netlink_attributes *attributes, unsigned int family,
			    struct netlink_bytes bytes);

/* What is behind the header of a message of NETLINK_ROUTE or NETLINK_SOCK_DIAG; there is at least a byte. */
void netlink_add_payload(struct strace_line *line, int protocol, unsigned int type, bool is_request,
			 struct netlink_bytes bytes);

#endif
