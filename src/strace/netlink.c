// SPDX-License-Identifier: BSD-2-Clause
/* Messages of netlink: their headers, errors, and how they follow each other. */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "netlink_part.h"

WORDS_OF(plain_types, "NLMSG_", "=1 NOOP ERROR DONE OVERRUN");
WORDS_OF(route_types, "RTM_",
	 "=16 NEWLINK DELLINK GETLINK SETLINK NEWADDR DELADDR GETADDR =24 NEWROUTE DELROUTE GETROUTE =28 NEWNEIGH "
	 "DELNEIGH GETNEIGH =32 NEWRULE DELRULE GETRULE =36 NEWQDISC DELQDISC GETQDISC =40 NEWTCLASS DELTCLASS "
	 "GETTCLASS =44 NEWTFILTER DELTFILTER GETTFILTER =48 NEWACTION DELACTION GETACTION =52 NEWPREFIX =58 "
	 "GETMULTICAST =62 GETANYCAST =64 NEWNEIGHTBL =66 GETNEIGHTBL SETNEIGHTBL NEWNDUSEROPT =72 NEWADDRLABEL "
	 "DELADDRLABEL GETADDRLABEL =78 GETDCB SETDCB NEWNETCONF DELNETCONF GETNETCONF =84 NEWMDB DELMDB GETMDB =88 "
	 "NEWNSID DELNSID GETNSID =92 NEWSTATS =94 GETSTATS =96 NEWCACHEREPORT =100 NEWCHAIN DELCHAIN GETCHAIN =104 "
	 "NEWNEXTHOP DELNEXTHOP GETNEXTHOP =108 NEWLINKPROP DELLINKPROP GETLINKPROP =112 NEWVLAN DELVLAN GETVLAN");
WORDS_OF(diag_types, "", "=18 TCPDIAG_GETSOCK DCCPDIAG_GETSOCK SOCK_DIAG_BY_FAMILY SOCK_DESTROY");
WORDS_OF(generic_types, "", "=16 nlctrl");
#define FLAGS_OF_ALL "=1 REQUEST MULTI ACK ECHO DUMP_INTR DUMP_FILTERED "
WORDS_OF(flags_of_get, "NLM_F_", FLAGS_OF_ALL "=0x300 DUMP =0x100 ROOT MATCH ATOMIC");
WORDS_OF(flags_of_new, "NLM_F_", FLAGS_OF_ALL "=0x100 REPLACE EXCL CREATE APPEND");
WORDS_OF(flags_of_del, "NLM_F_", FLAGS_OF_ALL "=0x100 NONREC");
WORDS_OF(flags_of_error, "NLM_F_", FLAGS_OF_ALL "=0x100 CAPPED ACK_TLVS");
WORDS_OF(flags_of_others, "NLM_F_", FLAGS_OF_ALL);

#define HEADER sizeof(struct nlmsghdr)

static void add_message(struct strace_line *line, int protocol, struct netlink_bytes bytes, bool is_within);

static const struct strace_words *flags_of(int protocol, unsigned int type)
{
	if (type == NLMSG_ERROR)
		return &flags_of_error;
	if (type < NLMSG_MIN_TYPE || protocol == NETLINK_GENERIC)
		return &flags_of_others;
	if (protocol == NETLINK_SOCK_DIAG || (type & 3) == 2)
		return &flags_of_get;
	return (type & 3) == 1 ? &flags_of_del : (type & 3) == 0 ? &flags_of_new
								 : &flags_of_others;
}

static void add_type(struct str *out, int protocol, unsigned int type)
{
	const struct strace_words *types = protocol == NETLINK_ROUTE	   ? &route_types
					   : protocol == NETLINK_SOCK_DIAG ? &diag_types
									   : &generic_types;
	const char *unknown = protocol == NETLINK_ROUTE	      ? "RTM_???"
			      : protocol == NETLINK_SOCK_DIAG ? "SOCK_DIAG_???"
							      : "GENERIC_FAMILY_???";

	if (type < NLMSG_MIN_TYPE) {
		types = &plain_types;
		unknown = "NLMSG_???";
	}
	if (!strace_word_if(out, types, type))
		str_addf(out, "%#x /* %s */", type, unknown);
}

static void add_header(struct str *out, int protocol, struct netlink_bytes bytes)
{
	unsigned int type = netlink_number(bytes, 4, 2);

	str_addf(out, "{nlmsg_len=%u, nlmsg_type=", (unsigned int)netlink_number(bytes, 0, 4));
	add_type(out, protocol, type);
	str_add(out, ", nlmsg_flags=");
	strace_bits(out, flags_of(protocol, type), netlink_number(bytes, 6, 2));
	str_addf(out, ", nlmsg_seq=%u, nlmsg_pid=%d}", (unsigned int)netlink_number(bytes, 8, 4),
		 (int)netlink_number(bytes, 12, 4));
}

/* An error, and the message that caused it: its header, if it is capped; then, if the flags say so, attributes. */
static void add_error(struct strace_line *line, int protocol, unsigned int flags, struct netlink_bytes bytes)
{
	int error = netlink_number(bytes, 0, 4);
	struct netlink_bytes cause = netlink_skip(bytes, sizeof(error)), rest;
	size_t len = flags & NLM_F_CAPPED ? HEADER : netlink_number(cause, 0, 4);

	rest = netlink_skip(cause, netlink_aligned(len < HEADER ? HEADER : len));
	if (!(flags & (NLM_F_CAPPED | NLM_F_ACK_TLVS)))
		rest.n = 0;
	cause.n -= rest.n;
	str_add(line->out, rest.n ? "[" : "");
	if (error < 0 && error >= -4095 && strerrorname_np(-error))
		str_addf(line->out, "{error=-%s, msg=", strerrorname_np(-error));
	else
		str_addf(line->out, "{error=%d, msg=", error);
	add_message(line, protocol, cause, true);
	str_addc(line->out, '}');
	if (!rest.n)
		return;
	str_add(line->out, ", ");
	netlink_add_attributes(line, &netlink_errors, 0, rest);
	str_addc(line->out, ']');
}

/* Of a message that an error is about, another error is bytes. */
static void add_content(struct strace_line *line, int protocol, struct netlink_bytes header, struct netlink_bytes bytes,
			bool is_within)
{
	unsigned int type = netlink_number(header, 4, 2), flags = netlink_number(header, 6, 2);

	if (type == NLMSG_ERROR && bytes.n >= sizeof(struct nlmsgerr) && !is_within)
		add_error(line, protocol, flags, bytes);
	else if (type == NLMSG_DONE && bytes.n == sizeof(int))
		str_addf(line->out, "%d", (int)netlink_number(bytes, 0, sizeof(int)));
	else if (type < NLMSG_MIN_TYPE || protocol == NETLINK_GENERIC)
		netlink_add_hex(line, bytes);
	else
		netlink_add_payload(line, protocol, type, flags & NLM_F_REQUEST, bytes);
}

/* A message says how long it is, and has no more bytes than are there. */
static void add_message(struct strace_line *line, int protocol, struct netlink_bytes bytes, bool is_within)
{
	struct netlink_bytes rest = netlink_skip(netlink_first(bytes, netlink_number(bytes, 0, 4)), HEADER);

	if (bytes.n < HEADER) {
		netlink_add_hex(line, bytes);
		return;
	}
	str_add(line->out, rest.n ? "[" : "");
	add_header(line->out, protocol, bytes);
	if (!rest.n)
		return;
	str_add(line->out, ", ");
	add_content(line, protocol, bytes, rest, is_within);
	str_addc(line->out, ']');
}

static void add_messages(struct strace_line *line, int protocol, struct netlink_bytes bytes, bool cut)
{
	for (size_t i = 0; bytes.n; i++) {
		size_t len = netlink_number(bytes, 0, 4);

		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size || (cut && (len > bytes.n || bytes.n < HEADER))) {
			str_add(line->out, "...");
			break;
		}
		add_message(line, protocol, bytes, false);
		if (len < HEADER)
			break;
		bytes = netlink_skip(bytes, netlink_aligned(len));
	}
}

bool strace_netlink(struct strace_line *line, int protocol, const void *data, size_t n, bool cut)
{
	struct netlink_bytes bytes = { data, n };
	size_t first = netlink_aligned(netlink_number(bytes, 0, 4));
	bool many = first >= HEADER && first < n;

	if (!n || (protocol != NETLINK_ROUTE && protocol != NETLINK_SOCK_DIAG && protocol != NETLINK_GENERIC))
		return false;
	str_add(line->out, many ? "[" : "");
	add_messages(line, protocol, bytes, cut);
	str_add(line->out, many ? "]" : "");
	return true;
}
